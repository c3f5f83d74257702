// A cost: 64-bit fixed point in quanta of 2^-30 nat.
//
// Local scores are rounded once, where they are computed or read; from there on all arithmetic is on integers. So sums
// do not depend on their order, equal networks cost the same to the bit on any machine and any number of threads, and
// "optimal" is a statement about integers that can be checked. Totals stay below 2^62 in size (the builder checks),
// so that the sum of two costs never overflows. `infinite` marks "no parent set fits" and must not be added to.
#pragma once

#include <compare>
#include <cstdint>

namespace sabna {

struct Cost {
    std::int64_t quanta = 0;

    friend constexpr auto operator<=>(Cost, Cost) = default;
    friend constexpr Cost operator+(Cost a, Cost b) { return {a.quanta + b.quanta}; }
    friend constexpr Cost operator-(Cost a, Cost b) { return {a.quanta - b.quanta}; }
    constexpr Cost& operator+=(Cost b) { quanta += b.quanta; return *this; }
    constexpr Cost& operator-=(Cost b) { quanta -= b.quanta; return *this; }

    constexpr bool is_infinite() const { return *this >= infinite(); }
    static constexpr Cost infinite() { return {std::int64_t{1} << 62}; }
};

inline constexpr double quanta_per_nat = 1073741824.0;  // 2^30

}  // namespace sabna
