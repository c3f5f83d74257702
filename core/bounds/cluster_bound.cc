#include "bounds/cluster_bound.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bounds/credit_tables.h"

namespace sabna {

template <int W>
void check_clusters(const std::vector<Cluster<W>>& clusters) {
    std::int64_t room = largest_total;
    for (const Cluster<W>& c : clusters) {
        if (c.k < 1 || c.k > 2) throw std::invalid_argument("cluster: k must be 1 or 2");
        if (c.set.size() <= c.k) throw std::invalid_argument("cluster: must have more than k members");
        if (c.y < 0) throw std::invalid_argument("cluster: the weight must not be negative");
        if (c.y > room / c.set.size()) throw std::overflow_error("clusters: the weights are too large");
        room -= c.y * c.set.size();
    }
}

template <int W>
ReducedCosts reduced_costs(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters) {
    check_clusters(clusters);
    ReducedCosts result;
    result.cost.reserve(std::size_t(graph.size()));
    std::vector<std::vector<Cluster<W>>> of(std::size_t(graph.n));  // the clusters a variable belongs to
    for (const Cluster<W>& c : clusters) {
        if (c.y == 0) continue;
        result.bound += c.k * c.y;
        c.set.for_each([&](int i) { of[std::size_t(i)].push_back(c); });
    }
    const CreditTables<W> tables(graph);
    typename CreditTables<W>::Space space;
    for (int i = 0; i < graph.n; ++i) {
        tables.reduce(i, of[std::size_t(i)], space);
        result.cost.insert(result.cost.end(), space.reduced.begin(), space.reduced.end());
        std::int64_t least = Cost::infinite().quanta;
        for (const std::int64_t cost : space.reduced) least = std::min(least, cost);
        result.least.push_back(least);
        result.bound += least;
    }
    return result;
}

template <int W>
ClusterBound<W>::ClusterBound(const ParentGraphView<W>& graph, std::vector<Cluster<W>> clusters) : n_(graph.n) {
    const ReducedCosts reduced = reduced_costs(graph, clusters);
    root_ = Cost{reduced.bound};
    for (Cluster<W>& c : clusters)
        if (c.y > 0) clusters_.push_back(c);
    std::vector<std::vector<std::uint32_t>> of(std::size_t(graph.n));  // the clusters a variable belongs to
    for (std::uint32_t c = 0; c < clusters_.size(); ++c)
        clusters_[c].set.for_each([&](int i) { of[std::size_t(i)].push_back(c); });

    offsets_.assign(graph.offsets, graph.offsets + graph.n + 1);
    entries_.reserve(std::size_t(graph.size()) + 1);
    std::vector<std::int64_t> order;
    for (int i = 0; i < graph.n; ++i) {
        order.clear();
        for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) order.push_back(p);
        std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return std::pair(reduced.cost[std::size_t(a)], a) < std::pair(reduced.cost[std::size_t(b)], b);
        });
        for (std::int64_t p : order) {
            entries_.push_back({reduced.cost[std::size_t(p)], std::uint32_t(credits_.size())});
            for (std::uint32_t c : of[std::size_t(i)])
                if (clusters_[c].credits(graph.sets_begin[p])) credits_.push_back(c);
        }
    }
    entries_.push_back({0, std::uint32_t(credits_.size())});
}

template <int W>
std::uint64_t ClusterBound<W>::bytes() const {
    return clusters_.size() * sizeof(Cluster<W>) + entries_.size() * sizeof(Entry) + credits_.size() * 4;
}

// The least reduced cost of variable i when the clusters marked in `spent` credit no one any more.
template <int W>
Cost ClusterBound<W>::least_of(int i, const std::uint64_t* spent) const {
    std::int64_t best = Cost::infinite().quanta;
    for (std::int64_t e = offsets_[i]; e < offsets_[i + 1]; ++e) {
        const Entry& entry = entries_[std::size_t(e)];
        if (entry.reduced >= best) break;
        std::int64_t value = entry.reduced;
        for (std::uint32_t at = entry.first; at < entries_[std::size_t(e) + 1].first; ++at) {
            const std::uint32_t c = credits_[at];
            if (spent[c >> 6] >> (c & 63) & 1) value += clusters_[c].y;
        }
        best = std::min(best, value);
    }
    return {best};
}

template <int W>
Cost ClusterBound<W>::operator()(const VarSet<W>& placed) const {
    thread_local std::vector<std::uint64_t> spent;
    spent.assign(clusters_.size() / 64 + 1, 0);
    std::int64_t total = 0;
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        const int inside = clusters_[c].set.size_within(placed);
        if (inside < clusters_[c].k) total += (clusters_[c].k - inside) * clusters_[c].y;
        else spent[c >> 6] |= std::uint64_t{1} << (c & 63);
    }
    for (int i = 0; i < n_; ++i) {
        if (placed.contains(i)) continue;
        const Cost least = least_of(i, spent.data());
        if (least.is_infinite()) return Cost::infinite();
        total += least.quanta;
    }
    return {total};
}

#define SABNA_INSTANTIATE(W)                                                                           \
    template void check_clusters<W>(const std::vector<Cluster<W>>&);                                   \
    template ReducedCosts reduced_costs<W>(const ParentGraphView<W>&, const std::vector<Cluster<W>>&); \
    template class ClusterBound<W>;
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
