// Lower bounds: cluster weights, their ascent, separation for the linear program, and its rows.
#include "bounds/cluster_bound.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bindings.h"
#include "bounds/cluster_walk.h"
#include "bounds/credits.h"
#include "bounds/dual_ascent.h"
#include "bounds/fixing.h"
#include "bounds/group_best.h"
#include "bounds/separation.h"
#include "bounds/volume.h"
#include "checkpoints.h"
#include "cluster_view.h"
#include "layer_files.h"
#include "results.h"
#include "search/weighted.h"

namespace sabna::bindings {
namespace {

// Clusters after dual ascent, and their bound.
struct Ascent {
    std::int64_t bound = 0;
    SetRows sets;
    std::vector<std::int64_t> k, y;
    std::int64_t work = 0;
    Stop stop = Stop::none;
};
struct Cuts {
    SetRows sets;
    std::vector<double> violations;
};
struct Fixed {
    std::vector<std::int64_t> bounds;
    std::vector<std::uint8_t> keep, by;
    Stop stop = Stop::none;
};

ReducedCosts cluster_reduced_costs(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys) {
    ReducedCosts reduced;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const auto list = clusters_of<W>(clusters, ks, ys);
        nb::gil_scoped_release release;
        reduced = reduced_costs(graph, list);
    });
    return reduced;
}

// Greedily, or by the volume algorithm.
template <bool volume>
Ascent ascend(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys, const AscentOptions& options,
              const Limits& limits, nb::object progress) {
    PythonWatch watch(limits, std::move(progress));
    Ascent raised;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        auto list = clusters_of<W>(clusters, ks, ys);
        nb::gil_scoped_release release;
        const AscentResult<W> result = volume ? volume_ascent(graph, std::move(list), options, watch.watch())
                                              : dual_ascent(graph, std::move(list), options, watch.watch());
        raised.bound = result.bound, raised.work = result.work, raised.sets.width = W;
        for (const Cluster<W>& c : result.clusters)
            raised.sets.add(c.set), raised.k.push_back(c.k), raised.y.push_back(c.y);
    });
    watch.rethrow();
    raised.stop = watch.watch().stop();
    return raised;
}

Ascent raise_greedily(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys, std::int64_t target,
                      std::int64_t work, std::uint64_t seed, const Limits& limits, nb::object progress) {
    return ascend<false>(offsets, costs, sets, clusters, ks, ys, {.target = target, .work = work, .seed = seed}, limits,
                         std::move(progress));
}

Ascent raise_by_volume(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys, std::int64_t target,
                       std::int64_t work, int threads, const Limits& limits, nb::object progress) {
    return ascend<true>(offsets, costs, sets, clusters, ks, ys, {.target = target, .work = work, .threads = threads},
                        limits, std::move(progress));
}

template <int W>
std::vector<Share<W>> point_of(Array1<std::int32_t> variables, Words parents, Array1<double> x) {
    if (parents.shape(0) != variables.shape(0) || x.shape(0) != variables.shape(0))
        throw std::invalid_argument("separation: the shapes do not fit together");
    const auto sets = sets_of<W>(parents);
    std::vector<Share<W>> point;
    for (std::size_t p = 0; p < variables.shape(0); ++p) point.push_back({variables.data()[p], sets[p], x.data()[p]});
    return point;
}

template <int W>
Cuts as_rows(const std::vector<Cut<W>>& cuts) {
    Cuts rows;
    rows.sets.width = W;
    for (const Cut<W>& cut : cuts) rows.sets.add(cut.set), rows.violations.push_back(cut.violation);
    return rows;
}

Cuts separate_clusters(Array1<std::int32_t> variables, Words parents, Array1<double> x, int n, int k,
                       double least_violation, std::size_t most, int threads) {
    Cuts found;
    with_words(n, [&]<int W>() {
        const auto point = point_of<W>(variables, parents, x);
        Watch watch;
        nb::gil_scoped_release release;
        const SeparationOptions options{.k = k, .least_violation = least_violation, .most = most, .threads = threads};
        found = as_rows<W>(separate<W>(n, point, options, watch));
    });
    return found;
}

