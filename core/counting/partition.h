// Partition refinement: the rows grouped into cells by the values of a set of variables.
//
// The partition of P + x is that of P with every cell split by the value of x, so walking parent sets in lexicographic
// order with a stack of partitions costs one refinement per set. Under the likelihood scores a cell of a single distinct
// row is dropped: whatever the next variable, it is not split further and contributes nothing to an entropy.
#pragma once

#include <cstdint>
#include <vector>

#include "table.h"

namespace sabna {

struct Partition {
    std::vector<std::uint32_t> rows;    // distinct rows, cell by cell
    std::vector<std::uint32_t> begin;   // of each cell in `rows`, closed by rows.size()
    std::vector<std::uint32_t> weight;  // table rows in each cell

    int cells() const { return int(weight.size()); }
};

class Refiner {
  public:
    // `keep_single`: cells of one distinct row stay in (the Dirichlet scores count them).
    Refiner(const DistinctRows& table, bool keep_single);

    void whole(Partition& out) const;  // the partition by no variable
    void refine(const Partition& in, int variable, Partition& out);

  private:
    void refine_binary(const Partition& in, const std::uint16_t* codes, Partition& out);
    void refine_general(const Partition& in, const std::uint16_t* codes, int values, Partition& out);
    void close_cell(Partition& out, std::uint32_t begin, std::uint32_t end) const;

    const DistinctRows& table_;
    bool keep_single_;
    bool unit_weights_;
    std::vector<std::uint32_t> scratch_, start_;
};

}  // namespace sabna
