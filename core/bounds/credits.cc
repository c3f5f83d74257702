#include "bounds/credits.h"

namespace sabna {

template <int W>
SparseRows credited_columns(std::span<const std::int32_t> variables, std::span<const VarSet<W>> parents,
                            const std::vector<Cluster<W>>& clusters) {
    SparseRows rows;
    for (const Cluster<W>& c : clusters) {
        for (std::size_t p = 0; p < variables.size(); ++p)
            if (c.set.contains(variables[p]) && c.credits(parents[p])) rows.column.push_back(std::int32_t(p));
        rows.start.push_back(std::int32_t(rows.column.size()));
    }
    return rows;
}

template <int W>
std::vector<std::int32_t> count_credits(std::span<const std::int32_t> order, std::span<const VarSet<W>> parents,
                                        const std::vector<Cluster<W>>& clusters) {
    std::vector<std::int32_t> counts;
    for (const Cluster<W>& c : clusters) {
        std::int32_t count = 0;
        for (std::size_t p = 0, placed = 0; p < order.size() && int(placed) < c.k; ++p) {
            if (!c.set.contains(order[p])) continue;
            count += c.credits(parents[p]);
            ++placed;
        }
        counts.push_back(count);
    }
    return counts;
}

#define SABNA_INSTANTIATE(W)                                                                                       \
    template SparseRows credited_columns<W>(std::span<const std::int32_t>, std::span<const VarSet<W>>,             \
                                            const std::vector<Cluster<W>>&);                                       \
    template std::vector<std::int32_t> count_credits<W>(std::span<const std::int32_t>, std::span<const VarSet<W>>, \
                                                        const std::vector<Cluster<W>>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
