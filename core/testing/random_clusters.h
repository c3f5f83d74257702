// Random weighted clusters for tests.
#pragma once

#include <random>
#include <vector>

#include "bounds/cluster_bound.h"

namespace sabna::testing {

// Sizes 2 to 5, k of 1 and 2; weights from 0 to `largest`.
template <int W>
std::vector<Cluster<W>> random_clusters(int n, int count, std::int64_t largest, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<Cluster<W>> clusters;
    for (int c = 0; c < count; ++c) {
        Cluster<W> cluster;
        for (int size = 2 + int(random() % 4); size > 0; --size) cluster.set.insert(int(random() % std::uint32_t(n)));
        cluster.k = 1 + int(random() % 2);
        cluster.y = std::int64_t(random() % std::uint64_t(largest + 1));
        if (cluster.set.size() > cluster.k) clusters.push_back(cluster);
    }
    return clusters;
}

// What the variables outside each set of placed ones must cost at least, for all 2^n sets: the truth that heuristics are held to.
template <int W>
std::vector<Cost> cost_to_go(const ParentGraphView<W>& graph) {
    const std::uint64_t all = (std::uint64_t{1} << graph.n) - 1;
    std::vector<Cost> go(all + 1, Cost::infinite());
    go[all] = {};
    for (std::uint64_t u = all; u-- > 0;) {
        VarSet<W> placed;
        placed.word[0] = u;
        for (int i = 0; i < graph.n; ++i) {
            const Cost rest = go[u | std::uint64_t{1} << i];
            if (placed.contains(i) || rest.is_infinite()) continue;
            for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
                if (!graph.sets_begin[p].subset_of(placed)) continue;
                go[u] = std::min(go[u], rest + graph.costs_begin[p]);
                break;
            }
        }
    }
    return go;
}

// Whether h is admissible and consistent on every node of the lattice.
template <int W, class H>
bool holds_promises(const ParentGraphView<W>& graph, const H& h) {
    const std::vector<Cost> go = cost_to_go(graph);
    for (std::uint64_t u = 0; u < go.size(); ++u) {
        VarSet<W> placed;
        placed.word[0] = u;
        const Cost value = h(placed);
        if (value > go[u]) return false;
        for (int i = 0; i < graph.n; ++i) {
            if (placed.contains(i)) continue;
            for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
                if (!graph.sets_begin[p].subset_of(placed)) continue;
                const Cost next = h(placed.with(i));
                if (!next.is_infinite() && value > graph.costs_begin[p] + next) return false;
                break;
            }
        }
    }
    return h(VarSet<W>::first(graph.n)) == Cost{};
}

}  // namespace sabna::testing
