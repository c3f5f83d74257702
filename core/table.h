// The table as the counting techniques want it: distinct rows with multiplicities, codes by column.
//
// Scores depend on counts alone, so equal rows are merged first; the order of rows (sorted here) never matters.
// Codes are those of the observed values, dense from 0; the arity of a variable may be larger (declared states that no
// row shows) and counts in penalties and priors only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sabna {

struct DistinctRows {
    int n = 0;
    std::int64_t rows = 0;                             // of the table, with multiplicities
    std::vector<std::uint32_t> weight;                 // of each distinct row
    std::vector<std::vector<std::uint16_t>> column;    // column[v][distinct row]
    std::vector<std::int64_t> arity;                   // declared
    std::vector<int> observed;                         // number of values seen

    int distinct() const { return int(weight.size()); }
    bool is_constant(int v) const { return observed[v] <= 1; }
};

// `codes` holds n columns of `rows` entries each, `codes[v * rows + r]`.
DistinctRows merge_rows(std::span<const std::uint16_t> codes, std::span<const std::int64_t> arities,
                        std::int64_t rows);

}  // namespace sabna
