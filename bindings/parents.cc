// Parent graphs: building, dominance pruning, local costs, and queries of d(i, U).
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bindings.h"
#include "parents/build.h"
#include "parents/dominance.h"
#include "parents/first_fit.h"
#include "results.h"

namespace sabna::bindings {

namespace {

// d(i, U) for many pairs, and where in the graph it stands.
struct FirstFits {
    std::vector<std::int64_t> costs, positions;
};

DistinctRows distinct_rows(const Array2<std::uint16_t>& codes, const Ints& arities, Watch& watch) {
    return merge_rows({codes.data(), codes.size()}, {arities.data(), arities.size()}, std::int64_t(codes.shape(1)),
                      watch);
}

Built build_graph(const Array2<std::uint16_t>& codes, const Ints& arities, const std::string& score_id,
                  double parameter, const Ints& max_parents, int threads, const Limits& limits, nb::object progress,
                  const std::optional<Words>& allowed, nb::object hear) {
    const int n = int(arities.shape(0));
    if (codes.shape(0) != arities.shape(0) || max_parents.shape(0) != arities.shape(0))
        throw std::invalid_argument("build_parent_graph: the shapes of codes, arities and max_parents do not fit");
    if (allowed && (allowed->shape(0) != arities.shape(0) || int(allowed->shape(1)) != words_for(n)))
        throw std::invalid_argument("build_parent_graph: one set of allowed parents per variable is needed");
    PythonWatch watch(limits, std::move(progress));
    Built built;
    with_words(n, [&]<int W>() {
        const auto hearer = watch.hearer<W>(hear);
        nb::gil_scoped_release release;
        const DistinctRows table = distinct_rows(codes, arities, watch.watch());
        const auto score = make_score(score_id, table.rows, parameter);
        auto candidates =
            Candidates<W>::all(table, *score, {max_parents.data(), max_parents.data() + max_parents.size()});
        for (int i = 0; allowed && i < n; ++i)
            candidates.allowed[i] &= reinterpret_cast<const VarSet<W>*>(allowed->data())[i];
        BuildResult<W> result = build_parent_graph<W>(table, *score, candidates, threads, watch.watch(), hearer);
        built = {GraphArrays(std::move(result.graph)),
                 std::move(result.floor),
                 result.evaluated,
                 result.counted,
                 watch.watch().peak(),
                 result.stop};
    });
    watch.rethrow();
    return built;
}

GraphArrays prune(const Ints& offsets, const Ints& costs, const Words& sets) {
    PythonWatch watch({}, nb::none());
    GraphArrays pruned;
    with_graph(offsets, costs, sets, [&](const auto& graph) {
        nb::gil_scoped_release release;
        pruned = GraphArrays(prune_dominated(graph, watch.watch()));
    });
    if (watch.watch().stopped()) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
    return pruned;
}

FirstFits best_parents(const Ints& offsets, const Ints& costs, const Words& sets, const Ints& variables,
                       const Words& available, bool sliced) {
    if (variables.shape(0) != available.shape(0))
        throw std::invalid_argument("best_parents: as many variables as sets are needed");
    for (std::size_t k = 0; k < variables.shape(0); ++k)
        if (variables.data()[k] < 0 || variables.data()[k] + 1 >= std::int64_t(offsets.shape(0)))
            throw std::invalid_argument("best_parents: no such variable");
    FirstFits fits;
    with_graph(offsets, costs, sets, [&]<int W>(const ParentGraphView<W>& graph) {
        const auto queries = sets_of<W>(available);
        nb::gil_scoped_release release;
        fits.positions = first_fits(graph, {variables.data(), variables.shape(0)}, queries, sliced);
    });
    for (const std::int64_t at : fits.positions)
        fits.costs.push_back(at < 0 ? Cost::infinite().quanta : costs.data()[at]);
    return fits;
}

auto local_costs(const Array2<std::uint16_t>& codes, const Ints& arities, const std::string& score_id, double parameter,
                 const Ints& children, const Words& parents) {
    const int n = int(arities.shape(0));
    std::vector<std::vector<int>> families;
    with_words(n, [&]<int W>() {
        for (const VarSet<W>& set : sets_of<W>(parents)) families.push_back(set.members());
    });
    if (children.shape(0) != families.size() || codes.shape(0) != arities.shape(0))
        throw std::invalid_argument("local_costs: as many children as parent sets are needed");
    std::vector<std::int64_t> costs;
    {
        nb::gil_scoped_release release;
        Watch watch;
        const DistinctRows table = distinct_rows(codes, arities, watch);
        const auto score = make_score(score_id, table.rows, parameter);
        for (std::size_t k = 0; k < families.size(); ++k) {
            const std::int64_t child = children.data()[k];
            const std::vector<int>& family = families[k];
            if (child < 0 || child >= n || (!family.empty() && family.back() >= n) ||
                std::binary_search(family.begin(), family.end(), int(child)))
                throw std::invalid_argument("local_costs: no such family");
            costs.push_back(local_cost(table, *score, int(child), family).quanta);
        }
    }
    return to_numpy(std::move(costs));
}

}  // namespace

void bind_parents(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<FirstFits>(m, "FirstFits", "Costs (2^62: no set fits) and positions in the graph (-1).")
        .def_prop_ro("costs", array_of(&FirstFits::costs))
        .def_prop_ro("positions", array_of(&FirstFits::positions));
    m.def(
        "build_parent_graph", &build_graph, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "max_parents"_a,
        "threads"_a, "limits"_a, "progress"_a = nb::none(), "allowed"_a = nb::none(), "hear"_a = nb::none(),
        "Build the parent graph of a coded table; `allowed`: the possible parents of each variable, as sets; `hear` is "
        "called with short lists of the sets so far: graph, floor, settled (core/parents/so_far.h).");
    m.def("prune_dominated", &prune, "offsets"_a, "costs"_a, "sets"_a,
          "Sort each variable's sets by cost and remove those that cost no less than one of their subsets.");
    m.def("best_parents", &best_parents, "offsets"_a, "costs"_a, "sets"_a, "variables"_a, "available"_a, "sliced"_a,
          "d(i, U) for many pairs.");
    m.def("local_costs", &local_costs, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "children"_a, "parents"_a,
          "The exact costs of given families.");
}

}  // namespace sabna::bindings
