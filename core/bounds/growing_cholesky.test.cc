#include "bounds/growing_cholesky.h"

#include <cmath>
#include <random>

#include "testing/harness.h"

using namespace sabna;
using namespace sabna::testing;

// Protects from a factor that no longer belongs to its matrix after rows have come and gone.
TEST(a_growing_cholesky_solves_its_matrix_whatever_came_and_went) {
    std::mt19937 random(1);
    int removed = 0;
    for (int run = 0; run < 20; ++run) {
        GrowingCholesky factor;
        std::vector<std::vector<double>> points;  // the matrix: their products, and 1 on the diagonal
        const auto entry = [&](std::size_t a, std::size_t b) {
            double sum = a == b;
            for (std::size_t k = 0; k < 9; ++k) sum += points[a][k] * points[b][k];
            return sum;
        };
        for (int step = 0; step < 60; ++step) {
            if (points.size() > 1 && random() % 3 == 0) {
                const std::size_t at = random() % points.size();
                factor.remove(at), points.erase(points.begin() + std::ptrdiff_t(at));
                ++removed;
            } else {
                points.emplace_back(9);
                for (double& x : points.back()) x = double(random() % 1000) / 500 - 1;
                std::vector<double> row;
                for (std::size_t other = 0; other < points.size(); ++other)
                    row.push_back(entry(points.size() - 1, other));
                factor.add(row);
            }
            const std::vector<double> x = factor.solved_for_ones();
            CHECK_EQ(x.size(), points.size());
            for (std::size_t r = 0; r < points.size(); ++r) {
                double sum = 0;
                for (std::size_t c = 0; c < points.size(); ++c) sum += entry(r, c) * x[c];
                CHECK(std::abs(sum - 1) < 1e-9);
            }
        }
    }
    CHECK(removed > 200);
}

TEST(a_row_said_twice_is_taken_as_next_to_the_other) {
    GrowingCholesky factor;
    factor.add({2});
    factor.add({2, 2});
    for (const double x : factor.solved_for_ones()) CHECK(std::isfinite(x));
}
