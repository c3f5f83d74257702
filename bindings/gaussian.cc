// Scores of continuous data and the parent graphs built from them.
#include "gaussian/gaussian_build.h"

#include "bindings.h"
#include "knowledge_view.h"
#include "results.h"

namespace sabna::bindings {

namespace {

GaussianScore gaussian_score(const Array2<double>& values, const std::string& id, double alpha_mu, double alpha_w) {
    const int n = int(values.shape(0));
    const std::span<const double> columns(values.data(), values.size());
    if (id == "bic-g") return GaussianScore::bic(columns, n, std::int64_t(values.shape(1)));
    if (id == "bge") return GaussianScore::bge(columns, n, std::int64_t(values.shape(1)), {alpha_mu, alpha_w});
    throw std::invalid_argument("unknown score: " + id);
}

Built build_continuous(Array2<double> values, const std::string& id, double alpha_mu, double alpha_w, Words required,
                       Words allowed, Array1<std::int32_t> parent_limits, std::int64_t slack, int threads,
                       const Limits& limits, nb::object progress, nb::object hear) {
    PythonWatch watch(limits, std::move(progress));
    Built built;
    with_words(int(values.shape(0)), [&]<int W>() {
        const auto knowledge = knowledge_view<W>(required, allowed, parent_limits);
        const auto hearer = watch.hearer<W>(hear);
        nb::gil_scoped_release release;
        ParentGraphData<W> lists;
        GaussianBuilt ended = build_gaussian<W>(gaussian_score(values, id, alpha_mu, alpha_w), knowledge, slack,
                                                threads, watch.watch(), lists, hearer);
        built = {GraphArrays(std::move(lists)),
                 std::move(ended.floor),
                 ended.evaluated,
                 0,
                 watch.watch().peak(),
                 ended.stop};
    });
    watch.rethrow();
    return built;
}

auto gaussian_costs(Array2<double> values, const std::string& id, double alpha_mu, double alpha_w, Ints children,
                    const std::vector<std::vector<int>>& parents) {
    const GaussianScore score = gaussian_score(values, id, alpha_mu, alpha_w);
    std::vector<std::int64_t> out;
    for (std::size_t k = 0; k < parents.size(); ++k)
        out.push_back(score.cost(int(children.data()[k]), parents[k]).quanta);
    return to_numpy(std::move(out));
}

}  // namespace

void bind_gaussian(nb::module_& m) {
    using namespace nb::literals;
    m.def("build_gaussian", &build_continuous, "values"_a, "score"_a, "alpha_mu"_a, "alpha_w"_a, "required"_a,
          "allowed"_a, "parent_limits"_a, "slack"_a, "threads"_a, "limits"_a, "progress"_a = nb::none(),
          "hear"_a = nb::none(), "The parent graph of bic-g or bge; `hear` as for build_parent_graph.");
    m.def("gaussian_costs", &gaussian_costs, "values"_a, "score"_a, "alpha_mu"_a, "alpha_w"_a, "children"_a,
          "parents"_a, "Costs in quanta of families: a child and its parents, ascending.");
}

}  // namespace sabna::bindings
