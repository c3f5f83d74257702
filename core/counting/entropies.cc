#include "counting/entropies.h"

namespace sabna {

EntropyCounter::EntropyCounter(const DistinctRows& table, const CountTable& log_table)
    : tables_{&log_table, &log_table}, lanes_(table, log_table), scan_(table) {
    for (int x = 0; x < table.n; ++x)
        if (table.is_constant(x)) constant_.push_back(x);
        else if (!LaneCounter::takes(table, x)) scanned_.push_back(x);
}

void EntropyCounter::count(const Partition& partition, Quanta* h) {
    for (int x : constant_) h[x] = 0;
    for (int x : scanned_) h[x] = scan_.count(partition, x, tables_).difference;
    lanes_.count(partition, h);
}

void EntropyCounter::count_split(const Partition& partition, int x, Quanta* h) {
    for (int v : constant_) h[v] = 0;
    lanes_.count_split(partition, x, h);
}

}  // namespace sabna
