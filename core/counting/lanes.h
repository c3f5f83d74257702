// Horizontal counting: one byte lane per value of a variable, all variables of low arity at once.
//
// Every distinct row is a vector of bytes, its weight in the lanes of the values it shows; the sum over the rows of a
// cell counts all values of all variables together, 32 lanes per addition. A binary variable needs one lane, the
// other count being what is left of the cell.
//
// Turning counts into entropies takes a table lookup per lane and cell, more work than the counting. Most cells being
// small, the counts of those of weight up to 16 are compared with each possible value k instead, 32 lanes at a time: what
// is summed up is how often k occurred, and T enters once per k. These sums are of integers below 2^53 held in doubles,
// hence exact. Larger cells look up T[k] + T[C - k] for both sides of a binary variable together.
//
// To extend P by a binary x its partition need not be refined: with the counts of the cells of P at hand (`prepare`), the
// rows that show x are summed under the mask of their lane of x, and the other side of each cell is the difference.
// The members of P are constant in its cells, and other variables may not matter: when all variables of the last vector
// find room in the lanes of these, rows are copied with these lanes folded into the other vectors, and one vector less is counted.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "counting/count_table.h"
#include "counting/partition.h"

namespace sabna {

class LaneCounter {
  public:
    static constexpr int most_values = 16;  // of a variable: beyond, most lanes of a cell stay 0

    LaneCounter(const DistinctRows& table, const CountTable& log_table);
    static bool takes(const DistinctRows& table, int variable) {
        return table.observed[variable] >= 2 && table.observed[variable] <= most_values;
    }
    // Bytes that one of them takes at most: the rows in their vectors, twice, and counts of cells of two rows and more.
    static std::uint64_t bytes(const DistinctRows& table);
    // h(x | partition) of the variables it takes; the others' entries stay as they are.
    void count(const Partition& partition, Quanta* h);

    // The same for the partition by P + x, x binary, without refining that by P; `prepare` first, with P.
    bool can_split(int x) const { return lane_of_pair_[x] >= 0 && sums_are_exact_; }
    // The entropies of the variables in `idle` may come out as 0: those in P are, others nobody asks for.
    void prepare(const Partition& partition, const std::vector<int>& idle);
    void count_split(const Partition& partition, int x, Quanta* h);

  private:
    using Bytes = std::uint8_t __attribute__((vector_size(32)));
    static constexpr std::uint32_t small_weight = 16;
    static constexpr std::uint32_t byte_weight = 255;
    static constexpr std::uint32_t pair_weight = 127;  // cells whose sums of two logarithms are stored: 64 KB
    static constexpr int waiting = 250;                // counts that wait at most: bytes count how often k occurred

    struct Rows;  // the rows of a cell, in their vectors
    struct Values {
        int variable, begin, end;
    };

    void lay_out(const DistinctRows& table);
    void fold(const std::vector<int>& idle);
    void copy_rows(const Partition& partition);
    Rows rows_in_table(const Partition& partition, int cell) const;
    Rows rows_prepared(const Partition& partition, int cell) const;
    void start();
    void finish(Quanta* h);
    void take_cell(std::uint32_t weight, const Bytes* counts);
    void take_wide_cell(std::uint32_t weight, const std::uint32_t* counts);
    template <int V>
    void sum_vectors(const Rows& rows, int lane, int vector, Bytes* counts) const;
    void sum_rows(const Rows& rows, int lane, Bytes* counts) const;
    void sum_wide_rows(const Rows& rows, int lane, std::uint32_t* counts);
    void finish_small_cells();
    template <int C>
    void compare(const Bytes* counts, int end, int vectors, int vector, Bytes* times) const;
    void add_times(const Bytes* times, std::uint32_t largest, int vector);

    const DistinctRows& table_;
    const CountTable& log_;
    int pair_vectors_ = 0, vectors_ = 0;  // first those of binary variables
    std::vector<int> pair_variable_;      // of each lane
    std::vector<Values> values_;          // lanes of each other variable
    std::vector<int> lane_of_pair_;       // of each variable, -1: not binary
    std::vector<Bytes> lanes_;            // [row][vector]
    bool sums_are_exact_;
    std::vector<Quanta> pair_log_;  // [C (C + 1) / 2 + k]: T[k] + T[C - k]
    std::array<double, small_weight + 1> small_log_{};

    // How the rows at hand are laid out: as in the table, or folded.
    int used_ = 0, used_pairs_ = 0;          // vectors
    std::vector<int> place_;                 // lane of each binary variable, -1: idle, folded away
    std::vector<std::uint8_t> keep_, from_;  // per lane: whether it stays, else which of the last vector comes in

    std::vector<Bytes> ordered_;                // rows in the order of the partition prepared, [row][used]
    std::vector<Bytes> prepared_;               // counts, [cell][used], of cells up to byte_weight
    std::vector<std::uint32_t> prepared_wide_;  // [cell][lane], of the others
    // Counts of small cells that wait to be compared, [count][vector]; binary variables have two for each cell.
    struct Waiting {
        std::vector<Bytes> pairs, values;
        int pairs_end = 0, values_end = 0;
    };
    std::array<Waiting, 4> small_;  // of cells of weight up to 4, 8, 12, 16
    int waiting_ = 0;
    std::vector<Bytes> ones_, zeros_;  // counts of one cell
    std::vector<std::uint32_t> wide_, wide_rest_;
    std::vector<double> sum_;    // per lane: of T over small cells
    std::vector<Quanta> large_;  // per lane: of T over large cells
    Quanta cells_ = 0;           // T over all cells
};

}  // namespace sabna
