// Searches, upper bounds, components, and values of heuristics.
#include <optional>

#include "bindings.h"
#include "bounds/local_search.h"
#include "outcome_dict.h"
#include "search/components.h"
#include "search/run.h"

namespace sabna::bindings {

namespace {

HeuristicChoice heuristic_choice(const std::string& name, int groups, const std::string& grouping) {
    const auto method = grouping_named(grouping);
    if (!method) throw std::invalid_argument("unknown grouping " + grouping);
    return {name, groups, *method};
}

// `known_order`: an order whose network is the best known so far; empty if there is none.
Dict search(const Ints& offsets, const Ints& costs, const Words& sets, const std::string& strategy,
            const std::string& heuristic, int groups, const std::string& grouping, bool path_extension,
            bool scc_branching, bool prune, std::int64_t tolerance, int threads, std::vector<int> known_order,
            double seconds, std::uint64_t bytes, nb::object progress) {
    const HeuristicChoice choice = heuristic_choice(heuristic, groups, grouping);
    const SearchOptions options{path_extension, scc_branching, prune, Cost{tolerance}, threads};
    PythonWatch watch(seconds, bytes, std::move(progress));
    Outcome outcome;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        nb::gil_scoped_release release;
        const Assignment known = known_order.empty() ? Assignment{} : assign(graph, std::move(known_order));
        outcome = run_search(graph, strategy, choice, options, known, watch.watch());
    });
    watch.rethrow();
    return Dict(outcome_dict(std::move(outcome), int(offsets.shape(0)) - 1));
}

Dict local_search_order(const Ints& offsets, const Ints& costs, const Words& sets, std::uint64_t seed, int restarts,
                        int kicks, std::int64_t work, std::vector<int> start, double seconds, std::uint64_t bytes,
                        nb::object progress) {
    const LocalSearchOptions options{seed, restarts, kicks, work, std::move(start)};
    PythonWatch watch(seconds, bytes, std::move(progress));
    Assignment best;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        nb::gil_scoped_release release;
        best = local_search(graph, options, watch.watch());
    });
    watch.rethrow();
    nb::dict d = network_dict(std::move(best), int(offsets.shape(0)) - 1);
    d["stop"] = int(watch.watch().stop());
    return Dict(d);
}

std::vector<std::vector<int>> components(const Ints& offsets, const Ints& costs, const Words& sets) {
    std::vector<std::vector<int>> found;
    with_graph(offsets, costs, sets, [&](const auto& graph) { found = find_components(graph); });
    return found;
}

Tuple extract(const Ints& offsets, const Ints& costs, const Words& sets, const std::vector<int>& members) {
    OwnedGraph extracted;
    std::vector<std::int64_t> origin;
    std::optional<FlatGraph> whole;
    with_graph(offsets, costs, sets, [&](const auto& graph) { whole.emplace(graph); });
    with_words(int(members.size()), [&]<int V>() {
        auto part = extract_component<V>(*whole, members);
        extracted = OwnedGraph(std::move(part.graph)), origin = std::move(part.origin);
    });
    return Tuple(nb::make_tuple(to_numpy(std::move(extracted)), to_numpy(std::move(origin))));
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
    m.def("search", &search, "offsets"_a, "costs"_a, "sets"_a, "strategy"_a, "heuristic"_a, "groups"_a, "grouping"_a,
          "path_extension"_a, "scc_branching"_a, "prune"_a, "tolerance"_a, "threads"_a, "known_order"_a, "seconds"_a,
          "bytes"_a, "progress"_a.none(), "Search the order lattice of a parent graph.");
    m.def("local_search", &local_search_order, "offsets"_a, "costs"_a, "sets"_a, "seed"_a, "restarts"_a, "kicks"_a,
          "work"_a, "start"_a, "seconds"_a, "bytes"_a, "progress"_a.none(),
          "A good network by order-based local search, from the order `start` unless that is empty.");
    m.def("components", &components, "offsets"_a, "costs"_a, "sets"_a,
          "The strongly connected components of `may be a parent of`, parents first.");
    m.def("extract_component", &extract, "offsets"_a, "costs"_a, "sets"_a, "members"_a,
          "One component as a parent graph, and the position in the whole graph of each of its sets.");
    m.def("heuristic_values", &heuristic_values, "offsets"_a, "costs"_a, "sets"_a, "heuristic"_a, "groups"_a,
          "grouping"_a, "placed"_a, "A heuristic at the given nodes of the order lattice.");
}

}  // namespace sabna::bindings
