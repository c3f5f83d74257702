#include "bounds/dual_pattern_db.h"

#include <algorithm>

#include "parallel.h"
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
        sets_.push_back({crossing_clusters(pattern.clusters, pattern.groups), pattern.groups, {}, {}});
        index_variables(graph.n, sets_.back());
        tables_.emplace_back().groups.resize(pattern.groups.size());
    }
    if (!fill_tables(graph, threads, watch)) return;
    for (std::size_t p = 0; p < tables_.size(); ++p) tables_[p].root = value(p, VarSet<W>{});
    ready_ = !tables_.empty();
}

// Many groups are filled side by side; few, by all threads one after the other. False: a limit.
template <int W>
bool DualPatternDb<W>::fill_tables(const ParentGraphView<W>& graph, int threads, Watch& watch) {
    struct Place {
        std::size_t pattern, group;
    };
    std::vector<Place> places;
    for (std::size_t p = 0; p < sets_.size(); ++p)
        for (std::size_t g = 0; g < sets_[p].groups.size(); ++g) places.push_back({p, g});
    const auto fill = [&](std::int64_t k, int shared_by, bool polls) {
        const auto [p, g] = places[std::size_t(k)];
        PatternTables::Group& group = tables_[p].groups[g];
        group.costs = std::make_unique<GroupCosts>(graph, sets_[p].crossing, sets_[p].groups[g]);
        group.table = group_table(*group.costs, shared_by, watch, polls);
    };
    constexpr std::int64_t a_thread = 4;  // groups that there must be for each, or some end much later than others
    const auto count = std::int64_t(places.size());
    const auto side_by_side = [&](int thread, std::int64_t k) { fill(k, 1, thread == 0); };
    if (count >= a_thread * threads) for_each_block(threads, count, watch, side_by_side, [] { return true; });
    else
        for (std::int64_t k = 0; k < count && !watch.stopped(); ++k) fill(k, threads, true);
    return !watch.stopped();
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
        const int inside = c.set.size_within(placed);
        if (inside < c.k) total += (c.k - inside) * c.y;
    }
    return total;
}

template <int W>
void DualPatternDb<W>::index_variables(int n, Sets& sets) {
    sets.group_of.resize(std::size_t(n));
    sets.bit.resize(std::size_t(n));
    for (std::size_t g = 0; g < sets.groups.size(); ++g) {
        std::uint32_t bit = 1;
        sets.groups[g].for_each([&](int i) {
            sets.group_of[std::size_t(i)] = std::uint32_t(g);
            sets.bit[std::size_t(i)] = bit;
            bit <<= 1;
        });
    }
}

// Where the notes on one pattern stand, from its first number on.
template <int W>
struct DualPatternDb<W>::Notes {
    std::size_t groups, variables;

    static constexpr std::size_t total = 0, first_cluster = 1, last_cluster = 2;  // clusters: a range of node.clusters
    std::size_t entry(std::size_t group) const { return 3 + group; }              // what remains of the group
    std::size_t cost(std::size_t group) const { return 3 + groups + group; }
    std::size_t credit(std::size_t variable) const { return 3 + 2 * groups + variable; }
    std::size_t size() const { return 3 + 2 * groups + variables; }
};

template <int W>
void DualPatternDb<W>::note(ExpandedNode<W>& node) const {
    node.numbers.clear();
    node.clusters.clear();
    const VarSet<W> left = all_ - node.set;
    for (std::size_t p = 0; p < sets_.size(); ++p) {
        const Sets& sets = sets_[p];
        const Notes at{sets.groups.size(), sets.bit.size()};
        const std::size_t begin = node.numbers.size();
        node.numbers.resize(begin + at.size());
        std::int64_t* notes = node.numbers.data() + begin;
        std::int64_t total = 0;
        for (std::size_t g = 0; g < sets.groups.size(); ++g) {
            const std::uint32_t entry = place_bits(left, sets.groups[g]);
            notes[at.entry(g)] = entry;
            notes[at.cost(g)] = tables_[p].groups[g].table[entry];
            total += notes[at.cost(g)];  // a search has no node where a group has no way on
        }
        notes[at.first_cluster] = std::int64_t(node.clusters.size());
        for (std::uint32_t c = 0; c < sets.crossing.size(); ++c) {
            const Cluster<W>& cluster = sets.crossing[c];
            const int inside = cluster.set.size_within(node.set);
            if (inside >= cluster.k) continue;
            total += (cluster.k - inside) * cluster.y;
            node.clusters.push_back(c);
            (cluster.set & left).for_each([&](int i) { notes[at.credit(std::size_t(i))] += cluster.y; });
        }
        notes[at.last_cluster] = std::int64_t(node.clusters.size());
        notes[at.total] = total;
    }
}

// One variable more: its group loses a bit, and every cluster that it is in one of those it asks for.
template <int W>
std::int64_t DualPatternDb<W>::value_after_one(std::size_t pattern, const std::int64_t* notes, int added) const {
    const Sets& sets = sets_[pattern];
    const Notes at{sets.groups.size(), sets.bit.size()};
    const std::size_t g = sets.group_of[std::size_t(added)];
    const auto entry = std::uint32_t(notes[at.entry(g)]) ^ sets.bit[std::size_t(added)];
    const std::int64_t cost = tables_[pattern].groups[g].table[entry];
    if (is_unreachable(cost)) return Cost::infinite().quanta;
    return notes[at.total] - notes[at.cost(g)] + cost - notes[at.credit(std::size_t(added))];
}

template <int W>
std::int64_t DualPatternDb<W>::value_after(std::size_t pattern, const std::int64_t* notes, const ExpandedNode<W>& node,
                                           const VarSet<W>& added) const {
    const Sets& sets = sets_[pattern];
    const Notes at{sets.groups.size(), sets.bit.size()};
    std::int64_t total = notes[at.total];
    const VarSet<W> left = all_ - node.set - added;
    for (std::size_t g = 0; g < sets.groups.size(); ++g) {
        if (!sets.groups[g].intersects(added)) continue;
        const std::int64_t cost = tables_[pattern].groups[g].table[place_bits(left, sets.groups[g])];
        if (is_unreachable(cost)) return Cost::infinite().quanta;
        total += cost - notes[at.cost(g)];
    }
    for (auto at_cluster = std::size_t(notes[at.first_cluster]); at_cluster < std::size_t(notes[at.last_cluster]);
         ++at_cluster) {
        const Cluster<W>& cluster = sets.crossing[node.clusters[at_cluster]];
        const int now = cluster.set.size_within(added);
        if (now == 0) continue;
        const int asked = cluster.k == 1 ? 1 : cluster.k - cluster.set.size_within(node.set);
        total -= std::min(now, asked) * cluster.y;
    }
    return total;
}

template <int W>
Cost DualPatternDb<W>::after(const ExpandedNode<W>& node, const VarSet<W>& added) const {
    const bool one = added.size() == 1;
    const int first = added.lowest();
    std::int64_t best = -Cost::infinite().quanta;
    const std::int64_t* notes = node.numbers.data();
    for (std::size_t p = 0; p < sets_.size(); ++p) {
        best = std::max(best, one ? value_after_one(p, notes, first) : value_after(p, notes, node, added));
        notes += Notes{sets_[p].groups.size(), sets_[p].bit.size()}.size();
    }
    return {best};
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
