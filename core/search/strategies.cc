#include "search/strategies.h"

#include <stdexcept>

#include "search/astar.h"
#include "search/bfs_files.h"
#include "search/bfs_reached.h"
#include "search/branch_and_bound.h"

namespace sabna {

Strategy strategy_named(const std::string& name) {
    if (name == "astar") return Strategy::astar;
    if (name == "bfs") return Strategy::bfs;
    if (name == "branch-and-bound") return Strategy::branch_and_bound;
    throw std::invalid_argument("unknown strategy " + name);
}

template <int W>
Outcome run_strategy(const ParentGraphView<W>& graph, Strategy strategy, const AnyHeuristic<W>& heuristic,
                     const SearchOptions& options, const Assignment& known, Watch& watch) {
    using H = AnyHeuristic<W>;
    switch (strategy) {
        case Strategy::astar: return AStar<W, H>(graph, heuristic, options, known, watch).run();
        case Strategy::bfs:
            if (options.files) return FileBfs<W, H>(graph, heuristic, options, known, watch).run();
            return ReachedBfs<W, H>(graph, heuristic, options, known, watch).run();
        default: return BranchAndBound<W, H>(graph, heuristic, options, known, watch).run();
    }
}

#define SABNA_INSTANTIATE(W)                                                                                         \
    template Outcome run_strategy(const ParentGraphView<W>&, Strategy, const AnyHeuristic<W>&, const SearchOptions&, \
                                  const Assignment&, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
