#include "search/components.h"

#include <algorithm>
#include <bit>

#include "parents/dominance.h"

namespace sabna {

namespace {

// Sets of variables as rows of bits, of whatever width: this runs once per graph, for any number of words.
class Reach {
  public:
    Reach(int n, int words) : words_(std::size_t(words)), bits_(std::size_t(n) * words_) {}
    std::uint64_t* row(int i) { return bits_.data() + std::size_t(i) * words_; }
    bool has(int i, int v) const { return bits_[std::size_t(i) * words_ + std::size_t(v >> 6)] >> (v & 63) & 1; }
    void join(int i, int other) {
        for (std::size_t w = 0; w < words_; ++w) row(i)[w] |= row(other)[w];
    }
    int count(int i) {
        int total = 0;
        for (std::size_t w = 0; w < words_; ++w) total += std::popcount(row(i)[w]);
        return total;
    }

  private:
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

// `reach` holds each variable itself and its possible parents; Warshall makes these its possible ancestors. A component's
// variables have the same ones, and more of them than any component before it.
std::vector<std::vector<int>> components_of(int n, Reach reach) {
    for (int via = 0; via < n; ++via)
        for (int i = 0; i < n; ++i)
            if (reach.has(i, via)) reach.join(i, via);
    std::vector<std::vector<int>> components;
    std::vector<bool> seen(std::size_t(n), false);
    for (int i = 0; i < n; ++i) {
        if (seen[std::size_t(i)]) continue;
        std::vector<int> members;
        for (int j = i; j < n; ++j)
            if (reach.has(i, j) && reach.has(j, i)) members.push_back(j), seen[std::size_t(j)] = true;
        components.push_back(std::move(members));
    }
    std::stable_sort(components.begin(), components.end(),
                     [&](const auto& a, const auto& b) { return reach.count(a[0]) < reach.count(b[0]); });
    return components;
}

}  // namespace

template <int W>
std::vector<std::vector<int>> find_components(const ParentGraphView<W>& graph) {
    Reach reach(graph.n, W);
    for (int i = 0; i < graph.n; ++i) {
        VarSet<W> near = VarSet<W>::single(i);
        for (const auto& set : graph.sets(i)) near |= set;
        std::copy_n(near.word, W, reach.row(i));
    }
    return components_of(graph.n, std::move(reach));
}

template <int V>
Component<V> extract_component(const FlatGraph& graph, const std::vector<int>& members) {
    std::vector<int> local(std::size_t(graph.n), -1);
    for (std::size_t k = 0; k < members.size(); ++k) local[std::size_t(members[k])] = int(k);

    Component<V> component;
    std::vector<CostedSet<V>> candidates;
    Watch no_limits;
    for (const int i : members) {
        candidates.clear();
        for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
            VarSet<V> set;
            graph.for_each(p, [&](int v) {
                if (local[std::size_t(v)] >= 0) set.insert(local[std::size_t(v)]);
            });
            candidates.push_back({graph.costs[p], set, p});
        }
        prune_dominated(candidates, int(members.size()), no_limits);
        for (const CostedSet<V>& candidate : candidates) {
            component.graph.costs.push_back(candidate.cost);
            component.graph.sets.push_back(candidate.set);
            component.origin.push_back(candidate.origin);
        }
        component.graph.offsets.push_back(std::int64_t(component.origin.size()));
    }
    return component;
}

#define SABNA_INSTANTIATE(W)                                                           \
    template std::vector<std::vector<int>> find_components(const ParentGraphView<W>&); \
    template Component<W> extract_component(const FlatGraph&, const std::vector<int>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
