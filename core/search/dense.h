// Exact search of few variables: the whole order lattice as one table.
//
// For n up to about 24 the 2^n costs fit in memory (8 bytes each: 67 MB for 23 variables), and with d(i, U) from the zeta transform
// each costs a few nanoseconds per variable, however many parent sets there are. That is the ground of graphs with
// hundreds of thousands of sets (Silander and Myllymaki 2006 kept d(i, U) whole, n times as much; here it exists in blocks only).
// No choices are stored: the best order is read off the table from the start, asking at each step which variable can come next
// at no loss.
#pragma once

#include <cstdint>

#include "parents/parent_graph.h"
#include "search/outcome.h"
#include "watch.h"

namespace sabna {

// The largest n the numbering of subsets allows; memory ends earlier.
inline constexpr int dense_most_variables = 30;

// Bytes that `dense_search` needs for n variables.
std::uint64_t dense_bytes(int n, int threads);

Outcome dense_search(const ParentGraphView<1>& graph, int threads, Watch& watch);

}  // namespace sabna
