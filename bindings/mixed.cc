// Scores of tables with discrete and continuous columns, with holes too, and the parent graphs built from them.
#include "mixed/mixed_build.h"

#include "bindings.h"
#include "knowledge_view.h"
#include "results.h"

namespace sabna::bindings {

namespace {

// arities, codes, values, was_set (n rows, or none), and the parameters of the score.
struct MixedInput {
    Ints arities;
    Array2<std::uint16_t> codes;
    Array2<double> values;
    Array2<std::uint8_t> was_set;
    std::int64_t rows;

    MixedScore score(const std::string& id, const std::vector<double>& parameters) const {
        if (parameters.size() != 4) throw std::invalid_argument("four parameters are needed");
        const std::span<const std::uint8_t> set{was_set.data(), was_set.size()};
        MixedColumns columns = mixed_columns({arities.data(), arities.size()}, {codes.data(), codes.size()},
                                             {values.data(), values.size()}, set, rows);
        return MixedScore(std::move(columns), mixed_kind(id),
                          {parameters[0], parameters[1], parameters[2], parameters[3]});
    }
};

Built build(Ints arities, Array2<std::uint16_t> codes, Array2<double> values, Array2<std::uint8_t> was_set,
            std::int64_t rows, const std::string& id, const std::vector<double>& parameters, Words required,
            Words allowed, Array1<std::int32_t> parent_limits, std::int64_t slack, int threads, const Limits& limits,
            nb::object progress, nb::object hear) {
    PythonWatch watch(limits, std::move(progress));
    Built built;
    const MixedInput input{arities, codes, values, was_set, rows};
    with_words(int(arities.shape(0)), [&]<int W>() {
        const auto knowledge = knowledge_view<W>(required, allowed, parent_limits);
        const auto hearer = watch.hearer<W>(hear);
        nb::gil_scoped_release release;
        ParentGraphData<W> lists;
        MixedBuilt ended =
            build_mixed<W>(input.score(id, parameters), knowledge, slack, threads, watch.watch(), lists, hearer);
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

// Costs of families; infinite where there is none.
auto costs(Ints arities, Array2<std::uint16_t> codes, Array2<double> values, Array2<std::uint8_t> was_set,
           std::int64_t rows, const std::string& id, const std::vector<double>& parameters, Ints children,
           const std::vector<std::vector<int>>& parents) {
    const MixedInput input{arities, codes, values, was_set, rows};
    const MixedScore score = input.score(id, parameters);
    std::vector<std::int64_t> out;
    CellSplitter splitter(score.columns());
    MixedRoom room;
    for (std::size_t k = 0; k < parents.size(); ++k) {
        Cells cells, finer;
        std::vector<int> discrete, continuous;
        for (const int v : parents[k]) (score.columns().discrete(v) ? discrete : continuous).push_back(v);
        splitter.start(int(children.data()[k]), cells);
        // As in the search: the highest discrete variable first, then the highest continuous one.
        for (const std::vector<int>* part : {&discrete, &continuous})
            for (auto v = part->rbegin(); v != part->rend(); ++v) {
                splitter.split(cells, *v, finer);
                std::swap(cells, finer);
            }
        const auto cost = score.cost({int(children.data()[k]), discrete, continuous, &cells}, room);
        out.push_back(cost.value_or(Cost::infinite().quanta));
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_mixed(nb::module_& m) {
    using namespace nb::literals;
    m.def("build_mixed", &build, "arities"_a, "codes"_a, "values"_a, "was_set"_a, "rows"_a, "score"_a, "parameters"_a,
          "required"_a, "allowed"_a, "parent_limits"_a, "slack"_a, "threads"_a, "limits"_a, "progress"_a = nb::none(),
          "hear"_a = nb::none(), "The parent graph of bcg, bic-cg or pnal; `hear` as for build_parent_graph.");
    m.def("mixed_costs", &costs, "arities"_a, "codes"_a, "values"_a, "was_set"_a, "rows"_a, "score"_a, "parameters"_a,
          "children"_a, "parents"_a,
          "Costs in quanta of families: a child and its parents, ascending; 2^62 where a family has no value.");
}

}  // namespace sabna::bindings
