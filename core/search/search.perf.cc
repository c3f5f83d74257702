// How fast are bounds and searches, on random graphs that are the same everywhere? Usage: search_perf [NAME [REPEATS]]
// Goal, on one core of 2020s server hardware: none above a second, and none slower than in the version before. The check
// is the cost found, or the bound: it must not change. Under `valgrind --tool=callgrind` the counts of instructions tell
// two versions apart where the clock does not.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

#include "bounds/dual_ascent.h"
#include "bounds/fixing.h"
#include "bounds/local_search.h"
#include "search/dense.h"
#include "search/run.h"
#include "search/weighted.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

template <int W>
struct Case {
    ParentGraphData<W> data;
    ParentGraphView<W> graph;
    Assignment known;
    std::vector<Cluster<W>> clusters;
    std::vector<Pattern<W>> patterns;

    Case(const RandomGraph& shape, int largest_group) : data(random_graph<W>(shape, 1)), graph(data.view()) {
        Watch watch;
        known = local_search(graph, {.restarts = 2, .kicks = 5}, watch);
        clusters = dual_ascent(graph, {}, {.target = known.cost.quanta, .work = 2'000'000}, watch).clusters;
        for (const Groups<W>& groups : choose_groups<W>(graph.n, clusters, largest_group, 2, 1))
            patterns.push_back({clusters, groups});
    }

    std::int64_t search(const char* strategy, const char* heuristic, SearchOptions options = {}) const {
        Watch watch;
        return run_search(graph, strategy, {heuristic, 0, Grouping::affinity}, options, known, watch).best.cost.quanta;
    }
    std::int64_t weighted(const char* strategy, bool with_patterns, SearchOptions options = {}) const {
        Watch watch;
        const Weighting<W> weighting{clusters, with_patterns ? patterns : std::vector<Pattern<W>>{}};
        return run_weighted(graph, weighting, strategy, options, known, watch).best.cost.quanta;
    }
};

struct Measure {
    const char* name;
    std::function<std::int64_t()> run;
};

template <int W>
std::int64_t ascent(const Case<W>& c) {
    Watch watch;
    return dual_ascent(c.graph, {}, {.work = 20'000'000}, watch).bound;
}

template <int W>
std::int64_t fixed(const Case<W>& c) {
    Watch watch;
    const DualPatternDb<W> database(c.graph, c.patterns, 1, watch);
    std::vector<std::uint8_t> keep(std::size_t(c.graph.size()), 1);
    fix_by_tables(database.tables(), c.known.cost.quanta, 1, keep, watch);
    std::int64_t kept = 0;
    for (const std::uint8_t k : keep) kept += k;
    return kept;
}

template <int W>
std::int64_t climbed(const Case<W>& c) {
    Watch watch;
    return local_search(c.graph, {.restarts = 20, .kicks = 20}, watch).cost.quanta;
}

}  // namespace

int main(int argc, char** argv) {
    const char* const wanted = argc > 1 ? argv[1] : "";
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 1;
    const Case<1> narrow({.n = 24, .sets = 60, .largest = 4, .costs = 100'000, .larger_is_cheaper = true}, 12);
    const Case<1> sparse({.n = 20, .sets = 30, .largest = 3, .costs = 100'000}, 10);
    const Case<2> wide({.n = 70, .sets = 12, .largest = 2, .costs = 100'000}, 12);
    const Case<4> wider({.n = 140, .sets = 10, .largest = 2, .costs = 100'000}, 12);
    const SearchOptions plain{.path_extension = false}, branching{.scc_branching = true};
    const Measure measures[] = {
        {"astar-simple", [&] { return narrow.search("astar", "simple"); }},
        {"astar-pattern", [&] { return narrow.search("astar", "pattern"); }},
        {"astar-cuts", [&] { return sparse.weighted("astar", false); }},
        {"astar-dual-pattern", [&] { return narrow.weighted("astar", true); }},
        {"astar-scc", [&] { return narrow.search("astar", "simple", branching); }},
        {"bfs-simple", [&] { return narrow.search("bfs", "simple"); }},
        {"bfs-pattern", [&] { return narrow.search("bfs", "pattern"); }},
        {"bfs-whole", [&] { return sparse.search("bfs", "simple", plain); }},
        {"bfs-dual-pattern", [&] { return narrow.weighted("bfs", true); }},
        {"branch-and-bound", [&] { return narrow.weighted("branch-and-bound", true); }},
        {"dense",
         [&] {
             Watch watch;
             return dense_search(sparse.graph, 1, watch).best.cost.quanta;
         }},
        {"ascent", [&] { return ascent(narrow); }},
        {"ascent-2-words", [&] { return ascent(wide); }},
        {"ascent-4-words", [&] { return ascent(wider); }},
        {"fixing", [&] { return fixed(narrow); }},
        {"local-search", [&] { return climbed(narrow); }},
        {"local-search-2-words", [&] { return climbed(wide); }},
    };
    for (const Measure& measure : measures) {
        if (!std::strstr(measure.name, wanted)) continue;
        const std::clock_t start = std::clock();  // of the processor: others may be at work
        std::int64_t check = 0;
        for (int k = 0; k < repeats; ++k) check = measure.run();
        const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
        std::printf("%-22s %8.3f s   check %lld\n", measure.name, seconds / repeats, (long long)check);
    }
}
