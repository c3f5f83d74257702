// The edges of the order lattice as the searches see them: from U to U + i for every remaining i that has parents in
// U, moved on by optimal path extension and thinned out by SCC branching if these are switched on.
#pragma once

#include <vector>

#include "parents/first_fit.h"
#include "search/path_extension.h"
#include "search/scc_branching.h"

namespace sabna {

class Checkpoints;
class LayerFiles;

struct SearchOptions {
    bool path_extension = true;
    bool scc_branching = false;
    bool prune = true;            // drop nodes that cannot beat the best network known by more than the tolerance
    Cost tolerance{};             // gap within which a network counts as optimal
    int threads = 1;              // for those searches that can use several
    bool record = false;          // note the expanded sets, for those who check the search (A*, branch and bound)
    int nodes_at_once = 1;        // A* takes so many nodes at a time where it prunes, whatever the number of threads
    std::int64_t most_nodes = 0;  // A* ends, as if memory had, when more nodes than this are expected; 0: never
    LayerFiles* files = nullptr;  // where the layers of a breadth-first search are kept; none: in memory
    Checkpoints* checkpoints = nullptr;  // where A*, and branch and bound, keep how far they are; none: nowhere
};

template <int W>
class Successors {
  public:
    Successors(const ParentGraphView<W>& graph, const SearchOptions& options)
        : n_(graph.n), options_(options), fits_(graph), extension_(graph),
          branching_(options.scc_branching ? graph : ParentGraphView<W>{0, &zero, nullptr, nullptr}) {}
    static std::uint64_t bytes(const ParentGraphView<W>& graph, const SearchOptions& options) {
        return FitIndex<W>::bytes(graph) + (options.scc_branching ? SccBranching<W>::bytes(graph) : 0);
    }

    // The node to start from: nothing placed, but for what path extension places at once.
    void start(VarSet<W>& placed, Cost& g) const {
        placed = {}, g = {};
        if (options_.path_extension) extension_.extend_start(placed, g);
    }

    // `visit(i, child, cost)` for every edge from `placed`: i was added, `cost` is that of the whole step to `child`.
    // `fit`: memory to work in, of the calling thread.
    template <class Visit>
    void for_each(const VarSet<W>& placed, std::vector<std::int64_t>& fit, Visit visit) const {
        VarSet<W> branch = VarSet<W>::first(n_) - placed;
        if (options_.scc_branching) {
            fit.resize(std::size_t(n_));
            branch.for_each([&](int i) { fit[std::size_t(i)] = fits_.find(i, placed); });
            branch = branching_.choose(branch, fit);
        }
        branch.for_each([&](int i) {
            const std::int64_t k = options_.scc_branching ? fit[std::size_t(i)] : fits_.find(i, placed);
            if (k == fits_.graph().size(i)) return;
            VarSet<W> child = placed.with(i);
            Cost cost = fits_.cost(i, k);
            if (options_.path_extension) extension_.extend(child, cost, i);
            visit(i, child, cost);
        });
    }

    // The cost of the step from `placed` by i, provided that it ends in `target`; infinite otherwise.
    Cost step(const VarSet<W>& placed, int i, const VarSet<W>& target) const {
        VarSet<W> child = placed.with(i);
        Cost cost;
        if (options_.path_extension) extension_.extend(child, cost, i);
        if (child != target) return Cost::infinite();
        const std::int64_t k = fits_.find(i, placed);
        return k == fits_.graph().size(i) ? Cost::infinite() : cost + fits_.cost(i, k);
    }
    // No way of placing these variables costs less.
    Cost least_cost(const VarSet<W>& variables) const {
        Cost total;
        variables.for_each([&](int i) { total += fits_.graph().best(i); });
        return total;
    }

    // The variables that the step by `added` places, in their order; `added` < 0: those placed at the start.
    std::vector<int> placed_by(VarSet<W> placed, int added) const {
        std::vector<int> order;
        if (added >= 0) placed.insert(added), order.push_back(added);
        if (options_.path_extension) extension_.replay(placed, added, [&](int j) { order.push_back(j); });
        return order;
    }

  private:
    static constexpr std::int64_t zero = 0;
    int n_;
    SearchOptions options_;
    FitIndex<W> fits_;
    PathExtension<W> extension_;
    SccBranching<W> branching_;
};

}  // namespace sabna
