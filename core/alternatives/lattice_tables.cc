#include "alternatives/lattice_tables.h"

#include <algorithm>

namespace sabna {

namespace {

// U without position i: the bits above i move down by one. i must not be in U.
std::uint32_t squeeze(std::uint32_t u, int i) {
    const std::uint32_t below = (std::uint32_t{1} << i) - 1;
    return (u & below) | ((u >> 1) & ~below);
}
std::uint32_t widen(std::uint32_t u, int i) {
    const std::uint32_t below = (std::uint32_t{1} << i) - 1;
    return (u & below) | ((u & ~below) << 1);
}

}  // namespace

std::uint64_t LatticeTables::bytes(int n) {
    const std::uint64_t subsets = std::uint64_t{1} << n;
    return subsets * sizeof(Cost) * (std::uint64_t(n) / 2 + 3);
}

bool LatticeTables::fill_best_parents(const SmallGraph& graph, Watch& watch) {
    const int n = graph.n();
    const std::size_t half = n ? std::size_t{1} << (n - 1) : 0;
    parents_.assign(half * std::size_t(n), Cost::infinite());
    for (int i = 0; i < n; ++i) {
        Cost* d = parents_.data() + half * std::size_t(i);
        for (const SmallSet& s : graph.sets[i]) {
            Cost& at = d[squeeze(s.set, i)];
            at = std::min(at, s.cost);
        }
        for (std::size_t bit = 1; bit < half; bit <<= 1)
            for (std::size_t u = 0; u < half; u += 2 * bit)
                for (std::size_t k = u; k < u + bit; ++k) d[k + bit] = std::min(d[k + bit], d[k]);
        if (!watch.poll({.station = "alternatives", .finished = i, .total = n})) return false;
    }
    return true;
}

bool LatticeTables::compute(const SmallGraph& graph, Watch& watch) {
    const int n = graph.n();
    if (!fill_best_parents(graph, watch)) return false;
    const std::uint32_t full = (std::uint32_t{1} << n) - 1;
    const std::size_t half = n ? std::size_t{1} << (n - 1) : 0;
    const auto d = [&](int i, std::uint32_t u) { return parents_[half * std::size_t(i) + squeeze(u, i)]; };
    constexpr std::uint32_t poll_mask = 0xFFFF;

    forward_.assign(std::size_t(full) + 1, Cost::infinite());
    forward_[0] = {};
    for (std::uint32_t u = 0; u <= full; ++u) {
        if ((u & poll_mask) == 0 && !watch.poll({.station = "alternatives"})) return false;
        if (forward_[u].is_infinite()) continue;
        for (std::uint32_t rest = full & ~u; rest; rest &= rest - 1) {
            const int i = std::countr_zero(rest);
            const Cost c = d(i, u);
            if (!c.is_infinite()) forward_[u | 1u << i] = std::min(forward_[u | 1u << i], forward_[u] + c);
        }
    }
    backward_.assign(std::size_t(full) + 1, Cost::infinite());
    backward_[full] = {};
    for (std::uint32_t u = full; u-- > 0;) {
        if ((u & poll_mask) == 0 && !watch.poll({.station = "alternatives"})) return false;
        for (std::uint32_t rest = full & ~u; rest; rest &= rest - 1) {
            const int i = std::countr_zero(rest);
            const Cost c = d(i, u), after = backward_[u | 1u << i];
            if (!c.is_infinite() && !after.is_infinite()) backward_[u] = std::min(backward_[u], c + after);
        }
    }
    return true;
}

bool LatticeTables::through(const SmallGraph& graph, std::vector<std::vector<Cost>>& out, Watch& watch) const {
    const int n = graph.n();
    const std::size_t half = n ? std::size_t{1} << (n - 1) : 0;
    std::vector<Cost> around(half);
    out.assign(std::size_t(n), {});
    for (int i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < half; ++k) {
            const std::uint32_t u = widen(std::uint32_t(k), i);
            const Cost before = forward_[u], after = backward_[u | 1u << i];
            around[k] = before.is_infinite() || after.is_infinite() ? Cost::infinite() : before + after;
        }
        for (std::size_t bit = 1; bit < half; bit <<= 1)
            for (std::size_t u = 0; u < half; u += 2 * bit)
                for (std::size_t k = u; k < u + bit; ++k) around[k] = std::min(around[k], around[k + bit]);
        for (const SmallSet& s : graph.sets[i]) {
            const Cost a = around[squeeze(s.set, i)];
            out[std::size_t(i)].push_back(a.is_infinite() ? a : a + s.cost);
        }
        if (!watch.poll({.station = "alternatives", .finished = i, .total = n})) return false;
    }
    return true;
}

}  // namespace sabna
