// Optimal path extension (the paper's Theorem 1 and Algorithm 2).
//
// Once the best parents of i are placed, i loses nothing by coming next: a node U moves at once to the node where no such
// variable is left. The test is d(i, U) = d(i, V - i) on the integers, so any of several sets that tie for the best will do.
//
// Algorithm 2 tests every remaining variable in rounds. Here only those are tested for which the variable just added is
// in one of their best sets: the node before was closed under extension, so nothing else can have changed.
#pragma once

#include <vector>

#include "parents/parent_graph.h"

namespace sabna {

template <int W>
class PathExtension {
  public:
    explicit PathExtension(const ParentGraphView<W>& graph)
        : best_sets_(std::size_t(graph.n)), best_cost_(std::size_t(graph.n)), woken_by_(std::size_t(graph.n)) {
        for (int i = 0; i < graph.n; ++i) {
            best_cost_[std::size_t(i)] = graph.best(i);
            for (std::int64_t k = 0; k < graph.size(i) && graph.costs(i)[std::size_t(k)] == graph.best(i); ++k) {
                const VarSet<W>& set = graph.sets(i)[std::size_t(k)];
                best_sets_[std::size_t(i)].push_back(set);
                set.for_each([&](int parent) { woken_by_[std::size_t(parent)].insert(i); });
                if (set.empty()) free_.insert(i);
            }
        }
    }

    // Extend `placed`, into which `added` has just been put; the node before was extended to its end. Adds the cost.
    void extend(VarSet<W>& placed, Cost& cost, int added) const {
        extend_from(placed, cost, woken_by_[std::size_t(added)]);
    }
    // The start node: variables whose best parents are none.
    void extend_start(VarSet<W>& placed, Cost& cost) const { extend_from(placed, cost, free_); }

    // The same, noting the variables in the order of their extension.
    template <class Note>
    void replay(VarSet<W>& placed, int added, Note note) const {
        Cost cost;
        extend_from(placed, cost, added < 0 ? free_ : woken_by_[std::size_t(added)], note);
    }

  private:
    struct Silent {
        void operator()(int) const {}
    };
    template <class Note = Silent>
    void extend_from(VarSet<W>& placed, Cost& cost, VarSet<W> awake, Note note = {}) const {
        awake -= placed;
        while (!awake.empty()) {
            const int j = awake.lowest();
            awake.erase(j);
            if (!has_best_parents(j, placed)) continue;
            placed.insert(j);
            cost += best_cost_[std::size_t(j)];
            note(j);
            awake |= woken_by_[std::size_t(j)] - placed;
        }
    }
    bool has_best_parents(int i, const VarSet<W>& placed) const {
        for (const auto& set : best_sets_[std::size_t(i)])
            if (set.subset_of(placed)) return true;
        return false;
    }

    std::vector<std::vector<VarSet<W>>> best_sets_;
    std::vector<Cost> best_cost_;
    std::vector<VarSet<W>> woken_by_;  // who has this variable in one of its best sets
    VarSet<W> free_;                   // who does best without parents
};

}  // namespace sabna
