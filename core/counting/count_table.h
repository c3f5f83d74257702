// Tables of integers by count: what a cell of so many rows, or a value seen so often in it, adds to a cost. Scores fill
// them (scores/tables.h); counting adds their entries up.
#pragma once

#include <cstdint>
#include <vector>

namespace sabna {

using Quanta = std::int64_t;  // of 2^-30 nat, see cost.h

// A table of integers by count. Entries beyond the stored ones are computed when asked for.
class CountTable {
  public:
    virtual ~CountTable() = default;
    Quanta operator[](std::int64_t count) const {
        return count < std::int64_t(stored_.size()) ? stored_[count] : compute(count);
    }
    // The stored entries, for loops that know their counts to be small.
    const Quanta* stored() const { return stored_.data(); }
    std::int64_t stored_size() const { return std::int64_t(stored_.size()); }

  protected:
    virtual Quanta compute(std::int64_t count) const = 0;
    std::vector<Quanta> stored_;
};

}  // namespace sabna