Cuts cluster_walks(Array1<std::int32_t> variables, Words parents, Array1<double> x, int n, Words starts, int k,
                   double least_violation, int round, std::size_t most, const std::optional<Words>& blocks, int unions,
                   bool singles, int stale, int threads) {
    const WalkOptions options{.k = k,
                              .least_violation = least_violation,
                              .round = round,
                              .most = most,
                              .singles = singles,
                              .unions = unions,
                              .stale = stale,
                              .threads = threads};
    Cuts found;
    with_words(n, [&]<int W>() {
        const auto point = point_of<W>(variables, parents, x);
        const auto from = sets_of<W>(starts);
        const auto whole = blocks ? sets_of<W>(*blocks) : std::span<const VarSet<W>>();
        nb::gil_scoped_release release;
        found = as_rows<W>(walk_to_cuts<W>(n, point, from, options, whole));
    });
    return found;
}

std::span<const std::int32_t> span_of(const Array1<std::int32_t>& values, const Words& as_many_as) {
    if (values.shape(0) != as_many_as.shape(0))
        throw std::invalid_argument("as many variables as parent sets are needed");
    return {values.data(), values.shape(0)};
}

// The cuts as sparse rows over the given columns (variable, parents): starts [K + 1] and column positions.
SparseRows cluster_rows(Array1<std::int32_t> variables, Words parents, int n, Words clusters, Ints ks) {
    SparseRows rows;
    with_words(n, [&]<int W>() {
        rows = credited_columns<W>(span_of(variables, parents), sets_of<W>(parents), clusters_of<W>(clusters, ks));
    });
    return rows;
}

// For each cluster, how many of the variables, placed in this order with these parent sets, earn its credit.
auto credits_of_order(Array1<std::int32_t> order, Words parents, int n, Words clusters, Ints ks) {
    std::vector<std::int32_t> counts;
    with_words(n, [&]<int W>() {
        counts = count_credits<W>(span_of(order, parents), sets_of<W>(parents), clusters_of<W>(clusters, ks));
    });
    return to_numpy(std::move(counts));
}

auto fix_by_reduced_costs(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys, std::int64_t target) {
    std::vector<std::uint8_t> keep;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        keep = fix_by_reduced_cost(graph, reduced_costs(graph, clusters_of<W>(clusters, ks, ys)), target);
    });
    return to_numpy(std::move(keep));
}

// A pattern travels as a tuple: cluster sets, k, y, and the groups [G, W].
using PatternArrays = std::tuple<Words, Ints, Ints, Words>;

template <int W>
std::vector<Pattern<W>> patterns_of(const std::vector<PatternArrays>& arrays) {
    std::vector<Pattern<W>> patterns;
    for (const auto& [sets, ks, ys, groups] : arrays) {
        const auto list = sets_of<W>(groups);
        patterns.push_back({clusters_of<W>(sets, ks, ys), Groups<W>(list.begin(), list.end())});
    }
    return patterns;
}

// `known_order` is an order whose network is the best known; where it is empty, networks below `upper` are looked for.
Outcome search_weighted(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys,
                        const std::vector<PatternArrays>& patterns, const std::string& strategy, bool path_extension,
                        bool scc_branching, bool prune, std::int64_t upper, std::int64_t tolerance,
                        std::vector<int> known_order, int threads, const Limits& limits, nb::object progress,
                        bool record, int nodes_at_once, std::int64_t most_nodes, nb::object layers,
                        nb::object checkpoints) {
    PythonWatch watch(limits, std::move(progress));
    PythonLayerFiles files(std::move(layers), watch);
    PythonCheckpoints kept(std::move(checkpoints), watch);
    const SearchOptions options{path_extension, scc_branching, prune,      Cost{tolerance}, threads,
                                record,         nodes_at_once, most_nodes, files.get(),     kept.get()};
    Outcome outcome;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const Weighting<W> weighting{clusters_of<W>(clusters, ks, ys), patterns_of<W>(patterns)};
        nb::gil_scoped_release release;
        Assignment known;
        known.cost = Cost{upper};
        if (!known_order.empty()) known = assign(graph, std::move(known_order));
        outcome = run_weighted(graph, weighting, strategy, options, known, watch.watch());
    });
    watch.rethrow();
    return outcome;
}

