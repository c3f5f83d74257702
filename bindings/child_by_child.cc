// Parent lists built child by child: required parents, dominance with slack, scores with rules of their own.
#include "parents/child_by_child.h"

#include "bindings.h"
#include "knowledge_view.h"

namespace sabna::bindings {

namespace {

Dict build_lists(const Array2<std::uint16_t>& codes, const Ints& arities, const std::string& score_id, double parameter,
                 const Words& required, const Words& allowed, const Array1<std::int32_t>& limits,
                 const std::vector<int>& children, std::int64_t slack, int threads, double seconds, std::uint64_t bytes,
                 nb::object progress, nb::object hear) {
    PythonWatch watch(seconds, bytes, std::move(progress));
    OwnedGraph graph;
    std::vector<Cost> floor;
    std::int64_t evaluated = 0;
    Stop stop = Stop::none;
    with_words(int(arities.shape(0)), [&]<int W>() {
        const auto knowledge = knowledge_view<W>(required, allowed, limits);
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
        graph = OwnedGraph(std::move(lists)), floor = std::move(built.floor);
        evaluated = built.evaluated, stop = built.stop;
    });
    watch.rethrow();
    nb::tuple arrays = to_numpy(std::move(graph));
    nb::dict out;
    out["offsets"] = arrays[0];
    out["costs"] = arrays[1];
    out["sets"] = arrays[2];
    out["evaluated"] = evaluated;
    out["peak_bytes"] = watch.watch().peak();
    out["stop"] = int(stop);
    out["floor"] = costs_to_numpy(floor);
    return Dict(out);
}

}  // namespace

void bind_child_by_child(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "build_child_by_child", &build_lists, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "required"_a,
        "allowed"_a, "limits"_a, "children"_a, "slack"_a, "threads"_a, "seconds"_a, "bytes"_a, "progress"_a.none(),
        "hear"_a = nb::none(),
        "The parent lists of some variables, child by child; `hear` as for build_parent_graph. Keys: offsets, costs, sets, evaluated, peak_bytes, stop, "
        "floor.");
}

}  // namespace sabna::bindings
