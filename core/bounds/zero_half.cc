#include "bounds/zero_half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>

namespace sabna {
namespace {

using Bits = std::vector<std::uint64_t>;

std::size_t words_of(std::size_t bits) { return (bits + 63) / 64; }
bool has(const Bits& bits, std::size_t b) { return (bits[b / 64] >> (b % 64)) & 1; }
void flip(Bits& bits, std::size_t b) { bits[b / 64] ^= std::uint64_t{1} << (b % 64); }
void add(Bits& to, const Bits& from) {
    for (std::size_t w = 0; w < to.size(); ++w) to[w] ^= from[w];
}
int count(const Bits& bits) {
    int total = 0;
    for (const std::uint64_t word : bits) total += std::popcount(word);
    return total;
}
template <class Body>
void for_each(const Bits& bits, Body body) {
    for (std::size_t w = 0; w < bits.size(); ++w)
        for (std::uint64_t word = bits[w]; word; word &= word - 1) body(w * 64 + std::size_t(std::countr_zero(word)));
}

// A sum of original rows.
struct Sum {
    Bits parity;  // of the columns
    Bits used;    // original rows
    bool odd = false;
    double slack = 0;
    bool waiting = true;  // has been no pivot yet
};

// Fewest losses first; a map keeps them in an order that no machine changes.
using Found = std::map<Bits, double>;

class ZeroHalf {
  public:
    ZeroHalf(const FractionalPoint& point, const ZeroHalfOptions& options) : point_(point), options_(options) {
        const std::size_t columns = point.share.size();
        for (std::size_t r = 0; r < point.slack.size(); ++r) {
            if (point.slack[r] >= options.most_slack) continue;
            Sum row{Bits(words_of(columns)), Bits(words_of(point.slack.size())), bool(point.odd[r]), point.slack[r]};
            flip(row.used, r);
            for (std::size_t c = 0; c < columns; ++c)
                if (point.parity[r * columns + c]) flip(row.parity, c);
            rows_.push_back(std::move(row));
        }
    }

    // Make columns even, those with large shares first, the shares multiplied by noise.
    void eliminate(const std::vector<double>& noise) {
        std::vector<Sum> rows = rows_;
        for (Sum& row : rows) even_out(row), note(row);
        std::vector<std::size_t> order(point_.share.size());
        for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return point_.share[a] * noise[a] > point_.share[b] * noise[b];
        });
        for (const std::size_t column : order) pivot(rows, column);
    }

    std::vector<Combination> best() const {
        std::vector<Combination> all;
        for (const auto& [used, loss] : found_) all.push_back(combination(used));
        std::stable_sort(all.begin(), all.end(), [](const Combination& a, const Combination& b) {
            const double la = std::round(a.loss * 1e6), lb = std::round(b.loss * 1e6);
            return la != lb ? la < lb : a.rows.size() < b.rows.size();
        });
        if (all.size() > options_.most) all.resize(options_.most);
        return all;
    }

  private:
    // The equation of a variable makes one of its columns even for nothing: the one with the largest share.
    void even_out(Sum& row) const {
        for (std::size_t begin = 0, end; begin < point_.share.size(); begin = end) {
            std::size_t top = begin;
            for (end = begin; end < point_.share.size() && point_.variable[end] == point_.variable[begin]; ++end)
                if (point_.share[end] > point_.share[top]) top = end;
            if (!has(row.parity, top)) continue;
            for (std::size_t c = begin; c < end; ++c) flip(row.parity, c);
            row.odd = !row.odd;
        }
    }

    // The row with the least slack, then the fewest odd columns, leaves the others even in this column.
    void pivot(std::vector<Sum>& rows, std::size_t column) {
        const Sum* best = nullptr;
        std::pair<double, int> least;
        for (const Sum& row : rows) {
            if (!row.waiting || !has(row.parity, column)) continue;
            const std::pair<double, int> value{std::round(row.slack * 1e6), count(row.parity)};
            if (!best || value < least) best = &row, least = value;
        }
        if (!best) return;
        for (Sum& row : rows) {
            if (!row.waiting || &row == best || !has(row.parity, column)) continue;
            add(row.parity, best->parity), add(row.used, best->used);
            row.odd ^= best->odd, row.slack += best->slack;
            note(row);
        }
        rows[std::size_t(best - rows.data())].waiting = false;
    }

    // What the row loses with the best equations; `equations` takes their variables. Without, too much by some columns is
    // enough to know.
    double loss_of(const Bits& parity, bool odd, double slack, std::vector<std::int32_t>* equations) const {
        double loss = slack, cheapest = 2;
        std::int32_t turn = -1;
        double share = 0;
        std::int32_t variable = -1;
        const auto settle = [&] {
            if (variable < 0) return;
            loss += std::min(share, 1 - share);
            if (share > 0.5) {
                odd = !odd;
                if (equations) equations->push_back(variable);
            }
            if (std::abs(1 - 2 * share) < cheapest) cheapest = std::abs(1 - 2 * share), turn = variable;
        };
        for (std::size_t w = 0; w < parity.size() && (equations || loss < options_.most_loss); ++w)
            for (std::uint64_t word = parity[w]; word; word &= word - 1) {
                const std::size_t c = w * 64 + std::size_t(std::countr_zero(word));
                if (point_.variable[c] != variable) settle(), variable = point_.variable[c], share = 0;
                share += point_.share[c];
            }
        settle();
        if (odd) return loss;
        // Without odd columns another variable's equation costs all of it.
        if (turn < 0) return 2;
        if (equations) {
            const auto at = std::find(equations->begin(), equations->end(), turn);
            if (at == equations->end()) equations->push_back(turn);
            else equations->erase(at);
        }
        return loss + cheapest;
    }

    void note(const Sum& row) {
        if (row.slack >= options_.most_loss) return;
        const double loss = loss_of(row.parity, row.odd, row.slack, nullptr);
        if (loss < options_.most_loss) found_.emplace(row.used, loss);
    }

    Combination combination(const Bits& used) const {
        Combination made;
        Bits parity(words_of(point_.share.size()));
        bool odd = false;
        double slack = 0;
        for_each(used, [&](std::size_t r) { made.rows.push_back(std::int32_t(r)); });
        for (const Sum& row : rows_) {
            const auto r = std::size_t(first_of(row.used));
            if (!has(used, r)) continue;
            add(parity, row.parity), odd ^= row.odd, slack += row.slack;
        }
        made.loss = loss_of(parity, odd, slack, &made.equations);
        std::sort(made.equations.begin(), made.equations.end());
        return made;
    }

    static std::size_t first_of(const Bits& bits) {
        std::size_t w = 0;
        while (!bits[w]) ++w;
        return w * 64 + std::size_t(std::countr_zero(bits[w]));
    }

    const FractionalPoint& point_;
    const ZeroHalfOptions& options_;
    std::vector<Sum> rows_;  // the original rows with little slack
    Found found_;
};

}  // namespace

std::vector<Combination> zero_half(const FractionalPoint& point, const ZeroHalfOptions& options) {
    ZeroHalf separator(point, options);
    std::mt19937_64 random(options.seed);
    for (int order = 0; order < options.orders; ++order) {
        std::vector<double> noise(point.share.size(), 1.0);
        if (order > 0)
            for (double& value : noise) value = 0.3 + 0.7 * double(random() >> 11) / double(std::uint64_t{1} << 53);
        separator.eliminate(noise);
    }
    return separator.best();
}

}  // namespace sabna
