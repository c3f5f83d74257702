// What the binding files share: array types, limits, and the bridge from a Python callback to a Watch.
//
// Only the call of the core is compiled for each width of the sets; what comes from Python and goes there is not.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "parents/parent_graph.h"
#include "parents/so_far.h"
#include "watch.h"

namespace sabna::bindings {

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ints = Array1<std::int64_t>;
using Words = Array2<std::uint64_t>;  // sets of variables, one row each

// A numpy array that owns the vector's memory; no copy.
template <class T>
auto to_numpy(std::vector<T>&& values) {
    auto* heap = new std::vector<T>(std::move(values));
    nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(heap->data(), {heap->size()}, owner);
}
inline auto costs_to_numpy(const std::vector<Cost>& costs) {
    std::vector<std::int64_t> quanta;
    for (const Cost cost : costs) quanta.push_back(cost.quanta);
    return to_numpy(std::move(quanta));
}

// Sets of some width on their way to Python.
struct SetRows {
    std::vector<std::uint64_t> words;
    std::size_t width = 1;

    template <int W>
    void add(const VarSet<W>& set) {
        width = W;
        words.insert(words.end(), set.word, set.word + W);
    }
};
inline auto to_numpy(SetRows&& rows) {
    const std::size_t width = rows.width, count = rows.words.size() / width;
    auto* heap = new std::vector<std::uint64_t>(std::move(rows.words));
    nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
    return nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>(heap->data(), {count, width}, owner);
}

// A parent graph on its way to Python: what it is made of stays where it is. Bound by results.cc.
struct GraphArrays {
    std::shared_ptr<void> owner;
    std::int64_t* offsets = nullptr;
    std::int64_t* costs = nullptr;
    std::uint64_t* sets = nullptr;
    std::size_t n = 0, size = 0, width = 1;

    GraphArrays() = default;
    template <int W>
    explicit GraphArrays(ParentGraphData<W>&& data) : n(data.offsets.size() - 1), size(data.sets.size()), width(W) {
        const auto kept = std::make_shared<ParentGraphData<W>>(std::move(data));
        offsets = kept->offsets.data();
        costs = reinterpret_cast<std::int64_t*>(kept->costs.data());
        sets = reinterpret_cast<std::uint64_t*>(kept->sets.data());
        owner = kept;
    }
};

// Borrow the arrays of a sabna.ParentGraph. Checks shapes, not contents: those are checked where graphs are made.
template <int W>
ParentGraphView<W> graph_view(const Ints& offsets, const Ints& costs, const Words& sets) {
    const int n = int(offsets.shape(0)) - 1;
    if (n < 0 || sets.shape(1) != W || words_for(n) != W || costs.shape(0) != sets.shape(0) ||
        std::int64_t(costs.shape(0)) != offsets.data()[n])
        throw std::invalid_argument("parent graph: the shapes of offsets, costs and sets do not fit together");
    return {n, offsets.data(), reinterpret_cast<const Cost*>(costs.data()),
            reinterpret_cast<const VarSet<W>*>(sets.data())};
}
// Calls body(graph) for the width of the graph.
template <class Body>
void with_graph(const Ints& offsets, const Ints& costs, const Words& sets, Body body) {
    with_words(int(offsets.shape(0)) - 1, [&]<int W>() { body(graph_view<W>(offsets, costs, sets)); });
}

// Rows of words as sets.
template <int W>
std::span<const VarSet<W>> sets_of(const Words& words) {
    if (words.shape(1) != W) throw std::invalid_argument("sets: wrong number of words for this many variables");
    return {reinterpret_cast<const VarSet<W>*>(words.data()), words.shape(0)};
}

// What one call may take. `halted()`, unless it is None, is asked at every tick: once it is true the call ends as
// interrupted. So calls on threads other than the main one, which hear no signals, can be ended.
struct Limits : sabna::Limits {
    nb::object halted = nb::none();
};

// A Watch whose tick takes the GIL, lets Python's signal handlers run and calls `progress(dict)` unless it is None.
// Ctrl-C, or any exception of the callback, ends the run as interrupted; `rethrow` passes on what is not a KeyboardInterrupt.
class PythonWatch {
  public:
    PythonWatch(const Limits& limits, nb::object progress);
    Watch& watch() { return watch_; }
    void rethrow();
    // Call into Python with the GIL; false if that raised. Nothing is called once something has gone wrong.
    bool guarded(const std::function<void()>& call);
    // What builders tell of the sets so far: `hear(graph, floor, settled)`; nothing if it is None. The caller
    // keeps `hear` alive: what is returned is copied without the GIL.
    template <int W>
    typename SoFar<W>::Hear hearer(nb::handle hear) {
        if (hear.is_none()) return {};
        return [this, hear](ParentGraphData<W>&& lists, const std::vector<Cost>& floor, bool settled) {
            tell(hear, GraphArrays(std::move(lists)), floor, settled);
        };
    }

  private:
    bool tick(const Progress& progress);
    void tell(nb::handle hear, GraphArrays&& lists, const std::vector<Cost>& floor, bool settled);
    nb::object callback_, halted_;
    std::unique_ptr<nb::python_error> error_;
    Watch watch_;
};

// Each adds the functions of one station to the module; called by module.cc.
void bind_results(nb::module_& m);
void bind_parents(nb::module_& m);
void bind_levels(nb::module_& m);
void bind_alternatives(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_mixed(nb::module_& m);
void bind_search(nb::module_& m);
void bind_layer_files(nb::module_& m);
void bind_child_by_child(nb::module_& m);
void bind_bounds(nb::module_& m);
void bind_dense(nb::module_& m);
void bind_posterior(nb::module_& m);
void bind_local_cuts(nb::module_& m);

}  // namespace sabna::bindings
