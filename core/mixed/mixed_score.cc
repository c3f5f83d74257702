#include "mixed/mixed_score.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "gaussian/standard.h"
#include "scores/tables.h"

namespace sabna {

namespace {

// Offsets of cells of up to so many rows are stored: most cells are small, and large ones have many rows to go through.
constexpr std::int64_t largest_stored_cell = 2048;

// A sum that does not depend on the order of its terms, so not on that of the cells: each is cut off at 2^-60 nat.
class OrderlessSum {
  public:
    void operator+=(long double nats) { sum_ += Wide(nats * 0x1p60L); }
    long double value() const { return (long double)sum_ * 0x1p-60L; }

  private:
    __extension__ typedef __int128 Wide;
    Wide sum_ = 0;
};

constexpr long double ln_two_pi = 1.837877066409345483560659472811235279723L;
constexpr long double ln_pi = 1.144729885849400174143427351353058711647L;

// In long double throughout: what parents leave of a variance may be 1e-12 of it (`least_variance`), and in doubles its
// first four digits were left. Two sums at a time take a third longer than doubles.
long double dot(const double* a, const double* b, std::size_t size) {
    long double even = 0, odd = 0;
    std::size_t k = 0;
    for (; k + 1 < size; k += 2) {
        even += (long double)a[k] * b[k];
        odd += (long double)a[k + 1] * b[k + 1];
    }
    return k < size ? even + (long double)a[k] * b[k] + odd : even + odd;
}

// Cholesky in place of the members at `positions`, in that order; ln det, and the least pivot in `least`.
long double log_det(const std::vector<long double>& matrix, std::size_t width, std::span<const int> positions,
                    std::vector<long double>& lower, long double& least) {
    const std::size_t l = positions.size();
    lower.resize(std::max(lower.size(), l * l));
    long double sum = 0;
    for (std::size_t a = 0; a < l; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            long double value = matrix[std::size_t(positions[a]) * width + std::size_t(positions[b])];
            for (std::size_t c = 0; c < b; ++c) value -= lower[a * l + c] * lower[b * l + c];
            if (a != b) {
                lower[a * l + b] = value / lower[b * l + b];
                continue;
            }
            least = std::min(least, value);
            if (!(value > 0)) return 0;
            lower[a * l + a] = std::sqrt(value);
            sum += std::log(value);
        }
    }
    return sum;
}

}  // namespace

MixedKind mixed_kind(std::string_view id) {
    if (id == "bcg") return MixedKind::bcg;
    if (id == "bic-cg") return MixedKind::bic;
    if (id == "pnal" || id == "pnal-g" || id == "pnal-cg") return MixedKind::pnal;
    throw std::invalid_argument("unknown score: " + std::string(id));
}

MixedScore::MixedScore(MixedColumns columns, MixedKind kind, MixedParameters parameters)
    : columns_(std::move(columns)), kind_(kind), parameters_(parameters), continuous_(columns_.continuous()) {
    categories_ = make_score(kind == MixedKind::bcg ? "bdeu" : "bic", columns_.rows, parameters.sample_size);
    per_parameter_ = columns_.rows > 1 ? std::log((long double)columns_.rows) / 2 : 0;
    const long double mu = parameters.alpha_mu;
    t_ = mu * ((long double)parameters.alpha_w - continuous_ - 1) / (mu + 1);
    if (kind == MixedKind::bcg && continuous_ && !(t_ > 0))
        throw std::invalid_argument("alpha_w must exceed the number of continuous columns plus 1");
    if (kind != MixedKind::bcg) return;
    const std::int64_t stored = std::min(columns_.rows, largest_stored_cell);
    stored_members_ = continuous_;
    for (std::int64_t m = 0; m <= stored; ++m)
        for (int l = 0; l <= continuous_; ++l) offsets_.push_back(compute_offset(m, l));
}

long double MixedScore::compute_offset(std::int64_t rows, int l) const {
    const long double m = (long double)rows, mu = parameters_.alpha_mu;
    const long double weight = (long double)parameters_.alpha_w - continuous_ + l;
    return -(l / 2.0L * std::log(mu / (m + mu)) + log_multigamma(l, (m + weight) / 2) - log_multigamma(l, weight / 2) -
             l * m / 2 * ln_pi + weight / 2 * l * std::log(t_));
}

long double MixedScore::offset(std::int64_t rows, int members) const {
    const std::size_t at = std::size_t(rows) * std::size_t(stored_members_ + 1) + std::size_t(members);
    return rows <= largest_stored_cell && at < offsets_.size() ? offsets_[at] : compute_offset(rows, members);
}

long double MixedScore::configurations(std::span<const int> discrete) const {
    long double q = 1;
    for (const int v : discrete) q *= (long double)columns_.arity[std::size_t(v)];
    return q;
}

Quanta MixedScore::rounded(long double nats) const {
    if (!(std::fabs(nats) < 4 * (long double)largest_total / quanta_per_nat))
        throw std::overflow_error("the scores are too large");
    return Quanta(std::llround(nats * (long double)quanta_per_nat));
}

std::optional<Quanta> MixedScore::cost(const MixedFamily& family, MixedRoom& room) const {
    return columns_.discrete(family.child) ? discrete_cost(family, room) : continuous_cost(family, room);
}

