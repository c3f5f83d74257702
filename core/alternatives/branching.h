// All networks of a component within a slack of the best, or the k best of them, where tables over all subsets of
// its variables are too large: branch and bound over parent sets.
//
// A node of the search has chosen the parents of some variables; a branch chooses those of one more. Two networks differ
// in the parents of some variable, so each is met once, and no order of the variables comes in. What keeps the tree small:
//
// The bound. With cluster weights (bounds/cluster_bound.h), rc(i,S) = s(i,S) - sum of y_C over C with i in C and
// |S cap C| < k. A network credits every C with n_C >= k of its choices, so it costs exactly
//   sum of rc(i,S_i) + sum over C of n_C y_C.
// Take the choices in the order in which they are made. The first k that credit C earn y_C back; from then on C is spent,
// and further credits are due in full: sets that have them become dearer by y_C, until the search returns above the node
// that spent it. Hence
//   K + sum over chosen (what S_i cost when it was chosen) + sum over others of (least that their open sets cost now),
// K = sum of k y_C, is at most the cost of any network below the node, and exact at a leaf. The weights come from the linear
// program, whose optimum is often that of the best network: then sets differ by little from what they cost a network.
//
// Open sets. A set of i goes for the whole subtree when the bound with it exceeds what is wanted, or when it has a member
// that the choices made so far put below i (a cycle). A node is left when a variable has no open set, or when the open
// sets of all variables admit no order: placing whatever has a set among those placed either places all, or none can.
// The variable with the fewest open sets is next, so that one with a single set costs no branch.
//
// Nothing else is pruned. Path extension and branching inside strongly connected components keep one best network and
// lose others; dominance holds only beyond the slack, and is the builder's business (parents/slack.h).
//
// The k best are looked for within a small slack first, which is doubled until k are there or the whole slack is searched:
// depth first alone would list many bad ones before the good. The tree grows fast with the slack, so the last pass is
// most of the work. And when a limit ends a pass, the one before it tells up to where nothing is missing.
#pragma once

#include <cstdint>
#include <vector>

#include "alternatives/alternatives.h"
#include "bounds/cluster_bound.h"

namespace sabna {

struct BranchingResult {
    Solutions found;  // choices are positions in the graph's arrays
    Cost within{-1};  // nothing within this of the best is missing; below 0: nothing is known
    std::int64_t visited = 0;
    bool gave_up = false;  // `most_visited` nodes were not enough; `found` is not complete
    Stop stop = Stop::none;
};

// `best` is the cost of the best network of the graph. `most_visited` < 0: no limit but the watch's.
template <int W>
BranchingResult branch_networks(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters, Cost best,
                                Wanted wanted, std::int64_t most_visited, Watch& watch);

}  // namespace sabna
