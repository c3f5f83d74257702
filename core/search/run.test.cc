#include "search/run.h"

#include "bounds/local_search.h"
#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

struct Way {
    std::string strategy;
    HeuristicChoice heuristic;
    SearchOptions options;
};

std::vector<Way> all_ways() {
    std::vector<Way> ways;
    for (const char* strategy : {"astar", "bfs"})
        for (const HeuristicChoice& heuristic : {HeuristicChoice{}, HeuristicChoice{"pattern", 2, Grouping::affinity}})
            for (int bits = 0; bits < 8; ++bits)
                ways.push_back({strategy,
                                heuristic,
                                {.path_extension = bool(bits & 1),
                                 .scc_branching = bool(bits & 2),
                                 .prune = bool(bits & 4),
                                 .threads = 1 + bits % 2}});
    return ways;
}

template <int W>
void every_way_finds(const ParentGraphView<W>& graph, Cost optimal) {
    for (const Way& way : all_ways()) {
        Watch watch;
        const Assignment known =
            way.options.prune ? local_search(graph, {.restarts = 1, .kicks = 1}, watch) : Assignment{};
        const Outcome outcome = run_search(graph, way.strategy, way.heuristic, way.options, known, watch);
        CHECK(outcome.stop == Stop::none);
        CHECK_EQ(outcome.best.cost.quanta, optimal.quanta);
        CHECK_EQ(outcome.lower.quanta, optimal.quanta);
        CHECK(is_network(graph, outcome.best));
        CHECK_EQ(watch.used(), std::uint64_t{0});
    }
}

}  // namespace

TEST(search_every_way_finds_the_optimum) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const RandomGraph shape{.n = 1 + int(seed % 9),
                                .sets = 1 + int(seed % 14),
                                .costs = seed % 3 ? 1000 : 4,
                                .empty_sets = seed % 4 != 0};
        const auto graph = random_graph<1>(shape, seed);
        every_way_finds(graph.view(), optimum(graph.view()));
        const auto wide = random_graph<4>(shape, seed);
        every_way_finds(wide.view(), optimum(wide.view()));
    }
}

TEST(search_long_lists_take_the_sliced_lookup) {
    const auto graph =
        random_graph<1>({.n = 11, .sets = 700, .largest = 5, .costs = 100000, .larger_is_cheaper = true}, 3);
    CHECK(graph.view().size(0) > FitIndex<1>::sliced_from);
    every_way_finds(graph.view(), optimum(graph.view()));
}

TEST(search_stops_at_every_amount_of_memory_with_a_right_bound) {
    const auto stops = []<int W>(const ParentGraphView<W>& graph) {
        const Cost optimal = optimum(graph);
        for (const Way& way : all_ways())
            for (std::uint64_t bytes = 1000; bytes < 100'000'000; bytes *= 3) {
                Watch watch({.bytes = bytes}, {});
                const Outcome outcome = run_search(graph, way.strategy, way.heuristic, way.options, {}, watch);
                CHECK(outcome.stop == Stop::none ? outcome.best.cost == optimal : outcome.stop == Stop::memory_limit);
                CHECK(outcome.lower <= optimal);
                CHECK_EQ(watch.used(), std::uint64_t{0});
            }
    };
    stops(random_graph<1>({.n = 14, .sets = 60, .largest = 4}, 11).view());
    stops(random_graph<4>({.n = 9, .sets = 40, .largest = 4}, 11).view());
}

TEST(search_stops_when_asked_with_a_right_bound) {
    const auto graph = random_graph<1>({.n = 14, .sets = 60, .largest = 4}, 12);
    const Cost optimal = optimum(graph.view());
    for (const Way& way : all_ways()) {
        Watch watch({}, [](const Progress&) { return false; });
        const Outcome outcome = run_search(graph.view(), way.strategy, way.heuristic, way.options, {}, watch);
        CHECK(outcome.stop == Stop::none ? outcome.best.cost == optimal : outcome.stop == Stop::interrupted);
        CHECK(outcome.lower <= optimal);
    }
}

TEST(search_within_a_tolerance_says_so) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        const auto graph = random_graph<1>({.n = 9, .sets = 20}, seed);
        const Cost optimal = optimum(graph.view()), tolerance{150};
        for (const char* strategy : {"astar", "bfs"}) {
            Watch watch;
            const Assignment known = assign(graph.view(), feasible_order(graph.view()));
            const Outcome outcome = run_search(graph.view(), strategy, {}, {.tolerance = tolerance}, known, watch);
            CHECK(outcome.stop == Stop::none);
            CHECK(outcome.lower <= optimal && optimal <= outcome.best.cost);
            CHECK(outcome.best.cost - outcome.lower <= tolerance);
        }
    }
}

TEST(search_grows_its_node_table_through_many_segments) {
    const auto graph = random_graph<1>({.n = 17, .sets = 40, .largest = 6, .larger_is_cheaper = true}, 5);
    Watch watch;
    const Outcome outcome = run_search(graph.view(), "astar", {}, {.path_extension = false, .prune = false}, {}, watch);
    const Outcome whole =
        run_search(graph.view(), "bfs", {}, {.path_extension = false, .prune = false, .threads = 2}, {}, watch);
    CHECK(outcome.counts.stored > 30'000);
    CHECK_EQ(whole.counts.stored, std::int64_t{1} << 17);
    CHECK_EQ(whole.best.cost.quanta, outcome.best.cost.quanta);
}
