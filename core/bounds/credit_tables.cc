#include "bounds/credit_tables.h"

#include <algorithm>

namespace sabna {
namespace {

// Tables of so many candidate parents take 11 MB, beyond which looks into them are slow.
constexpr int most_candidates = 160;
// Shorter lists are tested.
constexpr std::int64_t least_sets = 300;
constexpr std::uint32_t no_place = ~std::uint32_t{0};

// Places of the sets of up to three numbers a < b < c below `count`: the empty one, singles, pairs, triples. The triples of c
// and b stand in a row.
struct Places {
    std::int64_t pairs, triples;

    explicit Places(int count) : pairs(1 + count), triples(pairs + two(count)) {}
    static std::int64_t two(std::int64_t c) { return c * (c - 1) / 2; }
    static std::int64_t three(std::int64_t c) { return c * (c - 1) * (c - 2) / 6; }
    static std::int64_t all(std::int64_t count, bool with_triples) {
        return 1 + count + two(count) + (with_triples ? three(count) : 0);
    }
    std::int64_t pair(int a, int b) const { return pairs + two(b) + a; }
    std::int64_t row(int b, int c) const { return triples + three(c) + two(b); }
    std::int64_t of(const int* at, int size) const {
        if (size < 2) return size == 0 ? 0 : 1 + at[0];
        return size == 2 ? pair(at[0], at[1]) : row(at[1], at[2]) + at[0];
    }
};

}  // namespace

template <int W>
std::int64_t CreditTables<W>::Candidates::places() const {
    return Places::all(count, triples);
}

template <int W>
CreditTables<W>::CreditTables(const ParentGraphView<W>& graph)
    : graph_(graph), candidates_(std::size_t(graph.n)), places_(std::size_t(graph.size()), no_place) {
    for (int i = 0; i < graph.n; ++i) {
        if (graph.size(i) < least_sets) continue;
        Candidates& candidates = candidates_[std::size_t(i)];
        std::int64_t small = 0;
        for (const VarSet<W>& set : graph.sets(i)) {
            if (set.size() > 3) continue;
            candidates.all |= set, ++small;
            candidates.triples |= set.size() == 3;
        }
        candidates.count = candidates.all.size();
        if (candidates.count > most_candidates || small < graph.size(i) / 10 * 9) continue;
        candidates.number.assign(std::size_t(graph.n), -1);
        int next = 0;
        candidates.all.for_each([&](int v) { candidates.number[std::size_t(v)] = next++; });
        const Places places(candidates.count);
        for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
            const VarSet<W>& set = graph.sets_begin[p];
            if (set.size() > 3) continue;
            int at[3], size = 0;
            set.for_each([&](int v) { at[size++] = candidates.number[std::size_t(v)]; });
            places_[std::size_t(p)] = std::uint32_t(places.of(at, size));
        }
    }
}

template <int W>
std::uint64_t CreditTables<W>::bytes(const ParentGraphView<W>& graph, int threads) {
    const auto table = std::uint64_t(Places::all(std::min(graph.n, most_candidates), true));
    return std::uint64_t(graph.size()) * (4 + 8) + std::uint64_t(threads) * table * 2 * sizeof(std::int64_t);
}

// Places that a cluster notes its weight at.
template <int W>
std::int64_t CreditTables<W>::places_noted(const Candidates& candidates, const Cluster<W>& cluster) {
    const int inside = cluster.set.size_within(candidates.all);
    return Places::all(cluster.k == 1 ? std::min(inside, candidates.count - inside) : inside, candidates.triples);
}

