// Arithmetic on vectors of 16-bit numbers, one per variable, 16 at a time.
//
// Arrays passed here may be read (not written) up to 16 entries beyond their n; those that are written have
// `narrow_size(n)` entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

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

// `numbers` are the entropies and then the gains of one subset Q - a, `told` the entropy of a. Collect over subsets: the
// smallest entropies, the largest gains, and the largest difference (entropy - told - 1), at least 0.
inline void narrow_gather(const std::uint16_t* numbers, int n, std::uint16_t told, bool first, std::uint16_t* entropies,
                          std::uint16_t* floor, std::uint16_t* gain) {
    const std::uint16_t off = std::uint16_t(std::min(told + 1, 65535));
    for (int k = 0; k < n; k += 16) {
        const Narrow h = narrow_load(numbers + k), g = narrow_load(numbers + n + k);
        const Narrow difference = (h > off) ? h - off : Narrow{};
        if (first) {
            narrow_store(entropies + k, h), narrow_store(floor + k, difference), narrow_store(gain + k, g);
            continue;
        }
        const Narrow e = narrow_load(entropies + k), f = narrow_load(floor + k), b = narrow_load(gain + k);
        narrow_store(entropies + k, e < h ? e : h);
        narrow_store(floor + k, f > difference ? f : difference);
        narrow_store(gain + k, b > g ? b : g);
    }
}

// a += b, at most 65535.
inline void narrow_add(std::uint16_t* a, const std::uint16_t* b, int n) {
    for (int k = 0; k < n; k += 16) {
        const Narrow x = narrow_load(a + k), y = narrow_load(b + k), sum = x + y;
        narrow_store(a + k, sum < x ? ~Narrow{} : sum);
    }
}

// The positions below n where a > b.
template <int W>
VarSet<W> narrow_greater(const std::uint16_t* a, const std::uint16_t* b, int n) {
    VarSet<W> set;
    for (int k = 0; k < n; k += 16) {
        std::uint64_t bits = 0;
        for (int j = 0; j < 16; ++j) bits |= std::uint64_t(a[k + j] > b[k + j]) << j;
        set.word[k >> 6] |= bits << (k & 63);
    }
    return set & VarSet<W>::first(n);
}

}  // namespace sabna
