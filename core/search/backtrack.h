// The order that leads to a node, found again from the costs of the nodes.
//
// A node was reached from an expanded node that has an edge to it, with costs that add up. Mostly that is the node with one
// variable less; where path extension jumped, one pass over the table finds it. A pass reads the nodes in sequence, and there
// are at most as many passes as variables.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "search/node_table.h"
#include "search/successors.h"

namespace sabna {

template <int W>
class Backtrack {
  public:
    using Id = typename NodeTable<W>::Id;
    Backtrack(const Successors<W>& successors, const NodeTable<W>& nodes) : successors_(successors), nodes_(nodes) {}

    // The variables of the node `goal` in the order in which a cheapest known way places them. Node 0 is the start.
    std::vector<int> order(Id goal) {
        std::vector<int> backwards;
        for (Id at = goal; at != 0;) {
            const Step step = step_to(at);
            std::vector<int> placed = successors_.placed_by(nodes_.set(step.from), step.variable);
            backwards.insert(backwards.end(), placed.rbegin(), placed.rend());
            at = step.from;
        }
        std::vector<int> first = successors_.placed_by({}, -1);
        backwards.insert(backwards.end(), first.rbegin(), first.rend());
        std::reverse(backwards.begin(), backwards.end());
        return backwards;
    }

  private:
    struct Step {
        Id from;
        int variable;
    };

    Step step_to(Id target) {
        Step step{NodeTable<W>::none, -1};
        const VarSet<W> set = nodes_.set(target);
        set.for_each([&](int i) {
            if (step.variable >= 0) return;
            const VarSet<W> smaller = set.without(i);
            const Id from = nodes_.find(smaller, nodes_.hash(smaller));
            if (from != NodeTable<W>::none && nodes_.closed(from)) step = {from, variable_between(from, target)};
        });
        for (Id from = 0; step.variable < 0 && from < nodes_.size(); ++from)
            if (nodes_.set(from).subset_of(set) && nodes_.closed(from) && from != target && leads_cheaply(from, target))
                step = {from, variable_between(from, target)};
        if (step.variable < 0) throw std::logic_error("backtrack: a node that nothing leads to");
        return step;
    }
    // Whether the least that the step from `from` to `target` can cost is within what `target` has left: a quick test that
    // spares most nodes the making of their successors.
    bool leads_cheaply(Id from, Id target) const {
        return nodes_.g(from) + successors_.least_cost(nodes_.set(target) - nodes_.set(from)) <= nodes_.g(target);
    }
    // A variable by which `from` can be left for `target` at the cost that `target` has; -1 if there is none.
    int variable_between(Id from, Id target) const {
        int found = -1;
        (nodes_.set(target) - nodes_.set(from)).for_each([&](int i) {
            if (found < 0 &&
                nodes_.g(from) + successors_.step(nodes_.set(from), i, nodes_.set(target)) <= nodes_.g(target))
                found = i;
        });
        return found;
    }

    const Successors<W>& successors_;
    const NodeTable<W>& nodes_;
};

}  // namespace sabna
