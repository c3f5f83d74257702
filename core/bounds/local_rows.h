// Local cuts (local_cuts.h) as rows: the coefficients of all parent sets of a graph.
#pragma once

#include <cstdint>
#include <span>

namespace sabna {

// A cut as it travels: its blocks, in rows of words, and what it lists, by places of blocks in the cut; sets of blocks as
// bits.
struct ListedCut {
    std::span<const std::uint64_t> blocks;
    std::span<const std::int64_t> member, family, coefficient;
};

// The parent sets of a graph, in rows of `words` words.
struct SetsOfGraph {
    std::span<const std::int64_t> offsets;
    std::span<const std::uint64_t> sets;
    std::size_t words;
};

// `row` has one number for each parent set, 0 so far.
void write_coefficients(const ListedCut& cut, const SetsOfGraph& graph, std::span<std::int16_t> row);

}  // namespace sabna
