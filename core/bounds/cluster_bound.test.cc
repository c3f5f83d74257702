#include "bounds/cluster_bound.h"

#include "bounds/dual_ascent.h"
#include "testing/harness.h"
#include "testing/random_clusters.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

// h(U) written down from its formula, nothing shared with the class.
std::int64_t by_formula(const ParentGraphView<1>& graph, const std::vector<Cluster<1>>& clusters, VarSet<1> placed) {
    std::int64_t total = 0;
    for (const auto& c : clusters) total += std::max(0, c.k - (c.set & placed).size()) * c.y;
    for (int i = 0; i < graph.n; ++i) {
        if (placed.contains(i)) continue;
        std::int64_t least = Cost::infinite().quanta;
        for (std::size_t p = 0; p < graph.sets(i).size(); ++p) {
            std::int64_t value = graph.costs(i)[p].quanta;
            for (const auto& c : clusters)
                if (c.set.contains(i) && (c.set & placed).size() < c.k && (graph.sets(i)[p] & c.set).size() < c.k)
                    value -= c.y;
            least = std::min(least, value);
        }
        total += least;
    }
    return total;
}

ParentGraphData<1> some_graph(std::uint32_t seed) {
    RandomGraph shape;
    shape.n = 2 + int(seed % 9);
    shape.sets = 3 + int(seed % 15);
    shape.largest = 1 + int(seed % 4);
    shape.costs = seed % 3 ? 1000 : 6;
    shape.empty_sets = seed % 5 != 0;
    return random_graph<1>(shape, seed);
}

}  // namespace

// Protects from deleting optima: a bound above the truth at any node does.
TEST(cluster_bound_keeps_its_promises_for_any_weights) {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
        const auto data = some_graph(seed);
        const auto graph = data.view();
        const auto clusters = random_clusters<1>(graph.n, 6, 400, seed);
        const ClusterBound<1> bound(graph, clusters);
        CHECK(holds_promises(graph, bound));
        for (std::uint64_t u = 0; u < std::uint64_t{1} << graph.n; ++u) {
            VarSet<1> placed;
            placed.word[0] = u;
            CHECK_EQ(bound(placed).quanta, by_formula(graph, clusters, placed));
        }
        CHECK_EQ(bound.root().quanta, reduced_costs(graph, clusters).bound);
    }
}

TEST(cluster_bound_refuses_clusters_it_is_wrong_for) {
    const auto refused = [](Cluster<1> cluster) {
        try {
            check_clusters<1>({cluster});
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(refused({VarSet<1>::single(3), 1, 5}));          // |C| = k
    CHECK(refused({VarSet<1>::single(3).with(4), 2, 5}));  // |C| = k
    CHECK(refused({VarSet<1>::single(3).with(4), 1, -1}));
    CHECK(!refused({VarSet<1>::single(3).with(4), 1, 5}));
}

// Protects from an ascent that claims more than its weights give, overshoots the optimum, or does nothing.
TEST(dual_ascent_is_a_bound_and_raises_it) {
    int raised = 0;
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
        const auto data = some_graph(seed);
        const auto graph = data.view();
        Watch watch;
        const auto start = seed % 2 ? random_clusters<1>(graph.n, 4, 50, seed) : std::vector<Cluster<1>>{};
        const std::int64_t before = reduced_costs(graph, start).bound;
        const AscentResult<1> result = dual_ascent(graph, start, {}, watch);
        CHECK_EQ(result.bound, reduced_costs(graph, result.clusters).bound);
        CHECK(result.bound <= optimum(graph).quanta);
        CHECK(result.bound >= before);
        raised += result.bound > before;
        CHECK(holds_promises(graph, ClusterBound<1>(graph, result.clusters)));
    }
    CHECK(raised > 50);
}
