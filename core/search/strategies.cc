#include "search/strategies.h"

#include <algorithm>
#include <stdexcept>

#include "search/astar.h"
#include "search/bfs_files.h"
#include "search/bfs_reached.h"
#include "search/branch_and_bound.h"

namespace sabna {

Strategy strategy_named(const std::string& name) {
    if (name == "astar") return Strategy::astar;
    if (name == "bfs") return Strategy::bfs;
    if (name == "branch-and-bound") return Strategy::branch_and_bound;
    throw std::invalid_argument("unknown strategy " + name);
}

namespace {

// What searches breadth first, or without memory, is not compiled for four words: few such searches of so many
// variables come to an end, and they take the widest sets, and their memory. That spares an eighth of what this
// folder takes to compile.
template <int W>
constexpr int searched_words = W == 4 ? max_variables / 64 : W;

template <int W, int V>
VarSet<V> resized(const VarSet<W>& set) {
    VarSet<V> other;
    std::copy_n(set.word, std::min(W, V), other.word);
    return other;
}

// A heuristic for sets of W words, asked for sets of V.
template <int W, int V>
struct Widened {
    static constexpr HeuristicTraits traits = AnyHeuristic<W>::traits;
    const AnyHeuristic<W>& heuristic;
    Cost operator()(const VarSet<V>& placed) const { return heuristic(resized<V, W>(placed)); }
};

template <int V, int W>
Outcome run_widened(const ParentGraphView<W>& graph, Strategy strategy, const AnyHeuristic<W>& heuristic,
                    const SearchOptions& options, const Assignment& known, Watch& watch) {
    Outcome outcome;
    outcome.best = known;
    outcome.lower = std::min(heuristic({}), known.cost);
    const std::uint64_t set_bytes = std::uint64_t(graph.size()) * sizeof(VarSet<V>);
    if (!watch.reserve(set_bytes)) return outcome;
    std::vector<VarSet<V>> sets;
    sets.reserve(std::size_t(graph.size()));
    for (std::int64_t k = 0; k < graph.size(); ++k) sets.push_back(resized<W, V>(graph.sets_begin[k]));
    const ParentGraphView<V> wide{graph.n, graph.offsets, graph.costs_begin, sets.data()};
    const Widened<W, V> asked{heuristic};
    const std::uint64_t bytes = Successors<V>::bytes(wide, options);
    if (watch.reserve(bytes)) {
        outcome = run_strategy(wide, strategy, AnyHeuristic<V>(asked), options, known, watch);
        watch.release(bytes);
    }
    watch.release(set_bytes);
    return outcome;
}

}  // namespace

template <int W>
Outcome run_strategy(const ParentGraphView<W>& graph, Strategy strategy, const AnyHeuristic<W>& heuristic,
                     const SearchOptions& options, const Assignment& known, Watch& watch) {
    using H = AnyHeuristic<W>;
    if (strategy == Strategy::astar) return AStar<W, H>(graph, heuristic, options, known, watch).run();
    if constexpr (searched_words<W> != W) {
        return run_widened<searched_words<W>>(graph, strategy, heuristic, options, known, watch);
    } else {
        if (strategy == Strategy::branch_and_bound)
            return BranchAndBound<W, H>(graph, heuristic, options, known, watch).run();
        if (options.files) return FileBfs<W, H>(graph, heuristic, options, known, watch).run();
        return ReachedBfs<W, H>(graph, heuristic, options, known, watch).run();
    }
}

#define SABNA_INSTANTIATE(W)                                                                                         \
    template Outcome run_strategy(const ParentGraphView<W>&, Strategy, const AnyHeuristic<W>&, const SearchOptions&, \
                                  const Assignment&, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
