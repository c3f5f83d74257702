// What sets cost at least that were not scored: the rules by which the builder leaves sets out, and the bounds it leaves behind
// when it is stopped. Nothing here needs to be exact, only never too high: nats are computed in doubles, less a margin.
//
// Discrete child, any set around R, R itself included:
//   bcg     N(R + i) ln r, N the configurations seen in the data (the proof stands in scores/bdeu.cc);
//   bic-cg  the penalty of R: it grows with the set, and -LL is at least 0;
//   pnal    the same: -LL over any number of rows is at least 0. Rows differ from set to set, so that nothing is known of the
//           likelihood of sets around R but this.
// Both hold of the integers as they are: a cell of one value adds nothing to -LL, any other more than a nat, and rounding is
// monotone. The penalty needs no rows, so R + j is held to it before it is split off R.
//
// Continuous child under one set D of discrete parents, nothing missing, and any set C of s continuous ones out of `open`. Write
// r_d(x | S) for the Schur complement in the matrix of cell d. It falls with S (R_d, and SS_d where it is not singular,
// are positive definite), so with U = open + i:
//   bcg     cost(C) = sum over d of offset(m_d, s + 1) - offset(m_d, s) + (m_d + w_(s+1)) / 2 ln r_d(i | C) + 1/2 ln det R_d,CC,
//           ln r_d(i | C) >= ln r_d(i | U - i), and det R_d,CC, a product of s Schur complements, is at least the least r_d(x | U - x) to the s;
//   bic-cg  cost(C) = sum over d of m_d / 2 (ln r_d(i | C) + ln(2 pi / (m_d - s - 1))) + (m_d - s - 1) / 2, plus the penalty; the same
//           bound on r_d, if every cell has a variance given all of U (otherwise nothing is known).
// This is the rule `Floor` of gaussian/gaussian_build.h, cell by cell. It says nothing of other sets of discrete parents.
//
// Any set of parents of a continuous child:
//   bcg     A cell's density, integrated over the coefficients, is at most that of the best coefficients; at best they leave
//           nothing, and what remains is the integral over the variance, inverse-gamma with w degrees of freedom and scale t:
//           cost of a cell >= m_d / 2 ln(pi t) - h(m_d), h(m) = ln G((m + w) / 2) - ln G(w / 2). h is convex with
//           h(0) = 0, so all rows in one cell are the worst case, and it grows with w: w = alpha_w.
//   others  every cell has at least `least_variance`: the density of no row exceeds that of such a variance.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gaussian/sweep.h"
#include "mixed/mixed_score.h"

