// Dominance pruning: a parent set that costs no less than one of its subsets can never be needed.
//
// Sort a variable's sets by cost, ties by set as a number (a proper subset is the smaller number, so it comes first);
// then a set stays exactly if no set kept before it is a subset. Of equal sets the cheapest stays. The subset query has two
// ways, whichever is cheaper for the set at hand: look up all its subsets in a hash table (small sets), or the bitmaps
// of sliced_list.h (large sets).
#pragma once

#include <cstdint>
#include <span>

#include "parents/parent_graph.h"
#include "watch.h"

namespace sabna {

template <int W>
struct CostedSet {
    Cost cost;
    VarSet<W> set;
    std::int64_t origin = 0;  // where it stood before; of equal sets that cost the same the first stays
    friend constexpr auto operator<=>(const CostedSet&, const CostedSet&) = default;
};

// Sorts the sets of one variable and removes the dominated. False: stopped by the watch.
template <int W>
bool prune_dominated(std::vector<CostedSet<W>>& sets, int n, Watch& watch);

// The same for a whole graph in any order.
template <int W>
ParentGraphData<W> prune_dominated(const ParentGraphView<W>& graph, Watch& watch);

}  // namespace sabna
