#include "search/wide.h"

#include <stdexcept>

#include "search/astar.h"
#include "search/bfs_sparse.h"
#include "search/branch_and_bound.h"

namespace sabna {

template <int W>
Outcome run_wide(const ParentGraphView<W>& graph, const std::string& strategy, const AnyHeuristic<W>& heuristic,
                 const SearchOptions& options, const Assignment& known, Watch& watch) {
    using H = AnyHeuristic<W>;
    if (strategy == "astar") return AStar<W, H>(graph, heuristic, options, known, watch).run();
    if (strategy == "bfs") return SparseBfs<W, H>(graph, heuristic, options, known, watch).run();
    if (strategy == "branch-and-bound") return BranchAndBound<W, H>(graph, heuristic, options, known, watch).run();
    throw std::invalid_argument("unknown strategy " + strategy);
}

#define SABNA_FOR(W)                                                                                              \
    template Outcome run_wide(const ParentGraphView<W>&, const std::string&, const AnyHeuristic<W>&, const SearchOptions&, \
                              const Assignment&, Watch&);
SABNA_FOR(2)
SABNA_FOR(4)
SABNA_FOR(8)
#undef SABNA_FOR

}  // namespace sabna
