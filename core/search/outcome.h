// What every search returns, however it ended.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "parents/first_fit.h"
#include "parents/parent_graph.h"
#include "watch.h"

namespace sabna {

// A network: an order of the variables, and for every variable the chosen parent set as a position in the parent
// graph's arrays (`sets_begin[choice[i]]`, `costs_begin[choice[i]]`).
struct Assignment {
    std::vector<int> order;
    std::vector<std::int64_t> choice;
    Cost cost = Cost::infinite();

    bool known() const { return !cost.is_infinite(); }
};

struct SearchCounts {
    std::int64_t expanded = 0;   // nodes whose successors were made
    std::int64_t generated = 0;  // successors made, known ones included
    std::int64_t stored = 0;     // nodes kept, each set of variables once, the start included
    std::int64_t pruned = 0;     // successors dropped because they cannot beat the best network known
};

struct Outcome {
    Stop stop = Stop::none;      // none: ran to its end
    Assignment best;             // the best network known
    Cost lower{-Cost::infinite().quanta};  // no network costs less
    SearchCounts counts;
    double bytes_per_node = 0;   // node array, index and open list at their largest, per stored node
    std::uint64_t peak_bytes = 0;  // most memory reserved at a time by this search
};

// The best network of an order: each variable takes its first fit. Unknown if some variable has none.
template <int W>
Assignment assign(const ParentGraphView<W>& graph, std::vector<int> order) {
    Assignment result{std::move(order), std::vector<std::int64_t>(std::size_t(graph.n)), {}};
    VarSet<W> placed;
    for (const int i : result.order) {
        const std::int64_t k = first_fit(graph, i, placed);
        if (k == graph.size(i)) return {};
        result.choice[std::size_t(i)] = graph.offsets[i] + k;
        result.cost += graph.costs(i)[std::size_t(k)];
        placed.insert(i);
    }
    return result;
}

}  // namespace sabna
