// Parent graphs: building, dominance pruning, local costs, and queries of d(i, U).
#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "parents/build.h"
#include "parents/dominance.h"
#include "parents/lookup.h"

namespace sabna::bindings {

namespace {

using Arrays = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

DistinctRows distinct_rows(const Array2<std::uint16_t>& codes, const Array1<std::int64_t>& arities, Watch& watch) {
    return merge_rows({codes.data(), codes.size()}, {arities.data(), arities.size()}, std::int64_t(codes.shape(1)), watch);
}

nb::typed<nb::dict, nb::str, nb::any> build(const Array2<std::uint16_t>& codes, const Array1<std::int64_t>& arities, const std::string& score_id,
               double parameter, const Array1<std::int64_t>& max_parents, int threads, double seconds,
               std::uint64_t bytes, nb::object progress, const std::optional<Array2<std::uint64_t>>& allowed,
               nb::object hear) {
    const int n = int(arities.shape(0));
    if (codes.shape(0) != arities.shape(0) || max_parents.shape(0) != arities.shape(0))
        throw std::invalid_argument("build_parent_graph: the shapes of codes, arities and max_parents do not fit");
    if (allowed && (allowed->shape(0) != arities.shape(0) || int(allowed->shape(1)) != words_for(n)))
        throw std::invalid_argument("build_parent_graph: one set of allowed parents per variable is needed");
    return with_words(n, [&]<int W>() {
        PythonWatch python(seconds, bytes, std::move(progress));
        BuildResult<W> result;
        auto hearer = python.hearer<W>(hear);
        {
            nb::gil_scoped_release release;
            const DistinctRows table = distinct_rows(codes, arities, python.watch());
            const auto score = make_score(score_id, table.rows, parameter);
            auto candidates =
                Candidates<W>::all(table, *score, {max_parents.data(), max_parents.data() + max_parents.size()});
            for (int i = 0; allowed && i < n; ++i)
                candidates.allowed[i] &= reinterpret_cast<const VarSet<W>*>(allowed->data())[i];
            result = build_parent_graph<W>(table, *score, candidates, threads, python.watch(), hearer);
        }
        python.rethrow();
        nb::dict out;
        nb::tuple arrays = graph_to_numpy(std::move(result.graph));
        out["offsets"] = arrays[0];
        out["costs"] = arrays[1];
        out["sets"] = arrays[2];
        out["evaluated"] = result.evaluated;
        out["counted"] = result.counted;
        out["peak_bytes"] = python.watch().peak();
        out["stop"] = int(result.stop);
        out["floor"] = costs_to_numpy(result.floor);
        return nb::typed<nb::dict, nb::str, nb::any>(out);
    });
}

Arrays prune(const Array1<std::int64_t>& offsets, const Array1<std::int64_t>& costs,
                const Array2<std::uint64_t>& sets) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto view = graph_view<W>(offsets, costs, sets);
        PythonWatch python(-1, ~std::uint64_t{0}, nb::none());
        ParentGraphData<W> pruned;
        {
            nb::gil_scoped_release release;
            pruned = prune_dominated(view, python.watch());
        }
        if (python.watch().stopped()) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
            throw nb::python_error();
        }
        return Arrays(graph_to_numpy(std::move(pruned)));
    });
}

template <int W>
std::vector<VarSet<W>> read_sets(const Array2<std::uint64_t>& words) {
    if (words.shape(1) != W) throw std::invalid_argument("sets: wrong number of words for this many variables");
    const auto* first = reinterpret_cast<const VarSet<W>*>(words.data());
    return {first, first + words.shape(0)};
}

