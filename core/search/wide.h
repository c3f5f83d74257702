// The searches over sets of 2, 4 and 8 words, compiled once for each width (see bounds/any_heuristic.h).
#pragma once

#include <string>

#include "bounds/any_heuristic.h"
#include "search/outcome.h"
#include "search/successors.h"

namespace sabna {

// `strategy` is "astar", "bfs" or "branch-and-bound".
template <int W>
Outcome run_wide(const ParentGraphView<W>& graph, const std::string& strategy, const AnyHeuristic<W>& heuristic,
                 const SearchOptions& options, const Assignment& known, Watch& watch);

}  // namespace sabna
