// Dominance with slack: keep every parent set that no subset beats by more than the slack.
//
// A set S of i with a subset Q cheaper by more than the slack occurs in no network within the slack of the best
// (alternatives/alternatives.h). With slack -1 quantum this is plain dominance: S stays only if cheaper than every subset,
// equals going to the subset. So one rule, and one place, serves both. It is decided by the undominated list: the
// cheapest subset of S, d(i, S), is on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "parents/parent_graph.h"
#include "parents/sliced_list.h"
#include "watch.h"

namespace sabna {

// The slack that means plain dominance.
inline constexpr std::int64_t plain_dominance = -1;

template <int W>
struct ScoredSet {
    Cost cost;
    VarSet<W> set;
};

// Sorts the sets of one of n variables (no set twice) by cost, ties by set, and removes those beaten by more than the
// slack. When the watch has stopped, a long list is cut instead of compared to its end: the least cost cut off is returned.
template <int W>
Cost keep_within(std::vector<ScoredSet<W>>& sets, int n, std::int64_t slack, const Watch& watch) {
    constexpr std::size_t short_list = 1 << 14;  // milliseconds
    std::sort(sets.begin(), sets.end(),
              [](const auto& a, const auto& b) { return std::tie(a.cost, a.set) < std::tie(b.cost, b.set); });
    SlicedList<W> undominated(n);
    std::vector<Cost> costs;
    std::size_t kept = 0;
    Cost cut = Cost::infinite();
    for (const ScoredSet<W>& s : sets) {
        if (kept >= short_list && watch.stopped()) {
            cut = s.cost;
            break;
        }
        const std::int64_t best = undominated.first_subset(s.set);
        if (best < 0) undominated.push_back(s.set), costs.push_back(s.cost);
        if (best < 0 || s.cost.quanta - costs[std::size_t(best)].quanta <= slack) sets[kept++] = s;
    }
    sets.resize(kept);
    return cut;
}

}  // namespace sabna
