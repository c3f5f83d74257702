// Searches, upper bounds, components, and values of heuristics.
#include <optional>

#include "bindings.h"
#include "bounds/local_search.h"
#include "checkpoints.h"
#include "layer_files.h"
#include "results.h"
#include "search/components.h"
#include "search/run.h"

namespace sabna::bindings {

namespace {

struct Component : GraphArrays {
    std::vector<std::int64_t> origin;  // per set its position in the whole graph
};

HeuristicChoice heuristic_choice(const std::string& name, int groups, const std::string& grouping) {
    const auto method = grouping_named(grouping);
    if (!method) throw std::invalid_argument("unknown grouping " + grouping);
    return {name, groups, *method};
}

// `known_order`: an order whose network is the best known so far; empty if there is none.
Outcome search(const Ints& offsets, const Ints& costs, const Words& sets, const std::string& strategy,
               const std::string& heuristic, int groups, const std::string& grouping, bool path_extension,
               bool scc_branching, bool prune, std::int64_t tolerance, int threads, std::vector<int> known_order,
               const Limits& limits, nb::object progress, nb::object layers, nb::object checkpoints) {
    const HeuristicChoice choice = heuristic_choice(heuristic, groups, grouping);
    PythonWatch watch(limits, std::move(progress));
    PythonLayerFiles files(std::move(layers), watch);
    PythonCheckpoints kept(std::move(checkpoints), watch);
    SearchOptions options{path_extension, scc_branching, prune, Cost{tolerance}, threads};
    options.files = files.get();
    options.checkpoints = kept.get();
    Outcome outcome;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        nb::gil_scoped_release release;
        const Assignment known = known_order.empty() ? Assignment{} : assign(graph, std::move(known_order));
        outcome = run_search(graph, strategy, choice, options, known, watch.watch());
    });
    watch.rethrow();
    return outcome;
}

Outcome local_search_order(const Ints& offsets, const Ints& costs, const Words& sets, std::uint64_t seed, int restarts,
                           int kicks, int crossings, std::int64_t work, std::vector<std::vector<int>> starts,
                           int threads, const Limits& limits, nb::object progress) {
    const LocalSearchOptions options{seed, restarts, kicks, crossings, work, std::move(starts), threads};
    PythonWatch watch(limits, std::move(progress));
    Outcome outcome;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        nb::gil_scoped_release release;
        outcome.best = local_search(graph, options, watch.watch());
    });
    watch.rethrow();
    outcome.stop = watch.watch().stop();
    return outcome;
}

std::vector<std::vector<int>> components(const Ints& offsets, const Ints& costs, const Words& sets) {
    std::vector<std::vector<int>> found;
    with_graph(offsets, costs, sets, [&](const auto& graph) { found = find_components(graph); });
    return found;
}

Component extract(const Ints& offsets, const Ints& costs, const Words& sets, const std::vector<int>& members) {
    Component component;
    std::optional<FlatGraph> whole;
    with_graph(offsets, costs, sets, [&](const auto& graph) { whole.emplace(graph); });
    with_words(int(members.size()), [&]<int V>() {
        auto part = extract_component<V>(*whole, members);
        component = {GraphArrays(std::move(part.graph)), std::move(part.origin)};
    });
    return component;
}

auto heuristic_values(const Ints& offsets, const Ints& costs, const Words& sets, const std::string& heuristic,
                      int groups, const std::string& grouping, const Words& placed) {
    const HeuristicChoice choice = heuristic_choice(heuristic, groups, grouping);
    std::vector<Cost> values;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const auto nodes = sets_of<W>(placed);
        values = evaluate_heuristic(graph, choice, std::vector<VarSet<W>>(nodes.begin(), nodes.end()));
    });
    return costs_to_numpy(values);
}

}  // namespace

void bind_search(nb::module_& m) {
    using nb::literals::operator""_a;
    nb::class_<Component, GraphArrays>(m, "Component", "A component as a parent graph of its own.")
        .def_prop_ro("origin", array_of(&Component::origin), "Per set its position in the whole graph.");
    m.def("search", &search, "offsets"_a, "costs"_a, "sets"_a, "strategy"_a, "heuristic"_a, "groups"_a, "grouping"_a,
          "path_extension"_a, "scc_branching"_a, "prune"_a, "tolerance"_a, "threads"_a, "known_order"_a, "limits"_a,
          "progress"_a = nb::none(), "layers"_a = nb::none(), "checkpoints"_a = nb::none(),
          "Search the order lattice; `layers` keeps those of a breadth-first search, `checkpoints` how far A* is.");
    m.def("local_search", &local_search_order, "offsets"_a, "costs"_a, "sets"_a, "seed"_a, "restarts"_a, "kicks"_a,
          "crossings"_a, "work"_a, "starts"_a, "threads"_a, "limits"_a, "progress"_a = nb::none(),
          "A good network by order-based local search, from the orders `starts` and then from random ones.");
    m.def("components", &components, "offsets"_a, "costs"_a, "sets"_a,
          "The strongly connected components of `may be a parent of`, parents first.");
    m.def("extract_component", &extract, "offsets"_a, "costs"_a, "sets"_a, "members"_a,
          "One component as a parent graph.");
    m.def("heuristic_values", &heuristic_values, "offsets"_a, "costs"_a, "sets"_a, "heuristic"_a, "groups"_a,
          "grouping"_a, "placed"_a, "A heuristic at the given nodes of the order lattice.");
}

}  // namespace sabna::bindings
