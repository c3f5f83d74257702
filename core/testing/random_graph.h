// Random parent graphs for tests, and their optimum by plain dynamic programming over all subsets.
#pragma once

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "parents/parent_graph.h"

namespace sabna::testing {

struct RandomGraph {
    int n = 6;
    int sets = 12;                   // per variable, before doubles are dropped
    int largest = 3;                 // parents in a set
    int costs = 1000;                // costs are drawn from 0 .. costs - 1: few of them make many ties
    bool empty_sets = true;          // list the empty set, at a cost no set exceeds
    bool larger_is_cheaper = false;  // by size first: then few sets beat others and lists stay long
};

template <int W>
ParentGraphData<W> random_graph(const RandomGraph& shape, std::uint32_t seed) {
    std::mt19937 random(seed);
    ParentGraphData<W> graph;
    for (int i = 0; i < shape.n; ++i) {
        std::vector<std::pair<VarSet<W>, Cost>> list;
        if (shape.empty_sets || i == 0) list.push_back({VarSet<W>{}, Cost{shape.costs}});
        for (int k = 0; k < shape.sets; ++k) {
            VarSet<W> set;
            for (int size = 1 + int(random() % std::uint32_t(shape.largest)); size > 0; --size) {
                const int v = int(random() % std::uint32_t(shape.n));
                if (v != i) set.insert(v);
            }
            // Without empty sets a chain 0 <- 1 <- 2 ... keeps the graph solvable.
            if (set.empty() && i > 0) set.insert(i - 1);
            std::int64_t cost = std::int64_t(random() % std::uint32_t(shape.costs));
            if (shape.larger_is_cheaper)
                cost = (cost + std::int64_t(shape.largest - set.size()) * shape.costs) / (shape.largest + 1);
            if (!set.empty()) list.push_back({set, Cost{cost}});
        }
        if (!shape.empty_sets && i > 0) list.push_back({VarSet<W>::single(i - 1), Cost{shape.costs}});
        std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
            return std::tie(a.second, a.first) < std::tie(b.second, b.first);
        });
        const auto first = graph.sets.size();
        for (const auto& [set, cost] : list) {
            const bool beaten = std::any_of(graph.sets.begin() + std::ptrdiff_t(first), graph.sets.end(),
                                            [&](const auto& kept) { return kept.subset_of(set); });
            if (!beaten) graph.sets.push_back(set), graph.costs.push_back(cost);
        }
        graph.offsets.push_back(std::int64_t(graph.sets.size()));
    }
    return graph;
}

// Q*(V) by the paper's Equation 2, all 2^n subsets; infinite if no network exists.
template <int W>
Cost optimum(const ParentGraphView<W>& graph) {
    const std::uint64_t subsets = std::uint64_t{1} << graph.n;
    std::vector<Cost> q(subsets, Cost::infinite());
    q[0] = {};
    for (std::uint64_t u = 0; u < subsets; ++u) {
        if (q[u].is_infinite()) continue;
        VarSet<W> placed;
        placed.word[0] = u;
        for (int i = 0; i < graph.n; ++i) {
            if (placed.contains(i)) continue;
            for (std::int64_t k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
                if (!graph.sets_begin[k].subset_of(placed)) continue;
                Cost& next = q[u | std::uint64_t{1} << i];
                next = std::min(next, q[u] + graph.costs_begin[k]);
                break;
            }
        }
    }
    return q[subsets - 1];
}

// Whether choice and order make a network of this cost: listed sets, parents before children.
template <int W, class Network>
bool is_network(const ParentGraphView<W>& graph, const Network& network) {
    VarSet<W> placed;
    Cost cost;
    if (int(network.order.size()) != graph.n) return false;
    for (const int i : network.order) {
        const std::int64_t k = network.choice[std::size_t(i)];
        if (placed.contains(i) || k < graph.offsets[i] || k >= graph.offsets[i + 1]) return false;
        if (!graph.sets_begin[k].subset_of(placed)) return false;
        cost += graph.costs_begin[k];
        placed.insert(i);
    }
    return cost == network.cost;
}

}  // namespace sabna::testing
