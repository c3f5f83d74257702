// The query d(i, U): the cheapest parent set of i inside U. Lists are sorted by cost, so it is the first set that fits.
//
// `first_fit` scans the list: for single questions. `FitIndex` is made once for a graph and answers millions of questions a
// second. Long lists (Mushroom has 16,000 sets a variable) are sliced, see sliced_list.h. Short ones are scanned, four sets
// to an instruction where the machine has AVX2: Autos has 92 sets a variable, of which the first few mostly fit.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "parents/parent_graph.h"
#include "parents/sliced_list.h"

namespace sabna {

// The position of the first listed set of i that is a subset of `available`, from `begin` on; the list's size if none is.
template <int W>
std::int64_t first_fit(const ParentGraphView<W>& graph, int i, const VarSet<W>& available, std::int64_t begin = 0) {
    const auto sets = graph.sets(i);
    std::int64_t k = begin;
    const auto size = std::int64_t(sets.size());
    while (k < size && !sets[std::size_t(k)].subset_of(available)) ++k;
    return k;
}

template <int W>
class FitIndex {
  public:
    // Measured: with 48 instead, A* on Autos (lists of up to 212) took 3 to 13 % longer.
    static constexpr std::int64_t sliced_from = 200;

    explicit FitIndex(const ParentGraphView<W>& graph);
    static std::uint64_t bytes(const ParentGraphView<W>& graph) {
        std::uint64_t total = 0;
        for (int i = 0; i < graph.n; ++i)
            if (graph.size(i) >= sliced_from)
                total += std::uint64_t(graph.size(i) + 255) / 8 * std::uint64_t(graph.n + 2 * W);
        return total;
    }

    // Position in the list of i, from `begin` on; the list's size if no set fits.
    std::int64_t find(int i, const VarSet<W>& placed, std::int64_t begin = 0) const {
        const SlicedList<W>& sliced = sliced_[std::size_t(i)];
        if (sliced.size() == 0) return scan(i, placed, begin);
        const std::int64_t k = sliced.first_subset(placed, begin);
        return k < 0 ? sliced.size() : k;
    }
    Cost cost(int i, std::int64_t k) const { return graph_.costs(i)[std::size_t(k)]; }
    const ParentGraphView<W>& graph() const { return graph_; }

  private:
    std::int64_t scan(int i, const VarSet<W>& placed, std::int64_t begin) const {
        const auto sets = graph_.sets(i);
        const auto size = std::int64_t(sets.size());
        std::int64_t k = begin;
#if defined(__AVX2__)
        if constexpr (W == 1) {
            const __m256i outside = _mm256_set1_epi64x(std::int64_t(~placed.word[0]));
            for (; k + 4 <= size; k += 4) {
                const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sets.data() + k));
                const __m256i fits = _mm256_cmpeq_epi64(_mm256_and_si256(four, outside), _mm256_setzero_si256());
                if (const int mask = _mm256_movemask_pd(_mm256_castsi256_pd(fits)))
                    return k + std::countr_zero(unsigned(mask));
            }
        }
#endif
        while (k < size && !sets[std::size_t(k)].subset_of(placed)) ++k;
        return k;
    }

    ParentGraphView<W> graph_;
    std::vector<SlicedList<W>> sliced_;
};

// Many questions at once, by the index or by scans: the position in the graph's arrays of the first fit of variables[k] in
// available[k], -1 if there is none.
template <int W>
std::vector<std::int64_t> first_fits(const ParentGraphView<W>& graph, std::span<const std::int64_t> variables,
                                     std::span<const VarSet<W>> available, bool indexed);

}  // namespace sabna
