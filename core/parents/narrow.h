// Arithmetic on vectors of 16-bit numbers, one per variable, 16 at a time.
//
// Arrays passed here may be read (not written) up to 16 entries beyond their n; those that are written have
// `narrow_size(n)` entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "varset.h"

namespace sabna {

inline std::size_t narrow_size(int n) { return std::size_t(n + 15) / 16 * 16; }

// The largest whole number not above x: what an entropy (rounded up) must exceed. Never below 0: an entropy stored as 0 is
// 0 exactly, and then the set at hand costs no less than its subset in integers too, whatever the threshold.
inline std::uint16_t narrow_threshold(double x) { return std::uint16_t(std::clamp(x, 0.0, 65535.0)); }
// A gain g (rounded down) is below the real number x, or may be, exactly if g < narrow_room(x).
inline std::uint16_t narrow_room(double x) { return x < 0 ? 0 : std::uint16_t(std::min(x + 1, 65535.0)); }

using Narrow = std::uint16_t __attribute__((vector_size(32)));

inline Narrow narrow_load(const std::uint16_t* from) {
    Narrow v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
inline void narrow_store(std::uint16_t* to, const Narrow& v) { std::memcpy(to, &v, sizeof v); }

// One subset Q - a of the set at hand: its entropies and then its gains, and one more than the entropy of a.
struct NarrowSubset {
    const std::uint16_t* numbers;
    std::uint16_t off;
};

// Over all subsets: the smallest entropies, the largest gains, and the largest difference (entropy - off), at least 0.
// Subsets in the inner loop: the three results stay in registers.
inline void narrow_gather(std::span<const NarrowSubset> subsets, int n, std::uint16_t* entropies, std::uint16_t* floor,
                          std::uint16_t* gain) {
    for (int k = 0; k < n; k += 16) {
        Narrow e = ~Narrow{}, f = {}, b = {};
        for (const NarrowSubset& subset : subsets) {
            const Narrow h = narrow_load(subset.numbers + k), g = narrow_load(subset.numbers + n + k);
            const Narrow least = Narrow{} + subset.off, difference = (h > least ? h : least) - least;
            e = e < h ? e : h;
            f = f > difference ? f : difference;
            b = b > g ? b : g;
        }
        narrow_store(entropies + k, e), narrow_store(floor + k, f), narrow_store(gain + k, b);
    }
}

// a += b, at most 65535.
inline void narrow_add(std::uint16_t* a, const std::uint16_t* b, int n) {
    for (int k = 0; k < n; k += 16) {
        const Narrow x = narrow_load(a + k), y = narrow_load(b + k), sum = x + y;
        narrow_store(a + k, sum < x ? ~Narrow{} : sum);
    }
}

// One bit per number, of the result of a comparison (all bits set, or none).
inline std::uint64_t narrow_bits(const Narrow& v) {
#ifdef __SSE2__
    __m128i half[2];
    std::memcpy(half, &v, sizeof v);
    return std::uint64_t(_mm_movemask_epi8(_mm_packs_epi16(half[0], half[1])));
#else
    std::uint64_t bits = 0;
    for (int j = 0; j < 16; ++j) bits |= std::uint64_t(v[j] != 0) << j;
    return bits;
#endif
}

// The positions below n where a > b.
template <int W>
VarSet<W> narrow_greater(const std::uint16_t* a, const std::uint16_t* b, int n) {
    VarSet<W> set;
    for (int k = 0; k < n; k += 16)
        set.word[k >> 6] |= narrow_bits(Narrow(narrow_load(a + k) > narrow_load(b + k))) << (k & 63);
    return set & VarSet<W>::first(n);
}

}  // namespace sabna
