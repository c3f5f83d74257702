// Standardised columns, and the logarithms that the scores of continuous data are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace sabna {

// ln of the multivariate gamma function of dimension l, without its factor pi^(l (l - 1) / 4), which cancels.
inline long double log_multigamma(int l, long double x) {
    long double sum = 0;
    for (int j = 0; j < l; ++j) sum += std::lgammal(x - j / 2.0L);
    return sum;
}

// ln det of the rows and columns `members` of a positive definite matrix, by Cholesky in the order given.
inline long double log_determinant(const std::vector<long double>& matrix, int n, std::span<const int> members) {
    const std::size_t l = members.size();
    std::vector<long double> lower(l * l);
    long double sum = 0;
    for (std::size_t a = 0; a < l; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            long double value = matrix[std::size_t(members[a]) * std::size_t(n) + std::size_t(members[b])];
            for (std::size_t c = 0; c < b; ++c) value -= lower[a * l + c] * lower[b * l + c];
            lower[a * l + b] = a == b ? std::sqrt(value) : value / lower[b * l + b];
        }
        sum += 2 * std::log(lower[a * l + a]);
    }
    return sum;
}

// How a column becomes one of mean 0 and variance 1. Powers of two come first, which is exact, so that squares of the
// largest and the smallest numbers stay in range. A mean far from 0 is rounded: `rest` is what that leaves.
struct Standard {
    long double first = 1, second = 1, mean = 0, rest = 0, scale = 1, log_scale = 0;

    long double centred(double x) const { return (long double)x * first * second - mean - rest; }
    long double operator()(double x) const { return centred(x) / scale; }
};

// The variance has the divisor given. A constant column becomes all zero, with scale 1.
inline Standard standard_of(std::span<const double> column, long double divisor) {
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    Standard s;
    if (*low == *high) return s.mean = *low, s;
    const int exponent = std::ilogb(std::max(std::fabs(*low), std::fabs(*high))), half = exponent / 2;
    s.first = std::ldexp(1.0L, -half),
    s.second = std::ldexp(1.0L, half - exponent);  // in two: 2^1074 may be out of range
    const auto average = [&] {
        long double sum = 0;
        for (const double x : column) sum += s.centred(x);
        return sum / (long double)column.size();
    };
    s.mean = average();
    s.rest = average();
    long double square = 0;
    for (const double x : column) square += s.centred(x) * s.centred(x);
    s.scale = std::sqrt(square / divisor);
    s.log_scale = std::log(s.scale) + exponent * std::numbers::ln2_v<long double>;
    return s;
}

}  // namespace sabna
