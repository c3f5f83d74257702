#include "counting/lanes.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

namespace sabna {

namespace {

constexpr int width = 32;
// Lanes of the last vector that folding can move: a shuffle of 16 bytes of which the last is 0.
constexpr int most_moved = 15;

int vectors_for(int lanes) { return (lanes + width - 1) / width; }

// to[k] = (from[k] and keep[k]) or extra[index[k]], 16 bytes.
inline void fold16(const std::uint8_t* from, const std::uint8_t* keep, const std::uint8_t* extra,
                   const std::uint8_t* index, std::uint8_t* to) {
#ifdef __SSSE3__
    const auto load = [](const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_or_si128(_mm_and_si128(load(from), load(keep)), _mm_shuffle_epi8(load(extra), load(index))));
#else
    for (int k = 0; k < 16; ++k) to[k] = std::uint8_t((from[k] & keep[k]) | extra[index[k]]);
#endif
}

}  // namespace

// Rows of one cell: `row` of the table for weights; vectors at lanes + at[k] * vectors, or in a row if `at` is null.
struct LaneCounter::Rows {
    const std::uint32_t* row;
    std::uint32_t size;
    const Bytes* lanes;
    const std::uint32_t* at;

    const Bytes* vectors(std::uint32_t k, int used) const { return lanes + std::size_t(at ? at[k] : k) * used; }
    Rows part(std::uint32_t first, std::uint32_t end, int used) const {
        return {row + first, end - first, at ? lanes : lanes + std::size_t(first) * used, at ? at + first : nullptr};
    }
};

LaneCounter::LaneCounter(const DistinctRows& table, const CountTable& log_table)
    : table_(table), log_(log_table), lane_of_pair_(table.n, -1),
      sums_are_exact_(table.rows < (std::int64_t{1} << 21)) {
    lay_out(table);
    lanes_.resize(std::size_t(table.distinct()) * vectors_, Bytes{});
    for (int r = 0; r < table.distinct(); ++r) {
        // A row of weight above 255 shows its values by 1s; it is only ever in wide cells, and weighed there.
        const std::uint8_t weight = table.weight[r] <= byte_weight ? std::uint8_t(table.weight[r]) : 1;
        auto* bytes = reinterpret_cast<std::uint8_t*>(lanes_.data() + std::size_t(r) * vectors_);
        for (std::size_t k = 0; k < pair_variable_.size(); ++k)
            bytes[k] = table.column[pair_variable_[k]][r] ? weight : 0;
        for (const Values& x : values_) bytes[x.begin + table.column[x.variable][r]] = weight;
    }
    for (std::uint32_t c = 0; c <= pair_weight; ++c)
        for (std::uint32_t k = 0; k <= c; ++k) pair_log_.push_back(log_[k] + log_[c - k]);
    for (std::uint32_t k = 0; k <= small_weight; ++k) small_log_[k] = double(log_[k]);
    const std::size_t lanes = std::size_t(vectors_) * width;
    sum_.resize(lanes), large_.resize(lanes), wide_.resize(lanes), wide_rest_.resize(lanes);
    ones_.resize(vectors_), zeros_.resize(vectors_);
    for (Waiting& small : small_) small.pairs.resize(waiting * pair_vectors_), small.values.resize(waiting * vectors_);
}

std::uint64_t LaneCounter::bytes(const DistinctRows& table) {
    int pairs = 0, values = 0;
    for (int v = 0; v < table.n; ++v)
        if (takes(table, v))
            (table.observed[v] == 2 ? pairs : values) += table.observed[v] == 2 ? 1 : table.observed[v];
    const std::uint64_t vectors = std::uint64_t(vectors_for(pairs) + vectors_for(values));
    return std::uint64_t(table.distinct()) * vectors * width * (pairs ? 5 : 2) / 2;
}

void LaneCounter::lay_out(const DistinctRows& table) {
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
    fold({});
}

// Find room for the last vector in the lanes of the idle; else leave everything in its place.
void LaneCounter::fold(const std::vector<int>& idle) {
    used_ = vectors_, used_pairs_ = pair_vectors_;
    place_.resize(pair_variable_.size());
    std::iota(place_.begin(), place_.end(), 0);
    const int kept = (pair_vectors_ - 1) * width, moved = int(place_.size()) - kept;
    if (pair_vectors_ < 2 || vectors_ > pair_vectors_ || moved > most_moved) return;
    int room = 0, needed = moved;
    for (int v : idle)
        if (const int lane = lane_of_pair_[v]; lane >= 0) lane < kept ? ++room : --needed;
    if (room < needed) return;
    keep_.assign(kept, 0xFF);
    from_.assign(kept, most_moved);
    for (int v : idle) {
        if (const int lane = lane_of_pair_[v]; lane >= 0) place_[lane] = -1;
    }
    int free = 0;
    for (int k = 0; k < kept; ++k)
        if (place_[k] < 0) keep_[k] = 0;
    for (int k = kept; k < kept + moved; ++k) {
        if (place_[k] < 0) continue;
        while (keep_[free]) ++free;
        from_[free] = std::uint8_t(k - kept);
        place_[k] = free++;
    }
    used_ = used_pairs_ = pair_vectors_ - 1;
}

void LaneCounter::copy_rows(const Partition& partition) {
    const int used = used_, vectors = vectors_;  // copies: a store of bytes might change anything else
    ordered_.resize(partition.rows.size() * used);
    const Bytes* lanes = lanes_.data();
    Bytes* to = ordered_.data();
    if (used == vectors) {
        for (std::uint32_t row : partition.rows)
            for (int v = 0; v < used; ++v) *to++ = lanes[std::size_t(row) * vectors + v];
        return;
    }
    const std::uint8_t *keep = keep_.data(), *from = from_.data();
    const std::uint32_t *row = partition.rows.data(), *end = row + partition.rows.size();
    for (; row != end; ++row, to += used) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(lanes + std::size_t(*row) * vectors);
        auto* folded = reinterpret_cast<std::uint8_t*>(to);
        for (int k = 0; k < used * width; k += 32) {
            fold16(bytes + k, keep + k, bytes + used * width, from + k, folded + k);
            fold16(bytes + k + 16, keep + k + 16, bytes + used * width, from + k + 16, folded + k + 16);
        }
    }
}

