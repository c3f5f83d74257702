// One search from start to end: makes the heuristic that was asked for and runs the strategy over it.
//
// Adding a heuristic of the core: one file in bounds/, one line in run.cc.
#pragma once

#include <string>
#include <vector>

#include "bounds/pattern_db.h"
#include "search/outcome.h"
#include "search/successors.h"

namespace sabna {

struct HeuristicChoice {
    std::string name = "simple";          // "simple" or "pattern"
    int groups = 0;                       // pattern: number of groups, 0 for the default
    Grouping grouping = Grouping::order;  // pattern: how to group
};

// `strategy`: "astar" or "bfs". `known`: the best network so far; unknown if there is none. Throws std::invalid_argument on
// names it does not know.
template <int W>
Outcome run_search(const ParentGraphView<W>& graph, const std::string& strategy, const HeuristicChoice& heuristic,
                   const SearchOptions& options, const Assignment& known, Watch& watch);

// h at each of the given nodes; for tests.
template <int W>
std::vector<Cost> evaluate_heuristic(const ParentGraphView<W>& graph, const HeuristicChoice& heuristic,
                                     const std::vector<VarSet<W>>& placed);

}  // namespace sabna
