// What the binding files share: array types, and the bridge from a Python callback to a Watch.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <memory>
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

// A numpy array that owns the vector's memory; no copy.
template <class T>
auto to_numpy(std::vector<T>&& values) {
    auto* heap = new std::vector<T>(std::move(values));
    nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(heap->data(), {heap->size()}, owner);
}

// The three arrays of a parent graph as numpy arrays: offsets, costs (quanta), sets [N, W]; no copy.
template <int W>
nb::tuple graph_to_numpy(ParentGraphData<W>&& data) {
    auto* heap = new ParentGraphData<W>(std::move(data));
    nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<ParentGraphData<W>*>(p); });
    const std::size_t sets = heap->sets.size();
    return nb::make_tuple(
        nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(heap->offsets.data(), {heap->offsets.size()}, owner),
        nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(heap->costs.data(), {sets}, owner),
        nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>(heap->sets.data(), {sets, std::size_t(W)}, owner));
}

inline auto costs_to_numpy(const std::vector<Cost>& costs) {
    std::vector<std::int64_t> quanta;
    for (const Cost cost : costs) quanta.push_back(cost.quanta);
    return to_numpy(std::move(quanta));
}

// Borrow the arrays of a sabna.ParentGraph. Checks shapes, not contents: those are checked where graphs are made.
template <int W>
ParentGraphView<W> graph_view(const Array1<std::int64_t>& offsets, const Array1<std::int64_t>& costs,
                              const Array2<std::uint64_t>& sets) {
    const int n = int(offsets.shape(0)) - 1;
    if (n < 0 || sets.shape(1) != W || words_for(n) != W || costs.shape(0) != sets.shape(0) ||
        std::int64_t(costs.shape(0)) != offsets.data()[n])
        throw std::invalid_argument("parent graph: the shapes of offsets, costs and sets do not fit together");
    return {n, offsets.data(), reinterpret_cast<const Cost*>(costs.data()),
            reinterpret_cast<const VarSet<W>*>(sets.data())};
}

// A Watch whose tick takes the GIL, lets Python's signal handlers run and calls `progress(dict)` unless it is None.
// Ctrl-C, or any exception of the callback, ends the run as interrupted; `rethrow` passes on what is not a KeyboardInterrupt.
class PythonWatch {
  public:
    PythonWatch(double seconds, std::uint64_t bytes, nb::object progress);
    Watch& watch() { return watch_; }
    void rethrow();
    // What builders tell of the sets so far: `hear(offsets, costs, sets, floor, settled)`; nothing if it is None. The caller
    // keeps `hear` alive: what is returned is copied without the GIL.
    template <int W>
    typename SoFar<W>::Hear hearer(nb::handle hear) {
        if (hear.is_none()) return {};
        return [this, hear](ParentGraphData<W>&& lists, const std::vector<Cost>& floor, bool settled) {
            const bool go_on = guarded([&] {
                nb::tuple arrays = graph_to_numpy<W>(std::move(lists));
                hear(arrays[0], arrays[1], arrays[2], costs_to_numpy(floor), settled);
            });
            if (!go_on) watch_.halt(Stop::interrupted);
        };
    }

  private:
    bool tick(const Progress& progress);
    // Call into Python with the GIL; false if that raised. Nothing is called once something has gone wrong.
    bool guarded(const std::function<void()>& call);
    nb::object callback_;
    std::unique_ptr<nb::python_error> error_;
    Watch watch_;
};

// Each adds the functions of one station to the module; called by module.cc.
void bind_parents(nb::module_& m);
void bind_alternatives(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_search(nb::module_& m);
void bind_lattice(nb::module_& m);
void bind_bounds(nb::module_& m);
void bind_dense(nb::module_& m);

}  // namespace sabna::bindings