auto weighted_values(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys,
                     const std::vector<PatternArrays>& patterns, Words placed) {
    std::vector<Cost> values;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const auto nodes = sets_of<W>(placed);
        const Weighting<W> weighting{clusters_of<W>(clusters, ks, ys), patterns_of<W>(patterns)};
        values = evaluate_weighted(graph, weighting, std::vector<VarSet<W>>(nodes.begin(), nodes.end()));
    });
    return costs_to_numpy(values);
}

// Tables on reduced costs are filled, sets fixed. The tables are gone afterwards: the search makes its own from the
// smaller graph.
Fixed fix_sets(Ints offsets, Ints costs, Words sets, const std::vector<PatternArrays>& patterns, std::int64_t target,
               int threads, const Limits& limits, nb::object progress) {
    PythonWatch watch(limits, std::move(progress));
    Fixed fixed{std::vector<std::int64_t>(patterns.size(), -Cost::infinite().quanta),
                std::vector<std::uint8_t>(sets.shape(0), 1), std::vector<std::uint8_t>(sets.shape(0), 0)};
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const auto list = patterns_of<W>(patterns);
        nb::gil_scoped_release release;
        const DualPatternDb<W> database(graph, list, threads, watch.watch());
        if (!database.ready()) return;
        for (std::size_t p = 0; p < list.size(); ++p) fixed.bounds[p] = database.tables()[p].root;
        fix_by_tables(database.tables(), target, threads, fixed.keep, watch.watch(), &fixed.by);
    });
    watch.rethrow();
    fixed.stop = watch.watch().stop();
    return fixed;
}

GroupBest best_of_groups(Ints offsets, Ints costs, Words sets, const PatternArrays& pattern, int threads,
                         const Limits& limits, nb::object progress) {
    PythonWatch watch(limits, std::move(progress));
    GroupBest best;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const Pattern<W> one = patterns_of<W>({pattern}).front();
        nb::gil_scoped_release release;
        best = group_best(graph, one, threads, watch.watch());
    });
    watch.rethrow();
    return best;
}

auto choose_groups_of(int n, Words clusters, Ints ks, Ints ys, int largest, int partitions, std::uint64_t seed) {
    std::vector<SetRows> chosen;
    with_words(n, [&]<int W>() {
        for (const Groups<W>& groups :
             choose_groups<W>(n, clusters_of<W>(clusters, ks, ys), largest, partitions, seed)) {
            chosen.emplace_back();
            for (const VarSet<W>& group : groups) chosen.back().add(group);
        }
    });
    nb::typed<nb::list, nb::any> result;
    for (SetRows& rows : chosen) result.append(to_numpy(std::move(rows)));
    return result;
}

void bind_bound_results(nb::module_& m) {
    nb::class_<ReducedCosts>(m, "ReducedCosts", "The cluster bound at the root, and the reduced costs behind it.")
        .def_ro("bound", &ReducedCosts::bound)
        .def_prop_ro("cost", array_of(&ReducedCosts::cost), "Per parent set.")
        .def_prop_ro("least", array_of(&ReducedCosts::least), "Per variable.");
    nb::class_<Ascent>(m, "Ascent", "Clusters with raised weights, and their bound.")
        .def_ro("bound", &Ascent::bound)
        .def_prop_ro("sets", array_of(&Ascent::sets))
        .def_prop_ro("k", array_of(&Ascent::k))
        .def_prop_ro("y", array_of(&Ascent::y))
        .def_ro("work", &Ascent::work, "Parent sets looked at.")
        .def_ro("stop", &Ascent::stop);
    nb::class_<Cuts>(m, "Cuts", "Clusters whose cut a point breaks, and by how much.")
        .def_prop_ro("sets", array_of(&Cuts::sets))
        .def_prop_ro("violations", array_of(&Cuts::violations));
    nb::class_<SparseRows>(m, "SparseRows", "Row c has the columns at start[c]:start[c + 1].")
        .def_prop_ro("start", array_of(&SparseRows::start))
        .def_prop_ro("column", array_of(&SparseRows::column));
    nb::class_<Fixed>(m, "Fixed", "The bound of each pattern; 1 for every parent set that may stay.")
        .def_ro("bounds", &Fixed::bounds)
        .def_prop_ro("keep", array_of(&Fixed::keep))
        .def_prop_ro("by", array_of(&Fixed::by), "Bits of the patterns that strike a set out.")
        .def_ro("stop", &Fixed::stop);
    nb::class_<GroupBest>(m, "GroupBest", "The cheapest networks of the groups of a pattern, and its bound.")
        .def_ro("bound", &GroupBest::bound)
        .def_prop_ro("order", array_of(&GroupBest::order))
        .def_prop_ro("choice", array_of(&GroupBest::choice), "Per variable the position of its parent set.")
        .def_ro("stop", &GroupBest::stop);
}

}  // namespace

