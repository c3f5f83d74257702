// Fixing: parent sets that no network better than the one known can use.
//
// With weights y, let LB be the value of the cluster bound under these y (never a better bound from elsewhere: sums of parts of
// different bounds would delete optima). A network with S as the parents of i costs at least
//   LB - (least reduced cost of i) + (reduced cost of S),
// so where that reaches the target, S goes. The pattern databases say more: a forward pass over a group's table,
//   F[P] = least cost of having placed G - P,
// makes F[P] + (reduced cost of S there) + T[P - i] the least cost of i being placed with S when P remained, and S may stay only
// if some P makes this, with the root values of the other groups and the crossing clusters' weights, less than the target.
//
// The target is the cost of the best network known, less the gap tolerance; that network is kept aside by the caller, for its own
// sets may go. What is dropped costs at least the target, so the lower bound of the rest, capped by the target, stays
// a lower bound of all.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/cluster_bound.h"
#include "bounds/dual_pattern_db.h"
#include "watch.h"

namespace sabna {

// One byte per parent set of the graph: 1 where a network below the target may use it, by reduced cost.
template <int W>
std::vector<std::uint8_t> fix_by_reduced_cost(const ParentGraphView<W>& graph, const ReducedCosts& reduced,
                                              std::int64_t target);

// The same by the tables of every pattern (complete ones), on `threads` threads. Sets marked 0 in `keep` are not looked at.
// If the watch stops the run, what was found by then stands.
// `struck_by[p]`, if asked for, has bit j set where pattern j strikes set p out (all beyond the eighth share its bit).
void fix_by_tables(const std::vector<PatternTables>& patterns, std::int64_t target, int threads,
                   std::vector<std::uint8_t>& keep, Watch& watch, std::vector<std::uint8_t>* struck_by = nullptr);

}  // namespace sabna
