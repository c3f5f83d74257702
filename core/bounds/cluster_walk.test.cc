#include "bounds/cluster_walk.h"

#include <random>

#include "testing/harness.h"

using namespace sabna;

namespace {

double covered_by(const std::vector<Share<1>>& point, const VarSet<1>& cluster, int k) {
    double f = 0;
    for (const auto& share : point)
        if (cluster.contains(share.variable) && (share.parents & cluster).size() < k) f += share.x;
    return f;
}

}  // namespace

// Protects from values that drift from the clusters they belong to, as many moves are made without counting anew.
TEST(walks_end_at_cuts_that_are_broken_as_much_as_they_say) {
    std::mt19937 random(7);
    int found = 0;
    for (int round = 0; round < 200; ++round) {
        const int n = 4 + round % 9, k = 1 + round % 2;
        std::vector<Share<1>> point;
        for (int i = 0; i < n; ++i) {
            const int parts = 1 + int(random() % 4);
            for (int p = 0; p < parts; ++p) {
                VarSet<1> parents;
                for (int size = int(random() % 4); size > 0; --size) {
                    const int v = int(random() % unsigned(n));
                    if (v != i) parents.insert(v);
                }
                point.push_back({i, parents, 1.0 / parts});
            }
        }
        WalkOptions options;
        options.k = k, options.round = round;
        const std::vector<VarSet<1>> starts{VarSet<1>::first(n / 2)};
        for (const auto& cut : walk_to_cuts<1>(n, point, starts, options)) {
            CHECK(cut.set.size() > k && cut.k == k && cut.violation > 1e-4);
            const double off = k - covered_by(point, cut.set, k) - cut.violation;
            CHECK(off < 2e-9 && off > -2e-9);
            ++found;
        }
    }
    CHECK(found > 200);
}

// Protects from overlooking large clusters: of a long cycle only the whole of it is broken.
TEST(walks_find_a_long_cycle) {
    const int n = 50;
    Watch watch;
    std::vector<Share<1>> point;
    for (int i = 0; i < n; ++i) point.push_back({i, VarSet<1>::single((i + 1) % n), 1.0});
    CHECK(separate<1>(n, point, {.most = 10}, watch).empty());
    const auto cuts = walk_to_cuts<1>(n, point, {}, WalkOptions{});
    CHECK(cuts.size() == 1);
    CHECK(cuts.front().set == VarSet<1>::first(n) && cuts.front().violation > 1 - 1e-9);
}
