// Entropies of all variables given a partition: h(x | P) = sum over cells (T[N_c] - sum over values T[N_cv]), the
// technique chosen by variable.
#pragma once

#include "counting/scan.h"

namespace sabna {

class EntropyCounter {
  public:
    EntropyCounter(const DistinctRows& table, const CountTable& log_table);
    // `h` has one entry per variable; those of P itself come out as 0.
    void count(const Partition& partition, Quanta* h);

  private:
    TablePair tables_;
    ScanCounter scan_;
    int n_;
};

}  // namespace sabna
