#include "bounds/pattern_db.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "parents/first_fit.h"

namespace sabna {

std::optional<Grouping> grouping_named(const std::string& name) {
    if (name == "order") return Grouping::order;
    if (name == "interleave") return Grouping::interleave;
    if (name == "affinity") return Grouping::affinity;
    return std::nullopt;
}

int default_groups(int n) { return std::max(2, (n + comfortable_group - 1) / comfortable_group); }

namespace {

// loss[i][j]: what i pays if j cannot be its parent, d(i, V - i - j) - d(i, V - i), and j without i.
template <int W>
std::vector<std::vector<std::int64_t>> mutual_losses(const ParentGraphView<W>& graph) {
    const std::size_t n = std::size_t(graph.n);
    std::vector<std::vector<std::int64_t>> loss(n, std::vector<std::int64_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
        const auto sets = graph.sets(int(i));
        const auto costs = graph.costs(int(i));
        if (sets.empty()) continue;
        VarSet<W> needed = sets[0];
        for (std::size_t k = 1; k < sets.size() && !needed.empty(); ++k) {
            // The first set without j tells what i pays for going without j.
            (needed - sets[k]).for_each([&](int j) {
                loss[i][std::size_t(j)] += (costs[k] - costs[0]).quanta;
                loss[std::size_t(j)][i] += (costs[k] - costs[0]).quanta;
            });
            needed &= sets[k];
        }
    }
    return loss;
}

// Grow each group from the variable with the largest loss that is free, always by the one most attached to it.
template <int W>
std::vector<std::vector<int>> group_by_affinity(const ParentGraphView<W>& graph, int count) {
    const auto loss = mutual_losses(graph);
    std::vector<std::vector<int>> groups;
    // Sums over pairs count the same cost many times over and may leave the range of costs; they only serve to compare.
    std::vector<int> free(std::size_t(graph.n));
    std::iota(free.begin(), free.end(), 0);
    for (int g = 0; g < count; ++g) {
        const std::size_t size = (free.size() + std::size_t(count - g) - 1) / std::size_t(count - g);
        std::vector<double> attached(std::size_t(graph.n), 0);
        for (const int v : free)
            for (const int u : free) attached[std::size_t(v)] += double(loss[std::size_t(v)][std::size_t(u)]);
        std::vector<int> group;
        while (group.size() < size) {
            const auto next = std::max_element(free.begin(), free.end(), [&](int a, int b) {
                return attached[std::size_t(a)] < attached[std::size_t(b)];
            });
            if (group.empty()) std::fill(attached.begin(), attached.end(), 0);
            for (const int v : free) attached[std::size_t(v)] += double(loss[std::size_t(*next)][std::size_t(v)]);
            group.push_back(*next);
            free.erase(next);
        }
        std::sort(group.begin(), group.end());
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

template <int W>
std::vector<std::vector<int>> group_variables(const ParentGraphView<W>& graph, int count, Grouping method) {
    count = std::clamp(count, 1, std::max(1, graph.n));
    if (method == Grouping::affinity) return group_by_affinity(graph, count);
    std::vector<std::vector<int>> groups(std::size_t(count), std::vector<int>{});
    for (int v = 0; v < graph.n; ++v)
        groups[std::size_t(method == Grouping::interleave ? v % count : std::int64_t(v) * count / graph.n)].push_back(
            v);
    return groups;
}

template <int W>
std::uint64_t PatternDatabase<W>::bytes(const std::vector<std::vector<int>>& groups) {
    std::uint64_t total = 0;
    for (const auto& group : groups) total += sizeof(Cost) << group.size();
    return total;
}

template <int W>
PatternDatabase<W>::PatternDatabase(const ParentGraphView<W>& graph, const std::vector<std::vector<int>>& groups,
                                    Watch& watch) {
    const FitIndex<W> fits(graph);
    Progress progress;
    progress.station = "pattern database";
    for (const auto& members : groups) progress.total += std::int64_t{1} << members.size();
    for (const auto& members : groups) {
        Group group{members, {}, std::vector<Cost>(std::size_t{1} << members.size())};
        for (const int v : members) group.mask.insert(v);
        const VarSet<W> all = VarSet<W>::first(graph.n);
        for (std::size_t pattern = 1; pattern < group.table.size(); ++pattern) {
            if (pattern % 4096 == 0 && !watch.poll(progress)) return;
            VarSet<W> placed = all;
            for (std::size_t rest = pattern; rest; rest &= rest - 1)
                placed.erase(members[std::size_t(std::countr_zero(rest))]);
            Cost best = Cost::infinite();
            for (std::size_t rest = pattern; rest; rest &= rest - 1) {
                const int i = members[std::size_t(std::countr_zero(rest))];
                const std::int64_t k = fits.find(i, placed);
                const Cost after = group.table[pattern & ~(rest & -rest)];
                if (k < graph.size(i) && !after.is_infinite()) best = std::min(best, fits.cost(i, k) + after);
            }
            group.table[pattern] = best;
            ++progress.finished;
        }
        groups_.push_back(std::move(group));
    }
}

#define SABNA_INSTANTIATE(W)                                                                          \
    template std::vector<std::vector<int>> group_variables(const ParentGraphView<W>&, int, Grouping); \
    template class PatternDatabase<W>;
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
