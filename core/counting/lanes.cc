#include "counting/lanes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sabna {

namespace {

constexpr int width = 32;

int vectors_for(int lanes) { return (lanes + width - 1) / width; }

}  // namespace

LaneCounter::LaneCounter(const DistinctRows& table, const CountTable& log_table)
    : table_(table), log_(log_table), lane_of_pair_(table.n, -1),
      sums_are_exact_(table.rows < (std::int64_t{1} << 21)) {
    for (int v = 0; v < table.n; ++v) {
        if (!takes(table, v) || table.observed[v] != 2) continue;
        lane_of_pair_[v] = int(pair_variable_.size());
        pair_variable_.push_back(v);
    }
    pair_vectors_ = vectors_for(int(pair_variable_.size()));
    int lane = pair_vectors_ * width;
    for (int v = 0; v < table.n; ++v) {
        if (!takes(table, v) || table.observed[v] == 2) continue;
        values_.push_back({v, lane, lane + table.observed[v]});
        lane += table.observed[v];
    }
    vectors_ = vectors_for(lane);
    lanes_.resize(std::size_t(table.distinct()) * vectors_, Bytes{});
    for (int r = 0; r < table.distinct(); ++r) {
        // A row of weight above 255 shows its values by 1s; it is only ever in wide cells, and weighed there.
        const std::uint8_t weight = table.weight[r] <= byte_weight ? std::uint8_t(table.weight[r]) : 1;
        auto* bytes = reinterpret_cast<std::uint8_t*>(lanes_.data() + std::size_t(r) * vectors_);
        for (std::size_t k = 0; k < pair_variable_.size(); ++k) bytes[k] = table.column[pair_variable_[k]][r] ? weight : 0;
        for (const Values& x : values_) bytes[x.begin + table.column[x.variable][r]] = weight;
    }
    const std::size_t lanes = std::size_t(vectors_) * width;
    sum_.resize(lanes), large_.resize(lanes), wide_.resize(lanes), wide_rest_.resize(lanes);
    ones_.resize(vectors_), zeros_.resize(vectors_);
}

void LaneCounter::count(const Partition& partition, Quanta* h) {
    if (vectors_ == 0) return;
    start();
    for (int c = 0; c < partition.cells(); ++c) {
        if (partition.weight[c] <= byte_weight) {
            sum_cell(partition, c, -1, ones_.data());
            take_cell(partition.weight[c], ones_.data());
        } else {
            sum_wide_cell(partition, c, -1, wide_.data());
            take_wide_cell(partition.weight[c], wide_.data());
        }
    }
    finish(h);
}

void LaneCounter::prepare(const Partition& partition) {
    prepared_.resize(std::size_t(partition.cells()) * vectors_);
    prepared_wide_.clear();
    for (int c = 0; c < partition.cells(); ++c) {
        if (partition.weight[c] <= byte_weight) {
            sum_cell(partition, c, -1, prepared_.data() + std::size_t(c) * vectors_);
        } else {
            sum_wide_cell(partition, c, -1, wide_.data());
            prepared_wide_.insert(prepared_wide_.end(), wide_.begin(), wide_.end());
        }
    }
}

void LaneCounter::count_split(const Partition& partition, int x, Quanta* h) {
    const int lane = lane_of_pair_[x];
    start();
    const std::uint32_t* whole_wide = prepared_wide_.data();
    for (int c = 0; c < partition.cells(); ++c) {
        const std::uint32_t weight = partition.weight[c];
        if (weight > byte_weight) {
            const std::uint32_t ones = whole_wide[lane];
            if (ones == 0 || ones == weight) {
                take_wide_cell(weight, whole_wide);
            } else {
                sum_wide_cell(partition, c, lane, wide_.data());
                for (std::size_t l = 0; l < wide_.size(); ++l) wide_rest_[l] = whole_wide[l] - wide_[l];
                take_wide_cell(ones, wide_.data());
                take_wide_cell(weight - ones, wide_rest_.data());
            }
            whole_wide += wide_.size();
            continue;
        }
        const Bytes* whole = prepared_.data() + std::size_t(c) * vectors_;
        const std::uint32_t ones = reinterpret_cast<const std::uint8_t*>(whole)[lane];
        if (ones == 0 || ones == weight) {  // x does not split this cell
            take_cell(weight, whole);
            continue;
        }
        sum_cell(partition, c, lane, ones_.data());
        for (int v = 0; v < vectors_; ++v) zeros_[v] = whole[v] - ones_[v];
        take_cell(ones, ones_.data());
        take_cell(weight - ones, zeros_.data());
    }
    finish(h);
}

