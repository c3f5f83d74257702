#include "bounds/cluster_walk.h"

#include <algorithm>
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
        options.k = k, options.round = round, options.unions = round % 3 * 5, options.stale = round % 4 * 5;
        const std::vector<VarSet<1>> starts{VarSet<1>::first(n / 2)};
        // The last two have a variable in common, and the last variable is in none.
        const std::vector<VarSet<1>> blocks{VarSet<1>::first(2), VarSet<1>{}, VarSet<1>::single(2),
                                            VarSet<1>::first(n - 1) - VarSet<1>::first(2)};
        for (const auto& cut : walk_to_cuts<1>(n, point, starts, options, blocks)) {
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

namespace {

// The first `tied` triples are in a cycle: each variable has shares in another one of its triple and in the whole next
// triple. Those of the other triples have no parents instead of the next triple.
std::vector<Share<4>> triples_with_a_cycle(int triples, int tied) {
    std::vector<Share<4>> point;
    for (int v = 0; v < 3 * triples; ++v) {
        const int triple = v / 3, next = 3 * ((triple + 1) % tied);
        point.push_back({v, VarSet<4>::single(3 * triple + (v + 1) % 3), 0.6});
        point.push_back({v, {}, 0.4});
        if (triple < tied) point.back().parents = VarSet<4>::single(next).with(next + 1).with(next + 2);
    }
    return point;
}

std::vector<VarSet<4>> all_triples(int triples) {
    std::vector<VarSet<4>> blocks;
    for (int v = 0; v < 3 * triples; v += 3) blocks.push_back(VarSet<4>::single(v).with(v + 1).with(v + 2));
    return blocks;
}

bool contains(const std::vector<Cut<4>>& cuts, const VarSet<4>& set) {
    return std::any_of(cuts.begin(), cuts.end(), [&](const Cut<4>& cut) { return cut.set == set; });
}

}  // namespace

// Protects from overlooking clusters of whole groups: 30 triples in a cycle are broken together, and only together; to
// there it is too far from single variables, from all, and from a triple.
TEST(walks_from_unions_of_blocks_find_a_cycle_of_blocks) {
    const int triples = 60, tied = 30;
    const auto point = triples_with_a_cycle(triples, tied);
    const auto blocks = all_triples(triples);
    WalkOptions options;
    options.unions = 0;
    CHECK(walk_to_cuts<4>(3 * triples, point, blocks, options, blocks).empty());
    options.unions = 30;
    for (const bool singles : {true, false}) {
        options.singles = singles;
        for (options.round = 0; options.round < 5; ++options.round) {
            const auto cuts = walk_to_cuts<4>(3 * triples, point, {}, options, blocks);
            CHECK(contains(cuts, VarSet<4>::first(3 * tied)));
            CHECK(!cuts.empty() && cuts.front().violation > 1 - 1e-9);
        }
    }
}

// Protects from cuts that depend on who walks: walks are shared between threads, and unions drawn before.
TEST(walks_end_at_the_same_cuts_on_any_number_of_threads) {
    const int triples = 60;
    const auto point = triples_with_a_cycle(triples, 50);
    const auto blocks = all_triples(triples);
    WalkOptions options;
    options.unions = 40, options.stale = 20, options.round = 3;
    const auto alone = walk_to_cuts<4>(3 * triples, point, blocks, options, blocks);
    CHECK(!alone.empty());
    options.threads = 3;
    for (int again = 0; again < 3; ++again) {
        const auto shared = walk_to_cuts<4>(3 * triples, point, blocks, options, blocks);
        CHECK(std::equal(alone.begin(), alone.end(), shared.begin(), shared.end(),
                         [](const auto& a, const auto& b) { return a.set == b.set && a.violation == b.violation; }));
    }
}
