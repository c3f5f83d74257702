// The table of a group: what it costs to place any part of it last.
//
//   T[P] = min over i in P of T[P - i] + D_i[G - P]        T[empty] = 0
//
// is the exact cost of placing the members P of the group G after all of G - P, everything outside G being available
// (Yuan and Malone 2013, static pattern database), on costs reduced by clusters (group_costs.h). With G = V and no clusters it
// is the whole dynamic programme of the order lattice, read from the end.
//
// Layout: a subset is a number, its high bits name a block of 2^low entries. A block needs D_i for its own high part only, and T of blocks
// with one high bit less; so D exists for one block at a time per thread (a few MB), and blocks with equally many high
// bits are done in parallel. The result does not depend on who does which.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/group_costs.h"
#include "watch.h"

namespace sabna {

// Bits that run inside a block. At most 15: D_i of a block is then 256 KB for each of some 20 members, about a
// processor's second cache. Fewer for small groups, so that there are some 64 blocks to share among threads.
constexpr int block_bits(int g) { return g <= 10 ? g : g - 6 < 10 ? 10 : g - 6 > 15 ? 15 : g - 6; }

// Bytes that `group_table` takes for g variables on so many threads, the table included.
std::uint64_t group_table_bytes(int g, int threads);

// T for all 2^g subsets; empty if the watch stopped the run. Memory is reserved with the watch; what the table itself takes
// stays reserved, for the caller to release. `polls`: whether this is the thread that polls the watch.
std::vector<std::int64_t> group_table(const GroupCosts& costs, int threads, Watch& watch, bool polls = true);

}  // namespace sabna
