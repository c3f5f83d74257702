#include "parents/dominance.h"

#include <algorithm>

#include "parents/sliced_list.h"

namespace sabna {

namespace {

// A set of sets with open addressing; grows as sets come in.
template <int W>
class HashOfSets {
  public:
    HashOfSets() : slots_(64), used_(64, false) {}

    bool contains(const VarSet<W>& set) const {
        for (std::size_t at = set.hash();; ++at) {
            const std::size_t slot = at & (slots_.size() - 1);
            if (!used_[slot]) return false;
            if (slots_[slot] == set) return true;
        }
    }
    void insert(const VarSet<W>& set) {
        if (2 * ++count_ > slots_.size()) grow();
        place(set);
    }

  private:
    void place(const VarSet<W>& set) {
        std::size_t slot = set.hash() & (slots_.size() - 1);
        while (used_[slot]) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = set;
        used_[slot] = true;
    }
    void grow() {
        std::vector<VarSet<W>> old(4 * slots_.size());
        std::vector<char> old_used(old.size(), false);
        old.swap(slots_);
        old_used.swap(used_);
        for (std::size_t k = 0; k < old.size(); ++k)
            if (old_used[k]) place(old[k]);
    }

    std::vector<VarSet<W>> slots_;
    std::vector<char> used_;
    std::size_t count_ = 0;
};

template <int W>
bool any_subset_in(const HashOfSets<W>& kept, const VarSet<W>& rest, const VarSet<W>& chosen) {
    const int v = rest.lowest();
    if (v < 0) return kept.contains(chosen);
    const VarSet<W> later = rest.without(v);
    return any_subset_in(kept, later, chosen) || any_subset_in(kept, later, chosen.with(v));
}

}  // namespace

template <int W>
bool prune_dominated(std::vector<CostedSet<W>>& sets, int n, Watch& watch) {
    std::sort(sets.begin(), sets.end());
    HashOfSets<W> hash;
    SlicedList<W> sliced(n);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < sets.size(); ++k) {
        if (k % 1024 == 1023 && !watch.poll({.station = "dominance"})) return false;
        const VarSet<W> set = sets[k].set;
        const int size = set.size();
        const double by_hash = size < 40 ? double(std::int64_t{4} << size) : 1e18;
        const double by_slices = double(kept / SlicedList<W>::block + 1) * n;
        const bool dominated = by_hash < by_slices ? any_subset_in(hash, set, {}) : sliced.first_subset(set) >= 0;
        if (dominated) continue;
        hash.insert(set);
        sliced.push_back(set);
        sets[kept++] = sets[k];
    }
    sets.resize(kept);
    return true;
}

template <int W>
ParentGraphData<W> prune_dominated(const ParentGraphView<W>& graph, Watch& watch) {
    ParentGraphData<W> out;
    std::vector<CostedSet<W>> sets;
    for (int i = 0; i < graph.n; ++i) {
        sets.clear();
        for (std::int64_t k = 0; k < graph.size(i); ++k) sets.push_back({graph.costs(i)[k], graph.sets(i)[k], k});
        if (!prune_dominated(sets, graph.n, watch)) return out;
        for (const CostedSet<W>& entry : sets) out.costs.push_back(entry.cost), out.sets.push_back(entry.set);
        out.offsets.push_back(std::int64_t(out.costs.size()));
    }
    return out;
}

#define SABNA_INSTANTIATE(W)                                                   \
    template bool prune_dominated<W>(std::vector<CostedSet<W>>&, int, Watch&); \
    template ParentGraphData<W> prune_dominated<W>(const ParentGraphView<W>&, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
