#include "search/run.h"

#include <stdexcept>

#include "bounds/local_search.h"
#include "bounds/simple.h"
#include "search/astar.h"
#include "search/bfs_whole.h"
#include "search/strategies.h"

namespace sabna {

namespace {

// Call `use(heuristic)`; false if a limit struck while it was made.
template <int W, class Use>
bool with_heuristic(const ParentGraphView<W>& graph, const HeuristicChoice& choice, Watch& watch, Use use) {
    if (choice.name == "simple") {
        use(SimpleHeuristic<W>(graph));
        return true;
    }
    if (choice.name == "pattern") {
        const auto groups =
            group_variables(graph, choice.groups > 0 ? choice.groups : default_groups(graph.n), choice.grouping);
        for (const auto& group : groups)
            if (int(group.size()) > largest_group)
                throw std::invalid_argument("pattern database: a group of more than 22 variables; use more groups");
        const std::uint64_t bytes = PatternDatabase<W>::bytes(groups);
        if (!watch.reserve(bytes)) return false;
        const PatternDatabase<W> patterns(graph, groups, watch);
        if (!watch.stopped()) use(patterns);
        watch.release(bytes);
        return !watch.stopped();
    }
    throw std::invalid_argument("unknown heuristic " + choice.name);
}

template <int W, class H>
Outcome run_with(const ParentGraphView<W>& graph, Strategy strategy, const H& heuristic, const SearchOptions& options,
                 const Assignment& known, Watch& watch) {
    const AnyHeuristic<W> any(heuristic);
    if constexpr (W == 1) {
        // Over up to 64 variables these heuristics cost less than a call through a pointer.
        if (strategy == Strategy::astar) return AStar<W, H>(graph, heuristic, options, known, watch).run();
        // Without path extension all subsets are reached anyway. The heuristic is asked once per subset, of n ways to it.
        if (strategy == Strategy::bfs && !options.files && !options.path_extension && !options.scc_branching &&
            graph.n <= whole_bfs_limit)
            return WholeBfs<W, AnyHeuristic<W>>(graph, any, options, known, watch).run();
    }
    return run_strategy(graph, strategy, any, options, known, watch);
}

}  // namespace

template <int W>
Outcome run_search(const ParentGraphView<W>& graph, const std::string& strategy, const HeuristicChoice& heuristic,
                   const SearchOptions& options, const Assignment& known, Watch& watch) {
    Outcome outcome;
    outcome.best = known;
    if (feasible_order(graph).empty() && graph.n > 0) {  // no network at all: every bound holds
        outcome.lower = Cost::infinite();
        return outcome;
    }
    outcome.lower = std::min(SimpleHeuristic<W>(graph)({}), known.cost);
    const std::uint64_t bytes = Successors<W>::bytes(graph, options);
    if (watch.reserve(bytes)) {
        with_heuristic(graph, heuristic, watch, [&](const auto& h) {
            outcome = run_with(graph, strategy_named(strategy), h, options, known, watch);
        });
        watch.release(bytes);
    }
    if (outcome.best.known() && outcome.best.cost - options.tolerance <= outcome.lower) outcome.stop = Stop::none;
    else outcome.stop = watch.stop();
    return outcome;
}

template <int W>
std::vector<Cost> evaluate_heuristic(const ParentGraphView<W>& graph, const HeuristicChoice& heuristic,
                                     const std::vector<VarSet<W>>& placed) {
    Watch watch;
    std::vector<Cost> values;
    with_heuristic(graph, heuristic, watch, [&](const auto& h) {
        for (const auto& set : placed) values.push_back(h(set));
    });
    return values;
}

#define SABNA_INSTANTIATE(W)                                                                           \
    template Outcome run_search(const ParentGraphView<W>&, const std::string&, const HeuristicChoice&, \
                                const SearchOptions&, const Assignment&, Watch&);                      \
    template std::vector<Cost> evaluate_heuristic(const ParentGraphView<W>&, const HeuristicChoice&,   \
                                                  const std::vector<VarSet<W>>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
