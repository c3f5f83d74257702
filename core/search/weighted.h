// Search of the order lattice with the heuristics that need cluster weights: `cuts` and `dual-pattern`.
#pragma once

#include <string>
#include <vector>

#include "bounds/cluster_bound.h"
#include "bounds/dual_pattern_db.h"
#include "bounds/heuristic.h"
#include "search/outcome.h"
#include "search/successors.h"

namespace sabna {

// Heuristic `cuts`: the cluster bound restricted to the remaining variables.
template <int W>
struct CutsHeuristic {
    static constexpr HeuristicTraits traits{"cuts", true, true};
    const ClusterBound<W>& bound;
    Cost operator()(const VarSet<W>& placed) const { return bound(placed); }
};

// The heuristic: `dual-pattern` over these patterns, or `cuts` over the clusters where there is none.
template <int W>
struct Weighting {
    std::vector<Cluster<W>> clusters;
    std::vector<Pattern<W>> patterns;
};

// `strategy`: "astar", "bfs" or "branch-and-bound". `known`: the best network so far. It may consist of a cost alone; then only
// networks below that cost are looked for, and the outcome's network has no order unless one was found.
template <int W>
Outcome run_weighted(const ParentGraphView<W>& graph, const Weighting<W>& weighting, const std::string& strategy,
                     const SearchOptions& options, const Assignment& known, Watch& watch);

// The heuristic at the given nodes; for tests.
template <int W>
std::vector<Cost> evaluate_weighted(const ParentGraphView<W>& graph, const Weighting<W>& weighting,
                                    const std::vector<VarSet<W>>& placed);

}  // namespace sabna
