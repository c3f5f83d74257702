// A number with 106 bits and an exponent that does not run out.
//
// Sums over networks have terms that differ by factors of exp(10,000), and the sums of the uniform prior subtract: they need
// more digits than a double has (how many, says uniform_prior.h). So a number is an unevaluated sum hi + lo of two
// doubles (Dekker 1971) times 2^(256 e), with 2^-128 <= |hi| < 2^128: most operations never touch the exponent.
//   product   relative error below 2^-103
//   sum       error below 2^-104 (|a| + |b|); of two numbers whose exponents differ by 2 or more the smaller is less than 2^-256
//             of the larger and is dropped
// Products go through std::fma alone, so that no compiler may fuse others and results are the same to the bit everywhere.
#pragma once

#include <cmath>
#include <cstdint>

#include "cost.h"

namespace sabna {

struct Wide {
    double hi = 0, lo = 0;
    std::int64_t e = zero_exponent;

    static constexpr std::int64_t zero_exponent = -(std::int64_t{1} << 40);  // sums of a few of them stay in range
    static constexpr double step = 0x1p256, back = 0x1p-256, largest = 0x1p128, least = 0x1p-128;

    static Wide of(double value) { return Wide{value, 0, 0}.scaled(); }
    // exp(-cost), good to about a double.
    static Wide exp_minus(Cost cost) {
        const long double bits = -(long double)(cost.quanta) / quanta_per_nat * 1.44269504088896340735992468100189214L;
        const long double steps = std::floor(bits / 256 + 0.5L);
        return Wide{double(std::exp2(bits - 256 * steps)), 0, std::int64_t(steps)}.scaled();
    }

    bool is_zero() const { return hi == 0; }
    Wide operator-() const { return {-hi, -lo, e}; }

    friend Wide operator*(const Wide& a, const Wide& b) {
        const double p = std::fma(a.hi, b.hi, 0.0);
        const double rest = std::fma(a.hi, b.lo, std::fma(a.lo, b.hi, std::fma(a.hi, b.hi, -p)));
        const double hi = p + rest;
        return Wide{hi, rest - (hi - p), a.e + b.e}.scaled();
    }
    friend Wide operator+(const Wide& a, const Wide& b) {
        if (a.e == b.e) return sum(a.hi, a.lo, b.hi, b.lo, a.e);
        if (a.e == b.e + 1) return sum(a.hi, a.lo, b.hi * back, b.lo * back, a.e);
        if (b.e == a.e + 1) return sum(a.hi * back, a.lo * back, b.hi, b.lo, b.e);
        return a.e > b.e ? a : b;
    }
    friend Wide operator-(const Wide& a, const Wide& b) { return a + -b; }
    Wide& operator+=(const Wide& b) { return *this = *this + b; }
    Wide& operator*=(const Wide& b) { return *this = *this * b; }

    // As compared by value.
    friend bool operator<(const Wide& a, const Wide& b) { return (a - b).hi < 0; }

    // a / b as a double; 0 and infinity where a double ends.
    friend double ratio(const Wide& a, const Wide& b) {
        if (a.is_zero()) return 0;
        const std::int64_t d = a.e - b.e;
        return d > 4 ? HUGE_VAL : d < -5 ? 0.0 : std::ldexp(a.hi / b.hi, int(256 * d));
    }
    // The natural logarithm of a positive number.
    long double log() const {
        return std::log((long double)(hi) + lo) + (long double)(e)*256 * 0.693147180559945309417232121458176568L;
    }

  private:
    static Wide sum(double ahi, double alo, double bhi, double blo, std::int64_t e) {
        const double s = ahi + bhi, b = s - ahi;
        const double rest = ((ahi - (s - b)) + (bhi - b)) + (alo + blo);
        const double hi = s + rest;
        return Wide{hi, rest - (hi - s), e}.scaled();
    }
    Wide scaled() const {
        const double size = std::fabs(hi);
        if (size < largest && size >= least) return *this;
        if (size == 0) return {};
        return size >= largest ? Wide{hi * back, lo * back, e + 1} : Wide{hi * step, lo * step, e - 1}.scaled();
    }
};

}  // namespace sabna
