// Which parent sets earn the credit of which cluster: rows for linear programs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bounds/cluster_bound.h"

namespace sabna {

// Rows over columns: row c has the entries column[start[c]] .. column[start[c + 1] - 1].
struct SparseRows {
    std::vector<std::int32_t> start{0}, column;
};

// For each cluster, the columns (a variable and its parents) that earn its credit.
template <int W>
SparseRows credited_columns(std::span<const std::int32_t> variables, std::span<const VarSet<W>> parents,
                            const std::vector<Cluster<W>>& clusters);

// For each cluster, how many of the variables, placed in this order with these parents, earn its credit: of its
// members the first k at most.
template <int W>
std::vector<std::int32_t> count_credits(std::span<const std::int32_t> order, std::span<const VarSet<W>> parents,
                                        const std::vector<Cluster<W>>& clusters);

}  // namespace sabna
