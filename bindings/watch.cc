#include "bindings.h"

namespace sabna::bindings {

PythonWatch::PythonWatch(double seconds, std::uint64_t bytes, nb::object progress)
    : callback_(std::move(progress)), watch_(seconds, bytes, [this](const Progress& p) { return tick(p); }) {}

static nb::dict to_dict(const Progress& p) {
    nb::dict d;
    d["station"] = p.station;
    d["evaluated"] = p.evaluated;
    d["finished"] = p.finished;
    d["total"] = p.total;
    d["expanded"] = p.expanded;
    d["generated"] = p.generated;
    d["stored"] = p.stored;
    d["lower"] = p.lower.quanta;
    d["upper"] = p.upper.quanta;
    return d;
}

bool PythonWatch::tick(const Progress& progress) {
    return guarded([&] {
        if (!callback_.is_none()) callback_(to_dict(progress));
    });
}

bool PythonWatch::guarded(const std::function<void()>& call) {
    nb::gil_scoped_acquire gil;
    if (error_) return false;
    try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        call();
        return true;
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) error_ = std::make_unique<nb::python_error>(error);
        return false;
    }
}

void PythonWatch::tell(nb::handle hear, OwnedGraph&& lists, const std::vector<Cost>& floor, bool settled) {
    const bool go_on = guarded([&] {
        nb::tuple arrays = to_numpy(std::move(lists));
        hear(arrays[0], arrays[1], arrays[2], costs_to_numpy(floor), settled);
    });
    if (!go_on) watch_.halt(Stop::interrupted);
}

nb::tuple to_numpy(OwnedGraph&& graph) {
    auto* heap = new OwnedGraph(std::move(graph));
    nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<OwnedGraph*>(p); });
    return nb::make_tuple(
        nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(heap->offsets, {heap->n + 1}, owner),
        nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(heap->costs, {heap->size}, owner),
        nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>(heap->sets, {heap->size, heap->width}, owner));
}

void PythonWatch::rethrow() {
    if (error_) throw nb::python_error(*error_);
}

}  // namespace sabna::bindings
