#include "bindings.h"

namespace sabna::bindings {

PythonWatch::PythonWatch(const Limits& limits, nb::object progress)
    : callback_(std::move(progress)), halted_(limits.halted),
      watch_(limits, [this](const Progress& p) { return tick(p); }) {}

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
    bool halted = false;
    const bool go_on = guarded([&] {
        if (!halted_.is_none()) halted = nb::cast<bool>(halted_());
        if (!callback_.is_none() && !halted) callback_(to_dict(progress));
    });
    return go_on && !halted;
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

void PythonWatch::tell(nb::handle hear, GraphArrays&& lists, const std::vector<Cost>& floor, bool settled) {
    const bool go_on = guarded([&] { hear(nb::cast(std::move(lists)), costs_to_numpy(floor), settled); });
    if (!go_on) watch_.halt(Stop::interrupted);
}

void PythonWatch::rethrow() {
    if (error_) throw nb::python_error(*error_);
}

}  // namespace sabna::bindings
