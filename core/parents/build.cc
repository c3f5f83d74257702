#include "parents/build.h"

#include <algorithm>
#include <stdexcept>

#include "counting/entropies.h"
#include "parents/dominance.h"
#include "parents/level_walk.h"
#include "parents/lookup.h"

namespace sabna {

namespace {

template <int W>
bool is_useless_parent(const DistinctRows& table, const Score& score, int v) {
    return table.arity[v] <= 1 || (table.is_constant(v) && score.constant_parents_are_useless());
}

// The root: the empty set, with the cost of every variable alone.
template <int W>
void score_empty_sets(BuildState<W>& state) {
    const DistinctRows& table = state.table;
    std::vector<Quanta> cost(table.n);
    Quanta largest = 0;
    long double total = 0;
    for (int i = 0; i < table.n; ++i) {
        cost[i] = local_cost(table, state.score, i, {}).quanta;
        largest = std::max(largest, cost[i]);
        total += (long double)cost[i];
        state.scored.push_back({{}, {cost[i]}, i, false});
    }
    if (total >= (long double)Cost::infinite().quanta)
        throw std::overflow_error("the costs of this table exceed what fixed point numbers of 2^-30 nat can hold");
    state.evaluated = table.n;
    state.counted = 1;
    std::vector<Quanta> entropy(table.n, 0);
    Partition whole;
    Refiner(table, false).whole(whole);
    if (state.score.pruning() == Pruning::entropy)
        EntropyCounter(table, state.score.parent_table(1, 1)).count(whole, entropy.data());
    state.scale = Scale::of(largest, *std::max_element(entropy.begin(), entropy.end()));
    VarSet<W> alive;
    std::vector<std::uint32_t> best(table.n);
    std::vector<std::uint16_t> stored(table.n);
    state.floor.assign(table.n, Cost{0});
    for (int i = 0; i < table.n; ++i) {
        best[i] = state.scale.store_cost(cost[i]);
        stored[i] = state.scale.store_entropy(entropy[i]);
        if (state.candidates.largest[i] > 0 && !state.candidates.allowed[i].empty()) alive.insert(i);
        else state.floor[i] = Cost::infinite();
    }
    state.last.stride = state.score.pruning() == Pruning::entropy ? table.n : 0;
    state.last.append(alive, stored.data(), best.data());
    state.trie.emplace_back();
}

// The lists of one variable: sets whose cost is surely below that of all their subsets stay, the unsure ones are
// compared on the integers.
template <int W>
void append_lists(std::vector<Scored<W>>& scored, int n, ParentGraphData<W>& graph) {
    std::vector<std::vector<CostedSet<W>>> sure(n), unsure(n);
    for (const Scored<W>& entry : scored)
        (entry.unsure ? unsure : sure)[entry.child].push_back({entry.cost, entry.set});
    scored = {};
    for (int i = 0; i < n; ++i) {
        Watch unlimited;  // the last step is short, and a graph cut short has to be valid too
        std::vector<CostedSet<W>>& list = sure[i];
        if (unsure[i].empty()) {
            std::sort(list.begin(), list.end());
        } else {
            list.insert(list.end(), unsure[i].begin(), unsure[i].end());
            prune_dominated(list, n, unlimited);
        }
        for (const CostedSet<W>& entry : list) graph.costs.push_back(entry.cost), graph.sets.push_back(entry.set);
        graph.offsets.push_back(std::int64_t(graph.costs.size()));
        list = {};
    }
}

}  // namespace

template <int W>
Candidates<W> Candidates<W>::all(const DistinctRows& table, const Score& score,
                                 const std::vector<std::int64_t>& max_parents) {
    VarSet<W> useful;
    for (int v = 0; v < table.n; ++v)
        if (!is_useless_parent<W>(table, score, v)) useful.insert(v);
    Candidates candidates;
    for (int i = 0; i < table.n; ++i) candidates.allowed.push_back(useful.without(i));
    candidates.largest = max_parents;
    return candidates;
}

template <int W>
BuildResult<W> build_parent_graph(const DistinctRows& table, Score& score, const Candidates<W>& candidates, int threads,
                                  Watch& watch) {
    BuildState<W> state{.table = table, .score = score, .candidates = candidates};
    BuildResult<W> result;
    if (table.n == 0) return result;
    score_empty_sets(state);
    std::vector<std::unique_ptr<Rule<W>>> rules;
    for (int t = 0; t < std::max(threads, 1); ++t)
        rules.push_back(score.pruning() == Pruning::entropy ? make_entropy_rule(state) : make_configuration_rule(state));
    while (!state.last.alive.empty() && walk_level(state, rules, watch)) {}
    result.stop = watch.stop();
    result.evaluated = state.evaluated;
    result.counted = state.counted;
    result.floor = state.last.alive.empty() ? std::vector<Cost>(table.n, Cost::infinite()) : state.floor;
    state.last = {};
    append_lists(state.scored, table.n, result.graph);
    return result;
}

long double configurations(const DistinctRows& table, std::vector<int> variables) {
    std::sort(variables.begin(), variables.end(), [&](int a, int b) { return table.arity[a] < table.arity[b]; });
    long double product = 1;
    for (int v : variables) product *= (long double)table.arity[v];
    return product;
}

Cost local_cost(const DistinctRows& table, Score& score, int child, const std::vector<int>& parents) {
    Refiner refiner(table, true);
    Partition partition, finer;
    refiner.whole(partition);
    for (int p : parents) {
        refiner.refine(partition, p, finer);
        std::swap(partition, finer);
    }
    const long double q = score.counts_observed_configurations() ? (long double)partition.cells() : configurations(table, parents);
    const std::int64_t r = table.arity[child];
    ScanCounter counter(table);
    const TablePair tables = {&score.parent_table(q, r), &score.family_table(q, r)};
    return {counter.count(partition, child, tables).difference + score.penalty_of(q, r)};
}

#define SABNA_INSTANTIATE(W)                                                                                       \
    template struct Candidates<W>;                                                                                 \
    template BuildResult<W> build_parent_graph<W>(const DistinctRows&, Score&, const Candidates<W>&, int, Watch&);
SABNA_INSTANTIATE(1)
SABNA_INSTANTIATE(2)
SABNA_INSTANTIATE(4)
SABNA_INSTANTIATE(8)

}  // namespace sabna
