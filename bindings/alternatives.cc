// The k best networks and all networks within a factor of the best.
#include "alternatives/alternatives.h"

#include "alternatives/branching.h"
#include "alternatives/combine.h"
#include "bindings.h"
#include "cluster_view.h"
#include "results.h"

namespace sabna::bindings {

namespace {

// Sums, and for each the position taken in every list.
struct Combined {
    std::vector<Cost> costs;
    std::vector<std::uint32_t> positions;
    bool cut = false;
    Stop stop = Stop::none;
};

Alternatives alternatives(Ints offsets, Ints costs, Words sets, std::int64_t count, std::int64_t slack,
                          const Limits& limits, nb::object progress) {
    PythonWatch watch(limits, std::move(progress));
    Alternatives found;
    with_graph(offsets, costs, sets, [&](const auto& graph) {
        nb::gil_scoped_release release;
        found = find_alternatives(graph, {count, Cost{slack}}, watch.watch());
    });
    watch.rethrow();
    return found;
}

BranchingResult branch_networks_of(Ints offsets, Ints costs, Words sets, Words clusters, Ints ks, Ints ys,
                                   std::int64_t best, std::int64_t count, std::int64_t slack, std::int64_t most_visited,
                                   const Limits& limits, nb::object progress) {
    PythonWatch watch(limits, std::move(progress));
    BranchingResult result;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const auto list = clusters_of<W>(clusters, ks, ys);
        nb::gil_scoped_release release;
        result = branch_networks(graph, list, Cost{best}, {count, Cost{slack}}, most_visited, watch.watch());
    });
    watch.rethrow();
    return result;
}

Combined combine_costs(const std::vector<Ints>& parts, std::int64_t count, std::int64_t slack, const Limits& limits) {
    PythonWatch watch(limits, nb::none());
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
    Combined out{done ? combiner.costs() : std::vector<Cost>{}, {}, combiner.cut(), watch.watch().stop()};
    for (const auto& row : positions) out.positions.insert(out.positions.end(), row.begin(), row.end());
    return out;
}

void bind_lists(nb::module_& m) {
    nb::class_<Alternatives>(m, "Alternatives", "Networks, cheapest first; choices [networks * n].")
        .def_prop_ro("costs", array_of(&Alternatives::costs))
        .def_prop_ro("choices", array_of(&Alternatives::choices))
        .def_ro("complete", &Alternatives::complete)
        .def_ro("stop", &Alternatives::stop)
        .def_ro("too_large", &Alternatives::too_large)
        .def_ro("visited", &Alternatives::visited);
    nb::class_<BranchingResult>(m, "BranchingResult",
                                "As Alternatives; nothing within `within` quanta of the best is missing.")
        .def_prop_ro("costs",
                     [](nb::handle_t<BranchingResult> self) {
                         return view_of(nb::cast<BranchingResult&>(self).found.costs, self);
                     })
        .def_prop_ro("choices",
                     [](nb::handle_t<BranchingResult> self) {
                         return view_of(nb::cast<BranchingResult&>(self).found.choices, self);
                     })
        .def_prop_ro("complete", [](const BranchingResult& b) { return b.found.complete; })
        .def_prop_ro("cut", [](const BranchingResult& b) { return b.found.cut; })
        .def_prop_ro("within", [](const BranchingResult& b) { return b.within.quanta; })
        .def_ro("gave_up", &BranchingResult::gave_up)
        .def_ro("stop", &BranchingResult::stop)
        .def_ro("visited", &BranchingResult::visited);
    nb::class_<Combined>(m, "Combined", "Sums, cheapest first, and the position taken in every list [sums * lists].")
        .def_prop_ro("costs", array_of(&Combined::costs))
        .def_prop_ro("positions", array_of(&Combined::positions))
        .def_ro("cut", &Combined::cut)
        .def_ro("stop", &Combined::stop);
}

}  // namespace

void bind_alternatives(nb::module_& m) {
    using namespace nb::literals;
    m.attr("largest_dense_component") = largest_dense_component;
    bind_lists(m);
    m.def("alternatives", &alternatives, "offsets"_a, "costs"_a, "sets"_a, "count"_a, "slack"_a, "limits"_a,
          "progress"_a = nb::none(),
          "The `count` best networks within `slack` quanta of the best: costs, and choices (a position per variable).");
    m.def("branch_networks", &branch_networks_of, "offsets"_a, "costs"_a, "sets"_a, "cluster_sets"_a, "cluster_k"_a,
          "cluster_y"_a, "best"_a, "count"_a, "slack"_a, "most_visited"_a, "limits"_a, "progress"_a = nb::none(),
          "The `count` best networks within `slack` of `best`, by branching on parent sets with cluster weights.");
    m.def("combine_costs", &combine_costs, "parts"_a, "count"_a, "slack"_a, "limits"_a,
          "Sums of one cost of every ascending list, cheapest first: costs, and a position per list for each.");
}

}  // namespace sabna::bindings
