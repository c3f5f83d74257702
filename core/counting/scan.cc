#include "counting/scan.h"

#include <algorithm>

namespace sabna {

ScanCounter::ScanCounter(const DistinctRows& table)
    : table_(table), counts_(table.n ? *std::max_element(table.observed.begin(), table.observed.end()) : 0) {}

Counted ScanCounter::count(const Partition& partition, int variable, TablePair tables, TablePair apart,
                           std::int64_t enough) {
    if (!apart.parent) return count_values(partition, variable, tables, enough, [](std::uint32_t) {});
    Quanta sum = 0;
    Counted total = count_values(partition, variable, tables, enough,
                                 [&](std::uint32_t count) { sum += (*apart.parent)[count] - (*apart.family)[count]; });
    total.apart = sum;
    return total;
}

// `each` is called with the rows of every configuration that occurs; with 0 it must do nothing. Every cell still to come
// has a configuration at least.
template <class EachConfiguration>
Counted ScanCounter::count_values(const Partition& partition, int variable, TablePair tables, std::int64_t enough,
                                  EachConfiguration each) {
    const std::uint16_t* codes = table_.column[variable].data();
    if (table_.observed[variable] <= 2) return count_pairs(partition, codes, tables, enough, each);
    Counted total;
    const std::int64_t surplus = enough - partition.cells();
    for (int c = 0; c < partition.cells(); ++c) {
        if (total.configurations - c >= surplus) return {0, enough, 0};
        const std::uint32_t first = partition.begin[c], last = partition.begin[c + 1];
        for (std::uint32_t k = first; k < last; ++k) {
            const std::uint32_t row = partition.rows[k];
            counts_[codes[row]] += table_.weight[row];
        }
        total.difference += (*tables.parent)[partition.weight[c]];
        for (std::uint32_t k = first; k < last; ++k) {
            std::uint32_t& count = counts_[codes[partition.rows[k]]];
            if (count == 0) continue;  // this value was dealt with
            total.difference -= (*tables.family)[count];
            each(count);
            ++total.configurations;
            count = 0;
        }
    }
    return total;
}

template <class EachConfiguration>
Counted ScanCounter::count_pairs(const Partition& partition, const std::uint16_t* codes, TablePair tables,
                                 std::int64_t enough, EachConfiguration each) const {
    Counted total;
    const std::int64_t surplus = enough - partition.cells();
    for (int c = 0; c < partition.cells(); ++c) {
        if (total.configurations - c >= surplus) return {0, enough, 0};
        std::uint32_t ones = 0;
        for (std::uint32_t k = partition.begin[c]; k < partition.begin[c + 1]; ++k) {
            const std::uint32_t row = partition.rows[k];
            ones += codes[row] ? table_.weight[row] : 0;
        }
        const std::uint32_t zeros = partition.weight[c] - ones;
        total.difference += (*tables.parent)[partition.weight[c]] - (*tables.family)[ones] - (*tables.family)[zeros];
        each(ones), each(zeros);  // tables are 0 at 0
        total.configurations += (ones > 0) + (zeros > 0);
    }
    return total;
}

}  // namespace sabna
