// The paper's heuristic: every variable that is left takes its best parents of all, h(U) = sum of d(i, V - i).
//
// Admissible because more variables to choose from never cost more; consistent because d(i, V - i) <= d(i, U).
#pragma once

#include <vector>

#include "bounds/heuristic.h"
#include "parents/parent_graph.h"

namespace sabna {

template <int W>
class SimpleHeuristic {
  public:
    static constexpr HeuristicTraits traits{"simple", true, true};

    explicit SimpleHeuristic(const ParentGraphView<W>& graph) : n_(graph.n), best_(std::size_t(graph.n)) {
        for (int i = 0; i < n_; ++i) best_[std::size_t(i)] = graph.best(i);
    }

    Cost operator()(const VarSet<W>& placed) const { return sum(VarSet<W>::first(n_) - placed); }
    Cost after(const ExpandedNode<W>& node, const VarSet<W>& added) const { return node.h - sum(added); }

  private:
    Cost sum(const VarSet<W>& variables) const {
        Cost total;
        variables.for_each([&](int i) { total += best_[std::size_t(i)]; });
        return total;
    }

    int n_;
    std::vector<Cost> best_;
};

}  // namespace sabna
