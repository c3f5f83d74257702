// Columns of categories and of numbers side by side, as the core scores them.
//
// A missing category has the code `no_code`, a missing number is NaN. Numbers are standardised over all rows that show
// one: the scores are computed on mean 0 and variance 1, and what the scale adds to a density comes on top.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sabna {

inline constexpr std::uint16_t no_code = 0xFFFF;

struct MixedColumns {
    std::int64_t rows = 0;
    std::vector<std::int64_t> arity;                    // 0: continuous
    std::vector<std::span<const std::uint16_t>> codes;  // of discrete variables, else empty
    std::vector<std::vector<double>> numbers;           // standardised, of continuous variables, else empty
    std::vector<double> log_scale;                      // ln of the scale of a continuous variable
    std::vector<bool> has_gaps;                         // whether a value is missing
    // Of each variable the rows in which it was set from outside, which do not count for its own family; may be empty.
    std::vector<std::span<const std::uint8_t>> was_set;

    int n() const { return int(arity.size()); }
    bool discrete(int v) const { return arity[std::size_t(v)] > 0; }
    int continuous() const {
        int count = 0;
        for (const std::int64_t r : arity) count += r == 0;
        return count;
    }
};

// `codes` and `numbers` hold the discrete and the continuous columns one after the other, in the order of `arity`; both
// outlive what is returned. `was_set`: n x rows flags, or nothing.
MixedColumns mixed_columns(std::span<const std::int64_t> arity, std::span<const std::uint16_t> codes,
                           std::span<const double> numbers, std::span<const std::uint8_t> was_set, std::int64_t rows);

}  // namespace sabna
