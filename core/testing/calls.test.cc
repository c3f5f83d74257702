#include "testing/calls.h"

#include <bit>
#include <memory>
#include <random>
#include <span>

#include "alternatives/alternatives.h"
#include "alternatives/branching.h"
#include "alternatives/combine.h"
#include "bounds/credits.h"
#include "bounds/dual_ascent.h"
#include "bounds/fixing.h"
#include "bounds/group_best.h"
#include "bounds/local_search.h"
#include "bounds/separation.h"
#include "gaussian/gaussian_build.h"
#include "mixed/mixed_build.h"
#include "parents/build.h"
#include "parents/child_by_child.h"
#include "parents/dominance.h"
#include "parents/every_set.h"
#include "posterior/posterior.h"
#include "search/components.h"
#include "search/dense.h"
#include "search/run.h"
#include "search/weighted.h"
#include "testing/random_clusters.h"
#include "testing/random_graph.h"

namespace sabna::testing {

namespace {

class Digest {
  public:
    Digest& add(std::uint64_t value) {
        sum_ = (sum_ ^ value) * 0x9E3779B97F4A7C15ull;
        sum_ ^= sum_ >> 29;
        return *this;
    }
    Digest& add(Cost cost) { return add(std::uint64_t(cost.quanta)); }
    template <class T>
    Digest& add_all(const std::vector<T>& values) {
        add(values.size());
        for (const T& value : values) {
            if constexpr (std::is_same_v<T, Cost>) add(value);
            else add(std::uint64_t(value));
        }
        return *this;
    }
    template <int W>
    Digest& add(const ParentGraphView<W>& graph) {
        for (int i = 0; i <= graph.n; ++i) add(std::uint64_t(graph.offsets[i]));
        for (std::int64_t p = 0; p < graph.size(); ++p) add(graph.costs_begin[p]).add(graph.sets_begin[p].hash());
        return *this;
    }
    Answer answer(Stop stop = Stop::none) const { return {stop, sum_}; }

