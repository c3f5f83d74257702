#include "parents/build.h"

#include <algorithm>

#include "counting/scan.h"
#include "parallel.h"
#include "parents/build_state.h"

namespace sabna {

namespace {

template <int W>
bool is_useless_parent(const DistinctRows& table, const Score& score, int v) {
    return table.arity[v] <= 1 || (table.is_constant(v) && score.constant_parents_are_useless());
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
        find_twins(state, watch);
        std::vector<std::unique_ptr<Rule<W>>> rules;
        for (int t = 0; t < counting; ++t) rules.push_back(make_rule(state));
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
