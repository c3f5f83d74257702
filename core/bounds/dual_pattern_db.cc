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
        check_groups(graph.n, pattern.groups);
        sets_.push_back({crossing_clusters(pattern.clusters, pattern.groups), pattern.groups});
        tables_.emplace_back();
        for (const VarSet<W>& group : pattern.groups) {
            auto costs = std::make_unique<GroupCosts>(graph, sets_.back().crossing, group);
            std::vector<std::int64_t> table = group_table(*costs, threads, watch);
            if (table.empty()) return;
            tables_.back().groups.push_back({std::move(costs), std::move(table)});
        }
        tables_.back().root = value(tables_.size() - 1, VarSet<W>{});
    }
    ready_ = !tables_.empty();
}

template <int W>
std::int64_t DualPatternDb<W>::value(std::size_t pattern, const VarSet<W>& placed) const {
    const Sets& sets = sets_[pattern];
    const PatternTables& tables = tables_[pattern];
    std::int64_t total = 0;
    for (std::size_t g = 0; g < sets.groups.size(); ++g) {
        const std::int64_t cost = tables.groups[g].table[place_bits(all_ - placed, sets.groups[g])];
        if (is_unreachable(cost)) return Cost::infinite().quanta;
        total += cost;
    }
    for (const Cluster<W>& c : sets.crossing) {
        const int inside = (c.set & placed).size();
        if (inside < c.k) total += (c.k - inside) * c.y;
    }
    return total;
}

template <int W>
Cost DualPatternDb<W>::operator()(const VarSet<W>& placed) const {
    std::int64_t best = -Cost::infinite().quanta;
    for (std::size_t p = 0; p < tables_.size(); ++p) best = std::max(best, value(p, placed));
    return {best};
}

template <int W>
std::uint64_t DualPatternDb<W>::bytes() const {
    std::uint64_t total = 0;
    for (const PatternTables& tables : tables_)
        for (const PatternTables::Group& group : tables.groups) total += group.table.size() * 8;
    return total;
}

#define SABNA_INSTANTIATE(W)                                                  \
    template std::uint32_t place_bits<W>(const VarSet<W>&, const VarSet<W>&); \
    template class DualPatternDb<W>;
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
