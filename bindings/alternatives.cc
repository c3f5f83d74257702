// The k best networks and all networks within a factor of the best.
#include "alternatives/alternatives.h"

#include "alternatives/branching.h"
#include "alternatives/combine.h"
#include "bindings.h"
#include "cluster_view.h"

namespace sabna::bindings {

namespace {

Dict alternatives(Ints offsets, Ints costs, Words sets, std::int64_t count, std::int64_t slack, double seconds,
                  std::uint64_t bytes, nb::object progress) {
    PythonWatch watch(seconds, bytes, std::move(progress));
    Alternatives found;
    with_graph(offsets, costs, sets, [&](const auto& graph) {
        nb::gil_scoped_release release;
        found = find_alternatives(graph, {count, Cost{slack}}, watch.watch());
    });
    watch.rethrow();
    nb::dict out;
    out["costs"] = costs_to_numpy(found.costs);
    out["choices"] = to_numpy(std::move(found.choices));
    out["complete"] = found.complete;
    out["stop"] = int(found.stop);
    out["too_large"] = found.too_large;
    out["visited"] = found.visited;
    return Dict(out);
}

Dict branch_networks_of(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys, std::int64_t best,
                        std::int64_t count, std::int64_t slack, std::int64_t most_visited, double seconds,
                        std::uint64_t bytes, nb::object progress) {
    PythonWatch watch(seconds, bytes, std::move(progress));
    BranchingResult result;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const auto list = clusters_of<W>(clusters, ks, ys);
        nb::gil_scoped_release release;
        result = branch_networks(graph, list, Cost{best}, {count, Cost{slack}}, most_visited, watch.watch());
    });
    watch.rethrow();
    Dict out;
    out["costs"] = costs_to_numpy(result.found.costs);
    out["choices"] = to_numpy(std::move(result.found.choices));
    out["complete"] = result.found.complete;
    out["cut"] = result.found.cut;
    out["gave_up"] = result.gave_up;
    out["within"] = result.within.quanta;
    out["stop"] = int(watch.watch().stop());
    out["visited"] = result.visited;
    return out;
}

Dict combine_costs(const std::vector<Ints>& parts, std::int64_t count, std::int64_t slack, double seconds,
                   std::uint64_t bytes) {
    PythonWatch watch(seconds, bytes, nb::none());
    Combiner combiner(int(parts.size()), {count, Cost{slack}}, watch.watch());
    std::vector<std::vector<std::uint32_t>> positions;
    std::vector<std::vector<Cost>> lists;
    for (const auto& part : parts) {
        lists.emplace_back();
        for (std::size_t k = 0; k < part.shape(0); ++k) lists.back().push_back(Cost{part.data()[k]});
    }
    bool done = true;
    {
        nb::gil_scoped_release release;
        for (const auto& list : lists) done = done && combiner.add(list);
        if (done) positions = combiner.positions();
    }
    watch.rethrow();
    std::vector<std::uint32_t> flat;
    for (const auto& row : positions) flat.insert(flat.end(), row.begin(), row.end());
    Dict out;
    out["costs"] = costs_to_numpy(done ? combiner.costs() : std::vector<Cost>{});
    out["positions"] = to_numpy(std::move(flat));
    out["cut"] = combiner.cut();
    out["stop"] = int(watch.watch().stop());
    return out;
}

}  // namespace

void bind_alternatives(nb::module_& m) {
    using namespace nb::literals;
    m.attr("largest_dense_component") = largest_dense_component;
    m.def("alternatives", &alternatives, "offsets"_a, "costs"_a, "sets"_a, "count"_a, "slack"_a, "seconds"_a = -1.0,
          "bytes"_a = ~std::uint64_t{0}, "progress"_a = nb::none(),
          "The `count` best networks within `slack` quanta of the best: costs, and choices (a position per variable).");
    m.def("branch_networks", &branch_networks_of, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "best"_a, "count"_a, "slack"_a, "most_visited"_a = -1, "seconds"_a = -1.0,
          "bytes"_a = ~std::uint64_t{0}, "progress"_a = nb::none(),
          "The `count` best networks within `slack` of `best`, by branching on parent sets with cluster weights.");
    m.def("combine_costs", &combine_costs, "parts"_a, "count"_a, "slack"_a, "seconds"_a = -1.0,
          "bytes"_a = ~std::uint64_t{0},
          "Sums of one cost of every ascending list, cheapest first: costs, and a position per list for each.");
}

}  // namespace sabna::bindings
