// Scores of continuous data and the parent graphs built from them.
#include "gaussian/gaussian_build.h"

#include "bindings.h"
#include "knowledge_view.h"

namespace sabna::bindings {

namespace {

GaussianScore gaussian_score(const Array2<double>& values, const std::string& id, double alpha_mu, double alpha_w) {
    const int n = int(values.shape(0));
    const std::span<const double> columns(values.data(), values.size());
    if (id == "bic-g") return GaussianScore::bic(columns, n, std::int64_t(values.shape(1)));
    if (id == "bge") return GaussianScore::bge(columns, n, std::int64_t(values.shape(1)), {alpha_mu, alpha_w});
    throw std::invalid_argument("unknown score: " + id);
}

nb::tuple build_continuous(Array2<double> values, const std::string& id, double alpha_mu, double alpha_w,
                           Words required, Words allowed, Array1<std::int32_t> limits, std::int64_t slack, int threads,
                           double seconds, std::uint64_t bytes, nb::object progress, nb::object hear) {
    PythonWatch watch(seconds, bytes, std::move(progress));
    OwnedGraph graph;
    GaussianBuilt built;
    with_words(int(values.shape(0)), [&]<int W>() {
        const auto knowledge = knowledge_view<W>(required, allowed, limits);
        const auto hearer = watch.hearer<W>(hear);
        nb::gil_scoped_release release;
        ParentGraphData<W> lists;
        built = build_gaussian<W>(gaussian_score(values, id, alpha_mu, alpha_w), knowledge, slack, threads,
                                  watch.watch(), lists, hearer);
        graph = OwnedGraph(std::move(lists));
    });
    watch.rethrow();
    return nb::make_tuple(to_numpy(std::move(graph)), costs_to_numpy(built.floor), built.evaluated,
                          watch.watch().peak(), int(built.stop));
}

nb::object gaussian_costs(Array2<double> values, const std::string& id, double alpha_mu, double alpha_w, Ints children,
                          const std::vector<std::vector<int>>& parents) {
    const GaussianScore score = gaussian_score(values, id, alpha_mu, alpha_w);
    std::vector<std::int64_t> out;
    for (std::size_t k = 0; k < parents.size(); ++k)
        out.push_back(score.cost(int(children.data()[k]), parents[k]).quanta);
    return nb::cast(to_numpy(std::move(out)));
}

}  // namespace

void bind_gaussian(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "build_gaussian", &build_continuous, "values"_a, "score"_a, "alpha_mu"_a, "alpha_w"_a, "required"_a,
        "allowed"_a, "limits"_a, "slack"_a, "threads"_a, "seconds"_a = -1.0, "bytes"_a = ~std::uint64_t{0},
        "progress"_a = nb::none(), "hear"_a = nb::none(),
        nb::sig(
            "def build_gaussian(values: NDArray[numpy.float64], score: str, alpha_mu: float, alpha_w: float, "
            "required: NDArray[numpy.uint64], allowed: NDArray[numpy.uint64], limits: NDArray[numpy.int32], "
            "slack: int, threads: int, seconds: float = -1.0, bytes: int = 18446744073709551615, "
            "progress: object | None = None, hear: object | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.int64], "
            "NDArray[numpy.uint64]], NDArray[numpy.int64], int, int, int]"),
        "The parent graph of bic-g or bge: (offsets, costs, sets), floors, sets evaluated, peak bytes, reason of "
        "a stop. `hear` as for build_parent_graph.");
    m.def("gaussian_costs", &gaussian_costs, "values"_a, "score"_a, "alpha_mu"_a, "alpha_w"_a, "children"_a,
          "parents"_a,
          nb::sig("def gaussian_costs(values: NDArray[numpy.float64], score: str, alpha_mu: float, alpha_w: float, "
                  "children: NDArray[numpy.int64], parents: list[list[int]]) -> NDArray[numpy.int64]"),
          "Costs in quanta of families: a child and its parents, ascending.");
}

}  // namespace sabna::bindings