void bind_bounds(nb::module_& m) {
    using namespace nb::literals;
    bind_bound_results(m);
    m.def("cluster_reduced_costs", &cluster_reduced_costs, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a,
          "cluster_k"_a, "cluster_y"_a, "The cluster bound at the root, in quanta.");
    m.def("dual_ascent", &raise_greedily, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "target"_a, "work"_a, "seed"_a, "limits"_a, "progress"_a = nb::none(),
          "Raise cluster weights greedily.");
    m.def("volume_ascent", &raise_by_volume, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "target"_a, "work"_a, "threads"_a, "limits"_a, "progress"_a = nb::none(),
          "Raise cluster weights by the volume algorithm.");
    m.def("fix_by_reduced_costs", &fix_by_reduced_costs, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a,
          "cluster_k"_a, "cluster_y"_a, "target"_a, "1 for every parent set that a network below the target may use.");
    m.def("search_weighted", &search_weighted, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "patterns"_a, "strategy"_a, "path_extension"_a, "scc_branching"_a, "prune"_a, "upper"_a,
          "tolerance"_a, "known_order"_a, "threads"_a, "limits"_a, "progress"_a = nb::none(), "record"_a = false,
          "nodes_at_once"_a = 1, "most_nodes"_a = 0, "layers"_a = nb::none(), "checkpoints"_a = nb::none(),
          "Search the order lattice with the heuristic dual-pattern, or cuts where there is no pattern.");
    m.def("weighted_values", &weighted_values, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "patterns"_a, "placed"_a,
          "The heuristic dual-pattern, or cuts where there is no pattern, at the given nodes of the order lattice.");
    m.def("fix_sets", &fix_sets, "offsets"_a, "costs"_a, "sets"_a, "patterns"_a, "target"_a, "threads"_a, "limits"_a,
          "progress"_a = nb::none(), "Fix by pattern databases on reduced costs.");
    m.def("best_of_groups", &best_of_groups, "offsets"_a, "costs"_a, "sets"_a, "pattern"_a, "threads"_a, "limits"_a,
          "progress"_a = nb::none(), "The cheapest network of each group on reduced costs.");
    m.def("count_credits", &credits_of_order, "order"_a, "parents"_a, "n"_a, "cluster_sets"_a, "cluster_k"_a,
          "How many variables of a group, placed in this order with these parents, earn each cluster's credit.");
    m.def("choose_groups", &choose_groups_of, "n"_a, "cluster_sets"_a, "cluster_k"_a, "cluster_y"_a, "largest"_a,
          "partitions"_a, "seed"_a,
          "Partitions into groups that few weighty clusters cross: sets [groups, words] each.");
    m.def("separate_clusters", &separate_clusters, "variables"_a, "parents"_a, "x"_a, "n"_a, "k"_a, "least_violation"_a,
          "most"_a, "threads"_a, "Clusters whose cut the point x breaks, deepest first.");
    m.def(
        "cluster_walks", &cluster_walks, "variables"_a, "parents"_a, "x"_a, "n"_a, "starts"_a, "k"_a,
        "least_violation"_a, "round"_a, "most"_a, "blocks"_a = nb::none(), "unions"_a = 0, "singles"_a = true,
        "stale"_a = 0, "threads"_a = 1,
        "Clusters of any size whose cut the point x breaks, by walks from those given, and from random unions of blocks; "
        "deepest first.");
    m.def("cluster_rows", &cluster_rows, "variables"_a, "parents"_a, "n"_a, "cluster_sets"_a, "cluster_k"_a,
          "Cluster cuts as sparse rows over columns.");
}

}  // namespace sabna::bindings
