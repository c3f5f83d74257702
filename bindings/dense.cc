// Exact search of few variables by tables.
#include "search/dense.h"

#include "results.h"

namespace sabna::bindings {
namespace {

Outcome search_dense(Ints offsets, Ints costs, Words sets, int threads, const Limits& limits, nb::object progress) {
    const auto graph = graph_view<1>(offsets, costs, sets);
    PythonWatch watch(limits, std::move(progress));
    Outcome outcome;
    {
        nb::gil_scoped_release release;
        outcome = dense_search(graph, threads, watch.watch());
    }
    watch.rethrow();
    return outcome;
}

}  // namespace

void bind_dense(nb::module_& m) {
    using namespace nb::literals;
    m.def("dense_search", &search_dense, "offsets"_a, "costs"_a, "sets"_a, "threads"_a, "limits"_a,
          "progress"_a = nb::none(), "The whole lattice as one table; all its subsets are expanded.");
    m.def("dense_bytes", &dense_bytes, "n"_a, "threads"_a, "Memory that dense_search takes.");
}

}  // namespace sabna::bindings
