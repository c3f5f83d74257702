// Exact costs on the order lattice of a small component: from the start to every set of variables, and from there on.
//
//   forward[U]   cost of the best network over U alone
//   backward[U]  least cost of the variables outside U, given that U stands before them
// both by the paper's recursion. For a parent set S of i the best network that uses it places some U that contains S
// before i, so it costs
//   cost(i, S) + min over U containing S, i not in U, of forward[U] + backward[U + i]
// and the minima for all S at once are a superset-minimum transform: n 2^n steps per variable.
#pragma once

#include <cstdint>
#include <vector>

#include "alternatives/alternatives.h"

namespace sabna {

class LatticeTables {
  public:
    // Memory needed for n variables.
    static std::uint64_t bytes(int n);
    // False: stopped by the watch; the tables are then unusable.
    bool compute(const SmallGraph& graph, Watch& watch);

    Cost best() const { return backward_[0]; }
    Cost backward(std::uint32_t placed) const { return backward_[placed]; }
    // For each set of each variable the cost of the best network with it, in the order of graph.sets. False: stopped.
    bool through(const SmallGraph& graph, std::vector<std::vector<Cost>>& out, Watch& watch) const;

  private:
    bool fill_best_parents(const SmallGraph& graph, Watch& watch);
    std::vector<Cost> parents_;  // d(i, U): [i][U without bit i], 2^(n-1) entries each
    std::vector<Cost> forward_, backward_;
};

}  // namespace sabna