Arrays best_parents(const Array1<std::int64_t>& offsets, const Array1<std::int64_t>& costs,
                       const Array2<std::uint64_t>& sets, const Array1<std::int64_t>& variables,
                       const Array2<std::uint64_t>& available, bool sliced) {
    return with_words(int(offsets.shape(0)) - 1, [&]<int W>() {
        const auto view = graph_view<W>(offsets, costs, sets);
        const std::vector<VarSet<W>> queries = read_sets<W>(available);
        if (variables.shape(0) != queries.size())
            throw std::invalid_argument("best_parents: as many variables as sets are needed");
        for (std::size_t k = 0; k < queries.size(); ++k)
            if (variables.data()[k] < 0 || variables.data()[k] >= view.n)
                throw std::invalid_argument("best_parents: no such variable");
        std::vector<std::int64_t> cost(queries.size()), index(queries.size());
        {
            nb::gil_scoped_release release;
            const auto answer = [&](auto&& first) {
                for (std::size_t k = 0; k < queries.size(); ++k) {
                    const int i = int(variables.data()[k]);
                    const std::int64_t at = first(i, queries[k]);
                    index[k] = at < 0 ? -1 : view.offsets[i] + at;
                    cost[k] = (at < 0 ? Cost::infinite() : view.costs(i)[at]).quanta;
                }
            };
            if (sliced) {
                const SlicedLookup<W> lookup(view);
                answer([&](int i, const VarSet<W>& U) { return lookup.first_subset(i, U); });
            } else {
                answer([&](int i, const VarSet<W>& U) { return first_subset(view.sets(i), U); });
            }
        }
        return Arrays(nb::make_tuple(to_numpy(std::move(cost)), to_numpy(std::move(index))));
    });
}

auto local_costs(const Array2<std::uint16_t>& codes, const Array1<std::int64_t>& arities, const std::string& score_id,
                 double parameter, const Array1<std::int64_t>& children, const Array2<std::uint64_t>& parents) {
    return with_words(int(arities.shape(0)), [&]<int W>() {
        const std::vector<VarSet<W>> sets = read_sets<W>(parents);
        if (children.shape(0) != sets.size() || codes.shape(0) != arities.shape(0))
            throw std::invalid_argument("local_costs: as many children as parent sets are needed");
        std::vector<std::int64_t> costs;
        {
            nb::gil_scoped_release release;
            Watch watch;
            const DistinctRows table = distinct_rows(codes, arities, watch);
            const auto score = make_score(score_id, table.rows, parameter);
            for (std::size_t k = 0; k < sets.size(); ++k) {
                const std::int64_t child = children.data()[k];
                if (child < 0 || child >= table.n || sets[k].contains(int(child)) || sets[k].highest() >= table.n)
                    throw std::invalid_argument("local_costs: no such family");
                std::vector<int> members;
                sets[k].for_each([&](int v) { members.push_back(v); });
                costs.push_back(local_cost(table, *score, int(child), members).quanta);
            }
        }
        return to_numpy(std::move(costs));
    });
}

}  // namespace

void bind_parents(nb::module_& m) {
    using namespace nb::literals;
    m.def("build_parent_graph", &build, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "max_parents"_a, "threads"_a,
          "seconds"_a, "bytes"_a, "progress"_a.none(), "allowed"_a = nb::none(),
          "hear"_a = nb::none(),
          "Build the parent graph of a coded table; `allowed`: the possible parents of each variable, as sets; `hear` is "
          "called with short lists of the sets so far: offsets, costs, sets, floor, settled (core/parents/so_far.h). "
          "Keys: offsets, costs, sets, evaluated, counted, peak_bytes, stop, floor.");
    m.def("prune_dominated", &prune, "offsets"_a, "costs"_a, "sets"_a,
          "Sort each variable's sets by cost and remove those that cost no less than one of their subsets.");
    m.def("best_parents", &best_parents, "offsets"_a, "costs"_a, "sets"_a, "variables"_a, "available"_a, "sliced"_a,
          "d(i, U) for many pairs: costs (2^62: no set fits) and positions in the graph (-1).");
    m.def("local_costs", &local_costs, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "children"_a, "parents"_a,
          "The exact costs of given families.");
}

}  // namespace sabna::bindings
