// Lower bounds: cluster weights, their ascent, separation for the linear program, and its rows.
#include "bounds/cluster_bound.h"

#include <nanobind/stl/tuple.h>

#include "bindings.h"
#include "bounds/dual_ascent.h"
#include "bounds/fixing.h"
#include "bounds/group_best.h"
#include "bounds/separation.h"
#include "outcome_dict.h"
#include "cluster_view.h"
#include "search/weighted.h"

namespace sabna::bindings {
namespace {

using Ints = Array1<std::int64_t>;
using Words = Array2<std::uint64_t>;
using Dict = nb::typed<nb::dict, nb::str, nb::any>;
using Tuple = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

template <int W, class Item>
auto sets_to_numpy(const std::vector<Item>& items) {
    auto* heap = new std::vector<VarSet<W>>();
    for (const Item& item : items) heap->push_back(item.set);
    nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<std::vector<VarSet<W>>*>(p); });
    return nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>(heap->data(), {heap->size(), std::size_t(W)}, owner);
}

template <class T, class Item, class Get>
auto column(const std::vector<Item>& items, Get get) {
    std::vector<T> values;
    for (const Item& item : items) values.push_back(get(item));
    return to_numpy(std::move(values));
}

Tuple cluster_reduced_costs(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        const auto list = clusters_of<W>(clusters, ks, ys);
        ReducedCosts reduced;
        {
            nb::gil_scoped_release release;
            reduced = reduced_costs(graph, list);
        }
        return Tuple(nb::make_tuple(reduced.bound, to_numpy(std::move(reduced.cost)), to_numpy(std::move(reduced.least))));
    });
}

Tuple ascend(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys, std::int64_t target,
                 std::int64_t work, std::uint64_t seed, double seconds, std::uint64_t bytes, nb::object progress) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        auto list = clusters_of<W>(clusters, ks, ys);
        PythonWatch watch(seconds, bytes, std::move(progress));
        AscentOptions options;
        options.target = target, options.work = work, options.seed = seed;
        AscentResult<W> result;
        {
            nb::gil_scoped_release release;
            result = dual_ascent(graph, std::move(list), options, watch.watch());
        }
        watch.rethrow();
        return Tuple(nb::make_tuple(result.bound, sets_to_numpy<W>(result.clusters),
                              column<std::int64_t>(result.clusters, [](const auto& c) { return c.k; }),
                              column<std::int64_t>(result.clusters, [](const auto& c) { return c.y; }), result.work,
                              int(watch.watch().stop())));
    });
}

Tuple separate_clusters(Array1<std::int32_t> variables, Words parents, Array1<double> x, int n, int k,
                            double least_violation, std::size_t most) {
    return with_words(n, [&]<int W>() {
        if (parents.shape(1) != W || parents.shape(0) != variables.shape(0) || x.shape(0) != variables.shape(0))
            throw std::invalid_argument("separate_clusters: the shapes do not fit together");
        const auto* sets = reinterpret_cast<const VarSet<W>*>(parents.data());
        std::vector<Share<W>> point;
        for (std::size_t p = 0; p < variables.shape(0); ++p)
            point.push_back({variables.data()[p], sets[p], x.data()[p]});
        std::vector<Cut<W>> cuts;
        {
            nb::gil_scoped_release release;
            cuts = separate<W>(n, point, k, least_violation, most);
        }
        return Tuple(nb::make_tuple(sets_to_numpy<W>(cuts), column<double>(cuts, [](const auto& c) { return c.violation; })));
    });
}

// The cuts as sparse rows over the given columns (variable, parents): starts [K + 1] and column positions.
Tuple cluster_rows(Array1<std::int32_t> variables, Words parents, int n, Words clusters, Ints ks) {
    return with_words(n, [&]<int W>() {
        const auto* sets = reinterpret_cast<const VarSet<W>*>(parents.data());
        const auto* cluster = reinterpret_cast<const VarSet<W>*>(clusters.data());
        std::vector<std::int32_t> starts{0}, index;
        for (std::size_t c = 0; c < clusters.shape(0); ++c) {
            const Cluster<W> cut{cluster[c], int(ks.data()[c]), 0};
            for (std::size_t p = 0; p < variables.shape(0); ++p)
                if (cut.set.contains(variables.data()[p]) && cut.credits(sets[p])) index.push_back(std::int32_t(p));
            starts.push_back(std::int32_t(index.size()));
        }
        return Tuple(nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(index))));
    });
}

