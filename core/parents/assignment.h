// A network as a choice among the listed parent sets.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "parents/first_fit.h"
#include "parents/parent_graph.h"

namespace sabna {

// A network: an order of the variables, and for every variable the chosen parent set as a position in the parent
// graph's arrays (`sets_begin[choice[i]]`, `costs_begin[choice[i]]`).
struct Assignment {
    std::vector<int> order;
    std::vector<std::int64_t> choice;
    Cost cost = Cost::infinite();

    bool known() const { return !cost.is_infinite(); }
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
