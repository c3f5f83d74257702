// What the search asks of a heuristic: a lower bound h(U) on the cost of the variables not yet in U.
//
// A heuristic is a class H for sets of W words with
//   static constexpr HeuristicTraits traits    what it promises, as data; tests/test_heuristics.py holds it to that
//   Cost operator()(const VarSet<W>& placed) const
// and, where the values at the successors of a node follow cheaply from what is known about the node,
//   Cost after(const ExpandedNode<W>& node, const VarSet<W>& added) const
// returning h(node.set | added); what it wants to know beside h(node.set) it notes once for each node, in
//   void note(ExpandedNode<W>& node) const
// Searches are templates over H, so that a heuristic costs what its arithmetic costs and no more.
//
// Admissible: h(U) is never above the cost of the best way from U to V. Consistent: h(U) <= d(i, U) + h(U + i) for
// every i outside U; then A* never has to expand a node twice. h(V) = 0 for both.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

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

// A node whose successors are made, and what the heuristic has noted about it. Kept from node to node for its memory.
template <int W>
struct ExpandedNode {
    VarSet<W> set;
    Cost h;
    std::vector<std::int64_t> numbers;
    std::vector<std::uint32_t> clusters;
};

template <int W, class H>
requires Heuristic<H, W>
void begin_node(const H& h, ExpandedNode<W>& node, const VarSet<W>& set, Cost value) {
    node.set = set;
    node.h = value;
    if constexpr (requires { h.note(node); }) h.note(node);
}

// h(node.set | added), the cheap way if there is one.
template <int W, class H>
requires Heuristic<H, W> Cost heuristic_after(const H& h, const ExpandedNode<W>& node, const VarSet<W>& added) {
    if constexpr (requires { h.after(node, added); }) return h.after(node, added);
    else return h(node.set | added);
}

}  // namespace sabna
