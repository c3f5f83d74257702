// Counting by scanning: one variable at a time, one table lookup per cell and value.
//
// The plain technique, for any arity and any score. For a partition by P it gives for each variable x
//     sum over cells A_x[N_c] - sum over cells and values B_x[N_cv]
// and how many configurations of P + x occur; where asked for, also another table's sum over these configurations. Work is
// rows x variables, memory one counter per value.
#pragma once

#include <span>

#include "counting/count_table.h"
#include "counting/partition.h"

namespace sabna {

struct TablePair {
    const CountTable* parent = nullptr;
    const CountTable* family = nullptr;
};
struct Counted {
    Quanta difference = 0;  // the sums above
    std::int64_t configurations = 0;
    Quanta apart = 0;  // the same sums as if every configuration of P + x were a cell of its own
};

class ScanCounter {
  public:
    explicit ScanCounter(const DistinctRows& table);
    static constexpr std::int64_t all = std::int64_t{1} << 62;

    // `apart`: the tables for the last of these; without them it stays 0. Once it is certain that there are `enough`
    // configurations or more, counting ends: then only that they are as many is known.
    Counted count(const Partition& partition, int variable, TablePair tables, TablePair apart = {},
                  std::int64_t enough = all);

  private:
    template <class EachConfiguration>
    Counted count_values(const Partition& partition, int variable, TablePair tables, std::int64_t enough,
                         EachConfiguration each);
    template <class EachConfiguration>
    Counted count_pairs(const Partition& partition, const std::uint16_t* codes, TablePair tables, std::int64_t enough,
                        EachConfiguration each) const;
    const DistinctRows& table_;
    std::vector<std::uint32_t> counts_;  // all zero between calls
};

}  // namespace sabna