void LaneCounter::start() {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::fill(large_.begin(), large_.end(), Quanta{0});
    for (auto& cells : small_) cells.clear();
    cells_ = 0;
}

// Sum V vectors of the rows `first` .. `last`; with `lane` >= 0 only of the rows that show something there.
template <int V>
inline void LaneCounter::sum_vectors(const std::uint32_t* first, const std::uint32_t* last, int lane, int vector,
                                     Bytes* counts) const {
    const Bytes* lanes = lanes_.data() + vector;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(lanes_.data()) + std::max(lane, 0);
    Bytes sum[V] = {};
    if (lane < 0) {
        for (; first != last; ++first)
            for (int v = 0; v < V; ++v) sum[v] += lanes[std::size_t(*first) * vectors_ + v];
    } else {
        for (; first != last; ++first) {
            const std::size_t at = std::size_t(*first) * vectors_;
            const Bytes hidden = Bytes((Bytes{} + bytes[at * width]) == std::uint8_t(0));
            for (int v = 0; v < V; ++v) sum[v] += lanes[at + v] & ~hidden;
        }
    }
    for (int v = 0; v < V; ++v) counts[vector + v] = sum[v];
}

void LaneCounter::sum_rows(const std::uint32_t* first, const std::uint32_t* last, int lane, Bytes* counts) const {
    int v = 0;
    for (; v + 4 <= vectors_; v += 4) sum_vectors<4>(first, last, lane, v, counts);
    switch (vectors_ - v) {
        case 3: sum_vectors<3>(first, last, lane, v, counts); break;
        case 2: sum_vectors<2>(first, last, lane, v, counts); break;
        case 1: sum_vectors<1>(first, last, lane, v, counts); break;
        default: break;
    }
}

void LaneCounter::sum_cell(const Partition& partition, int cell, int lane, Bytes* counts) const {
    const std::uint32_t* rows = partition.rows.data();
    sum_rows(rows + partition.begin[cell], rows + partition.begin[cell + 1], lane, counts);
}

// The same in 32 bits, by bytes over runs of rows that cannot overflow them.
void LaneCounter::sum_wide_cell(const Partition& partition, int cell, int lane, std::uint32_t* counts) {
    std::fill_n(counts, wide_.size(), 0u);
    const std::uint32_t *row = partition.rows.data() + partition.begin[cell],
                        *end = partition.rows.data() + partition.begin[cell + 1];
    while (row != end) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(lanes_.data() + std::size_t(*row) * vectors_);
        if (const std::uint32_t weight = table_.weight[*row]; weight > byte_weight) {
            if (lane < 0 || bytes[lane])
                for (std::size_t l = 0; l < wide_.size(); ++l) counts[l] += weight * bytes[l];
            ++row;
            continue;
        }
        const std::uint32_t* run = row;
        for (std::uint32_t summed = 0; run != end && summed + table_.weight[*run] <= byte_weight; ++run)
            summed += table_.weight[*run];
        sum_rows(row, run, lane, zeros_.data());
        bytes = reinterpret_cast<const std::uint8_t*>(zeros_.data());
        for (std::size_t l = 0; l < wide_.size(); ++l) counts[l] += bytes[l];
        row = run;
    }
}

