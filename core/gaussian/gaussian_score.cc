#include "gaussian/gaussian_score.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "gaussian/standard.h"

namespace sabna {

// Scales and cross products of the standardised columns, summed in long double, row by row; of the standardised columns there
// are some rows at a time.
void GaussianScore::standardise(std::span<const double> columns, std::int64_t m, bool sample_variance) {
    const std::size_t n = std::size_t(n_), rows = std::size_t(m), at_once = std::min<std::size_t>(rows, 1024);
    std::vector<Standard> standard;
    for (std::size_t i = 0; i < n; ++i) {
        standard.push_back(standard_of(columns.subspan(i * rows, rows), (long double)(sample_variance ? m - 1 : m)));
        log_scale_.push_back((long double)m * standard.back().log_scale);
    }
    std::vector<long double> z(n * at_once);
    exact_.assign(n * n, 0);
    for (std::size_t first = 0; first < rows; first += at_once) {
        const std::size_t count = std::min(at_once, rows - first);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t r = 0; r < count; ++r) z[i * at_once + r] = standard[i](columns[i * rows + first + r]);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                long double sum = exact_[i * n + j];
                for (std::size_t r = 0; r < count; ++r) sum += z[i * at_once + r] * z[j * at_once + r];
                exact_[i * n + j] = sum;
            }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) exact_[j * n + i] = exact_[i * n + j];
}

GaussianScore GaussianScore::bic(std::span<const double> columns, int n, std::int64_t m) {
    GaussianScore score(n);
    score.standardise(columns, m, false);
    for (long double& value : score.exact_) value /= (long double)m;
    score.weight_ = double(m);
    const long double per_variable = (std::log(2 * std::numbers::pi_v<long double>) + 1) * (long double)m / 2;
    const long double per_parameter = std::log((long double)m) / 2;
    for (int l = 0; l <= n; ++l)
        score.set_offset_.push_back(l * per_variable + per_parameter * (l * (l - 1) / 2 + 2 * l));
    for (int k = 0; k < n; ++k)
        score.offset_.push_back(double(score.set_offset_[std::size_t(k) + 1] - score.set_offset_[std::size_t(k)]));
    score.matrix_.assign(score.exact_.begin(), score.exact_.end());
    return score;
}

GaussianScore GaussianScore::bge(std::span<const double> columns, int n, std::int64_t m, Bge prior) {
    GaussianScore score(n);
    score.standardise(columns, m, true);
    const long double mu = prior.alpha_mu, w = prior.alpha_w, rows = (long double)m;
    const long double t = mu * (w - n - 1) / (mu + 1);
    for (int i = 0; i < n; ++i) score.exact_[std::size_t(i) * std::size_t(n + 1)] += t;
    score.weight_ = double(rows + w - n + 1);
    score.share_ = 1;
    for (int l = 0; l <= n; ++l) {
        const long double prior_weight = w - n + l, all = rows + prior_weight;
        const long double log_marginal =
            l / 2.0L * std::log(mu / (rows + mu)) + log_multigamma(l, all / 2) - log_multigamma(l, prior_weight / 2) -
            l * rows / 2 * std::log(std::numbers::pi_v<long double>) + prior_weight / 2 * l * std::log(t);
        score.set_offset_.push_back(-log_marginal);
    }
    for (int k = 0; k < n; ++k)
        score.offset_.push_back(double(score.set_offset_[std::size_t(k) + 1] - score.set_offset_[std::size_t(k)]));
    score.matrix_.assign(score.exact_.begin(), score.exact_.end());
    return score;
}

std::int64_t GaussianScore::set_cost(std::span<const int> members) const {
    const std::size_t l = members.size();
    // weight(k) belongs to the set of k + 1 members; a set of l has the factor weight_ + share_ (l - 1) on its determinant.
    const long double factor = ((long double)weight_ + (long double)share_ * ((long double)l - 1)) / 2;
    long double total = set_offset_[l] + factor * log_determinant(exact_, n_, members);
    for (const int v : members) total += log_scale_[std::size_t(v)];
    // Costs are differences of two of these, of which the limit on totals (cost.h) lets a quarter through.
    if (!(std::fabs(total) < 4 * (long double)largest_total / quanta_per_nat))
        throw std::overflow_error("the scores are too large");
    return std::llround(total * (long double)quanta_per_nat);
}

Cost GaussianScore::cost(int child, std::span<const int> parents) const {
    std::vector<int> family(parents.begin(), parents.end());
    auto at = family.begin();
    while (at != family.end() && *at < child) ++at;
    family.insert(at, child);
    return {set_cost(family) - set_cost(parents)};
}

}  // namespace sabna
