#include "bounds/separation.h"

#include <random>

#include "testing/harness.h"

using namespace sabna;

namespace {

// A random point: every variable shares itself out among a few sets.
std::vector<Share<1>> some_point(int n, std::mt19937& random) {
    std::vector<Share<1>> point;
    for (int i = 0; i < n; ++i) {
        const int parts = 1 + int(random() % 3);
        for (int p = 0; p < parts; ++p) {
            VarSet<1> parents;
            for (int size = int(random() % 4); size > 0; --size) {
                const int v = int(random() % unsigned(n));
                if (v != i) parents.insert(v);
            }
            point.push_back({i, parents, 1.0 / parts});
        }
    }
    return point;
}

double covered(const std::vector<Share<1>>& point, const VarSet<1>& cluster, int k) {
    double f = 0;
    for (const auto& share : point)
        if (cluster.contains(share.variable) && (share.parents & cluster).size() < k) f += share.x;
    return f;
}

}  // namespace

// Protects from cuts that are not broken, and from a local search that overlooks broken ones that enumeration finds.
TEST(separation_against_enumeration) {
    std::mt19937 random(5);
    Watch watch;
    int exist = 0, missed = 0;
    for (int round = 0; round < 300; ++round) {
        const int n = 3 + round % 6, k = 1 + round % 2;
        const auto point = some_point(n, random);
        const auto cuts = separate<1>(n, point, {.k = k, .most = 50, .one_of_each_start = round % 3 == 0}, watch);
        for (const auto& cut : cuts) {
            CHECK(cut.set.size() > k);
            const double gap = k - covered(point, cut.set, k) - cut.violation;
            CHECK(gap < 1e-9 && gap > -1e-9 && cut.violation > 1e-4);
        }
        double deepest = 0;
        for (std::uint64_t bits = 1; bits < std::uint64_t{1} << n; ++bits) {
            VarSet<1> cluster;
            cluster.word[0] = bits;
            if (cluster.size() > k) deepest = std::max(deepest, k - covered(point, cluster, k));
        }
        if (deepest > 1e-4) ++exist, missed += cuts.empty();
    }
    CHECK(exist > 100);
    CHECK(missed * 50 < exist);  // k = 2 may hide outside one component of the support; rarely
}

TEST(separation_by_several_threads_finds_the_same) {
    std::mt19937 random(6);
    Watch watch;
    const int n = 61;
    std::vector<Share<1>> point;  // of parents nearby on a ring, one component with many short cycles
    for (int i = 0; i < n; ++i)
        for (int p = 0; p < 3; ++p) {
            const int left = (i + n - 1 - int(random() % 3)) % n, right = (i + 1 + int(random() % 3)) % n;
            point.push_back({i, VarSet<1>::single(left).with(right), 1.0 / 3});
        }
    std::size_t found = 0;
    for (const int k : {1, 2}) {
        const auto one = separate<1>(n, point, {.k = k, .most = 200}, watch);
        const auto three = separate<1>(n, point, {.k = k, .most = 200, .threads = 3}, watch);
        found += one.size();
        CHECK_EQ(one.size(), three.size());
        for (std::size_t c = 0; c < one.size(); ++c)
            CHECK(one[c].set == three[c].set && one[c].violation == three[c].violation);
    }
    CHECK(found > 50);
}
