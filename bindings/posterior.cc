// Posterior probabilities of edges, and networks drawn from the posterior.
#include "posterior/posterior.h"

#include "results.h"

namespace sabna::bindings {
namespace {

Posterior posterior(Ints offsets, Ints costs, Words sets, bool uniform, std::int64_t samples, std::uint64_t seed,
                    int threads, const Limits& limits, nb::object progress) {
    const auto graph = graph_view<1>(offsets, costs, sets);
    PythonWatch watch(limits, std::move(progress));
    Posterior found;
    {
        nb::gil_scoped_release release;
        const PosteriorAsked asked{uniform ? StructurePrior::uniform : StructurePrior::order, samples, seed};
        found = find_posterior(graph, asked, threads, watch.watch());
    }
    watch.rethrow();
    return found;
}

}  // namespace

void bind_posterior(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Posterior>(m, "Posterior", "Sums over all networks of some parent sets.")
        .def_prop_ro("edges", array_of(&Posterior::edges), "At [u * n + j] the probability that u is a parent of j.")
        .def_prop_ro("choices", array_of(&Posterior::choices),
                     "Of the networks drawn, n positions each: which of its parent sets a variable has.")
        .def_ro("log_total", &Posterior::log_total)
        .def_ro("possible", &Posterior::possible, "Whether there is a network.")
        .def_ro("stop", &Posterior::stop);
    m.def("posterior", &posterior, "offsets"_a, "costs"_a, "sets"_a, "uniform"_a, "samples"_a, "seed"_a, "threads"_a,
          "limits"_a, "progress"_a = nb::none(), "Probabilities of edges, and networks drawn from the posterior.");
    m.def("posterior_bytes", &posterior_bytes, "n"_a, "threads"_a, "Memory that posterior takes.");
}

}  // namespace sabna::bindings
