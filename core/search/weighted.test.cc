#include "search/weighted.h"

#include "bounds/dual_ascent.h"
#include "bounds/local_search.h"
#include "testing/harness.h"
#include "testing/random_clusters.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

ParentGraphData<1> some_graph(std::uint32_t seed) {
    RandomGraph shape;
    shape.n = 3 + int(seed % 7);
    shape.sets = 3 + int(seed % 15);
    shape.largest = 1 + int(seed % 4);
    shape.costs = seed % 3 ? 1000 : 6;
    shape.empty_sets = seed % 5 != 0;
    return random_graph<1>(shape, seed);
}

const char* const strategies[] = {"astar", "bfs", "branch-and-bound"};

}  // namespace

// Protects from searches that lose the optimum, with weights from a dice and from dual ascent.
TEST(weighted_searches_find_the_optimum) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto data = some_graph(seed);
        const auto graph = data.view();
        Watch quiet;
        const auto clusters =
            seed % 2 ? dual_ascent(graph, {}, {}, quiet).clusters : random_clusters<1>(graph.n, 6, 300, seed);
        const Weighting<1> cuts{clusters, {}};
        Weighting<1> dual_pattern = cuts;
        for (const auto& groups : choose_groups<1>(graph.n, clusters, 3, 2, seed))
            dual_pattern.patterns.push_back({clusters, groups});
        for (const char* strategy : strategies)
            for (const Weighting<1>& weighting : {cuts, dual_pattern}) {
                Watch watch;
                const SearchOptions options{seed % 3 != 0, seed % 4 == 0, true, {}, 1};
                const Outcome outcome = run_weighted(graph, weighting, strategy, options, {}, watch);
                CHECK_EQ(outcome.best.cost.quanta, optimum(graph).quanta);
                CHECK_EQ(outcome.lower.quanta, outcome.best.cost.quanta);
                CHECK(is_network(graph, outcome.best));
                CHECK_EQ(watch.used(), std::uint64_t{0});
            }
    }
}

// Protects from taking a bare cost for a network, and from missing one just below it.
TEST(weighted_searches_below_a_cost) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto data = some_graph(seed);
        const auto graph = data.view();
        const Cost best = optimum(graph);
        for (const char* strategy : strategies) {
            Watch watch;
            Assignment known;
            known.cost = best;
            const Outcome none = run_weighted<1>(graph, {}, strategy, {}, known, watch);
            CHECK(none.best.order.empty());
            CHECK_EQ(none.lower.quanta, best.quanta);
            known.cost = best + Cost{1};
            const Outcome found = run_weighted<1>(graph, {}, strategy, {}, known, watch);
            CHECK_EQ(found.best.cost.quanta, best.quanta);
            CHECK(is_network(graph, found.best));
        }
    }
}

// Protects from a search that goes on without hope, and from one that gives up and claims more than it has proven.
TEST(astar_gives_up_where_its_end_is_out_of_reach) {
    RandomGraph shape;
    shape.n = 20;
    shape.sets = 100;
    shape.largest = 8;
    shape.larger_is_cheaper = true;
    const auto data = random_graph<1>(shape, 5);
    const auto graph = data.view();
    const auto searched = [&](std::int64_t most) {
        Watch watch;
        SearchOptions options;
        options.most_nodes = most;
        options.path_extension = false;
        Assignment known;
        known.cost = assign(graph, feasible_order(graph)).cost;
        return run_weighted<1>(graph, {}, "astar", options, known, watch);
    };
    const Outcome whole = searched(0);
    CHECK(whole.stop == Stop::none);
    CHECK(whole.counts.stored > 200'000);
    const Outcome stopped = searched(1000);
    CHECK(stopped.stop == Stop::memory_limit);
    CHECK(stopped.counts.stored < 200'000);
    CHECK(stopped.lower <= whole.best.cost);
    CHECK(stopped.nodes_expected > 1000);
    const Outcome hopeful = searched(std::int64_t{1} << 40);
    CHECK_EQ(hopeful.best.cost.quanta, whole.best.cost.quanta);
    CHECK_EQ(hopeful.lower.quanta, whole.best.cost.quanta);
}

// Protects from nodes that are lost, or in another order, where several are taken at a time and threads share them.
TEST(astar_takes_several_nodes_at_a_time_on_threads) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto data = some_graph(seed);
        const auto graph = data.view();
        const auto searched = [&](int at_once, int threads) {
            Watch watch;
            SearchOptions options{seed % 3 != 0, seed % 4 == 0, true, {}, threads};
            options.nodes_at_once = at_once;
            return run_weighted<1>(graph, {}, "astar", options, {}, watch);
        };
        for (const int at_once : {2, 16, 100}) {
            const Outcome alone = searched(at_once, 1);
            CHECK(alone.stop == Stop::none);
            CHECK_EQ(alone.best.cost.quanta, optimum(graph).quanta);
            CHECK_EQ(alone.lower.quanta, alone.best.cost.quanta);
            CHECK(is_network(graph, alone.best));
            for (const int threads : {2, 3}) {
                const Outcome shared = searched(at_once, threads);
                CHECK(shared.best.order == alone.best.order);
                CHECK_EQ(shared.counts.expanded, alone.counts.expanded);
                CHECK_EQ(shared.counts.generated, alone.counts.generated);
                CHECK_EQ(shared.counts.stored, alone.counts.stored);
                CHECK_EQ(shared.counts.pruned, alone.counts.pruned);
            }
        }
    }
}

// Protects from a bound above the truth when a limit strikes between nodes that were taken together.
TEST(astar_stopped_among_several_nodes_has_a_valid_bound) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto data = some_graph(seed);
        const auto graph = data.view();
        SearchOptions options;
        options.nodes_at_once = 8;
        for (const std::uint64_t more : {0, 3'000, 5'000, 10'000}) {
            const std::uint64_t bytes = Successors<1>::bytes(graph, options) + ClusterBound<1>(graph, {}).bytes();
            Watch watch({.bytes = bytes + more}, {});
            const Outcome outcome = run_weighted<1>(graph, {}, "astar", options, {}, watch);
            CHECK(outcome.lower <= optimum(graph));
            CHECK(outcome.stop == Stop::memory_limit || outcome.lower == optimum(graph));
            CHECK_EQ(watch.used(), std::uint64_t{0});
        }
    }
}

// Protects from a full table that loses work: with room for a handful of sets the answer must be the same.
TEST(branch_and_bound_needs_hardly_any_memory) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const auto data = some_graph(seed);
        const auto graph = data.view();
        const std::uint64_t bytes = Successors<1>::bytes(graph, {}) + ClusterBound<1>(graph, {}).bytes();
        Watch watch({.bytes = bytes + 200 * (seed % 3)}, {});
        const Outcome outcome = run_weighted<1>(graph, {}, "branch-and-bound", {}, {}, watch);
        CHECK(outcome.stop == Stop::none);
        CHECK_EQ(outcome.best.cost.quanta, optimum(graph).quanta);
    }
}

// Protects from a lower bound above the truth when stopped in the middle.
TEST(branch_and_bound_stopped_has_a_valid_bound) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        RandomGraph shape;
        shape.n = 14;
        shape.sets = 20;
        shape.largest = 5;
        const auto data = random_graph<1>(shape, seed);
        int ticks = 0;
        Watch watch({}, [&](const Progress&) { return ++ticks < 2; });
        const Outcome outcome = run_weighted<1>(data.view(), {}, "branch-and-bound", {}, {}, watch);
        CHECK(outcome.lower <= optimum(data.view()));
        CHECK(outcome.best.cost >= optimum(data.view()) || !outcome.best.known());
    }
}
