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
        : best_set_(std::size_t(graph.n)), ties_(std::size_t(graph.n)), best_cost_(std::size_t(graph.n)),
          woken_by_(std::size_t(graph.n)) {
        for (int i = 0; i < graph.n; ++i) {
            best_cost_[std::size_t(i)] = graph.best(i);
            best_set_[std::size_t(i)] = VarSet<W>::single(i);  // no set at all: never inside what is placed before i
            for (std::int64_t k = 0; k < graph.size(i) && graph.costs(i)[std::size_t(k)] == graph.best(i); ++k) {
                const VarSet<W>& set = graph.sets(i)[std::size_t(k)];
                if (k == 0) best_set_[std::size_t(i)] = set;
                else ties_[std::size_t(i)].push_back(set), tied_.insert(i);
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
            const VarSet<W> ready = with_best_parents(awake, placed);
            placed |= ready;
            awake = {};
            ready.for_each([&](int j) {
                cost += best_cost_[std::size_t(j)];
                note(j);
                awake |= woken_by_[std::size_t(j)];
            });
            awake -= placed;
        }
    }
    // Without a branch on each answer: these are as good as random, and a wrong guess costs more than the test.
    VarSet<W> with_best_parents(const VarSet<W>& variables, const VarSet<W>& placed) const {
        VarSet<W> ready;
        variables.for_each([&](int j) {
            ready.word[j >> 6] |= std::uint64_t(best_set_[std::size_t(j)].subset_of(placed)) << (j & 63);
        });
        (variables & tied_).for_each([&](int j) {
            for (const auto& set : ties_[std::size_t(j)])
                if (set.subset_of(placed)) ready.insert(j);
        });
        return ready;
    }

    std::vector<VarSet<W>> best_set_;
    std::vector<std::vector<VarSet<W>>> ties_;  // further sets that cost as little
    VarSet<W> tied_;                            // who has such
    std::vector<Cost> best_cost_;
    std::vector<VarSet<W>> woken_by_;  // who has this variable in one of its best sets
    VarSet<W> free_;                   // who does best without parents
};

}  // namespace sabna
