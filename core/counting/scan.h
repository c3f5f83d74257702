// Counting by scanning: one variable at a time, one table lookup per cell and value.
//
// The plain technique, for any arity and any score. For a partition by P it gives for each variable x
//     sum over cells A_x[N_c] - sum over cells and values B_x[N_cv]
// and how many configurations of P + x occur. Work is rows x variables, memory one counter per value.
#pragma once

#include <span>

#include "counting/partition.h"
#include "scores/score.h"

namespace sabna {

struct TablePair {
    const CountTable* parent = nullptr;
    const CountTable* family = nullptr;
};
struct Counted {
    Quanta difference = 0;        // the sums above
    std::int64_t configurations = 0;
};

class ScanCounter {
  public:
    explicit ScanCounter(const DistinctRows& table);
    Counted count(const Partition& partition, int variable, TablePair tables);

  private:
    Counted count_pairs(const Partition& partition, const std::uint16_t* codes, TablePair tables) const;
    const DistinctRows& table_;
    std::vector<std::uint32_t> counts_;  // all zero between calls
};

}  // namespace sabna
