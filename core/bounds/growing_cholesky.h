// Cholesky's factor of a positive definite matrix that grows at its end and loses rows and columns anywhere.
//
// Columns of the factor L of L L' = A are kept one by one, so that a new row, a loss and a solution are passes over
// contiguous numbers. A loss is a change of rank one of what comes after it: n^2 steps where a new factor takes n^3.
#pragma once

#include <cstddef>
#include <vector>

namespace sabna {

class GrowingCholesky {
  public:
    // A new last row and column; the last entry is the one on the diagonal. Rows that depend on those before them are
    // taken as next to doing so.
    void add(std::vector<double> row);

    void remove(std::size_t at);

    // x with A x = 1.
    std::vector<double> solved_for_ones() const;

  private:
    std::vector<std::vector<double>> column_;  // [c][r - c] for rows r >= c
};

}  // namespace sabna
