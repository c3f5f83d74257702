// The parent graph: for every variable the parent sets that no subset of theirs beats, cheapest first.
//
// It is three flat arrays, so that a file can be mapped into memory and used as it is, and Python sees the same bytes:
//   offsets[n + 1]   the sets of variable i are offsets[i] .. offsets[i + 1] - 1
//   costs[N]         quanta, ascending within a variable (ties: by set, as VarSet orders them)
//   sets[N]          W words each
// `ParentGraphView` borrows them; `ParentGraphData` owns them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost.h"
#include "varset.h"

namespace sabna {

template <int W>
struct ParentGraphView {
    int n = 0;
    const std::int64_t* offsets = nullptr;
    const Cost* costs_begin = nullptr;
    const VarSet<W>* sets_begin = nullptr;

    std::int64_t size() const { return offsets[n]; }
    std::int64_t size(int i) const { return offsets[i + 1] - offsets[i]; }
    std::span<const Cost> costs(int i) const { return {costs_begin + offsets[i], std::size_t(size(i))}; }
    std::span<const VarSet<W>> sets(int i) const { return {sets_begin + offsets[i], std::size_t(size(i))}; }
    // d(i, V - i): the cost of the best parents of all.
    Cost best(int i) const { return size(i) ? costs_begin[offsets[i]] : Cost::infinite(); }
};

template <int W>
struct ParentGraphData {
    std::vector<std::int64_t> offsets{0};
    std::vector<Cost> costs;
    std::vector<VarSet<W>> sets;

    ParentGraphView<W> view() const { return {int(offsets.size()) - 1, offsets.data(), costs.data(), sets.data()}; }
};

static_assert(sizeof(Cost) == 8 && sizeof(VarSet<4>) == 32, "the arrays are shared with Python and with files");

}  // namespace sabna
