#include "parents/build.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "counting/entropies.h"
#include "parallel.h"
#include "parents/level_walk.h"
#include "parents/sliced_list.h"

namespace sabna {

namespace {

template <int W>
bool is_useless_parent(const DistinctRows& table, const Score& score, int v) {
    return table.arity[v] <= 1 || (table.is_constant(v) && score.constant_parents_are_useless());
}

// What a set of i costs that is not empty, at least: its penalty, as -LL is not negative.
template <int W>
Cost least_with_parents(const BuildState<W>& state, int i) {
    std::int64_t smallest = 0;
    state.candidates.allowed[i].for_each(
        [&](int v) { smallest = smallest ? std::min(smallest, state.table.arity[v]) : state.table.arity[v]; });
    return {state.score.pruning() == Pruning::entropy
                ? state.score.penalty_of((long double)smallest, state.table.arity[i])
                : 0};
}

// The cost of every variable alone.
template <int W>
void score_empty_sets(BuildState<W>& state) {
    const DistinctRows& table = state.table;
    long double total = 0;
    for (int i = 0; i < table.n; ++i) {
        std::vector<std::uint32_t> counts(std::size_t(table.observed[i]), 0);
        for (int row = 0; row < table.distinct(); ++row) counts[table.column[i][row]] += table.weight[row];
        const std::int64_t r = table.arity[i];
        Quanta cost = state.score.parent_table(1, r)[table.rows] + state.score.penalty_of(1, r);
        for (const std::uint32_t count : counts) cost -= state.score.family_table(1, r)[count];
        state.empty_cost.push_back(cost);
        total += (long double)cost;
        state.scored.push_back({{}, {cost}, i, false});
        const bool open = state.candidates.largest[i] > 0 && !state.candidates.allowed[i].empty();
        state.floor.push_back(open ? least_with_parents(state, i) : Cost::infinite());
    }
    if (total >= (long double)largest_total) throw std::overflow_error("the costs of a network exceed 2^30 nats");
    state.evaluated = table.n;
    state.counted = 1;
}

// The first level: the empty set, with what the rule wants to know of it.
template <int W>
void store_root(BuildState<W>& state) {
    const DistinctRows& table = state.table;
    std::vector<Quanta> entropy(table.n, 0);
    Partition whole;
    Refiner(table, false).whole(whole);
    if (state.score.pruning() == Pruning::entropy)
        EntropyCounter(table, state.score.parent_table(1, 1)).count(whole, entropy.data());
    const Quanta largest = std::max<Quanta>(0, *std::max_element(state.empty_cost.begin(), state.empty_cost.end()));
    state.scale = Scale::of(std::max(largest, *std::max_element(entropy.begin(), entropy.end())));
    VarSet<W> alive;
    std::vector<std::uint32_t> best(table.n);
    std::vector<std::uint16_t> stored(2 * table.n, 0);  // entropies, then gains: none yet
    for (int i = 0; i < table.n; ++i) {
        best[i] = state.scale.store_cost(state.empty_cost[i]);
        stored[i] = state.scale.round_up(entropy[i]);
        if (state.floor[i] != Cost::infinite()) alive.insert(i);
    }
    StorePart<W> root;
    root.stride = state.score.pruning() == Pruning::entropy ? 2 * table.n : 0;
    root.keeps_best = root.stride == 0;
    root.append(alive, stored.data(), best.data());
    state.last.append(root.packed());
    state.trie.emplace_back();
}

// Tell of the sets scored since `told`; `complete`: there are no others.
template <int W>
void tell(const BuildState<W>& state, bool complete, std::size_t& told, SoFar<W>& so_far) {
    if (!so_far) return;
    for (; told < state.scored.size(); ++told) {
        const Scored<W>& s = state.scored[told];
        if (s.set.empty()) so_far.start(s.child, {s.cost, s.set}, state.floor[s.child]);
        else so_far.offer(s.child, {s.cost, s.set});
    }
    so_far.set_floor(complete ? std::vector<Cost>(state.table.n, Cost::infinite()) : state.floor);
    so_far.tell_settled();
}

// What counting takes for each thread, whatever is found.
std::uint64_t bytes_to_count(const DistinctRows& table, const Score& score) {
    const std::uint64_t rows = std::uint64_t(table.distinct());
    return score.pruning() == Pruning::entropy ? LaneCounter::bytes(table) : 48 * rows;  // parents/twins.h
}

// The lists of all variables: a set whose cost is surely below that of its subsets stays, the unsure ones are compared
// with their subsets on the integers.
template <int W>
void append_lists(std::vector<Scored<W>>& scored, int n, ParentGraphData<W>& graph) {
    std::sort(scored.begin(), scored.end(), [](const Scored<W>& a, const Scored<W>& b) {
        return std::tie(a.child, a.cost, a.set) < std::tie(b.child, b.cost, b.set);
    });
    graph.costs.reserve(scored.size());
    graph.sets.reserve(scored.size());
    std::size_t at = 0;
    for (int i = 0; i < n; ++i) {
        SlicedList<W> kept(n);
        for (; at < scored.size() && scored[at].child == i; ++at) {
            if (scored[at].unsure && kept.first_subset(scored[at].set) >= 0) continue;
            kept.push_back(scored[at].set);
            graph.costs.push_back(scored[at].cost);
            graph.sets.push_back(scored[at].set);
        }
        graph.offsets.push_back(std::int64_t(graph.costs.size()));
    }
    scored = {};
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
                                  Watch& watch, typename SoFar<W>::Hear hear) {
    BuildState<W> state{.table = table, .score = score, .candidates = candidates};
    BuildResult<W> result;
    if (table.n == 0) return result;
    score_empty_sets(state);
    SoFar<W> so_far(table.n, std::move(hear));
    std::size_t told = 0;
    tell(state, false, told, so_far);
    const auto go_on = [&] {
        return watch.poll({.station = "parent graph",
                           .evaluated = state.evaluated,
                           .finished = 0,
                           .total = std::int64_t(state.last.size())});
    };
    const std::uint64_t each = bytes_to_count(table, score);
    const int counting = go_on() ? threads_that_fit(threads, each, watch) : 0;
    bool complete = false;
    if (counting > 0) {
        store_root(state);
        if (score.pruning() == Pruning::configurations) {
            std::vector<std::vector<int>> allowed;
            for (const VarSet<W>& set : candidates.allowed) allowed.push_back(set.members());
            state.twins = std::make_shared<const Twins>(table, score, allowed, watch);
        }
        std::vector<std::unique_ptr<Rule<W>>> rules;
        for (int t = 0; t < counting; ++t)
            rules.push_back(score.pruning() == Pruning::entropy ? make_entropy_rule(state)
                                                                : make_configuration_rule(state));
        while (!state.last.alive.empty() && go_on() && walk_level(state, rules, watch))
            tell(state, state.last.alive.empty(), told, so_far);
        complete = state.last.alive.empty();
        state.last = {};
    }
    watch.release(std::uint64_t(counting) * each);
    result.stop = watch.stop();
    result.evaluated = state.evaluated;
    result.counted = state.counted;
    result.floor = complete ? std::vector<Cost>(table.n, Cost::infinite()) : state.floor;
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
    const long double q =
        score.counts_observed_configurations() ? (long double)partition.cells() : configurations(table, parents);
    const std::int64_t r = table.arity[child];
    ScanCounter counter(table);
    const TablePair tables = {&score.parent_table(q, r), &score.family_table(q, r)};
    return {counter.count(partition, child, tables).difference + score.penalty_of(q, r)};
}

#define SABNA_INSTANTIATE(W)                                                                                      \
    template struct Candidates<W>;                                                                                \
    template BuildResult<W> build_parent_graph<W>(const DistinctRows&, Score&, const Candidates<W>&, int, Watch&, \
                                                  SoFar<W>::Hear);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
