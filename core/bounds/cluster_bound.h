// The cluster bound: a lower bound on every network's cost, from weights on sets of variables.
//
// Idea. In an acyclic network every cluster C of variables has a first member in the order, whose parents lie outside
// C; the first k members have fewer than k parents inside C each. So at least k members i of C choose a parent set S
// with |S cap C| < k (for |C| > k; for k >= |C| the count would exceed the members). These are the k-cluster cuts of
// GOBNILP's linear program (Cussens 2011). Their Lagrangian dual needs no program: for any weights y_C >= 0,
//
//   h(U) = sum over C of (k - |C cap U|)^+ y_C
//        + sum over i in R of min over S of [ s(i,S) - sum of y_C over C with i in C, |C cap U| < k, |S cap C| < k ]
//
// bounds what the variables R not in U must still cost. It is admissible: once |C cap U| members stand, at least
// k - |C cap U| of the later ones earn the credit. It is consistent: placing i changes each cluster's first term by at
// most the credit that i's own minimum had, and a cluster that drops out only raises the minima of the others.
//
// What is different here: everything is integer. The weights may come from a floating-point solver, from dual ascent
// or from a dice; they are whole quanta, and the bound is exact for whatever they are. At the root all clusters count,
// which gives the reduced costs that fixing and the pattern databases work on. Further down, the sets of a variable
// are scanned in the order of their root reduced cost: credits only get lost below the root, so the scan stops at the
// first set whose root value reaches the best found.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "parents/parent_graph.h"
#include "varset.h"

namespace sabna {

template <int W>
struct Cluster {
    VarSet<W> set;
    int k = 1;           // 1 or 2, below the size of the set
    std::int64_t y = 0;  // weight in quanta, not negative

    // Whether the set S, as parents of a member, has fewer than k members of the cluster.
    bool credits(const VarSet<W>& parents) const {
        return k == 1 ? !parents.intersects(set) : parents.size_within(set) < k;
    }
};

// The bound at the root, and what it is made of.
struct ReducedCosts {
    std::int64_t bound = 0;           // h(empty)
    std::vector<std::int64_t> cost;   // s(i,S) minus its credits, one per parent set in the order of the graph
    std::vector<std::int64_t> least;  // the minimum of a variable
};

template <int W>
ReducedCosts reduced_costs(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters);

// Throws std::invalid_argument for a cluster the bound does not hold for: k < 1, |C| <= k, or y < 0; and std::overflow_error
// for weights beyond what sums have room for (cost.h).
template <int W>
void check_clusters(const std::vector<Cluster<W>>& clusters);

// h(U) for any U; built once, then asked from many threads.
template <int W>
class ClusterBound {
  public:
    ClusterBound(const ParentGraphView<W>& graph, std::vector<Cluster<W>> clusters);

    Cost operator()(const VarSet<W>& placed) const;
    Cost root() const { return root_; }
    std::uint64_t bytes() const;

  private:
    struct Entry {
        std::int64_t reduced;     // root reduced cost
        std::uint32_t first = 0;  // its credits: positions first .. next entry's first in credits_
    };
    Cost least_of(int i, const std::uint64_t* spent) const;

    int n_;
    std::vector<Cluster<W>> clusters_;    // those with y > 0
    std::vector<std::int64_t> offsets_;   // entries of variable i: offsets_[i] .. offsets_[i + 1] - 1
    std::vector<Entry> entries_;          // ascending by reduced, one more at the end
    std::vector<std::uint32_t> credits_;  // cluster indices
    Cost root_;
};

}  // namespace sabna
