#include "counting/entropies.h"

namespace sabna {

EntropyCounter::EntropyCounter(const DistinctRows& table, const CountTable& log_table)
    : tables_{&log_table, &log_table}, scan_(table), n_(table.n) {}

void EntropyCounter::count(const Partition& partition, Quanta* h) {
    for (int x = 0; x < n_; ++x) h[x] = scan_.count(partition, x, tables_).difference;
}

}  // namespace sabna
