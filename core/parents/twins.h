// Rows that no set of parents can tell apart: what they add to the floor of the Dirichlet scores (bdeu, k2).
//
// Source of the idea: Correia, Cussens, de Campos (2020), "On pruning for score-based Bayesian network structure
// learning", who bound what the rows of one configuration of all other variables cost together. What is proven here
// is related, counts values that occur elsewhere as well, and needs no unimodality of the compound multinomial.
//
// Let "twins" of child i be rows that agree in all its possible parents but show two or more values of i: counts t_v, in
// all t, u of them above 0. They share a cell under every set of parents. Look at a cell c of R and a set R' around R: the
// rows of c fall into cells of R', twins staying together, each cell under a Dirichlet prior of weight a in [lo, hi].
// The probability of a cell is that of its rows one after the other, in any order. Let J be some of the twins in c. In each
// cell of R' take the rows in this order: (1) one member A of J that is there, if any, whole; (2) the first row of every
// value that no member of J in c shows; (3) the other members of J, whole, one by one; (4) the rest.
//   (1) costs exactly f(a; t), see below;
//   (2) a value not seen before has probability at most (a/r) / a = 1/r: at least ln r each. Every such value of c
//       comes first in some cell of R', so at least (values in c - values that J shows) ln r;
//   (3) a sequence of values drawn from any fixed or learned distribution is at most as probable as under its own
//       frequencies: exchangeable draws are a mixture of independent ones, also given what came before. At least
//       M(t) = sum of t_v ln(t / t_v);
//   (4) at least 0.
// (1) applies to one cell of R' at least; which member of J is there first we may choose, as f or M is what we count:
// taking the largest f - M of all of J, that member is first in its cell, the others cost M at least. So c costs
//     at least  sum over J of M + max over J of (f - M) + (values in c - values J shows) ln r.
// With J empty this is u ln r, the old bound; with one member f >= u ln r makes it no worse. J is chosen greedily.
//
// f over a in [lo, hi]. One row of each value first, then the others:
//     f(a; t) = u ln r + sum_{0<k<u} ln(1 + k/a) + sum_{u<=k<t} ln(a + k) - sum_v sum_{0<j<t_v} ln(a/r + j)
// The first sum falls with a, the second rises, and ln(a/r + j) <= ln(lo/r + j) + (hi - lo) / r / (lo/r + j) as the
// logarithm is concave. So f >= base + sum_{0<k<u} ln(1 + k/hi) - (hi - lo) slope, with base and slope constants of the
// twins. For k2 lo = hi, and this is f itself. For bdeu lo = 0, and hi = s / (2 q), as R' has one parent more than R at
// least: every cell with twins costs the more the more parents there are.
#pragma once

#include <cstdint>
#include <vector>

#include "counting/partition.h"
#include "scores/score.h"
#include "table.h"
#include "varset.h"
#include "watch.h"

namespace sabna {

struct Twin {
    std::uint32_t row;    // one of the distinct rows
    std::int32_t values;  // u
    std::uint64_t shown;  // the values, as bits; not used beyond 64
    double likelihood;    // M
    double base, slope;   // of f
};

// The twins of every child; made once, for all threads.
class Twins {
  public:
    // `allowed`: the possible parents of each variable, ascending. What memory and time do not suffice for is left out:
    // bounds hold without it.
    Twins(const DistinctRows& table, const Score& score, const std::vector<std::vector<int>>& allowed, Watch& watch);
    const std::vector<Twin>& of(int child) const { return twins_[std::size_t(child)]; }
    bool any() const;

  private:
    void add(const DistinctRows& table, const Score& score, int child, const std::vector<std::uint32_t>& rows);
    std::vector<std::vector<Twin>> twins_;
};

// What twins add to (configurations seen) x ln r; one object per thread.
class TwinFloor {
  public:
    TwinFloor(const DistinctRows& table, const Score& score, const Twins& twins)
        : table_(table), score_(score), twins_(twins), cell_of_(std::size_t(table.distinct())), cells_(1) {}
    void look_at(const Partition& partition);
    // Nats, for the partition looked at, by a set of q configurations.
    double extra(int child, long double q);

  private:
    struct Cell {
        std::uint64_t shown = 0;
        double taken = 0;  // sum over J of M, less ln r for each value shown
        double first = 0;  // the largest f - M of J
        double alone = 0;  // the best J of one member
    };
    const DistinctRows& table_;
    const Score& score_;
    const Twins& twins_;
    std::vector<std::uint32_t> cell_of_;  // of each distinct row
    std::vector<Cell> cells_;
    std::vector<std::uint32_t> touched_;
    std::vector<double> steps_;  // by u: the sum over 0 < k < u of ln(1 + k/hi)
};

}  // namespace sabna