LaneCounter::Rows LaneCounter::rows_in_table(const Partition& partition, int cell) const {
    const std::uint32_t begin = partition.begin[cell], *rows = partition.rows.data() + begin;
    return {rows, partition.begin[cell + 1] - begin, lanes_.data(), rows};
}

LaneCounter::Rows LaneCounter::rows_prepared(const Partition& partition, int cell) const {
    const std::uint32_t begin = partition.begin[cell];
    return {partition.rows.data() + begin, partition.begin[cell + 1] - begin,
            ordered_.data() + std::size_t(begin) * used_, nullptr};
}

void LaneCounter::count(const Partition& partition, Quanta* h) {
    if (vectors_ == 0) return;
    if (used_ != vectors_) fold({});
    start();
    for (int c = 0; c < partition.cells(); ++c) {
        const Rows rows = rows_in_table(partition, c);
        if (partition.weight[c] <= byte_weight) {
            sum_rows(rows, -1, ones_.data());
            take_cell(partition.weight[c], ones_.data());
        } else {
            sum_wide_rows(rows, -1, wide_.data());
            take_wide_cell(partition.weight[c], wide_.data());
        }
    }
    finish(h);
}

void LaneCounter::prepare(const Partition& partition, const std::vector<int>& idle) {
    fold(idle);
    copy_rows(partition);
    prepared_.resize(std::size_t(partition.cells()) * used_);
    prepared_wide_.clear();
    for (int c = 0; c < partition.cells(); ++c) {
        const Rows rows = rows_prepared(partition, c);
        if (partition.weight[c] <= byte_weight) {
            sum_rows(rows, -1, prepared_.data() + std::size_t(c) * used_);
        } else {
            sum_wide_rows(rows, -1, wide_.data());
            prepared_wide_.insert(prepared_wide_.end(), wide_.begin(), wide_.end());
        }
    }
}

void LaneCounter::count_split(const Partition& partition, int x, Quanta* h) {
    const int lane = place_[lane_of_pair_[x]];
    start();
    const std::uint32_t* whole_wide = prepared_wide_.data();
    for (int c = 0; c < partition.cells(); ++c) {
        const std::uint32_t weight = partition.weight[c];
        if (weight > byte_weight) {
            const std::uint32_t ones = whole_wide[lane];
            if (ones == 0 || ones == weight) {
                take_wide_cell(weight, whole_wide);
            } else {
                sum_wide_rows(rows_prepared(partition, c), lane, wide_.data());
                for (std::size_t l = 0; l < wide_.size(); ++l) wide_rest_[l] = whole_wide[l] - wide_[l];
                take_wide_cell(ones, wide_.data());
                take_wide_cell(weight - ones, wide_rest_.data());
            }
            whole_wide += wide_.size();
            continue;
        }
        const Bytes* whole = prepared_.data() + std::size_t(c) * used_;
        const std::uint32_t ones = reinterpret_cast<const std::uint8_t*>(whole)[lane];
        if (ones == 0 || ones == weight) {  // x does not split this cell
            take_cell(weight, whole);
            continue;
        }
        sum_rows(rows_prepared(partition, c), lane, ones_.data());
        for (int v = 0; v < used_; ++v) zeros_[v] = whole[v] - ones_[v];
        take_cell(ones, ones_.data());
        take_cell(weight - ones, zeros_.data());
    }
    finish(h);
}

