#include "search/dense.h"

#include <stdexcept>

#include "bounds/group_table.h"

namespace sabna {

std::uint64_t dense_bytes(int n, int threads) { return group_table_bytes(n, threads); }

namespace {

// Follow the table from "everything remains" down: some variable can always come next at no loss.
std::vector<int> best_order(const ParentGraphView<1>& graph, const std::vector<std::int64_t>& table) {
    std::vector<int> order;
    VarSet<1> placed;
    for (std::uint32_t remaining = std::uint32_t(table.size() - 1); remaining;) {
        bool found = false;
        for (int i = 0; i < graph.n && !found; ++i) {
            if (!(remaining >> i & 1)) continue;
            const std::int64_t fit = first_fit(graph, i, placed);
            if (fit == graph.size(i)) continue;
            const std::uint32_t rest = remaining ^ (std::uint32_t{1} << i);
            if (table[remaining] != table[rest] + graph.costs(i)[std::size_t(fit)].quanta) continue;
            order.push_back(i);
            placed.insert(i);
            remaining = rest;
            found = true;
        }
        if (!found) throw std::logic_error("dense search: the table contradicts the graph");
    }
    return order;
}

}  // namespace

Outcome dense_search(const ParentGraphView<1>& graph, int threads, Watch& watch) {
    if (graph.n > dense_most_variables) throw std::invalid_argument("dense search: at most 30 variables");
    Outcome outcome;
    const std::uint64_t used = watch.used();
    const GroupCosts costs(graph, {}, VarSet<1>::first(graph.n));
    std::vector<std::int64_t> table = group_table(costs, threads, watch);
    outcome.stop = watch.stop();
    outcome.peak_bytes = dense_bytes(graph.n, threads);
    if (table.empty()) return outcome;
    outcome.counts.expanded = outcome.counts.stored = std::int64_t(table.size());
    outcome.counts.generated = std::int64_t(table.size()) / 2 * graph.n;
    outcome.bytes_per_node = double(outcome.peak_bytes) / double(table.size());
    if (!is_unreachable(table.back())) {
        outcome.best = assign(graph, best_order(graph, table));
        outcome.lower = outcome.best.cost;
    } else {
        outcome.lower = Cost::infinite();
    }
    watch.release(watch.used() - used);
    return outcome;
}

}  // namespace sabna
