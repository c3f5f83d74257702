#include "parents/twins.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace sabna {

namespace {

// A number for every value of every variable; rows are compared by the sums, and then in full. (SplitMix64.)
std::uint64_t key(int variable, std::uint16_t code) {
    std::uint64_t z = (std::uint64_t(variable) << 16 | code) * 0x9E3779B97F4A7C15ull + 0x632BE59BD9B4E019ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

void add_keys(const DistinctRows& table, const std::vector<int>& variables, std::uint64_t sign,
              std::vector<std::uint64_t>& sums) {
    for (const int v : variables) {
        std::vector<std::uint64_t> keys;
        for (int code = 0; code < table.observed[std::size_t(v)]; ++code)
            keys.push_back(sign * key(v, std::uint16_t(code)));
        const std::uint16_t* column = table.column[std::size_t(v)].data();
        for (std::size_t r = 0; r < sums.size(); ++r) sums[r] += keys[column[r]];
    }
}

bool agree(const DistinctRows& table, const std::vector<int>& variables, std::uint32_t a, std::uint32_t b) {
    for (const int v : variables)
        if (table.column[std::size_t(v)][a] != table.column[std::size_t(v)][b]) return false;
    return true;
}

}  // namespace

Twins::Twins(const DistinctRows& table, const Score& score, const std::vector<std::vector<int>>& allowed, Watch& watch)
    : twins_(std::size_t(table.n)) {
    std::vector<int> everything(std::size_t(table.n)), outside;
    std::iota(everything.begin(), everything.end(), 0);
    std::vector<std::uint64_t> whole(std::size_t(table.distinct()), 0);
    add_keys(table, everything, 1, whole);
    std::vector<std::uint32_t> order(whole.size()), group;
    for (int i = 0; i < table.n && watch.poll({.station = "parent graph"}); ++i) {
        std::vector<std::uint64_t> sums(whole.size(), 0);
        const std::vector<int>& inside = allowed[std::size_t(i)];
        outside.clear();
        std::set_difference(everything.begin(), everything.end(), inside.begin(), inside.end(),
                            std::back_inserter(outside));
        if (inside.size() < outside.size()) {
            add_keys(table, inside, 1, sums);
        } else {
            sums = whole;
            add_keys(table, outside, ~std::uint64_t{0}, sums);  // minus
        }
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return sums[a] != sums[b] ? sums[a] < sums[b] : a < b; });
        for (std::size_t first = 0, end; first < order.size(); first = end) {
            group.clear();
            for (end = first; end < order.size() && sums[order[end]] == sums[order[first]]; ++end)
                if (end == first || agree(table, inside, order[first], order[end])) group.push_back(order[end]);
            if (group.size() > 1 && watch.try_reserve(2 * sizeof(Twin))) add(table, score, i, group);
        }
    }
}

void Twins::add(const DistinctRows& table, const Score& score, int child, const std::vector<std::uint32_t>& rows) {
    std::map<std::uint16_t, std::uint64_t> counts;
    for (const std::uint32_t row : rows) counts[table.column[std::size_t(child)][row]] += table.weight[row];
    if (counts.size() < 2) return;
    const double r = double(table.arity[std::size_t(child)]),
                 lo = score.prior_weight(1, table.arity[std::size_t(child)]).least;
    Twin twin{rows[0], std::int32_t(counts.size()), 0, 0, double(counts.size()) * std::log(r), 0};
    std::uint64_t all = 0;
    for (const auto& [value, count] : counts) all += count;
    for (const auto& [value, count] : counts) {
        if (value < 64) twin.shown |= std::uint64_t{1} << value;
        twin.likelihood += double(count) * std::log(double(all) / double(count));
        for (std::uint64_t j = 1; j < count; ++j) {
            twin.base -= std::log(lo / r + double(j));
            twin.slope += 1 / r / (lo / r + double(j));
        }
    }
    for (std::uint64_t k = counts.size(); k < all; ++k) twin.base += std::log(lo + double(k));
    twins_[std::size_t(child)].push_back(twin);
}

bool Twins::any() const {
    return std::any_of(twins_.begin(), twins_.end(), [](const auto& twins) { return !twins.empty(); });
}

void TwinFloor::look_at(const Partition& partition) {
    for (int c = 0; c < partition.cells(); ++c)
        for (std::uint32_t k = partition.begin[std::size_t(c)]; k < partition.begin[std::size_t(c) + 1]; ++k)
            cell_of_[partition.rows[k]] = std::uint32_t(c);
    if (cells_.size() < std::size_t(partition.cells())) cells_.resize(std::size_t(partition.cells()));
}

double TwinFloor::extra(int child, long double q) {
    const std::int64_t r = table_.arity[std::size_t(child)];
    const PriorWeight prior = score_.prior_weight(q, r);
    const double each = std::log(double(r)), hi = std::max(prior.most, 1e-300);
    const bool few_values = table_.observed[std::size_t(child)] <= 64;
    steps_.assign(2, 0.0);
    touched_.clear();
    for (const Twin& twin : twins_.of(child)) {
        while (int(steps_.size()) <= twin.values)
            steps_.push_back(steps_.back() + std::log1p(double(steps_.size() - 1) / hi));
        const double f = twin.base + steps_[std::size_t(twin.values)] - (hi - prior.least) * twin.slope;
        const std::uint32_t c = cell_of_[twin.row];
        Cell& cell = cells_[c];
        if (cell.taken == 0 && cell.alone == 0) touched_.push_back(c);
        const int more = few_values ? std::popcount(twin.shown & ~cell.shown) : twin.values;
        const double gain = twin.likelihood - more * each;
        if (gain >= 0) {
            cell.shown |= twin.shown;
            cell.taken += gain;
            cell.first = std::max(cell.first, f - twin.likelihood);
        }
        cell.alone = std::max(cell.alone, f - twin.values * each);
    }
    double sum = 0;
    for (const std::uint32_t c : touched_) {
        sum += std::max(cells_[c].taken + cells_[c].first, cells_[c].alone);
        cells_[c] = {};
    }
    return sum;
}

}  // namespace sabna
