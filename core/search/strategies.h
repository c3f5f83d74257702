// The strategies of searching the order lattice: the one table of their names, and each compiled once for every width.
//
// Searches are templates over their heuristic. That pays where a node costs some tens of nanoseconds and the heuristic
// a few: run.cc compiles such pairs by themselves. Everywhere else the heuristic is called through a pointer
// (bounds/any_heuristic.h), and every search exists once for each width of the sets, here.
#pragma once

#include <string>

#include "bounds/any_heuristic.h"
#include "search/outcome.h"
#include "search/successors.h"

namespace sabna {

enum class Strategy { astar, bfs, branch_and_bound };

// Throws std::invalid_argument on a name it does not know.
Strategy strategy_named(const std::string& name);

// `bfs` is the breadth-first search of what is reached (bfs_reached.h), in files if the options have some (bfs_files.h).
template <int W>
Outcome run_strategy(const ParentGraphView<W>& graph, Strategy strategy, const AnyHeuristic<W>& heuristic,
                     const SearchOptions& options, const Assignment& known, Watch& watch);

}  // namespace sabna
