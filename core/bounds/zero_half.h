// Zero-half cuts: which rows of a linear program, added up and halved, a fractional point breaks.
//
// Idea. Rows a x >= b with integers a and b, and equations, add up to a row with integers again. Halved, its coefficients
// and its right side may be rounded up, for x is not negative and the left side is then an integer. At a point x that
// satisfies all rows the new one is broken by (1 - loss) / 2, where
//
//   loss = slack of the rows used + sum of x(p) over the columns p whose added-up coefficient is odd,
//
// if the added-up right side is odd. So only parities matter, and combinations with little loss are looked for by
// Gaussian elimination modulo 2 over the fractional columns (Caprara and Fischetti 1996; Koster, Zymolka and Kutschka
// 2009): columns with large shares are made even one after the other, and every row met on the way is a candidate.
//
// What is different here: the equations "one parent set each" are no rows of the elimination. Adding the equation of
// variable i exchanges the odd and the even columns of i, so that w, the share of the odd ones, becomes 1 - w. Given the
// other rows the best choice is known: i pays the smaller of the two; and if the right side then ends even, the
// variable whose two values differ least takes the other one.
//
// Nothing here is trusted: whoever uses a combination works out the cut in integers (sabna/bounds/cuts.py).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sabna {

// The fractional columns, sorted by variable, and the rows there. `parity` has one row of columns for each row, 0 or 1.
struct FractionalPoint {
    std::span<const std::int32_t> variable;
    std::span<const double> share;
    std::span<const std::uint8_t> parity;
    std::span<const std::uint8_t> odd;  // the parity of each row's right side
    std::span<const double> slack;
};

struct Combination {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> equations;  // variables
    double loss = 0;                      // below 1
};

struct ZeroHalfOptions {
    int orders = 1;  // eliminations; all but the first perturb the order of the columns
    std::uint64_t seed = 1;
    double most_loss = 0.96;
    double most_slack = 0.6;  // of a row that takes part
    std::size_t most = 300;   // combinations
};

// Broken combinations, least loss first, then fewest rows. The same for the same input, whatever the machine.
std::vector<Combination> zero_half(const FractionalPoint& point, const ZeroHalfOptions& options);

}  // namespace sabna
