// Exact search of few variables by tables.
#include "search/dense.h"

#include "bindings.h"

namespace sabna::bindings {
namespace {

Tuple search_dense(Ints offsets, Ints costs, Words sets, int threads, double seconds, std::uint64_t bytes,
                   nb::object progress) {
    const auto graph = graph_view<1>(offsets, costs, sets);
    PythonWatch watch(seconds, bytes, std::move(progress));
    Outcome outcome;
    {
        nb::gil_scoped_release release;
        outcome = dense_search(graph, threads, watch.watch());
    }
    watch.rethrow();
    return Tuple(nb::make_tuple(int(outcome.stop), outcome.best.cost.quanta, to_numpy(std::move(outcome.best.choice)),
                                outcome.counts.expanded));
}

}  // namespace

void bind_dense(nb::module_& m) {
    using namespace nb::literals;
    m.def("dense_search", &search_dense, "offsets"_a, "costs"_a, "sets"_a, "threads"_a, "seconds"_a, "bytes"_a,
          "progress"_a.none(),
          "The whole lattice as one table: (stop, cost, position of each variable's parent set, subsets).");
    m.def("dense_bytes", &dense_bytes, "n"_a, "threads"_a, "Memory that dense_search takes.");
}

}  // namespace sabna::bindings