template <int W>
void CreditTables<W>::note(const Candidates& candidates, const Cluster<W>& cluster, Space& space) {
    const int inside = cluster.set.size_within(candidates.all), count = candidates.count;
    const bool by_rest = cluster.k == 1 && count - inside < inside;
    space.members.clear();
    (by_rest ? candidates.all - cluster.set : cluster.set & candidates.all).for_each([&](int v) {
        space.members.push_back(candidates.number[std::size_t(v)]);
    });

    const std::int64_t y = cluster.y;
    std::int64_t* to = space.noted.data();
    std::int64_t single = y, pair = -y, triple = y;
    if (cluster.k == 2) single = 0, pair = y, triple = -2 * y;
    if (by_rest) {  // all are refused, but what lies outside is not
        space.noted[0] += y;
        to = space.outside.data();
        to[0] -= y;
        single = pair = triple = -y;
    }
    const Places places(count);
    const int* at = space.members.data();
    for (std::size_t c = 0; c < space.members.size(); ++c) {
        to[1 + at[c]] += single;
        for (std::size_t b = 0; b < c; ++b) {
            to[places.pair(at[b], at[c])] += pair;
            if (!candidates.triples) continue;
            std::int64_t* row = to + places.row(at[b], at[c]);
            for (std::size_t a = 0; a < b; ++a) row[at[a]] += triple;
        }
    }
    space.operations += Places::all(std::int64_t(space.members.size()), candidates.triples) / 2;
}

// From what is noted at each place to what is refused to each set: what is noted at it and its subsets.
template <int W>
void CreditTables<W>::add_up(const Candidates& candidates, Space& space) {
    const int count = candidates.count;
    const Places places(count);
    std::int64_t* noted = space.noted.data();
    const std::int64_t* outside = space.outside.data();
    const std::int64_t empty = noted[0];
    for (int c = 2; c < count && candidates.triples; ++c)
        for (int b = 1; b < c; ++b) {
            const std::int64_t both = empty + noted[1 + b] + noted[1 + c] + noted[places.pair(b, c)];
            const std::int64_t *single = noted + 1, *of_b = noted + places.pair(0, b),
                               *of_c = noted + places.pair(0, c);
            std::int64_t* row = noted + places.row(b, c);
            const std::int64_t* outside_row = outside + places.row(b, c);
#pragma omp simd
            for (int a = 0; a < b; ++a) row[a] += both + single[a] + of_b[a] + of_c[a] + outside_row[a];
        }
    for (int b = 1; b < count; ++b)
        for (int a = 0; a < b; ++a) {
            const std::int64_t at = places.pair(a, b);
            noted[at] += empty + noted[1 + a] + noted[1 + b] + outside[at];
        }
    for (int a = 0; a < count; ++a) noted[1 + a] += empty + outside[1 + a];
    noted[0] += outside[0];
    space.operations += candidates.places() / 4;
}

template <int W>
void CreditTables<W>::reduce(int i, const std::vector<Cluster<W>>& clusters, Space& space) const {
    const Candidates& candidates = candidates_[std::size_t(i)];
    const std::int64_t size = graph_.size(i), begin = graph_.offsets[i];
    const auto brief = [&](const Cluster<W>& cluster) { return places_noted(candidates, cluster) < size; };
    const bool tables = !candidates.number.empty() &&
                        std::count_if(clusters.begin(), clusters.end(), brief) * size > candidates.places();
    space.operations = size;
    space.tested.clear();
    std::int64_t total = 0;  // of the clusters in the tables
    if (tables) {
        space.noted.assign(std::size_t(candidates.places()), 0);
        space.outside.assign(space.noted.size(), 0);
    }
    for (const Cluster<W>& cluster : clusters) {
        if (tables && brief(cluster)) note(candidates, cluster, space), total += cluster.y;
        else space.tested.push_back(&cluster);
    }
    if (tables) add_up(candidates, space);

    space.reduced.resize(std::size_t(size));
    for (std::int64_t p = 0; p < size; ++p) {
        std::int64_t value = graph_.costs_begin[begin + p].quanta;
        const std::uint32_t place = places_[std::size_t(begin + p)];
        if (tables && place != no_place) value += space.noted[place] - total;
        else if (tables)
            for (const Cluster<W>& cluster : clusters)
                if (brief(cluster) && cluster.credits(graph_.sets_begin[begin + p])) value -= cluster.y;
        space.reduced[std::size_t(p)] = value;
    }
    for (const Cluster<W>* cluster : space.tested)
        for (std::int64_t p = 0; p < size; ++p)
            if (cluster->credits(graph_.sets_begin[begin + p])) space.reduced[std::size_t(p)] -= cluster->y;
    space.operations += std::int64_t(space.tested.size()) * size / 4;
}

#define SABNA_INSTANTIATE(W) template class CreditTables<W>;
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
