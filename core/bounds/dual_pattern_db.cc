#include "bounds/dual_pattern_db.h"

#include <algorithm>
#if defined(__BMI2__)
#include <immintrin.h>
#endif

namespace sabna {
namespace {

// The bits of `word` at the places of `mask`, moved together.
std::uint64_t gather_bits(std::uint64_t word, std::uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(word, mask);
#else
    std::uint64_t result = 0;
    for (int place = 0; mask; mask &= mask - 1, ++place)
        if (word & mask & -mask) result |= std::uint64_t{1} << place;
    return result;
#endif
}

}  // namespace

template <int W>
std::uint32_t place_bits(const VarSet<W>& set, const VarSet<W>& group) {
    std::uint32_t bits = 0;
    int shift = 0;
    for (int w = 0; w < W; ++w) {
        if (!group.word[w]) continue;
        bits |= std::uint32_t(gather_bits(set.word[w], group.word[w]) << shift);
        shift += std::popcount(group.word[w]);
    }
    return bits;
}

template <int W>
DualPatternDb<W>::DualPatternDb(const ParentGraphView<W>& graph, const std::vector<Pattern<W>>& patterns, int threads,
                                Watch& watch)
    : all_(VarSet<W>::first(graph.n)) {
    for (const Pattern<W>& pattern : patterns) {
        check_clusters(pattern.clusters);
        check_partition(graph.n, pattern.groups);
        Part part;
        part.crossing = crossing_clusters(pattern.clusters, pattern.groups);
        for (const VarSet<W>& set : pattern.groups) {
            Group group{set, std::make_unique<GroupCosts<W>>(graph, part.crossing, set), {}};
            group.table = group_table(*group.costs, threads, watch);
            if (group.table.empty()) return;
            part.groups.push_back(std::move(group));
        }
        part.root = value(part, VarSet<W>{});
        parts_.push_back(std::move(part));
    }
    ready_ = !parts_.empty();
}

template <int W>
std::int64_t DualPatternDb<W>::value(const Part& part, const VarSet<W>& placed) const {
    std::int64_t total = 0;
    for (const Group& group : part.groups) {
        const std::int64_t cost = group.table[place_bits(all_ - placed, group.set)];
        if (is_unreachable(cost)) return Cost::infinite().quanta;
        total += cost;
    }
    for (const Cluster<W>& c : part.crossing) {
        const int inside = (c.set & placed).size();
        if (inside < c.k) total += (c.k - inside) * c.y;
    }
    return total;
}

template <int W>
Cost DualPatternDb<W>::operator()(const VarSet<W>& placed) const {
    std::int64_t best = -Cost::infinite().quanta;
    for (const Part& part : parts_) best = std::max(best, value(part, placed));
    return {best};
}

template <int W>
std::uint64_t DualPatternDb<W>::bytes() const {
    std::uint64_t total = 0;
    for (const Part& part : parts_)
        for (const Group& group : part.groups) total += group.table.size() * 8;
    return total;
}

#define SABNA_INSTANTIATE(W)                                                          \
    template std::uint32_t place_bits<W>(const VarSet<W>&, const VarSet<W>&);         \
    template class DualPatternDb<W>;
SABNA_INSTANTIATE(1)
SABNA_INSTANTIATE(2)
SABNA_INSTANTIATE(4)
SABNA_INSTANTIATE(8)
#undef SABNA_INSTANTIATE

}  // namespace sabna
