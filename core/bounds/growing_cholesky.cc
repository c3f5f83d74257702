#include "bounds/growing_cholesky.h"

#include <algorithm>
#include <cmath>

namespace sabna {

namespace {

// Squares on the diagonal are no smaller.
constexpr double least_square = 1e-10;

void subtract(double* __restrict from, const double* __restrict what, double times, std::size_t size) {
#pragma omp simd
    for (std::size_t k = 0; k < size; ++k) from[k] -= times * what[k];
}

double product(const double* a, const double* b, std::size_t size) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t k = 0; k < size; ++k) sum += a[k] * b[k];
    return sum;
}

// Both turned by the angle that these are the cosine and the sine of.
void turn(double* __restrict a, double* __restrict b, double cosine, double sine, std::size_t size) {
#pragma omp simd
    for (std::size_t k = 0; k < size; ++k) {
        const double x = a[k], y = b[k];
        a[k] = cosine * x + sine * y;
        b[k] = cosine * y - sine * x;
    }
}

}  // namespace

void GrowingCholesky::add(std::vector<double> row) {
    const std::size_t n = column_.size();
    for (std::size_t c = 0; c < n; ++c) {
        std::vector<double>& column = column_[c];
        row[c] /= column[0];
        subtract(row.data() + c + 1, column.data() + 1, row[c], n - c - 1);
        row[n] -= row[c] * row[c];
        column.push_back(row[c]);
    }
    column_.push_back({std::sqrt(std::max(row[n], least_square))});
}

void GrowingCholesky::remove(std::size_t at) {
    for (std::size_t c = 0; c < at; ++c) column_[c].erase(column_[c].begin() + std::ptrdiff_t(at - c));
    std::vector<double> lost = std::move(column_[at]);
    column_.erase(column_.begin() + std::ptrdiff_t(at));
    // What the column that is lost had below its diagonal is turned into those after it, one by one.
    for (std::size_t c = at, first = 1; c < column_.size(); ++c, ++first) {
        std::vector<double>& column = column_[c];
        const double length = std::sqrt(column[0] * column[0] + lost[first] * lost[first]);
        turn(column.data(), lost.data() + first, column[0] / length, lost[first] / length, column.size());
    }
}

std::vector<double> GrowingCholesky::solved_for_ones() const {
    const std::size_t n = column_.size();
    std::vector<double> x(n, 1.0);
    for (std::size_t c = 0; c < n; ++c) {
        x[c] /= column_[c][0];
        subtract(x.data() + c + 1, column_[c].data() + 1, x[c], n - c - 1);
    }
    for (std::size_t c = n; c-- > 0;)
        x[c] = (x[c] - product(column_[c].data() + 1, x.data() + c + 1, n - c - 1)) / column_[c][0];
    return x;
}

}  // namespace sabna
