#include "counting/partition.h"

#include <algorithm>
#include <numeric>

namespace sabna {

Refiner::Refiner(const DistinctRows& table, bool keep_single)
    : table_(table), keep_single_(keep_single),
      unit_weights_(std::all_of(table.weight.begin(), table.weight.end(), [](auto w) { return w == 1; })),
      scratch_(table.distinct()),
      start_(1 + (table.n ? *std::max_element(table.observed.begin(), table.observed.end()) : 0)) {}

void Refiner::whole(Partition& out) const {
    out.rows.resize(table_.distinct());
    std::iota(out.rows.begin(), out.rows.end(), 0u);
    out.begin.assign(1, 0);
    out.weight.clear();
    close_cell(out, 0, std::uint32_t(table_.distinct()));
}

void Refiner::refine(const Partition& in, int variable, Partition& out) {
    out.rows.resize(in.rows.size());
    out.begin.assign(1, 0);
    out.weight.clear();
    const std::uint16_t* codes = table_.column[variable].data();
    if (table_.observed[variable] <= 2) refine_binary(in, codes, out);
    else refine_general(in, codes, table_.observed[variable], out);
    out.rows.resize(out.begin.back());
}

// The rows [begin, end) of `out.rows` are a new cell, unless it is to be dropped.
inline void Refiner::close_cell(Partition& out, std::uint32_t begin, std::uint32_t end) const {
    if (end - begin < (keep_single_ ? 1u : 2u)) return;
    std::uint32_t weight = end - begin;
    if (!unit_weights_) {
        weight = 0;
        for (std::uint32_t k = begin; k < end; ++k) weight += table_.weight[out.rows[k]];
    }
    out.begin.push_back(end);
    out.weight.push_back(weight);
}

void Refiner::refine_binary(const Partition& in, const std::uint16_t* codes, Partition& out) {
    for (int c = 0; c < in.cells(); ++c) {
        const std::uint32_t first = out.begin.back();
        std::uint32_t zeros = first, ones = 0;
        for (std::uint32_t k = in.begin[c]; k < in.begin[c + 1]; ++k) {  // branch-free: write both, advance one
            const std::uint32_t row = in.rows[k], one = codes[row];
            out.rows[zeros] = scratch_[ones] = row;
            ones += one;
            zeros += 1 - one;
        }
        close_cell(out, first, zeros);
        const std::uint32_t second = out.begin.back();
        for (std::uint32_t k = 0; k < ones; ++k) out.rows[second + k] = scratch_[k];
        close_cell(out, second, second + ones);
    }
}

void Refiner::refine_general(const Partition& in, const std::uint16_t* codes, int values, Partition& out) {
    for (int c = 0; c < in.cells(); ++c) {
        std::fill_n(start_.begin(), values + 1, 0u);
        for (std::uint32_t k = in.begin[c]; k < in.begin[c + 1]; ++k) ++start_[codes[in.rows[k]] + 1];
        for (int v = 0; v < values; ++v) start_[v + 1] += start_[v];
        for (std::uint32_t k = in.begin[c]; k < in.begin[c + 1]; ++k)
            scratch_[start_[codes[in.rows[k]]]++] = in.rows[k];
        std::uint32_t from = 0;  // start_[v] is now the end of value v
        for (int v = 0; v < values; ++v) {
            const std::uint32_t first = out.begin.back(), size = start_[v] - from;
            std::copy_n(scratch_.begin() + from, size, out.rows.begin() + first);
            close_cell(out, first, first + size);
            from = start_[v];
        }
    }
}

}  // namespace sabna
