// A cost: 64-bit fixed point in quanta of 2^-30 nat.
//
// Local scores are rounded once, where they are computed or read; from there on all arithmetic is on integers. So sums
// do not depend on their order, equal networks cost the same to the bit on any machine and any number of threads, and
// "optimal" is a statement about integers that can be checked.
//
// One limit keeps all sums in range: the largest cost in size of every variable, added up over the variables, is below
// T = `largest_total` = 2^60 quanta, a billion nats. It is checked wherever a graph is made (sabna/parents/checks.py), so
// the cost of any choice of parent sets, and of any part of the variables, lies between -T and T. Cluster weights
// have the same limit: the sum over clusters of |C| y_C is at most T (check_clusters). Why that is enough for 64 bits:
//   g, f, incumbents, targets    within T; with `infinite` = 4 T added to them within 5 T
//   reduced costs                above -2 T (cost less weights), and so are sums of them over variables; bounds with
//                                their sum of k y_C within 3 T, and differences of two such numbers within 6 T
//   tables over groups           see group_costs.h, whose mark for "no parent set fits" is 3.5 T
//   networks near the best       at most 2 T above it: slacks are at most 2 T, limits 3 T
// all below 8 T = 2^63.
#pragma once

#include <compare>
#include <cstdint>

namespace sabna {

struct Cost {
    std::int64_t quanta = 0;

    friend constexpr auto operator<=>(Cost, Cost) = default;
    friend constexpr Cost operator+(Cost a, Cost b) { return {a.quanta + b.quanta}; }
    friend constexpr Cost operator-(Cost a, Cost b) { return {a.quanta - b.quanta}; }
    constexpr Cost& operator+=(Cost b) {
        quanta += b.quanta;
        return *this;
    }
    constexpr Cost& operator-=(Cost b) {
        quanta -= b.quanta;
        return *this;
    }

    // "No parent set fits", "none known".
    constexpr bool is_infinite() const { return *this >= infinite(); }
    static constexpr Cost infinite() { return {std::int64_t{1} << 62}; }
};

inline constexpr std::int64_t largest_total = std::int64_t{1} << 60;

inline constexpr double quanta_per_nat = 1073741824.0;  // 2^30

}  // namespace sabna
