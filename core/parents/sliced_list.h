// A list of sets that is asked for the first that is a subset of U, 256 of them at once.
//
// For every block of 256 positions and every variable v there is a bitmap: which of the 256 sets contain v. The union of the
// bitmaps of all v outside U marks the sets that do not fit; the first unmarked position is the answer. Only variables
// that occur in the block at all are looked at. It needs N n / 8 bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "varset.h"

namespace sabna {

// The bitmaps of one list of sets, to which sets can be added at the end.
template <int W>
class SlicedList {
  public:
    static constexpr int block = 256, slices = block / 64;

    // One register where the machine has such wide ones; the compiler makes do elsewhere.
    using Bits [[gnu::vector_size(block / 8)]] = std::uint64_t;

    explicit SlicedList(int n) : n_(n) {}
    std::int64_t size() const { return size_; }

    void push_back(const VarSet<W>& set) {
        if (size_ % block == 0) {
            bits_.resize(bits_.size() + std::size_t(n_));
            members_.emplace_back();
        }
        const std::int64_t b = size_ / block, at = size_ % block;
        Bits* bits = bits_.data() + std::size_t(b) * std::size_t(n_);
        set.for_each([&](int v) { bits[v][at / 64] |= std::uint64_t{1} << (at % 64); });
        members_[std::size_t(b)] |= set;
        ++size_;
    }

    // The first position from `begin` on; -1 if there is none.
    std::int64_t first_subset(const VarSet<W>& U, std::int64_t begin = 0) const {
        const std::size_t first = std::size_t(begin / block);
        for (std::size_t b = first; b < members_.size(); ++b) {
            const Bits* bits = bits_.data() + b * std::size_t(n_);
            Bits outside = {};
            if (b == first) mark_before(begin % block, outside);
            (members_[b] - U).for_each([&](int v) { outside |= bits[v]; });
            if (all_ones(outside)) continue;
            for (int s = 0; s < slices; ++s) {
                const std::int64_t at = std::int64_t(b) * block + 64 * s + std::countr_one(outside[s]);
                if (outside[s] != ~std::uint64_t{0} && at < size_) return at;
            }
        }
        return -1;
    }

  private:
    // Marks the first `count` positions of a block.
    static void mark_before(std::int64_t count, Bits& marked) {
        for (int s = 0; s < slices && count > 64 * s; ++s)
            marked[s] = count >= 64 * (s + 1) ? ~std::uint64_t{0} : (std::uint64_t{1} << (count - 64 * s)) - 1;
    }
    static bool all_ones(const Bits& bits) {
#if defined(__AVX2__)
        return _mm256_testc_si256((__m256i)bits, _mm256_set1_epi64x(-1));
#else
        return (bits[0] & bits[1] & bits[2] & bits[3]) == ~std::uint64_t{0};
#endif
    }

    int n_;
    std::int64_t size_ = 0;
    std::vector<Bits> bits_;          // [block][variable]
    std::vector<VarSet<W>> members_;  // of each block: the variables that occur
};

}  // namespace sabna