void LaneCounter::start() {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::fill(large_.begin(), large_.end(), Quanta{0});
    cells_ = 0;
}

// Sum V vectors of the rows; with `lane` >= 0 only of those that show something there.
template <int V>
inline void LaneCounter::sum_vectors(const Rows& rows, int lane, int vector, Bytes* counts) const {
    Bytes sum[V] = {};  // in registers, for which the loops over v must be unrolled: -O2 leaves them as they are
    const auto add = [&](auto&& vectors) {
        if (lane < 0) {
            for (std::uint32_t k = 0; k < rows.size; ++k) {
                const Bytes* row = vectors(k);
#pragma GCC unroll 4
                for (int v = 0; v < V; ++v) sum[v] += row[vector + v];
            }
            return;
        }
        for (std::uint32_t k = 0; k < rows.size; ++k) {
            const Bytes* row = vectors(k);
            const Bytes hidden = Bytes((Bytes{} + reinterpret_cast<const std::uint8_t*>(row)[lane]) == std::uint8_t(0));
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) sum[v] += row[vector + v] & ~hidden;
        }
    };
    if (rows.at) add([&](std::uint32_t k) { return rows.lanes + std::size_t(rows.at[k]) * used_; });
    else if (used_ == V) add([&](std::uint32_t k) { return rows.lanes + std::size_t(k) * V; });
    else add([&](std::uint32_t k) { return rows.lanes + std::size_t(k) * used_; });
    for (int v = 0; v < V; ++v) counts[vector + v] = sum[v];
}

void LaneCounter::sum_rows(const Rows& rows, int lane, Bytes* counts) const {
    int v = 0;
    for (; v + 4 <= used_; v += 4) sum_vectors<4>(rows, lane, v, counts);
    switch (used_ - v) {
        case 3: sum_vectors<3>(rows, lane, v, counts); break;
        case 2: sum_vectors<2>(rows, lane, v, counts); break;
        case 1: sum_vectors<1>(rows, lane, v, counts); break;
        default: break;
    }
}

// The same in 32 bits, by bytes over runs of rows that cannot overflow them.
void LaneCounter::sum_wide_rows(const Rows& rows, int lane, std::uint32_t* counts) {
    std::fill_n(counts, wide_.size(), 0u);
    const std::size_t lanes = std::size_t(used_) * width;
    for (std::uint32_t k = 0; k < rows.size;) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(rows.vectors(k, used_));
        if (const std::uint32_t weight = table_.weight[rows.row[k]]; weight > byte_weight) {
            if (lane < 0 || bytes[lane])
                for (std::size_t l = 0; l < lanes; ++l) counts[l] += weight * bytes[l];
            ++k;
            continue;
        }
        std::uint32_t end = k;
        for (std::uint32_t sum = 0; end < rows.size && sum + table_.weight[rows.row[end]] <= byte_weight; ++end)
            sum += table_.weight[rows.row[end]];
        sum_rows(rows.part(k, end, used_), lane, zeros_.data());
        bytes = reinterpret_cast<const std::uint8_t*>(zeros_.data());
        for (std::size_t l = 0; l < lanes; ++l) counts[l] += bytes[l];
        k = end;
    }
}

// A cell counted: the counts of small ones wait for others, the rest goes through the table at once.
inline void LaneCounter::take_cell(std::uint32_t weight, const Bytes* counts) {
    if (weight < 2) return;
    const Quanta* log = log_.stored();
    cells_ += log[weight];
    if (weight <= small_weight && sums_are_exact_) {
        if (waiting_ + 2 > waiting) finish_small_cells();
        waiting_ += 2;
        Waiting& small = small_[(weight - 1) / 4];
        for (int v = 0; v < used_pairs_; ++v) small.pairs[small.pairs_end++] = counts[v];
        for (int v = 0; v < used_pairs_; ++v) small.pairs[small.pairs_end++] = std::uint8_t(weight) - counts[v];
        for (int v = used_pairs_; v < used_; ++v) small.values[small.values_end++] = counts[v];
        return;
    }
    const auto add = [&](int first, int end, auto&& table) {  // whole vectors: what unused lanes hold is not asked for
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(counts);
        Quanta* large = large_.data();
        for (int v = first; v < end; ++v)
            for (int l = v * width; l < (v + 1) * width; ++l) large[l] += table(bytes[l]);
    };
    if (weight <= pair_weight)
        add(0, used_pairs_,
            [pair_log = pair_log_.data() + weight * (weight + 1) / 2](std::uint32_t k) { return pair_log[k]; });
    else add(0, used_pairs_, [=](std::uint32_t k) { return log[k] + log[weight - k]; });
    add(used_pairs_, used_, [=](std::uint32_t k) { return log[k]; });
}

