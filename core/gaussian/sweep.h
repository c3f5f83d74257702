// The sweep operator: swept on a set of variables, a covariance matrix holds the regressions of all others on them.
#pragma once

#include <cstddef>
#include <vector>

namespace sabna {

// On variable j of a symmetric matrix, width x width; swept on all of them, a matrix is minus its inverse.
inline void sweep(std::vector<double>& a, int width, int j) {
    const auto at = [&](int x, int y) -> double& { return a[std::size_t(x) * std::size_t(width) + std::size_t(y)]; };
    const double pivot = 1 / at(j, j);
    for (int x = 0; x < width; ++x) {
        if (x == j) continue;
        const double factor = at(x, j) * pivot;
        for (int y = 0; y < width; ++y)
            if (y != j) at(x, y) -= factor * at(j, y);
    }
    for (int x = 0; x < width; ++x)
        if (x != j) at(x, j) *= pivot, at(j, x) *= pivot;
    at(j, j) = -pivot;
}

}  // namespace sabna
