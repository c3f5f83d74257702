// What the search asks of a heuristic: a lower bound h(U) on the cost of the variables not yet in U.
//
// A heuristic is a class H for sets of W words with
//   static constexpr HeuristicTraits traits    what it promises, as data; tests/test_heuristics.py holds it to that
//   Cost operator()(const VarSet<W>& placed) const
// and, where the value at one node follows cheaply from that at another,
//   Cost after(Cost before, const VarSet<W>& placed, const VarSet<W>& added) const
// with `before` = h(placed), returning h(placed | added). Searches are templates over H, so that a heuristic costs
// what its arithmetic costs and no more.
//
// Admissible: h(U) is never above the cost of the best way from U to V. Consistent: h(U) <= d(i, U) + h(U + i) for
// every i outside U; then A* never has to expand a node twice. h(V) = 0 for both.
#pragma once

#include <concepts>

#include "cost.h"
#include "varset.h"

namespace sabna {

struct HeuristicTraits {
    const char* name;
    bool admissible;
    bool consistent;
};

template <class H, int W>
concept Heuristic = requires(const H& h, const VarSet<W>& placed) {
    { H::traits } -> std::convertible_to<HeuristicTraits>;
    { h(placed) } -> std::same_as<Cost>;
};

// h(placed | added), the cheap way if there is one.
template <int W, class H>
requires Heuristic<H, W> Cost heuristic_after(const H& h, Cost before, const VarSet<W>& placed,
                                              const VarSet<W>& added) {
    if constexpr (requires { h.after(before, placed, added); }) return h.after(before, placed, added);
    else return h(placed | added);
}

}  // namespace sabna
