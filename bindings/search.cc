// Searches, upper bounds, components, and values of heuristics.
#include "bindings.h"
#include "bounds/local_search.h"
#include "outcome_dict.h"
#include "search/components.h"
#include "search/run.h"

namespace sabna::bindings {

namespace {

using Offsets = Array1<std::int64_t>;
using Costs = Array1<std::int64_t>;
using Sets = Array2<std::uint64_t>;

using Dict = nb::typed<nb::dict, nb::str, nb::any>;
using Tuple = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

int variables(const Offsets& offsets) { return int(offsets.shape(0)) - 1; }

HeuristicChoice heuristic_choice(const std::string& name, int groups, const std::string& grouping) {
    const auto method = grouping_named(grouping);
    if (!method) throw std::invalid_argument("unknown grouping " + grouping);
    return {name, groups, *method};
}

// `known_order`: an order whose network is the best known so far; empty if there is none.
Dict search(const Offsets& offsets, const Costs& costs, const Sets& sets, const std::string& strategy,
                const std::string& heuristic, int groups, const std::string& grouping, bool path_extension,
                bool scc_branching, bool prune, std::int64_t tolerance, int threads, std::vector<int> known_order,
                double seconds, std::uint64_t bytes, nb::object progress) {
    return with_words(variables(offsets), [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        const HeuristicChoice choice = heuristic_choice(heuristic, groups, grouping);
        const SearchOptions options{path_extension, scc_branching, prune, Cost{tolerance}, threads};
        PythonWatch watch(seconds, bytes, std::move(progress));
        Outcome outcome;
        {
            nb::gil_scoped_release release;
            const Assignment known = known_order.empty() ? Assignment{} : assign(graph, std::move(known_order));
            outcome = run_search(graph, strategy, choice, options, known, watch.watch());
        }
        watch.rethrow();
        return Dict(outcome_dict(std::move(outcome), graph.n));
    });
}

Dict local_search_order(const Offsets& offsets, const Costs& costs, const Sets& sets, std::uint64_t seed, int restarts,
                        int kicks, std::int64_t work, std::vector<int> start, double seconds, std::uint64_t bytes,
                        nb::object progress) {
    return with_words(variables(offsets), [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        PythonWatch watch(seconds, bytes, std::move(progress));
        Assignment best;
        {
            nb::gil_scoped_release release;
            best = local_search(graph, {seed, restarts, kicks, work, std::move(start)}, watch.watch());
        }
        watch.rethrow();
        nb::dict d = network_dict(std::move(best), graph.n);
        d["stop"] = int(watch.watch().stop());
        return Dict(d);
    });
}

std::vector<std::vector<int>> components(const Offsets& offsets, const Costs& costs, const Sets& sets) {
    return with_words(variables(offsets), [&]<int W>() { return find_components(graph_view<W>(offsets, costs, sets)); });
}

Tuple extract(const Offsets& offsets, const Costs& costs, const Sets& sets, const std::vector<int>& members) {
    return with_words(variables(offsets), [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        return with_words(int(members.size()), [&]<int V>() {
            auto part = extract_component<W, V>(graph, members);
            return Tuple(nb::make_tuple(graph_to_numpy<V>(std::move(part.graph)), to_numpy(std::move(part.origin))));
        });
    });
}

auto heuristic_values(const Offsets& offsets, const Costs& costs, const Sets& sets, const std::string& heuristic, int groups,
                      const std::string& grouping, const Sets& placed) {
    return with_words(variables(offsets), [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        if (placed.shape(1) != W) throw std::invalid_argument("placed: sets of another width than the graph's");
        const auto* first = reinterpret_cast<const VarSet<W>*>(placed.data());
        std::vector<std::int64_t> values;
        for (const Cost cost : evaluate_heuristic(graph, heuristic_choice(heuristic, groups, grouping),
                                                  std::vector<VarSet<W>>(first, first + placed.shape(0))))
            values.push_back(cost.quanta);
        return to_numpy(std::move(values));
    });
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
