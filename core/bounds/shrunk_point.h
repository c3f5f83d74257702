// A fractional point with blocks of variables in place of variables.
//
// Idea. In every network somebody of a block B comes first and has no parent in B. Where the point just satisfies that,
// sets of members of B without a parent in B have shares that add up to 1. To everything outside, B is then like one
// variable: those sets are its parent sets, and a parent in another block means that somebody of that block comes before.
// A point that is a mixture of networks in every group of a dozen variables often is none in a group of a dozen blocks:
// cycles that lead through a hundred variables are short between blocks. (Shrinking, in programs for the travelling
// salesman: Padberg and Rinaldi 1990.)
//
// Blocks grow by pairs: two are merged if the point just satisfies their union. Sets that lead from a block into itself
// are dropped; local_cuts.h has the proof of what is said about the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "random.h"

namespace sabna {

// The parent sets of a graph, in rows of `words` words, and the share that a point gives to each.
struct PointOfGraph {
    std::span<const std::int64_t> offsets;
    std::span<const std::uint64_t> sets;
    std::size_t words;
    std::span<const double> share;
};

class ShrunkPoint {
  public:
    ShrunkPoint(const PointOfGraph& point, std::uint64_t seed);

    // Merges some pairs of blocks, those with the most to do with each other first, with some luck. False: there is none.
    bool merge();

    // The variables of every block, ascending.
    const std::vector<std::vector<int>>& blocks() const { return blocks_; }
    // The point over blocks; valid until the next merge.
    PointOfGraph view() const { return {offsets_, sets_, words_, share_}; }

  private:
    // The pairs to be merged.
    std::vector<std::pair<std::size_t, std::size_t>> pairs();
    void renumber(const std::vector<std::size_t>& number, std::size_t count);

    Random random_;
    std::vector<std::vector<int>> blocks_;
    std::vector<std::int64_t> offsets_;
    std::vector<std::uint64_t> sets_;
    std::size_t words_;
    std::vector<double> share_;
};

}  // namespace sabna
