// What every search returns, however it ended.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "parents/assignment.h"
#include "watch.h"

namespace sabna {

struct SearchCounts {
    std::int64_t expanded = 0;   // nodes whose successors were made
    std::int64_t generated = 0;  // successors made, known ones included
    std::int64_t stored = 0;     // nodes kept, each set of variables once, the start included
    std::int64_t pruned = 0;     // successors dropped because they cannot beat the best network known
};

struct Outcome {
    Stop stop = Stop::none;                // none: ran to its end
    Assignment best;                       // the best network known
    Cost lower{-Cost::infinite().quanta};  // no network costs less
    SearchCounts counts;
    // About so many nodes have to be stored until the target is reached, by how the bound has grown so far (A*); 0: not
    // known.
    double nodes_expected = 0;
    double bytes_per_node = 0;     // node array, index and open list at their largest, per stored node
    std::uint64_t peak_bytes = 0;  // most memory reserved at a time by this search
    // The expanded sets, W words each, if they were to be noted and there was room for all; a set may stand there twice.
    std::vector<std::uint64_t> expanded;
    bool recorded = false;
};

}  // namespace sabna
