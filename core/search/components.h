// Independent parts of a parent graph.
//
// Draw an edge j -> i where j occurs in some candidate parent set of i. No cycle can leave a strongly connected component
// of that graph, so whatever lies outside a component and may be a parent in it comes from earlier components and is
// available. Hence each component can be solved by itself, with its parent sets cut down to its own members, and the
// parts put one after the other in topological order are optimal together.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "parents/parent_graph.h"
#include "search/outcome.h"

namespace sabna {

// The components in topological order (parents' components first), members ascending.
template <int W>
std::vector<std::vector<int>> find_components(const ParentGraphView<W>& graph);

// One component as a parent graph of its own: variable k stands for members[k]; its sets are cut down to members, and of
// those that fall together, or that a subset now beats, only the cheapest stays.
// `origin[p]` is the position in the whole graph's arrays of the set at position p.
template <int V>
struct Component {
    ParentGraphData<V> graph;
    std::vector<std::int64_t> origin;
};

// A parent graph seen as plain words, so that what runs once per graph need not be compiled for every pair of widths.
struct FlatGraph {
    template <int W>
    explicit FlatGraph(const ParentGraphView<W>& graph)
        : n(graph.n), width(W), offsets(graph.offsets), costs(graph.costs_begin),
          words(reinterpret_cast<const std::uint64_t*>(graph.sets_begin)) {}

    template <class Visit>
    void for_each(std::int64_t p, Visit visit) const {
        for (int k = 0; k < width; ++k)
            for (std::uint64_t rest = words[p * width + k]; rest; rest &= rest - 1)
                visit(64 * k + std::countr_zero(rest));
    }

    int n, width;
    const std::int64_t* offsets;
    const Cost* costs;
    const std::uint64_t* words;  // `width` of them for every set
};

// V words must hold the members.
template <int V>
Component<V> extract_component(const FlatGraph& graph, const std::vector<int>& members);

}  // namespace sabna