// A cell counted: small ones wait for others of their weight, the rest goes through the table at once.
inline void LaneCounter::take_cell(std::uint32_t weight, const Bytes* counts) {
    if (weight < 2) return;
    const Quanta whole = log_.stored()[weight], *log = log_.stored();
    cells_ += whole;
    if (weight <= small_weight && sums_are_exact_) {
        small_[weight].insert(small_[weight].end(), counts, counts + vectors_);
        return;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(counts);
    for (std::size_t l = 0; l < pair_variable_.size(); ++l) large_[l] += whole - log[bytes[l]] - log[weight - bytes[l]];
    for (std::size_t l = std::size_t(pair_vectors_) * width; l < large_.size(); ++l) large_[l] += log[bytes[l]];
}

void LaneCounter::take_wide_cell(std::uint32_t weight, const std::uint32_t* counts) {
    const Quanta whole = log_[weight];
    cells_ += whole;
    const auto add = [&](auto&& log) {
        for (std::size_t l = 0; l < pair_variable_.size(); ++l) large_[l] += whole - log(counts[l]) - log(weight - counts[l]);
        for (std::size_t l = std::size_t(pair_vectors_) * width; l < large_.size(); ++l) large_[l] += log(counts[l]);
    };
    if (weight < log_.stored_size()) add([log = log_.stored()](std::uint32_t c) { return log[c]; });
    else add([&](std::uint32_t c) { return log_[c]; });
}

void LaneCounter::finish(Quanta* h) {
    [&]<int... C>(std::integer_sequence<int, C...>) {
        (finish_weight<C + 2>(), ...);
    }(std::make_integer_sequence<int, int(small_weight) - 1>());
    for (std::size_t k = 0; k < pair_variable_.size(); ++k) h[pair_variable_[k]] = Quanta(sum_[k]) + large_[k];
    for (const Values& x : values_) {
        Quanta total = cells_;
        for (int lane = x.begin; lane < x.end; ++lane) total -= Quanta(sum_[lane]) + large_[lane];
        h[x.variable] = total;
    }
}

template <int C>
void LaneCounter::finish_weight() {
    if (small_[C].empty()) return;
    for (int v = 0; v < pair_vectors_; ++v) finish_pair_lanes<C>(v);
    for (int v = pair_vectors_; v < vectors_; ++v) finish_value_lanes<C>(v);
}

// Lanes of binary variables: a cell of weight C with k rows on one side costs T[C] - T[k] - T[C - k].
template <int C>
void LaneCounter::finish_pair_lanes(int vector) {
    const std::size_t end = small_[C].size();
    for (std::size_t at = std::size_t(vector); at < end;) {
        Bytes times[C / 2] = {};
        const std::size_t stop = std::min(end, at + std::size_t(255) * vectors_);  // a byte counts up to 255 cells
        for (; at < stop; at += vectors_) {
            const Bytes ones = small_[C][at], zeros = std::uint8_t(C) - ones;
            const Bytes fewer = ones < zeros ? ones : zeros;
            for (int k = 1; k <= C / 2; ++k) times[k - 1] -= Bytes(fewer == std::uint8_t(k));
        }
        for (int k = 1; k <= C / 2; ++k) add_times(times[k - 1], double(log_[C] - log_[k] - log_[C - k]), vector);
    }
}

// Lanes of single values: a count of k contributes T[k], and T[1] = 0.
template <int C>
void LaneCounter::finish_value_lanes(int vector) {
    const std::size_t end = small_[C].size();
    for (std::size_t at = std::size_t(vector); at < end;) {
        Bytes times[C - 1] = {};
        const std::size_t stop = std::min(end, at + std::size_t(255) * vectors_);
        for (; at < stop; at += vectors_)
            for (int k = 2; k <= C; ++k) times[k - 2] -= Bytes(small_[C][at] == std::uint8_t(k));
        for (int k = 2; k <= C; ++k) add_times(times[k - 2], double(log_[k]), vector);
    }
}

void LaneCounter::add_times(const Bytes& times, double value, int vector) {
    std::uint8_t bytes[width];
    std::memcpy(bytes, &times, width);
    double* sum = sum_.data() + std::size_t(vector) * width;
    for (int l = 0; l < width; ++l) sum[l] += double(int(bytes[l])) * value;
}

}  // namespace sabna
