#include "search/weighted.h"

#include <stdexcept>

#include "bounds/local_search.h"
#include "bounds/simple.h"
#include "search/astar.h"
#include "search/bfs_sparse.h"
#include "search/branch_and_bound.h"
#include "search/wide.h"

namespace sabna {
namespace {

// Call `use(heuristic)`; not called if a limit struck while it was made.
template <int W, class Use>
void with_weighted(const ParentGraphView<W>& graph, const Weighting<W>& weighting, int threads, Watch& watch, Use use) {
    if (weighting.patterns.empty()) {
        const ClusterBound<W> bound(graph, weighting.clusters);
        const std::uint64_t bytes = bound.bytes();
        if (!watch.reserve(bytes)) return;
        use(CutsHeuristic<W>{bound});
        watch.release(bytes);
        return;
    }
    const DualPatternDb<W> database(graph, weighting.patterns, threads, watch);
    if (database.ready()) use(database);
    watch.release(database.bytes());
}

template <int W, class H>
Outcome run_with(const ParentGraphView<W>& graph, const std::string& strategy, const H& heuristic,
                 const SearchOptions& options, const Assignment& known, Watch& watch) {
    if constexpr (W > 1) {
        return run_wide(graph, strategy, AnyHeuristic<W>(heuristic), options, known, watch);
    } else {
        if (strategy == "astar") return AStar<W, H>(graph, heuristic, options, known, watch).run();
        if (strategy == "bfs") return SparseBfs<W, H>(graph, heuristic, options, known, watch).run();
        if (strategy == "branch-and-bound") return BranchAndBound<W, H>(graph, heuristic, options, known, watch).run();
        throw std::invalid_argument("unknown strategy " + strategy);
    }
}

}  // namespace

template <int W>
Outcome run_weighted(const ParentGraphView<W>& graph, const Weighting<W>& weighting, const std::string& strategy,
                     const SearchOptions& options, const Assignment& known, Watch& watch) {
    Outcome outcome;
    outcome.best = known;
    if (feasible_order(graph).empty() && graph.n > 0) {  // no network at all: every bound holds
        outcome.lower = known.cost;
        return outcome;
    }
    outcome.lower = std::min(Cost{reduced_costs(graph, weighting.clusters).bound}, known.cost);
    const std::uint64_t bytes = Successors<W>::bytes(graph, options);
    if (watch.reserve(bytes)) {
        with_weighted(graph, weighting, options.threads, watch, [&](const auto& h) {
            outcome = run_with(graph, strategy, h, options, known, watch);
        });
        watch.release(bytes);
    }
    if (outcome.best.known() && outcome.best.cost - options.tolerance <= outcome.lower) outcome.stop = Stop::none;
    else outcome.stop = watch.stop();
    return outcome;
}

template <int W>
std::vector<Cost> evaluate_weighted(const ParentGraphView<W>& graph, const Weighting<W>& weighting,
                                    const std::vector<VarSet<W>>& placed) {
    Watch watch;
    std::vector<Cost> values;
    with_weighted(graph, weighting, 1, watch, [&](const auto& h) {
        for (const auto& set : placed) values.push_back(h(set));
    });
    return values;
}

#define SABNA_INSTANTIATE(W)                                                                                     \
    template Outcome run_weighted<W>(const ParentGraphView<W>&, const Weighting<W>&, const std::string&,         \
                                     const SearchOptions&, const Assignment&, Watch&);                           \
    template std::vector<Cost> evaluate_weighted<W>(const ParentGraphView<W>&, const Weighting<W>&,              \
                                                    const std::vector<VarSet<W>>&);
SABNA_INSTANTIATE(1)
SABNA_INSTANTIATE(2)
SABNA_INSTANTIATE(4)
SABNA_INSTANTIATE(8)
#undef SABNA_INSTANTIATE

}  // namespace sabna