namespace sabna {

namespace {

// Nats that roundings of the sums here stay below, for tables of up to 10^7 rows.
constexpr double margin = 1e-3;
// Ten times that of a double.
constexpr double precision = 2e-15;

Quanta below(double nats) {
    const double quanta = std::floor((nats - margin) * quanta_per_nat), most = double(largest_total);
    return quanta > -most ? Quanta(std::min(quanta, most)) : -Cost::infinite().quanta;
}

}  // namespace

Quanta MixedScore::floor_around(const MixedFamily& family, MixedRoom& room) const {
    const std::int64_t r = columns_.arity[std::size_t(family.child)];
    const long double q = configurations(family.discrete);
    if (kind_ != MixedKind::bcg) return penalty_floor(family.child, q);
    const Cells& cells = *family.cells;
    const auto codes = columns_.codes[std::size_t(family.child)];
    room.counts.assign(std::size_t(r), 0);
    std::int64_t seen = 0;
    for (std::size_t c = 0; c < cells.count(); ++c) {
        for (std::uint32_t k = cells.start[c]; k < cells.start[c + 1]; ++k) {
            std::uint32_t& mark = room.counts[codes[cells.rows[k]]];
            seen += mark != c + 1;
            mark = std::uint32_t(c + 1);
        }
    }
    return below(double(seen) * std::log(double(r)));
}

Quanta MixedScore::penalty_floor(int child, long double q) const {
    const std::int64_t r = columns_.arity[std::size_t(child)];
    if (kind_ == MixedKind::bcg) return 0;
    if (kind_ == MixedKind::bic) return categories_->penalty_of(q, r);
    const long double price = parameters_.price * (long double)(r - 1) * q;
    return price * (long double)quanta_per_nat < (long double)largest_total ? rounded(price) : largest_total;
}

Quanta MixedScore::floor_of(int child) const {
    if (columns_.discrete(child)) return 0;
    const double m = double(columns_.rows), log_scale = columns_.log_scale[std::size_t(child)];
    const double least_row = std::log(2 * std::numbers::pi * least_variance) / 2 + log_scale;
    if (kind_ == MixedKind::pnal) return below(least_row);
    if (kind_ == MixedKind::bic) return below(m * least_row);
    // Rows in which the child was set do not count; the bound of fewer rows may be higher or lower, so they are counted.
    Cells cells;
    CellSplitter(columns_).start(child, cells);
    const double rows = double(cells.rows.size()), w = parameters_.alpha_w;
    const double density = std::lgamma((rows + w) / 2) - std::lgamma(w / 2);
    return below(rows * (std::log(std::numbers::pi * double(t_)) / 2 + log_scale) - density);
}

std::vector<double> MixedScore::floors_by_size(const MixedFamily& family, std::span<const int> open,
                                               MixedRoom& room) const {
    if (kind_ == MixedKind::pnal) return {};
    const Cells& cells = *family.cells;
    const int most = int(open.size());
    std::vector<int> members(open.begin(), open.end());
    members.push_back(family.child);
    const int width = most + 1;
    std::vector<double> out(std::size_t(width), 0), inverse;
    for (std::size_t c = 0; c < cells.count(); ++c) {
        const std::int64_t rows = std::int64_t(cells.size(c));
        if (kind_ == MixedKind::bic && rows < most + 2) return {};
        moments(cells, c, members, room);
        inverse.assign(room.matrix.begin(), room.matrix.begin() + std::ptrdiff_t(width) * width);
        for (int x = 0; x < width; ++x) {
            const double pivot = inverse[std::size_t(x) * std::size_t(width + 1)];
            if (!(pivot > least_variance * double(rows))) return {};
            sweep(inverse, width, x);
        }
        // ln of the Schur complements given all others. An inverse is right to its condition times the precision of a double.
        const auto log_r = [&](int x) { return -std::log(-inverse[std::size_t(x) * std::size_t(width + 1)]); };
        double least = std::numeric_limits<double>::infinity(), largest = 0;
        for (int x = 0; x < most; ++x) least = std::min(least, log_r(x));
        for (int x = 0; x < width; ++x)
            largest = std::max(largest, double(room.matrix[std::size_t(x) * std::size_t(width + 1)]));
        const double condition = largest * width / std::exp(std::min(least, log_r(most)));
        const double slip = precision * width * condition;
        least -= slip;
        const double child = log_r(most) - slip, m = double(rows);
        for (int s = 0; s <= most; ++s) {
            double& floor = out[std::size_t(s)];
            if (kind_ == MixedKind::bic) {
                const double freedom = m - s - 1;
                floor += m / 2 * (child + std::log(2 * std::numbers::pi / freedom)) + freedom / 2;
                continue;
            }
            const double weight = m + parameters_.alpha_w - continuous_ + s + 1;
            floor += double(offset(rows, s + 1) - offset(rows, s)) + weight / 2 * child + (s ? s * least / 2 : 0);
        }
    }
    const double scale = double(cells.rows.size()) * columns_.log_scale[std::size_t(family.child)];
    const double price = double(per_parameter_ * configurations(family.discrete));
    for (int s = 0; s <= most; ++s) {
        out[std::size_t(s)] += scale - margin + (kind_ == MixedKind::bic ? price * (s + 2) : 0);
        if (!std::isfinite(out[std::size_t(s)])) return {};
    }
    return out;
}

}  // namespace sabna
