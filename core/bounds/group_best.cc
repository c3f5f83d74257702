#include "bounds/group_best.h"

#include <bit>

#include "bounds/group_table.h"

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
void trace(const GroupCosts& costs, const std::vector<std::int64_t>& table, GroupBest& best) {
    const std::uint32_t all = std::uint32_t(table.size() - 1);
    for (std::uint32_t remaining = all; remaining;) {
        for (std::uint32_t rest = remaining; rest; rest &= rest - 1) {
            const int j = std::countr_zero(rest);
            const std::uint32_t next = remaining ^ (std::uint32_t{1} << j), placed = all & ~remaining;
            if (is_unreachable(table[next])) continue;
            const std::int64_t d = table[remaining] - table[next];
            if (least(costs, j, placed) != d) continue;
            best.order.push_back(costs.variable(j));
            best.choice[std::size_t(costs.variable(j))] = position_of(costs, j, placed, d);
            remaining = next;
            break;
        }
    }
}

}  // namespace

template <int W>
GroupBest group_best(const ParentGraphView<W>& graph, const Pattern<W>& pattern, int threads, Watch& watch) {
    check_clusters(pattern.clusters);
    check_groups(graph.n, pattern.groups);
    const std::vector<Cluster<W>> crossing = crossing_clusters(pattern.clusters, pattern.groups);
    GroupBest best;
    best.choice.assign(std::size_t(graph.n), -1);
    for (const Cluster<W>& c : crossing) best.bound += c.k * c.y;
    for (const VarSet<W>& group : pattern.groups) {
        const GroupCosts costs(graph, crossing, group);
        const std::vector<std::int64_t> table = group_table(costs, threads, watch);
        if (table.empty() || is_unreachable(table.back())) {
            watch.release(table.size() * 8);
            best.bound = table.empty() ? -Cost::infinite().quanta : Cost::infinite().quanta;
            best.order.clear();
            best.stop = watch.stop();
            return best;
        }
        best.bound += table.back();
        trace(costs, table, best);
        watch.release(table.size() * 8);
    }
    best.stop = watch.stop();
    return best;
}

#define SABNA_INSTANTIATE(W) \
    template GroupBest group_best<W>(const ParentGraphView<W>&, const Pattern<W>&, int, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