auto fix_by_reduced_costs(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys, std::int64_t target) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        return to_numpy(fix_by_reduced_cost(graph, reduced_costs(graph, clusters_of<W>(clusters, ks, ys)), target));
    });
}

// A pattern travels as a tuple: cluster sets, k, y, and the groups [G, W].
using PatternArrays = std::tuple<Words, Ints, Ints, Words>;

template <int W>
std::vector<Pattern<W>> patterns_of(const std::vector<PatternArrays>& arrays) {
    std::vector<Pattern<W>> patterns;
    for (const auto& [sets, ks, ys, groups] : arrays) {
        if (groups.shape(1) != W) throw std::invalid_argument("groups: sets of another width than the graph's");
        const auto* first = reinterpret_cast<const VarSet<W>*>(groups.data());
        patterns.push_back({clusters_of<W>(sets, ks, ys), Partition<W>(first, first + groups.shape(0))});
    }
    return patterns;
}

// `known_order` is an order whose network is the best known; where it is empty, networks below `upper` are looked for.
Dict search_weighted(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys,
                     const std::vector<PatternArrays>& patterns, const std::string& strategy, bool path_extension,
                     bool scc_branching, bool prune, std::int64_t upper, std::int64_t tolerance,
                     std::vector<int> known_order, int threads, double seconds, std::uint64_t bytes,
                     nb::object progress) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        const Weighting<W> weighting{clusters_of<W>(clusters, ks, ys), patterns_of<W>(patterns)};
        const SearchOptions options{path_extension, scc_branching, prune, Cost{tolerance}, threads};
        PythonWatch watch(seconds, bytes, std::move(progress));
        Outcome outcome;
        {
            nb::gil_scoped_release release;
            Assignment known;
            known.cost = Cost{upper};
            if (!known_order.empty()) known = assign(graph, std::move(known_order));
            outcome = run_weighted(graph, weighting, strategy, options, known, watch.watch());
        }
        watch.rethrow();
        return Dict(outcome_dict(std::move(outcome), graph.n));
    });
}

auto weighted_values(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys,
                     const std::vector<PatternArrays>& patterns, Words placed) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        if (placed.shape(1) != W) throw std::invalid_argument("placed: sets of another width than the graph's");
        const auto* first = reinterpret_cast<const VarSet<W>*>(placed.data());
        const Weighting<W> weighting{clusters_of<W>(clusters, ks, ys), patterns_of<W>(patterns)};
        std::vector<std::int64_t> values;
        for (const Cost cost :
             evaluate_weighted(graph, weighting, std::vector<VarSet<W>>(first, first + placed.shape(0))))
            values.push_back(cost.quanta);
        return to_numpy(std::move(values));
    });
}

// Tables on reduced costs are filled, sets fixed. The tables are gone afterwards: the search makes its own from the
// smaller graph.
Tuple fix_sets(Ints offsets, Ints costs, Words sets, const std::vector<PatternArrays>& patterns, std::int64_t target,
               int threads, double seconds, std::uint64_t bytes, nb::object progress) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        const auto list = patterns_of<W>(patterns);
        PythonWatch watch(seconds, bytes, std::move(progress));
        std::vector<std::uint8_t> keep(std::size_t(graph.size()), 1);
        std::vector<std::int64_t> bounds(list.size(), -Cost::infinite().quanta);
        {
            nb::gil_scoped_release release;
            const DualPatternDb<W> database(graph, list, threads, watch.watch());
            if (database.ready()) {
                for (std::size_t p = 0; p < list.size(); ++p) bounds[p] = database.parts()[p].root;
                fix_by_tables(database, target, threads, keep, watch.watch());
            }
        }
        watch.rethrow();
        return Tuple(nb::make_tuple(nb::cast(std::move(bounds)), to_numpy(std::move(keep)), int(watch.watch().stop())));
    });
}

Tuple best_of_groups(Ints offsets, Ints costs, Words sets, const PatternArrays& pattern, int threads, double seconds,
                     std::uint64_t bytes, nb::object progress) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        const Pattern<W> one = patterns_of<W>({pattern}).front();
        PythonWatch watch(seconds, bytes, std::move(progress));
        GroupBest best;
        {
            nb::gil_scoped_release release;
            best = group_best(graph, one, threads, watch.watch());
        }
        watch.rethrow();
        return Tuple(nb::make_tuple(best.bound, to_numpy(std::move(best.choice)), to_numpy(std::move(best.order)),
                                    int(watch.watch().stop())));
    });
}

