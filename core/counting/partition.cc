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

// In both: plain pointers and ends in registers. Writing row numbers might otherwise change any of these vectors, to the
// compiler, and they would be looked up anew for every row.

void Refiner::refine_binary(const Partition& in, const std::uint16_t* codes, Partition& out) {
    const std::uint32_t* rows = in.rows.data();
    std::uint32_t *to = out.rows.data(), *aside = scratch_.data();
    for (int c = 0; c < in.cells(); ++c) {
        const std::uint32_t first = out.begin.back(), end = in.begin[c + 1];
        std::uint32_t zeros = first, ones = 0;
        for (std::uint32_t k = in.begin[c]; k < end; ++k) {  // branch-free: write both, advance one
            const std::uint32_t row = rows[k], one = codes[row];
            to[zeros] = aside[ones] = row;
            ones += one;
            zeros += 1 - one;
        }
        close_cell(out, first, zeros);
        const std::uint32_t second = out.begin.back();
        std::copy_n(aside, ones, to + second);
        close_cell(out, second, second + ones);
    }
}

void Refiner::refine_general(const Partition& in, const std::uint16_t* codes, int values, Partition& out) {
    const std::uint32_t* rows = in.rows.data();
    std::uint32_t *start = start_.data(), *aside = scratch_.data();
    for (int c = 0; c < in.cells(); ++c) {
        const std::uint32_t begin = in.begin[c], end = in.begin[c + 1];
        std::fill_n(start, values + 1, 0u);
        for (std::uint32_t k = begin; k < end; ++k) ++start[codes[rows[k]] + 1];
        for (int v = 0; v < values; ++v) start[v + 1] += start[v];
        for (std::uint32_t k = begin; k < end; ++k) {
            const std::uint32_t row = rows[k];
            aside[start[codes[row]]++] = row;
        }
        std::uint32_t from = 0;  // start[v] is now the end of value v
        for (int v = 0; v < values; ++v) {
            const std::uint32_t first = out.begin.back(), size = start[v] - from;
            std::copy_n(aside + from, size, out.rows.data() + first);
            close_cell(out, first, first + size);
            from = start[v];
        }
    }
}

}  // namespace sabna