std::optional<Quanta> MixedScore::discrete_cost(const MixedFamily& family, MixedRoom& room) const {
    const Cells& cells = *family.cells;
    const std::int64_t r = columns_.arity[std::size_t(family.child)];
    const long double q = configurations(family.discrete);
    const CountTable &whole = categories_->parent_table(q, r), &part = categories_->family_table(q, r);
    const auto codes = columns_.codes[std::size_t(family.child)];
    room.counts.assign(std::size_t(r), 0);
    Quanta sum = 0;
    for (std::size_t c = 0; c < cells.count(); ++c) {
        sum += whole[std::int64_t(cells.size(c))];
        for (std::uint32_t k = cells.start[c]; k < cells.start[c + 1]; ++k) ++room.counts[codes[cells.rows[k]]];
        for (std::uint32_t k = cells.start[c]; k < cells.start[c + 1]; ++k) {
            std::uint32_t& count = room.counts[codes[cells.rows[k]]];
            if (count) sum -= part[count], count = 0;
        }
    }
    if (kind_ != MixedKind::pnal) return sum + categories_->penalty_of(q, r);
    if (cells.rows.empty()) return std::nullopt;
    const long double likelihood = (long double)sum / (long double)quanta_per_nat / (long double)cells.rows.size();
    return rounded(likelihood + parameters_.price * (long double)(r - 1) * q);
}

void MixedScore::moments(const Cells& cells, std::size_t cell, std::span<const int> members, MixedRoom& room) const {
    const std::size_t l = members.size(), m = cells.size(cell);
    const std::uint32_t* rows = cells.rows.data() + cells.start[cell];
    room.centred.resize(std::max(room.centred.size(), l * m));
    room.matrix.assign(l * l, 0);
    const long double mu = parameters_.alpha_mu, shrink = mu * (long double)m / (mu + (long double)m);
    std::vector<long double> mean(l);
    for (std::size_t a = 0; a < l; ++a) {
        const double* z = columns_.numbers[std::size_t(members[a])].data();
        double* out = room.centred.data() + a * m;
        long double sum = 0;
        for (std::size_t k = 0; k < m; ++k) out[k] = z[rows[k]], sum += out[k];
        mean[a] = sum / (long double)m;
        const double centre = double(mean[a]);
        for (std::size_t k = 0; k < m; ++k) out[k] -= centre;
        for (std::size_t b = 0; b <= a; ++b) {
            long double value = m > 1 ? dot(out, room.centred.data() + b * m, m) : 0;
            if (kind_ == MixedKind::bcg) value += shrink * mean[a] * mean[b] + (a == b ? t_ : 0);
            room.matrix[a * l + b] = room.matrix[b * l + a] = value;
        }
    }
}

std::optional<Quanta> MixedScore::continuous_cost(const MixedFamily& family, MixedRoom& room) const {
    const Cells& cells = *family.cells;
    const int k = int(family.continuous.size()), l = k + 1;
    const long double rows = (long double)cells.rows.size(), q = configurations(family.discrete);
    room.members.assign(family.continuous.begin(), family.continuous.end());
    room.members.insert(std::upper_bound(room.members.begin(), room.members.end(), family.child), family.child);
    std::vector<int> all, without;
    for (int p = 0; p < l; ++p) {
        all.push_back(p);
        if (room.members[std::size_t(p)] != family.child) without.push_back(p);
    }
    std::vector<long double> lower;
    OrderlessSum family_sum, parent_sum;
    for (std::size_t c = 0; c < cells.count(); ++c) {
        const std::int64_t m = std::int64_t(cells.size(c));
        if (kind_ != MixedKind::bcg && m < k + 2) return std::nullopt;
        moments(cells, c, room.members, room);
        long double least = std::numeric_limits<long double>::infinity(), ignored = least;
        const long double det = log_det(room.matrix, std::size_t(l), all, lower, least);
        if (kind_ != MixedKind::bcg && !(least >= (long double)least_variance * (long double)m)) return std::nullopt;
        const long double rest = log_det(room.matrix, std::size_t(l), without, lower, ignored);
        if (kind_ == MixedKind::bcg) {
            const long double weight = (long double)m + (long double)parameters_.alpha_w - continuous_;
            family_sum += offset(m, l) + (weight + l) / 2 * det;
            parent_sum += offset(m, k) + (weight + k) / 2 * rest;
        } else {
            for (int j = 0; j < l; ++j) {
                const long double freedom = (long double)(m - j - 1);
                const long double term = (long double)m / 2 * (ln_two_pi - std::log(freedom)) + freedom / 2;
                family_sum += term;
                if (j < k) parent_sum += term;
            }
            family_sum += (long double)m / 2 * det;
            parent_sum += (long double)m / 2 * rest;
        }
    }
    long double with_child = family_sum.value(), parents = parent_sum.value();  // A of both sets
    const auto log_scale = [&](int v) { return (long double)columns_.log_scale[std::size_t(v)]; };
    if (kind_ == MixedKind::pnal) {
        if (cells.rows.empty()) return std::nullopt;
        return rounded((with_child - parents) / rows + log_scale(family.child) + parameters_.price * (k + 2) * q);
    }
    for (const int v : family.continuous) with_child += rows * log_scale(v), parents += rows * log_scale(v);
    with_child += rows * log_scale(family.child);
    if (kind_ == MixedKind::bic) {
        with_child += per_parameter_ * q * (l * (l - 1) / 2 + 2 * l);
        parents += per_parameter_ * q * (k * (k - 1) / 2 + 2 * k);
    }
    return rounded(with_child) - rounded(parents);
}

}  // namespace sabna