// For each cluster, how many of the variables, placed in this order with these parent sets, earn its credit.
auto count_credits(Array1<std::int32_t> order, Words parents, int n, Words clusters, Ints ks) {
    return with_words(n, [&]<int W>() {
        const auto* sets = reinterpret_cast<const VarSet<W>*>(parents.data());
        const auto* cluster = reinterpret_cast<const VarSet<W>*>(clusters.data());
        std::vector<std::int32_t> counts(clusters.shape(0));
        for (std::size_t c = 0; c < counts.size(); ++c) {
            const Cluster<W> cut{cluster[c], int(ks.data()[c]), 0};
            for (std::size_t p = 0, placed = 0; p < order.shape(0) && int(placed) < cut.k; ++p) {
                if (!cut.set.contains(order.data()[p])) continue;
                counts[c] += cut.credits(sets[p]);
                ++placed;
            }
        }
        return to_numpy(std::move(counts));
    });
}

auto choose_groups(int n, Words clusters, Ints ks, Ints ys, int largest, int partitions, std::uint64_t seed) {
    return with_words(n, [&]<int W>() {
        nb::typed<nb::list, nb::any> result;
        struct Item { VarSet<W> set; };
        for (const auto& partition : choose_partitions<W>(n, clusters_of<W>(clusters, ks, ys), largest, partitions, seed)) {
            std::vector<Item> items;
            for (const VarSet<W>& group : partition) items.push_back({group});
            result.append(sets_to_numpy<W>(items));
        }
        return result;
    });
}

}  // namespace

void bind_bounds(nb::module_& m) {
    using namespace nb::literals;
    m.def("cluster_reduced_costs", &cluster_reduced_costs, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a,
          "cluster_k"_a, "cluster_y"_a,
          "The cluster bound at the root: (bound, reduced cost per set, least per variable), in quanta.");
    m.def("dual_ascent", &ascend, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a, "cluster_y"_a,
          "target"_a, "work"_a, "seed"_a, "seconds"_a, "bytes"_a, "progress"_a.none(),
          "Raise cluster weights greedily: (bound, sets, k, y, work done, stop).");
    m.def("fix_by_reduced_costs", &fix_by_reduced_costs, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a,
          "cluster_k"_a, "cluster_y"_a, "target"_a, "1 for every parent set that a network below the target may use.");
    m.def("search_weighted", &search_weighted, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "patterns"_a, "strategy"_a, "path_extension"_a, "scc_branching"_a, "prune"_a, "upper"_a,
          "tolerance"_a, "known_order"_a, "threads"_a, "seconds"_a, "bytes"_a, "progress"_a.none(),
          "Search the order lattice with the heuristic dual-pattern, or cuts where there is no pattern.");
    m.def("weighted_values", &weighted_values, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "patterns"_a, "placed"_a,
          "The heuristic dual-pattern, or cuts where there is no pattern, at the given nodes of the order lattice.");
    m.def("fix_sets", &fix_sets, "offsets"_a, "costs"_a, "sets"_a, "patterns"_a, "target"_a, "threads"_a, "seconds"_a,
          "bytes"_a, "progress"_a.none(),
          "Fix by pattern databases on reduced costs: (bound of each pattern, 1 per set that may stay, stop).");
    m.def("best_of_groups", &best_of_groups, "offsets"_a, "costs"_a, "sets"_a, "pattern"_a, "threads"_a, "seconds"_a,
          "bytes"_a, "progress"_a.none(),
          "The cheapest network of each group on reduced costs: (bound, parent set per variable, order, stop).");
    m.def("count_credits", &count_credits, "order"_a, "parents"_a, "n"_a, "cluster_sets"_a, "cluster_k"_a,
          "How many variables of a group, placed in this order with these parents, earn each cluster's credit.");
    m.def("choose_groups", &choose_groups, "n"_a, "cluster_sets"_a, "cluster_k"_a, "cluster_y"_a, "largest"_a,
          "partitions"_a, "seed"_a, "Partitions into groups that few weighty clusters cross: sets [groups, words] each.");
    m.def("separate_clusters", &separate_clusters, "variables"_a, "parents"_a, "x"_a, "n"_a, "k"_a,
          "least_violation"_a, "most"_a, "Clusters whose cut the point x breaks: (sets, violations), deepest first.");
    m.def("cluster_rows", &cluster_rows, "variables"_a, "parents"_a, "n"_a, "cluster_sets"_a, "cluster_k"_a,
          "Cluster cuts as sparse rows over columns: (starts, column positions).");
}

}  // namespace sabna::bindings
