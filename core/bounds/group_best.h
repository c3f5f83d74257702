// The cheapest networks of the groups of a partition, on costs reduced by the clusters that cross it.
//
// The bound of a dual pattern database at the root (dual_pattern_db.h) is a sum over groups of T_G[G], the least reduced
// cost of placing the whole group. Here the order and the parent sets that reach it come along: as a function of the
// weights the bound is a minimum of linear functions, and these say which one is least, hence in which direction the
// weights must move for the bound to rise (src/sabna/bounds/group_program.py).
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/dual_pattern_db.h"
#include "watch.h"

namespace sabna {

struct GroupBest {
    std::int64_t bound = 0;            // of the whole graph under these weights; infinite if a group has no network
    std::vector<std::int32_t> order;   // the groups one after the other, each in the order of its placing
    std::vector<std::int64_t> choice;  // per variable the position of its parent set
    Stop stop = Stop::none;
};

// `order` is empty if the watch stopped the run, or if some group has no network. Groups are shared among the threads.
template <int W>
GroupBest group_best(const ParentGraphView<W>& graph, const Pattern<W>& pattern, int threads, Watch& watch);

}  // namespace sabna
