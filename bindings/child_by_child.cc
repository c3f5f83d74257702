// Parent lists built child by child: required parents, dominance with slack, scores with rules of their own; and lists of every
// set.
#include "parents/child_by_child.h"

#include "bindings.h"
#include "knowledge_view.h"
#include "parents/every_set.h"
#include "results.h"

namespace sabna::bindings {

namespace {

Built build_lists(const Array2<std::uint16_t>& codes, const Ints& arities, const std::string& score_id,
                  double parameter, const Words& required, const Words& allowed,
                  const Array1<std::int32_t>& parent_limits, const std::vector<int>& children, std::int64_t slack,
                  int threads, const Limits& limits, nb::object progress, nb::object hear) {
    PythonWatch watch(limits, std::move(progress));
    Built out;
    with_words(int(arities.shape(0)), [&]<int W>() {
        const auto knowledge = knowledge_view<W>(required, allowed, parent_limits);
        const auto hearer = watch.hearer<W>(hear);
        nb::gil_scoped_release release;
        const DistinctRows table = merge_rows({codes.data(), codes.size()}, {arities.data(), arities.size()},
                                              std::int64_t(codes.shape(1)), watch.watch());
        const auto score = make_score(score_id, table.rows, parameter);
        ChildLists<W> built =
            build_child_by_child<W>(table, *score, knowledge, children, slack, threads, watch.watch(), hearer);
        ParentGraphData<W> lists;
        for (const auto& list : built.lists) {
            for (const auto& s : list) lists.costs.push_back(s.cost), lists.sets.push_back(s.set);
            lists.offsets.push_back(std::int64_t(lists.sets.size()));
        }
        out = {GraphArrays(std::move(lists)),
               std::move(built.floor),
               built.evaluated,
               0,
               watch.watch().peak(),
               built.stop};
    });
    watch.rethrow();
    return out;
}

Built every_set(const Array2<std::uint16_t>& codes, const Ints& arities, const std::string& score_id, double parameter,
                const Words& required, const Words& allowed, const Array1<std::int32_t>& parent_limits,
                const std::vector<int>& children, int threads, const Limits& limits, nb::object progress) {
    PythonWatch watch(limits, std::move(progress));
    const auto knowledge = knowledge_view<1>(required, allowed, parent_limits);
    Built out;
    {
        nb::gil_scoped_release release;
        const DistinctRows table = merge_rows({codes.data(), codes.size()}, {arities.data(), arities.size()},
                                              std::int64_t(codes.shape(1)), watch.watch());
        const auto score = make_score(score_id, table.rows, parameter);
        EverySet built = build_every_set(table, *score, knowledge, children, threads, watch.watch());
        const Cost floor = built.stop == Stop::none ? Cost::infinite() : Cost{0};
        out = {GraphArrays(std::move(built.graph)),
               std::vector<Cost>(std::size_t(table.n), floor),
               built.evaluated,
               built.counted,
               watch.watch().peak(),
               built.stop};
    }
    watch.rethrow();
    return out;
}

}  // namespace

void bind_child_by_child(nb::module_& m) {
    using namespace nb::literals;
    m.def("build_child_by_child", &build_lists, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "required"_a,
          "allowed"_a, "parent_limits"_a, "children"_a, "slack"_a, "threads"_a, "limits"_a, "progress"_a = nb::none(),
          "hear"_a = nb::none(),
          "The parent lists of some variables, child by child; `hear` as for build_parent_graph.");
    m.def("build_every_set", &every_set, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "required"_a, "allowed"_a,
          "parent_limits"_a, "children"_a, "threads"_a, "limits"_a, "progress"_a = nb::none(),
          "Every parent set of some variables, none left out; for up to `every_set_most_variables`.");
    m.attr("every_set_most_variables") = every_set_most_variables;
}

}  // namespace sabna::bindings
