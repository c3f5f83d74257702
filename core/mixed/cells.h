// Rows grouped by the configuration of some variables, without the rows in which one of them is missing.
//
// Unlike counting/partition.h, which works on distinct rows with multiplicities and drops cells of one row, every row
// stands for itself here: continuous columns make hardly two rows alike, and a cell of one row has its cost.
#pragma once

#include <cstdint>
#include <vector>

#include "mixed/mixed_columns.h"

namespace sabna {

struct Cells {
    std::vector<std::uint32_t> rows;      // cell after cell
    std::vector<std::uint32_t> start{0};  // where each begins, and the end; no cell is empty

    std::size_t count() const { return start.size() - 1; }
    std::size_t size(std::size_t c) const { return start[c + 1] - start[c]; }
};

// Splits and filters; holds room to work in, so one for each thread.
class CellSplitter {
  public:
    explicit CellSplitter(const MixedColumns& columns) : columns_(columns) {}

    // The rows that count for the family of `child`, in one cell.
    void start(int child, Cells& out) const;
    // Split by a discrete variable; of a continuous one only the rows that lack it go.
    void split(const Cells& from, int variable, Cells& out);
    // Whether `split` by this variable would change nothing.
    bool leaves_alone(int variable) const {
        return !columns_.discrete(variable) && !columns_.has_gaps[std::size_t(variable)];
    }

  private:
    const MixedColumns& columns_;
    std::vector<std::uint32_t> counts_;  // of each code in the cell at hand; all zero in between
};

}  // namespace sabna
