#include "bounds/group_best.h"

#include <bit>

#include "bounds/group_table.h"
#include "parallel.h"

namespace sabna {
namespace {

// The first item of member j that has the value d when `placed` are before it.
std::int64_t position_of(const GroupCosts& costs, int j, std::uint32_t placed, std::int64_t d) {
    const auto& items = costs.items(j);
    for (std::size_t t = 0; t < items.size(); ++t)
        if (!(items[t].needs & ~placed) && costs.value(j, t, placed) == d) return items[t].position;
    return -1;  // not reached: d is a minimum over these
}

// Least value of member j when `placed` are before it.
std::int64_t least(const GroupCosts& costs, int j, std::uint32_t placed) {
    std::int64_t best = unreachable;
    const auto& items = costs.items(j);
    for (std::size_t t = 0; t < items.size() && items[t].least < best; ++t)
        if (!(items[t].needs & ~placed)) best = std::min(best, costs.value(j, t, placed));
    return best;
}

// Walks from nothing placed to the whole group placed along a cheapest way.
void trace(const GroupCosts& costs, const std::vector<std::int64_t>& table, std::vector<std::int32_t>& order,
           std::vector<std::int64_t>& choice) {
    const std::uint32_t all = std::uint32_t(table.size() - 1);
    for (std::uint32_t remaining = all; remaining;) {
        for (std::uint32_t rest = remaining; rest; rest &= rest - 1) {
            const int j = std::countr_zero(rest);
            const std::uint32_t next = remaining ^ (std::uint32_t{1} << j), placed = all & ~remaining;
            if (is_unreachable(table[next])) continue;
            const std::int64_t d = table[remaining] - table[next];
            if (least(costs, j, placed) != d) continue;
            order.push_back(costs.variable(j));
            choice[std::size_t(costs.variable(j))] = position_of(costs, j, placed, d);
            remaining = next;
            break;
        }
    }
}

// The cheapest network of one group; its members' sets are in `GroupBest::choice`.
struct OneGroup {
    std::int64_t cost = 0;
    std::vector<std::int32_t> order;
    bool done = false;
};

template <int W>
OneGroup best_of(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& crossing, const VarSet<W>& group,
                 bool polls, std::vector<std::int64_t>& choice, Watch& watch) {
    OneGroup best;
    const GroupCosts costs(graph, crossing, group);
    const std::vector<std::int64_t> table = group_table(costs, 1, watch, polls);
    watch.release(table.size() * 8);
    if (table.empty()) return best;
    best.cost = table.back(), best.done = true;
    if (!is_unreachable(best.cost)) trace(costs, table, best.order, choice);
    return best;
}

}  // namespace

template <int W>
GroupBest group_best(const ParentGraphView<W>& graph, const Pattern<W>& pattern, int threads, Watch& watch) {
    check_clusters(pattern.clusters);
    check_groups(graph.n, pattern.groups);
    const std::vector<Cluster<W>> crossing = crossing_clusters(pattern.clusters, pattern.groups);
    GroupBest best;
    best.choice.assign(std::size_t(graph.n), -1);
    std::vector<OneGroup> found(pattern.groups.size());
    const auto work = [&](int thread, std::int64_t g) {
        const VarSet<W>& group = pattern.groups[std::size_t(g)];
        found[std::size_t(g)] = best_of(graph, crossing, group, thread == 0, best.choice, watch);
    };
    for_each_block(threads, std::int64_t(found.size()), watch, work, [] { return true; });
    best.stop = watch.stop();
    for (const Cluster<W>& c : crossing) best.bound += c.k * c.y;
    for (const OneGroup& group : found) {
        if (!group.done || is_unreachable(group.cost)) {
            best.bound = group.done ? Cost::infinite().quanta : -Cost::infinite().quanta;
            best.order.clear();
            return best;
        }
        best.bound += group.cost;
        best.order.insert(best.order.end(), group.order.begin(), group.order.end());
    }
    return best;
}

#define SABNA_INSTANTIATE(W) \
    template GroupBest group_best<W>(const ParentGraphView<W>&, const Pattern<W>&, int, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