  private:
    std::uint64_t sum_ = 1;
};

Answer answer_of(const Outcome& outcome) {
    return Digest()
        .add(outcome.best.cost)
        .add(outcome.lower)
        .add_all(outcome.best.order)
        .add_all(outcome.best.choice)
        .answer(outcome.stop);
}

struct Codes {
    int n, rows;
    std::vector<std::uint16_t> codes;
    std::vector<std::int64_t> arities;
};

Codes some_codes(int n, int rows) {
    std::mt19937 random(7);
    Codes table{n, rows, {}, {}};
    for (int v = 0; v < n; ++v) {
        table.arities.push_back(2 + v % 3);
        for (int r = 0; r < rows; ++r) {
            const bool copies = v > 0 && random() % 4;
            const unsigned value = copies ? table.codes[std::size_t((v - 1) * rows + r)] + random() % 5 / 4 : random();
            table.codes.push_back(std::uint16_t(value % unsigned(table.arities.back())));
        }
    }
    return table;
}

// What prior knowledge is made of: everything is allowed, and 2 must have the parent 0.
struct SomeKnowledge {
    std::vector<VarSet<1>> required, allowed;
    std::vector<std::int32_t> limits;
    explicit SomeKnowledge(int n) : required(std::size_t(n)), limits(std::size_t(n), 3) {
        for (int i = 0; i < n; ++i) allowed.push_back(VarSet<1>::first(n).without(i));
        required[2].insert(0);
    }
    KnowledgeView<1> view() const { return {int(limits.size()), required.data(), allowed.data(), limits.data()}; }
};

// A listener as the Python side has one, which keeps a copy of what it is told.
SoFar<1>::Hear some_listener() {
    return [kept = ParentGraphData<1>{}](ParentGraphData<1>&& lists, const std::vector<Cost>&, bool) mutable {
        kept = std::move(lists);
    };
}

std::function<Answer()> building(const char* score_id, int threads) {
    const auto table = std::make_shared<Codes>(some_codes(9, 60));
    return [=] {
        Watch watch;
        const DistinctRows rows = merge_rows(table->codes, table->arities, table->rows, watch);
        const auto score = make_score(score_id, rows.rows, 1);
        const auto candidates = Candidates<1>::all(rows, *score, std::vector<std::int64_t>(9, 4));
        const auto built = build_parent_graph<1>(rows, *score, candidates, threads, watch, some_listener());
        return Digest().add(built.graph.view()).answer(built.stop);
    };
}

std::function<Answer()> building_child_by_child(const char* score_id, int threads) {
    const auto table = std::make_shared<Codes>(some_codes(6, 40));
    const auto knowledge = std::make_shared<SomeKnowledge>(6);
    return [=] {
        Watch watch;
        const DistinctRows rows = merge_rows(table->codes, table->arities, table->rows, watch);
        const auto score = make_score(score_id, rows.rows, 1);
        const auto built = build_child_by_child<1>(rows, *score, knowledge->view(), {0, 1, 2, 3, 4, 5}, 1 << 28,
                                                   threads, watch, some_listener());
        Digest digest;
        for (const auto& list : built.lists)
            for (const auto& s : list) digest.add(s.cost).add(s.set.hash());
        return digest.answer(built.stop);
    };
}

std::function<Answer()> building_every_set(const char* score_id, int threads) {
    const auto table = std::make_shared<Codes>(some_codes(6, 40));
    const auto knowledge = std::make_shared<SomeKnowledge>(6);
    return [=] {
        Watch watch;
        const DistinctRows rows = merge_rows(table->codes, table->arities, table->rows, watch);
        const auto score = make_score(score_id, rows.rows, 1);
        const auto built = build_every_set(rows, *score, knowledge->view(), {0, 1, 2, 3, 4, 5}, threads, watch);
        Digest digest;
        for (const Cost cost : built.graph.costs) digest.add(cost);
        for (const auto& set : built.graph.sets) digest.add(set.hash());
        return digest.answer(built.stop);
    };
}

std::function<Answer()> building_mixed(MixedKind kind, int threads) {
    const auto table = std::make_shared<Codes>(some_codes(6, 40));
    const auto knowledge = std::make_shared<SomeKnowledge>(6);
    return [=] {
        Watch watch;
        MixedScore score(mixed_columns(table->arities, table->codes, {}, {}, table->rows), kind, {1, 1, 3, 0.01});
        ParentGraphData<1> graph;
        const auto built =
            build_mixed<1>(score, knowledge->view(), plain_dominance, threads, watch, graph, some_listener());
        Digest digest;
        for (const Cost cost : graph.costs) digest.add(cost);
        for (const auto& set : graph.sets) digest.add(set.hash());
        return digest.answer(built.stop);
    };
}

std::function<Answer()> building_continuous(bool bge, int threads) {
    constexpr int n = 6, m = 30;
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    const auto values = std::make_shared<std::vector<double>>(std::size_t(n * m));
    for (std::size_t k = 0; k < values->size(); ++k)
        (*values)[k] = normal(random) + (k >= m ? 0.7 * (*values)[k - m] : 0.0);
    const auto knowledge = std::make_shared<SomeKnowledge>(n);
    return [=] {
        Watch watch;
        const auto score = bge ? GaussianScore::bge(*values, n, m, {1, n + 2}) : GaussianScore::bic(*values, n, m);
        ParentGraphData<1> graph;
        const auto built =
            build_gaussian<1>(score, knowledge->view(), plain_dominance, threads, watch, graph, some_listener());
        return Digest().add(graph.view()).answer(built.stop);
    };
}

// A graph with all that searches may be given.
template <int W>
struct Inputs {
    ParentGraphData<W> data;
    ParentGraphView<W> graph;
    std::vector<Cluster<W>> clusters;
    std::vector<Pattern<W>> patterns;
    Assignment known;

