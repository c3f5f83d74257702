#include "search/components.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace sabna {

namespace {

// ancestors[i]: i itself and every variable from which i can be reached. Warshall on bit sets; n is at most 512.
template <int W>
std::vector<VarSet<W>> possible_ancestors(const ParentGraphView<W>& graph) {
    std::vector<VarSet<W>> ancestors(std::size_t(graph.n));
    for (int i = 0; i < graph.n; ++i) {
        auto& mine = ancestors[std::size_t(i)];
        mine.insert(i);
        for (const auto& set : graph.sets(i)) mine |= set;
    }
    for (int via = 0; via < graph.n; ++via)
        for (auto& mine : ancestors)
            if (mine.contains(via)) mine |= ancestors[std::size_t(via)];
    return ancestors;
}

// Is some kept set a subset of `set`? By its subsets where these are few, otherwise by looking at all that are kept.
template <int V>
class Dominance {
  public:
    bool covers(const VarSet<V>& set) const {
        const int size = set.size();
        if (size >= 24 || (std::size_t{1} << size) > kept_.size())
            return std::any_of(kept_.begin(), kept_.end(), [&](const auto& other) { return other.subset_of(set); });
        std::vector<int> members;
        set.for_each([&](int v) { members.push_back(v); });
        for (std::uint32_t mask = 0; mask < std::uint32_t{1} << size; ++mask) {
            VarSet<V> subset;
            for (std::uint32_t rest = mask; rest; rest &= rest - 1) subset.insert(members[std::size_t(std::countr_zero(rest))]);
            if (kept_.contains(subset)) return true;
        }
        return false;
    }
    void keep(const VarSet<V>& set) { kept_.insert(set); }

  private:
    struct Hash {
        std::size_t operator()(const VarSet<V>& set) const { return set.hash(); }
    };
    std::unordered_set<VarSet<V>, Hash> kept_;
};

template <int V>
struct Candidate {
    Cost cost;
    VarSet<V> set;
    std::int64_t origin;
};

}  // namespace

template <int W>
std::vector<std::vector<int>> find_components(const ParentGraphView<W>& graph) {
    const auto ancestors = possible_ancestors(graph);
    // A component's variables have the same ancestors, and more of them than any component before it.
    std::vector<std::vector<int>> components;
    VarSet<W> seen;
    for (int i = 0; i < graph.n; ++i) {
        if (seen.contains(i)) continue;
        std::vector<int> members;
        for (int j = i; j < graph.n; ++j)
            if (ancestors[std::size_t(i)].contains(j) && ancestors[std::size_t(j)].contains(i)) members.push_back(j), seen.insert(j);
        components.push_back(std::move(members));
    }
    std::stable_sort(components.begin(), components.end(), [&](const auto& a, const auto& b) {
        return ancestors[std::size_t(a[0])].size() < ancestors[std::size_t(b[0])].size();
    });
    return components;
}

template <int W, int V>
Component<V> extract_component(const ParentGraphView<W>& graph, const std::vector<int>& members) {
    std::vector<int> local(std::size_t(graph.n), -1);
    VarSet<W> inside;
    for (std::size_t k = 0; k < members.size(); ++k) local[std::size_t(members[k])] = int(k), inside.insert(members[k]);

    Component<V> component;
    std::vector<Candidate<V>> candidates;
    for (const int i : members) {
        candidates.clear();
        for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
            VarSet<V> set;
            (graph.sets_begin[p] & inside).for_each([&](int v) { set.insert(local[std::size_t(v)]); });
            candidates.push_back({graph.costs_begin[p], set, p});
        }
        std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
            return std::tie(a.cost, a.set, a.origin) < std::tie(b.cost, b.set, b.origin);
        });
        Dominance<V> dominance;
        for (const auto& candidate : candidates) {
            if (dominance.covers(candidate.set)) continue;
            dominance.keep(candidate.set);
            component.graph.costs.push_back(candidate.cost);
            component.graph.sets.push_back(candidate.set);
            component.origin.push_back(candidate.origin);
        }
        component.graph.offsets.push_back(std::int64_t(component.origin.size()));
    }
    return component;
}

#define SABNA_FOR(W)                                                                            \
    template std::vector<std::vector<int>> find_components(const ParentGraphView<W>&);          \
    template Component<1> extract_component(const ParentGraphView<W>&, const std::vector<int>&); \
    template Component<2> extract_component(const ParentGraphView<W>&, const std::vector<int>&); \
    template Component<4> extract_component(const ParentGraphView<W>&, const std::vector<int>&); \
    template Component<8> extract_component(const ParentGraphView<W>&, const std::vector<int>&);
SABNA_FOR(1)
SABNA_FOR(2)
SABNA_FOR(4)
SABNA_FOR(8)
#undef SABNA_FOR

}  // namespace sabna
