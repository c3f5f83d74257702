// Entropies of all variables given a partition: h(x | P) = sum over cells (T[N_c] - sum over values T[N_cv]).
//
// The technique is chosen by variable: horizontal for those of few values (lanes.h), one by one for the others (scan.h);
// constant variables have none.
#pragma once

#include "counting/lanes.h"
#include "counting/scan.h"

namespace sabna {

class EntropyCounter {
  public:
    EntropyCounter(const DistinctRows& table, const CountTable& log_table);
    // `h` has one entry per variable; those of P itself come out as 0.
    void count(const Partition& partition, Quanta* h);

    // The same for P + x from the partition by P, where that is possible and quicker; `prepare` with P first.
    bool can_split(int x) const { return scanned_.empty() && lanes_.can_split(x); }
    // Variables in `idle`, with P among them, may come out as 0.
    void prepare(const Partition& partition, const std::vector<int>& idle) { lanes_.prepare(partition, idle); }
    void count_split(const Partition& partition, int x, Quanta* h);

  private:
    TablePair tables_;
    LaneCounter lanes_;
    ScanCounter scan_;
    std::vector<int> scanned_, constant_;
};

}  // namespace sabna
