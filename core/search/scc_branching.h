// SCC branching, a generalisation of optimal path extension.
//
// At a node U let rel(i) be the remaining variables that occur in a set strictly cheaper than d(i, U): all that could still
// improve i. Let C be a set of remaining variables closed under rel. Members of C gain nothing from variables outside
// C, so in any order the members of C may be pulled to the front, keeping their sequence, at no cost: their sets lie in U
// and C, and the others only see more. Hence some best way on from U begins in C, and it is enough to branch there. A
// minimal closure of a single variable is a sink among the strongly connected components of rel. A closure of
// one variable with nothing left to gain is exactly path extension.
#pragma once

#include <vector>

#include "parents/parent_graph.h"

namespace sabna {

template <int W>
class SccBranching {
  public:
    explicit SccBranching(const ParentGraphView<W>& graph) : graph_(graph) {
        cheaper_.reserve(std::size_t(graph.size()) + std::size_t(graph.n));
        for (int i = 0; i < graph.n; ++i) {
            VarSet<W> cheaper, so_far;
            Cost level = graph.best(i);
            for (std::size_t k = 0; k < graph.sets(i).size(); ++k) {
                if (graph.costs(i)[k] != level) cheaper = so_far, level = graph.costs(i)[k];
                so_far |= graph.sets(i)[k];
                cheaper_.push_back(cheaper);
            }
            cheaper_.push_back(so_far);  // no set fits: anything listed would be an improvement
        }
    }
    static std::uint64_t bytes(const ParentGraphView<W>& graph) {
        return (std::uint64_t(graph.size()) + std::uint64_t(graph.n)) * sizeof(VarSet<W>);
    }

    // The variables to branch on: a minimal closed set. `fits[i]` is the position of d(i, U) in the list of i, for every
    // i in `remaining`.
    VarSet<W> choose(const VarSet<W>& remaining, const std::vector<std::int64_t>& fits) const {
        VarSet<W> smallest = remaining, candidates = remaining;
        int size = remaining.size();
        while (!candidates.empty() && size > 1) {
            const int i = candidates.lowest();
            candidates.erase(i);
            const VarSet<W> closed = closure(i, remaining, fits, size);
            if (const int found = closed.size(); found < size) {
                smallest = closed, size = found;
                candidates = closed.without(i);  // only closures inside this one can be smaller still
            }
        }
        return smallest;
    }

  private:
    // Everything reachable from i under rel; given up, as all that remains, once it is no smaller than `limit`.
    VarSet<W> closure(int i, const VarSet<W>& remaining, const std::vector<std::int64_t>& fits, int limit) const {
        VarSet<W> closed = VarSet<W>::single(i), open = closed;
        while (!open.empty()) {
            const int j = open.lowest();
            open.erase(j);
            const VarSet<W> fresh = (rel(j, fits[std::size_t(j)]) & remaining) - closed;
            closed |= fresh;
            open |= fresh;
            if (closed.size() >= limit) return remaining;
        }
        return closed;
    }
    const VarSet<W>& rel(int i, std::int64_t fit) const { return cheaper_[std::size_t(graph_.offsets[i] + i + fit)]; }

    ParentGraphView<W> graph_;
    std::vector<VarSet<W>> cheaper_;
};

}  // namespace sabna
