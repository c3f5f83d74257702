// The table as the counting techniques want it: distinct rows with multiplicities, codes by column.
//
// Scores depend on counts alone, so equal rows are merged first; the order of rows (sorted here) never matters.
// Codes are those of the observed values, dense from 0; the arity of a variable may be larger (declared states that no
// row shows) and counts in penalties and priors only.
//
// Where merging would leave nearly all rows, it is given up and the codes stay where they are: of a long table there is
// one copy. The same when time is up: nothing after needs rows to be distinct, it is only quicker.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "watch.h"

namespace sabna {

struct DistinctRows {
    DistinctRows() = default;
    DistinctRows(DistinctRows&&) = default;  // `column` points into `held`: moved, never copied
    DistinctRows& operator=(DistinctRows&&) = default;

    int n = 0;
    std::int64_t rows = 0;                               // of the table, with multiplicities
    std::vector<std::uint32_t> weight;                   // of each distinct row
    std::vector<std::span<const std::uint16_t>> column;  // column[v][distinct row]
    std::vector<std::vector<std::uint16_t>> held;        // what `column` shows and is not in the codes given
    std::vector<std::int64_t> arity;                     // declared
    std::vector<int> observed;                           // number of values seen

    int distinct() const { return int(weight.size()); }
    bool is_constant(int v) const { return observed[v] <= 1; }
};

// `codes` holds n columns of `rows` entries each, `codes[v * rows + r]`.
DistinctRows merge_rows(std::span<const std::uint16_t> codes, std::span<const std::int64_t> arities, std::int64_t rows);

// The same under limits, for codes that outlive the table: rows are left as they are where merging does not pay or time
// is up. What the table takes is reserved with the watch and stays so; std::bad_alloc if that is too much.
DistinctRows merge_rows(std::span<const std::uint16_t> codes, std::span<const std::int64_t> arities, std::int64_t rows,
                        Watch& watch);

}  // namespace sabna
