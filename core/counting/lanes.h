// Horizontal counting: one byte lane per value of a variable, all variables of low arity at once.
//
// Every distinct row is a vector of bytes, its weight in the lanes of the values it shows; the sum over the rows of a
// cell counts all values of all variables together, 32 lanes per addition. A binary variable needs one lane, the
// other count being what is left of the cell.
//
// Turning counts into entropies takes a table lookup per lane and cell, more work than the counting. Most cells being
// small, those of weight up to 16 are sorted by weight and their counts compared with each possible value k instead, 32
// lanes at a time: what is summed up is how often k occurred, and T enters once per k. These sums are of integers below 2^53 held
// in doubles, hence exact.
//
// To extend P by a binary x its partition need not be refined: with the counts of the cells of P at hand (`prepare`), the
// rows that show x are summed under the mask of their lane of x, and the other side of each cell is the difference.
#pragma once

#include <cstdint>
#include <vector>

#include "counting/partition.h"
#include "scores/score.h"

namespace sabna {

class LaneCounter {
  public:
    static constexpr int most_values = 16;  // of a variable: beyond, most lanes of a cell stay 0

    LaneCounter(const DistinctRows& table, const CountTable& log_table);
    static bool takes(const DistinctRows& table, int variable) {
        return table.observed[variable] >= 2 && table.observed[variable] <= most_values;
    }
    // h(x | partition) of the variables it takes; the others' entries stay as they are.
    void count(const Partition& partition, Quanta* h);

    // The same for the partition by P + x, x binary, without refining that by P; `prepare` first, with P.
    bool can_split(int x) const { return lane_of_pair_[x] >= 0 && sums_are_exact_; }
    void prepare(const Partition& partition);
    void count_split(const Partition& partition, int x, Quanta* h);

  private:
    using Bytes = std::uint8_t __attribute__((vector_size(32)));
    static constexpr std::uint32_t small_weight = 16;
    static constexpr std::uint32_t byte_weight = 255;

    void start();
    void finish(Quanta* h);
    void take_cell(std::uint32_t weight, const Bytes* counts);
    void take_wide_cell(std::uint32_t weight, const std::uint32_t* counts);
    template <int V>
    void sum_vectors(const std::uint32_t* first, const std::uint32_t* last, int lane, int vector, Bytes* counts) const;
    void sum_rows(const std::uint32_t* first, const std::uint32_t* last, int lane, Bytes* counts) const;
    void sum_cell(const Partition& partition, int cell, int lane, Bytes* counts) const;
    void sum_wide_cell(const Partition& partition, int cell, int lane, std::uint32_t* counts);
    template <int C>
    void finish_weight();
    template <int C>
    void finish_pair_lanes(int vector);
    template <int C>
    void finish_value_lanes(int vector);
    void add_times(const Bytes& times, double value, int vector);

    const DistinctRows& table_;
    const CountTable& log_;
    int pair_vectors_ = 0, vectors_ = 0;         // first those of binary variables
    std::vector<int> pair_variable_;             // of each lane
    struct Values { int variable, begin, end; };
    std::vector<Values> values_;                 // lanes of each other variable
    std::vector<int> lane_of_pair_;              // of each variable, -1: not binary
    std::vector<Bytes> lanes_;                   // [row][vector]
    bool sums_are_exact_;
    std::vector<Bytes> prepared_;                // [cell][vector], of cells up to byte_weight
    std::vector<std::uint32_t> prepared_wide_;   // [cell][lane], of the others
    std::vector<Bytes> small_[small_weight + 1]; // counts of the cells of each weight, [cell][vector]
    std::vector<Bytes> ones_, zeros_;            // counts of one cell
    std::vector<std::uint32_t> wide_, wide_rest_;
    std::vector<double> sum_;                    // per lane: of T over small cells
    std::vector<Quanta> large_;                  // per lane: of T over large cells
    Quanta cells_ = 0;                           // T over all cells
};

}  // namespace sabna
