#include "search/weighted.h"

#include "bounds/local_search.h"
#include "bounds/simple.h"
#include "search/strategies.h"

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
            outcome = run_strategy(graph, strategy_named(strategy), AnyHeuristic<W>(h), options, known, watch);
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

#define SABNA_INSTANTIATE(W)                                                                             \
    template Outcome run_weighted<W>(const ParentGraphView<W>&, const Weighting<W>&, const std::string&, \
                                     const SearchOptions&, const Assignment&, Watch&);                   \
    template std::vector<Cost> evaluate_weighted<W>(const ParentGraphView<W>&, const Weighting<W>&,      \
                                                    const std::vector<VarSet<W>>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