    explicit Inputs(const RandomGraph& shape) : data(random_graph<W>(shape, 5)), graph(data.view()) {
        Watch watch;
        known = local_search(graph, {.restarts = 1, .kicks = 0}, watch);
        clusters = dual_ascent(graph, random_clusters<W>(shape.n, 5, 100, 1),
                               {.target = known.cost.quanta, .work = 20'000}, watch)
                       .clusters;
        for (const Groups<W>& groups : choose_groups<W>(shape.n, clusters, 4, 2, 1))
            patterns.push_back({clusters, groups});
    }
};

template <int W>
std::shared_ptr<const Inputs<W>> inputs(int n = 10) {
    RandomGraph shape;
    shape.n = n;
    shape.sets = n > 20 ? 3 : 20;
    shape.largest = n > 20 ? 2 : 4;
    return std::make_shared<const Inputs<W>>(shape);
}

template <int W>
std::function<Answer()> searching(const char* strategy, const char* heuristic, SearchOptions options, int n = 10) {
    return [=, given = inputs<W>(n)] {
        Watch watch;
        return answer_of(run_search(given->graph, strategy, {heuristic, n > 20 ? 8 : 2, Grouping::affinity}, options,
                                    given->known, watch));
    };
}

std::function<Answer()> searching_with_weights(const char* strategy, bool with_patterns, int threads) {
    return [=, given = inputs<1>()] {
        Watch watch;
        const Weighting<1> weighting{given->clusters, with_patterns ? given->patterns : std::vector<Pattern<1>>{}};
        return answer_of(
            run_weighted(given->graph, weighting, strategy, {.threads = threads, .nodes_at_once = 3}, {}, watch));
    };
}

std::function<Answer()> fixing(int threads) {
    return [=, given = inputs<1>()] {
        Watch watch;
        const DualPatternDb<1> database(given->graph, given->patterns, threads, watch);
        std::vector<std::uint8_t> keep =
            fix_by_reduced_cost(given->graph, reduced_costs(given->graph, given->clusters), given->known.cost.quanta);
        if (database.ready()) fix_by_tables(database.tables(), given->known.cost.quanta, threads, keep, watch);
        return Digest().add_all(keep).answer(watch.stop());
    };
}

std::function<Answer()> bounding() {
    return [given = inputs<1>()] {
        Watch watch;
        const auto ascent = dual_ascent(given->graph, {}, {.work = 20'000}, watch);
        Digest digest;
        digest.add(std::uint64_t(ascent.bound));
        for (const auto& c : ascent.clusters) digest.add(c.set.hash()).add(std::uint64_t(c.y));
        for (const Groups<1>& groups : choose_groups<1>(given->graph.n, ascent.clusters, 3, 2, 1))
            for (const VarSet<1>& group : groups) digest.add(group.hash());
        const GroupBest best = group_best(given->graph, given->patterns[0], 1, watch);
        digest.add(std::uint64_t(best.bound)).add_all(best.choice);
        std::vector<Share<1>> point;
        for (int i = 0; i < given->graph.n; ++i) point.push_back({i, given->graph.sets(i)[0], 1.0});
        for (const Cut<1>& cut : separate<1>(given->graph.n, point, {.least_violation = 0.1, .most = 20}, watch))
            digest.add(cut.set.hash());
        std::vector<std::int32_t> order(given->known.order.begin(), given->known.order.end());
        std::vector<VarSet<1>> parents;
        for (const int i : order) parents.push_back(given->graph.sets_begin[given->known.choice[std::size_t(i)]]);
        digest.add_all(count_credits<1>(order, parents, ascent.clusters));
        digest.add_all(credited_columns<1>(order, parents, ascent.clusters).column);
        return digest.answer(watch.stop());
    };
}

std::function<Answer()> splitting() {
    return [given = inputs<1>()] {
        Watch watch;
        Digest digest;
        digest.add(prune_dominated(given->graph, watch).view());
        for (const auto& members : find_components(given->graph))
            digest.add(extract_component<1>(FlatGraph(given->graph), members).graph.view());
        return digest.answer(watch.stop());
    };
}

std::function<Answer()> climbing() {
    return [given = inputs<1>()] {
        Watch watch;
        const Assignment best = local_search(given->graph, {.restarts = 2, .kicks = 2}, watch);
        return Digest().add(best.cost).add_all(best.order).answer(watch.stop());
    };
}

std::function<Answer()> searching_dense(int threads) {
    return [=, given = inputs<1>(13)] {
        Watch watch;
        return answer_of(dense_search(given->graph, threads, watch));
    };
}

std::function<Answer()> listing() {
    return [given = inputs<1>(7)] {
        Watch watch;
        const Alternatives found = find_alternatives(given->graph, {30, Cost{400}}, watch);
        return Digest().add_all(found.costs).add_all(found.choices).answer(found.stop);
    };
}

std::function<Answer()> averaging(StructurePrior prior, int threads) {
    return [=, given = inputs<1>(7)] {
        Watch watch;
        const Posterior found = find_posterior(given->graph, {prior, 20, 1}, threads, watch);
        Digest digest;
        for (const double p : found.edges) digest.add(std::bit_cast<std::uint64_t>(p));
        return digest.add_all(found.choices).answer(found.stop);
    };
}

std::function<Answer()> branching() {
    return [given = inputs<1>(7)] {
        Watch watch;
        const auto found =
            branch_networks(given->graph, given->clusters, given->known.cost, {30, Cost{400}}, -1, watch);
        return Digest().add_all(found.found.costs).add_all(found.found.choices).answer(watch.stop());
    };
}

std::function<Answer()> combining() {
    return [] {
        Watch watch;
        Combiner combiner(3, {40, Cost{100}}, watch);
        for (int part = 0; part < 3; ++part)
            if (!combiner.add({Cost{0}, Cost{part}, Cost{7 + part}, Cost{20}, Cost{60}})) break;
        Digest digest;
        for (const auto& row : combiner.positions()) digest.add_all(row);
        return digest.add_all(combiner.costs()).answer(watch.stop());
    };
}

}  // namespace

const std::vector<Call>& calls() {
    static const std::vector<Call> all{
        {"build bic", true, [](int threads) { return building("bic", threads); }},
        {"build bdeu", true, [](int threads) { return building("bdeu", threads); }},
        {"build child by child, bic", true, [](int threads) { return building_child_by_child("bic", threads); }},
        {"build child by child, fnml", true, [](int threads) { return building_child_by_child("fnml", threads); }},
        {"build child by child, qnml", true, [](int threads) { return building_child_by_child("qnml", threads); }},
        {"build every set, k2", true, [](int threads) { return building_every_set("k2", threads); }},
        {"build every set, bdeu", true, [](int threads) { return building_every_set("bdeu", threads); }},
        {"build bcg", true, [](int threads) { return building_mixed(MixedKind::bcg, threads); }},
        {"build pnal", true, [](int threads) { return building_mixed(MixedKind::pnal, threads); }},
        {"build bic-g", true, [](int threads) { return building_continuous(false, threads); }},
        {"build bge", true, [](int threads) { return building_continuous(true, threads); }},
        {"split", false, [](int) { return splitting(); }},
        {"local search", false, [](int) { return climbing(); }},
        {"bounds", false, [](int) { return bounding(); }},
        {"fixing", true, [](int threads) { return fixing(threads); }},
        {"astar simple", false, [](int) { return searching<1>("astar", "simple", {.scc_branching = true}); }},
        {"astar pattern", false, [](int) { return searching<1>("astar", "pattern", {}); }},
        {"astar of two words", false,
         [](int) { return searching<2>("astar", "pattern", {.scc_branching = true}, 66); }},
        {"bfs", true,
         [](int threads) { return searching<1>("bfs", "simple", {.scc_branching = true, .threads = threads}); }},
        {"bfs of all", true,
         [](int threads) { return searching<1>("bfs", "pattern", {.path_extension = false, .threads = threads}, 14); }},
        {"astar cuts", false, [](int threads) { return searching_with_weights("astar", false, threads); }},
        {"astar dual-pattern", true, [](int threads) { return searching_with_weights("astar", true, threads); }},
        {"bfs dual-pattern", true, [](int threads) { return searching_with_weights("bfs", true, threads); }},
        {"branch and bound", true,
         [](int threads) { return searching_with_weights("branch-and-bound", true, threads); }},
        {"posterior, uniform", true, [](int threads) { return averaging(StructurePrior::uniform, threads); }},
        {"posterior, order", true, [](int threads) { return averaging(StructurePrior::order, threads); }},
        {"dense", true, [](int threads) { return searching_dense(threads); }},
        {"alternatives", false, [](int) { return listing(); }},
        {"branching", false, [](int) { return branching(); }},
        {"combining", false, [](int) { return combining(); }},
    };
    return all;
}

}  // namespace sabna::testing