void LaneCounter::take_wide_cell(std::uint32_t weight, const std::uint32_t* counts) {
    cells_ += log_[weight];
    const auto add = [&](auto&& log) {
        const std::size_t pairs = std::min(pair_variable_.size(), std::size_t(used_pairs_) * width);
        for (std::size_t l = 0; l < pairs; ++l) large_[l] += log(counts[l]) + log(weight - counts[l]);
        for (std::size_t l = std::size_t(used_pairs_) * width; l < std::size_t(used_) * width; ++l)
            large_[l] += log(counts[l]);
    };
    if (weight < log_.stored_size()) add([log = log_.stored()](std::uint32_t c) { return log[c]; });
    else add([&](std::uint32_t c) { return log_[c]; });
}

void LaneCounter::finish(Quanta* h) {
    finish_small_cells();
    for (std::size_t k = 0; k < pair_variable_.size(); ++k)
        h[pair_variable_[k]] = place_[k] < 0 ? 0 : cells_ - Quanta(sum_[place_[k]]) - large_[place_[k]];
    for (const Values& x : values_) {
        Quanta total = cells_;
        for (int lane = x.begin; lane < x.end; ++lane) total -= Quanta(sum_[lane]) + large_[lane];
        h[x.variable] = total;
    }
}

void LaneCounter::finish_small_cells() {
    if (waiting_ == 0) return;
    const int value_vectors = used_ - used_pairs_;
    std::uint32_t largest = small_weight;  // of the cells that wait
    while (small_[largest / 4 - 1].pairs_end + small_[largest / 4 - 1].values_end == 0) largest -= 4;
    const auto compare_all = [&]<int... G>(std::integer_sequence<int, G...>, int v, Bytes* times) {
        if (v < used_pairs_)
            (compare<4 * G + 4>(small_[G].pairs.data(), small_[G].pairs_end, used_pairs_, v, times), ...);
        else
            (compare<4 * G + 4>(small_[G].values.data(), small_[G].values_end, value_vectors, v - used_pairs_, times),
             ...);
    };
    for (int v = 0; v < used_; ++v) {
        Bytes times[small_weight + 1] = {};
        compare_all(std::make_integer_sequence<int, 4>(), v, times);
        add_times(times, largest, v);
    }
    for (Waiting& small : small_) small.pairs_end = small.values_end = 0;
    waiting_ = 0;
}

// How often each k from 2 to C occurs in the lanes of a vector; 0 and 1 contribute nothing.
template <int C>
inline void LaneCounter::compare(const Bytes* counts, int end, int vectors, int vector, Bytes* times) const {
    if (end == 0) return;
    Bytes found[C - 1] = {};
    for (int at = vector; at < end; at += vectors)
        for (int k = 2; k <= C; ++k) found[k - 2] -= Bytes(counts[at] == std::uint8_t(k));
    for (int k = 2; k <= C; ++k) times[k] += found[k - 2];
}

void LaneCounter::add_times(const Bytes* times, std::uint32_t largest, int vector) {
    using Four = double __attribute__((vector_size(32)));
    using FourBytes = std::uint8_t __attribute__((vector_size(4)));
    using FourInts = std::int32_t __attribute__((vector_size(16)));
    double* sum = sum_.data() + std::size_t(vector) * width;
    for (int l = 0; l < width; l += 4) {
        Four total;
        std::memcpy(&total, sum + l, sizeof total);
        for (std::uint32_t k = 2; k <= largest; ++k) {
            FourBytes bytes;
            std::memcpy(&bytes, reinterpret_cast<const std::uint8_t*>(times + k) + l, sizeof bytes);
            total += __builtin_convertvector(__builtin_convertvector(bytes, FourInts), Four) * small_log_[k];
        }
        std::memcpy(sum + l, &total, sizeof total);
    }
}

}  // namespace sabna
