// d(i, U) inside the searches: the first listed set of i that is a subset of U, millions of times a second.
//
// Short lists are scanned, four sets to an instruction where the machine has AVX2. Long lists (Mushroom has 16,000
// sets a variable) are bit-sliced: for a block of 256 sets and each variable x there is a row of 256 bits that says which
// of the sets contain x. OR the rows of all variables outside U: the zeros are the sets that fit, the lowest is the
// first. A block then costs one instruction for each variable outside U instead of one for every four sets.
// Measured on the lists of Autos (92 sets), Soybean (165) and Mushroom (16,330): slicing pays from some 200 sets on.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "parents/parent_graph.h"

namespace sabna {

template <int W>
class FitIndex {
  public:
    static constexpr std::int64_t sliced_from = 200;

    explicit FitIndex(const ParentGraphView<W>& graph) : graph_(graph), slices_(std::size_t(graph.n)) {
        for (int i = 0; i < graph.n; ++i)
            if (graph.size(i) >= sliced_from) slices_[std::size_t(i)] = slice(i);
    }
    static std::uint64_t bytes(const ParentGraphView<W>& graph) {
        std::uint64_t total = 0;
        for (int i = 0; i < graph.n; ++i)
            if (graph.size(i) >= sliced_from) total += blocks(graph.size(i)) * std::uint64_t(graph.n) * sizeof(Row);
        return total;
    }

    // Position in the list of i; the list's size if none fits. `outside` lists the variables not in U, i may be among them.
    std::int64_t find(int i, const VarSet<W>& placed, const int* outside, int outside_count) const {
        const auto& rows = slices_[std::size_t(i)];
        return rows.empty() ? scan(i, placed) : find_sliced(i, rows, outside, outside_count);
    }
    Cost cost(int i, std::int64_t k) const { return graph_.costs(i)[std::size_t(k)]; }
    const ParentGraphView<W>& graph() const { return graph_; }

  private:
    static constexpr int row_words = 4;
    struct Row {
        std::uint64_t word[row_words];
    };
    static std::uint64_t blocks(std::int64_t size) { return std::uint64_t(size + 64 * row_words - 1) / (64 * row_words); }

    // Rows of one block after another; bits beyond the list's end count as sets that never fit.
    std::vector<Row> slice(int i) const {
        const auto sets = graph_.sets(i);
        const std::size_t n = std::size_t(graph_.n);
        std::vector<Row> rows(blocks(graph_.size(i)) * n, Row{});
        for (std::size_t k = 0; k < sets.size(); ++k)
            sets[k].for_each([&](int x) { rows[k / 256 * n + std::size_t(x)].word[k % 256 / 64] |= std::uint64_t{1} << (k % 64); });
        return rows;
    }

    std::int64_t find_sliced(int i, const std::vector<Row>& rows, const int* outside, int outside_count) const {
        const std::int64_t size = graph_.size(i);
        const Row* block = rows.data();
        for (std::int64_t base = 0; base < size; base += 64 * row_words, block += graph_.n) {
            Row blocked{};
            for (int t = 0; t < outside_count; ++t)
                for (int w = 0; w < row_words; ++w) blocked.word[w] |= block[outside[t]].word[w];
            for (int w = 0; w < row_words; ++w)
                if (~blocked.word[w]) {
                    const std::int64_t k = base + 64 * w + std::countr_one(blocked.word[w]);
                    return k < size ? k : size;
                }
        }
        return size;
    }

    std::int64_t scan(int i, const VarSet<W>& placed) const {
        const auto sets = graph_.sets(i);
        const auto size = std::int64_t(sets.size());
        std::int64_t k = 0;
#if defined(__AVX2__)
        if constexpr (W == 1) {
            const __m256i outside = _mm256_set1_epi64x(std::int64_t(~placed.word[0]));
            for (; k + 4 <= size; k += 4) {
                const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sets.data() + k));
                const __m256i fits = _mm256_cmpeq_epi64(_mm256_and_si256(four, outside), _mm256_setzero_si256());
                if (const int mask = _mm256_movemask_pd(_mm256_castsi256_pd(fits))) return k + std::countr_zero(unsigned(mask));
            }
        }
#endif
        while (k < size && !sets[std::size_t(k)].subset_of(placed)) ++k;
        return k;
    }

    ParentGraphView<W> graph_;
    std::vector<std::vector<Row>> slices_;
};

}  // namespace sabna
