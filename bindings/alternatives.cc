// The k best networks and all networks within a factor of the best.
#include "alternatives/alternatives.h"

#include "bindings.h"

namespace sabna::bindings {

namespace {

nb::typed<nb::dict, nb::str, nb::any> alternatives(Array1<std::int64_t> offsets, Array1<std::int64_t> costs, Array2<std::uint64_t> sets,
                      std::int64_t count, std::int64_t slack, double seconds, std::uint64_t bytes, nb::object progress) {
    PythonWatch watch(seconds, bytes, std::move(progress));
    const int n = int(offsets.shape(0)) - 1;
    Alternatives found = with_words(n, [&]<int W>() {
        const auto graph = graph_view<W>(offsets, costs, sets);
        nb::gil_scoped_release nogil;
        return find_alternatives(graph, {count, Cost{slack}}, watch.watch());
    });
    watch.rethrow();
    std::vector<std::int64_t> quanta(found.costs.size());
    for (std::size_t k = 0; k < quanta.size(); ++k) quanta[k] = found.costs[k].quanta;
    nb::dict out;
    out["costs"] = to_numpy(std::move(quanta));
    out["choices"] = to_numpy(std::move(found.choices));
    out["complete"] = found.complete;
    out["stop"] = int(found.stop);
    out["too_large"] = found.too_large;
    out["visited"] = found.visited;
    return nb::borrow<nb::typed<nb::dict, nb::str, nb::any>>(out);
}

}  // namespace

void bind_alternatives(nb::module_& m) {
    using namespace nb::literals;
    m.attr("largest_dense_component") = largest_dense_component;
    m.def("alternatives", &alternatives, "offsets"_a, "costs"_a, "sets"_a, "count"_a, "slack"_a, "seconds"_a = -1.0,
          "bytes"_a = ~std::uint64_t{0}, "progress"_a = nb::none(),
          "The `count` best networks within `slack` quanta of the best: costs, and choices (a position per variable).");
}

}  // namespace sabna::bindings
