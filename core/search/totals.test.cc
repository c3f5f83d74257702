// Costs at the limit of what sums have room for (cost.h): under UBSan any sum that leaves 64 bits ends the run.
#include "alternatives/alternatives.h"
#include "alternatives/branching.h"
#include "bounds/dual_ascent.h"
#include "bounds/fixing.h"
#include "bounds/group_best.h"
#include "bounds/local_search.h"
#include "search/dense.h"
#include "search/run.h"
#include "search/weighted.h"
#include "testing/harness.h"
#include "testing/random_clusters.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

std::int64_t size(Cost cost) { return std::abs(cost.quanta); }

// The largest cost in size of every variable add up to just below the limit: stretched from 0, or from a middle to both
// sides, or shifted up or down.
ParentGraphData<1> at_the_limit(std::uint32_t seed) {
    RandomGraph shape;
    shape.n = 3 + int(seed % 6);
    shape.sets = 3 + int(seed % 12);
    shape.costs = seed % 3 ? 1000 : 6;
    shape.empty_sets = seed % 5 != 0;
    shape.larger_is_cheaper = seed % 2 == 0;
    auto graph = random_graph<1>(shape, seed);
    const std::int64_t share = (largest_total - 1) / shape.n, unit = share / shape.costs;
    for (Cost& cost : graph.costs) switch (seed % 4) {
            case 0: cost.quanta *= unit; break;
            case 1: cost.quanta = (2 * cost.quanta - shape.costs) * unit; break;
            case 2: cost.quanta = share - shape.costs + cost.quanta; break;
            default: cost.quanta = -share + cost.quanta;
        }
    std::int64_t total = 0;
    for (int i = 0; i < shape.n; ++i) {
        std::int64_t most = 0;
        for (const Cost cost : graph.view().costs(i)) most = std::max(most, size(cost));
        total += most;
    }
    CHECK(total < largest_total);
    return graph;
}

// Weights as large as they may be.
std::vector<Cluster<1>> heavy_clusters(int n, std::uint32_t seed) {
    auto clusters = random_clusters<1>(n, 6, 300, seed);
    std::int64_t total = 1;
    for (const auto& c : clusters) total += c.y * c.set.size();
    for (auto& c : clusters) c.y *= largest_total / total;
    check_clusters(clusters);
    return clusters;
}

}  // namespace

TEST(strategies_and_heuristics_have_room_for_costs_at_the_limit) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto data = at_the_limit(seed);
        const auto graph = data.view();
        const Cost best = optimum(graph);
        for (const char* strategy : {"astar", "bfs"})
            for (const char* heuristic : {"simple", "pattern"})
                for (const bool prune : {true, false}) {
                    Watch watch;
                    const SearchOptions options{seed % 3 != 0, seed % 4 == 0, prune, {}, 1};
                    const Assignment known = prune ? local_search(graph, {}, watch) : Assignment{};
                    const Outcome outcome = run_search(graph, strategy, {heuristic, int(seed % 3), Grouping::affinity},
                                                       options, known, watch);
                    CHECK_EQ(outcome.best.cost.quanta, best.quanta);
                    CHECK_EQ(outcome.lower.quanta, best.quanta);
                }
        Watch watch;
        CHECK_EQ(dense_search(graph, 1, watch).best.cost.quanta, best.quanta);
    }
}

TEST(cluster_weights_have_room_for_costs_at_the_limit) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto data = at_the_limit(seed);
        const auto graph = data.view();
        const Cost best = optimum(graph);
        Watch watch;
        const auto clusters = heavy_clusters(graph.n, seed);
        Weighting<1> weighting{clusters, {}};
        CHECK(holds_promises(graph, ClusterBound<1>(graph, clusters)));
        CHECK(dual_ascent(graph, clusters, {}, watch).bound <= best.quanta);
        for (const auto& groups : choose_groups<1>(graph.n, clusters, 3, 2, seed)) {
            CHECK(group_best(graph, {clusters, groups}, 1, watch).bound <= best.quanta);
            weighting.patterns.push_back({clusters, groups});
        }
        const DualPatternDb<1> database(graph, weighting.patterns, 1, watch);
        CHECK(holds_promises(graph, database));
        for (const std::int64_t target : {best.quanta + 1, largest_total, Cost::infinite().quanta}) {
            std::vector<std::uint8_t> keep = fix_by_reduced_cost(graph, reduced_costs(graph, clusters), target);
            fix_by_tables(database.tables(), target, 1, keep, watch);
            const Assignment network = dense_search(graph, 1, watch).best;
            for (const std::int64_t p : network.choice) CHECK(keep[std::size_t(p)]);
        }
        for (const char* strategy : {"astar", "bfs", "branch-and-bound"})
            CHECK_EQ(run_weighted(graph, weighting, strategy, {}, {}, watch).best.cost.quanta, best.quanta);
        watch.release(database.bytes());
    }
}

TEST(lists_of_networks_have_room_for_costs_at_the_limit) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const auto data = at_the_limit(seed);
        const auto graph = data.view();
        const Cost best = optimum(graph);
        const Wanted wanted{50, Cost{2 * largest_total}};
        Watch watch;
        const auto tables = find_alternatives(graph, wanted, watch);
        const auto branched =
            branch_networks(graph, heavy_clusters(graph.n, seed), best, wanted, -1, watch).found.costs;
        CHECK(tables.costs == branched);
        CHECK_EQ(tables.costs.front().quanta, best.quanta);
    }
}

TEST(weights_beyond_the_limit_are_refused) {
    auto clusters = heavy_clusters(5, 1);
    for (auto& c : clusters) c.y *= 2;
    bool refused = false;
    try {
        check_clusters(clusters);
    } catch (const std::overflow_error&) {
        refused = true;
    }
    CHECK(refused);
}

TEST(tables_know_that_no_network_exists_whatever_the_sign_of_the_costs) {
    for (const std::int64_t cost : {std::int64_t{5}, std::int64_t{-5}, largest_total / 2 - 1, 1 - largest_total / 2}) {
        ParentGraphData<1> cycle;  // 0 needs 1, 1 needs 0
        cycle.sets = {VarSet<1>::single(1), VarSet<1>::single(0)};
        cycle.costs = {{cost}, {cost}};
        cycle.offsets = {0, 1, 2};
        Watch watch;
        CHECK(!dense_search(cycle.view(), 1, watch).best.known());
        const Pattern<1> whole{{}, {VarSet<1>::first(2)}};
        CHECK(DualPatternDb<1>(cycle.view(), {whole}, 1, watch).root().is_infinite());
    }
}
