// All networks of a component within a slack of the best, or the k best of them, each exactly once.
//
// A network is built by placing variables one after the other, each with a parent set among those placed. A network has
// many such orders; the one that counts is that which always places the smallest variable whose parents stand. An order
// is that one exactly if, for every variable w, all variables placed since the last of w's parents are smaller than w:
// while w was ready and waiting, only smaller ones may have gone first. This is checked when w is placed, so that every
// partial network is met at most once and needs no table of those seen. A branch is left when its cost plus the
// least cost of the rest (exact, from the lattice) exceeds what is wanted; with k wanted and k found, when it
// reaches the k-th best. Which of several equal networks make up the last of the k is decided by this order.
#pragma once

#include "alternatives/lattice_tables.h"

namespace sabna {

// `visited` is added to. Stopped by the watch: what was found by then, not complete.
Solutions enumerate_networks(const SmallGraph& graph, const LatticeTables& tables, Wanted wanted, Watch& watch,
                             std::int64_t& visited);

}  // namespace sabna
