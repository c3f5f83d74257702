#include "parents/build_state.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "counting/entropies.h"
#include "parents/sliced_list.h"

namespace sabna {

namespace {

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

}  // namespace

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

std::uint64_t bytes_to_count(const DistinctRows& table, const Score& score) {
    const std::uint64_t rows = std::uint64_t(table.distinct());
    return score.pruning() == Pruning::entropy ? LaneCounter::bytes(table) : 48 * rows;  // parents/twins.h
}

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

template <int W>
void find_twins(BuildState<W>& state, Watch& watch) {
    if (state.score.pruning() != Pruning::configurations) return;
    std::vector<std::vector<int>> allowed;
    for (const VarSet<W>& set : state.candidates.allowed) allowed.push_back(set.members());
    state.twins = std::make_shared<const Twins>(state.table, state.score, allowed, watch);
}

template <int W>
std::unique_ptr<Rule<W>> make_rule(const BuildState<W>& state) {
    return state.score.pruning() == Pruning::entropy ? make_entropy_rule(state) : make_configuration_rule(state);
}

#define SABNA_INSTANTIATE(W)                                                    \
    template void score_empty_sets<W>(BuildState<W>&);                          \
    template void store_root<W>(BuildState<W>&);                                \
    template void find_twins<W>(BuildState<W>&, Watch&);                        \
    template std::unique_ptr<Rule<W>> make_rule<W>(const BuildState<W>&);       \
    template void tell<W>(const BuildState<W>&, bool, std::size_t&, SoFar<W>&); \
    template void append_lists<W>(std::vector<Scored<W>>&, int, ParentGraphData<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
