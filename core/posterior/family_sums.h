// For every variable j and set T of others: A_j(T), the sum of exp(-cost) over the parent sets of j inside T; and back.
//
// The sum Z over all networks of the product of their families' weights is a polynomial in the numbers A_j(T), by either prior
// (order_prior.h, uniform_prior.h). A zeta transform makes A of the weights. The transform of dZ / dA_j(T) in the other
// direction, over T around P, is dZ / dw_j(P); times w_j(P) / Z that is the posterior probability that P are the
// parents of j, as Z is linear in the weights of j. So both priors need one table, first of A and then, in its place, of the derivatives.
#pragma once

#include <cstdint>
#include <vector>

#include "parents/parent_graph.h"
#include "posterior/wide.h"
#include "watch.h"

namespace sabna {

// The largest n the numbering of subsets allows; time and memory end earlier.
inline constexpr int posterior_most_variables = 30;

// T without the place of j, which is not in T: the number of T among the sets of others.
inline std::uint32_t squeezed(std::uint32_t T, int j) {
    const std::uint32_t below = (std::uint32_t{1} << j) - 1;
    return (T & below) | (T >> 1 & ~below);
}

class FamilySums {
  public:
    // Empty if the watch stops it; memory must have been reserved.
    FamilySums(const ParentGraphView<1>& graph, int threads, Watch& watch);
    static std::uint64_t bytes(int n) { return n == 0 ? 0 : std::uint64_t(n) * sizeof(Wide) << (n - 1); }

    int n() const { return graph_.n; }
    // A_j(T), or what has been put in its place; j is not in T.
    const Wide& at(int j, std::uint32_t T) const { return table_[place(j, T)]; }
    Wide& at(int j, std::uint32_t T) { return table_[place(j, T)]; }
    // exp(-cost), relative to the best parents of j: the best of all have weight 1.
    Wide weight(int j, std::int64_t position) const {
        return Wide::exp_minus(graph_.costs(j)[std::size_t(position)] - graph_.best(j));
    }
    // What all weights together leave out: the sum of the best costs, in nats.
    long double taken_out() const;

    // With derivatives of Z in the place of A: for all u, j the probability that u is a parent of j, at [u * n + j].
    std::vector<double> edges(const Wide& Z, int threads, Watch& watch);

  private:
    std::size_t place(int j, std::uint32_t T) const { return (std::size_t(j) << (graph_.n - 1)) + squeezed(T, j); }
    ParentGraphView<1> graph_;
    std::vector<Wide> table_;
};

}  // namespace sabna
