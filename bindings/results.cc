// What several stations return or take: why a run stopped, its limits, parent graphs, outcomes of searches.
#include "results.h"

namespace sabna::bindings {

namespace {

// Each field of the core's limits is given by its name, and read.
template <class... Value>
void bind_fields(nb::class_<Limits>& bound, LimitField<Value>... field) {
    using namespace nb::literals;
    constexpr sabna::Limits none;
    bound.def(
        "__init__",
        [field...](Limits* self, Value... value, nb::object halted) {
            new (self) Limits;
            ((self->*field.member = value), ...);
            self->halted = std::move(halted);
        },
        (nb::arg(field.name) = none.*field.member)..., nb::kw_only(), "halted"_a = nb::none());
    (bound.def_ro(field.name, field.member), ...);
}

void bind_limits(nb::module_& m) {
    nb::enum_<Stop> stop(m, "Stop", nb::is_arithmetic(), "Why a run ended; `none`: it came to its end.");
    for (const auto& [value, name] : stop_names) stop.value(name, value);
    nb::class_<Limits> bound(m, "Limits", "What one call may take; below 0 seconds there is no time limit.");
    std::apply([&](auto... fields) { bind_fields(bound, fields...); }, limit_fields);
}

void bind_graphs(nb::module_& m) {
    nb::class_<GraphArrays>(m, "GraphArrays", "A parent graph: offsets [n + 1], costs [N] in quanta, sets [N, words].")
        .def_prop_ro("offsets",
                     [](nb::handle_t<GraphArrays> self) {
                         const auto& graph = nb::cast<GraphArrays&>(self);
                         return NumpyArray<std::int64_t>(graph.offsets, {graph.n + 1}, self);
                     })
        .def_prop_ro("costs",
                     [](nb::handle_t<GraphArrays> self) {
                         const auto& graph = nb::cast<GraphArrays&>(self);
                         return NumpyArray<std::int64_t>(graph.costs, {graph.size}, self);
                     })
        .def_prop_ro("sets", [](nb::handle_t<GraphArrays> self) {
            const auto& graph = nb::cast<GraphArrays&>(self);
            return NumpySets(graph.sets, {graph.size, graph.width}, self);
        });
    nb::class_<Built, GraphArrays>(m, "Built", "What a builder made of a table, or what a limit left of it.")
        .def_prop_ro("floor", array_of(&Built::floor), "No set of variable i that was not scored costs less.")
        .def_ro("evaluated", &Built::evaluated)
        .def_ro("counted", &Built::counted)
        .def_ro("peak_bytes", &Built::peak_bytes)
        .def_ro("stop", &Built::stop);
}

void bind_outcome(nb::module_& m) {
    nb::class_<Outcome>(m, "Outcome", "What a search returns, however it ended.")
        .def_ro("stop", &Outcome::stop)
        .def_prop_ro(
            "known", [](const Outcome& o) { return o.best.known() && !o.best.order.empty(); },
            "Whether there is a network, not a bare cost.")
        .def_prop_ro("cost", [](const Outcome& o) { return o.best.cost.quanta; })
        .def_prop_ro("order", [](const Outcome& o) { return o.best.order; })
        .def_prop_ro(
            "choice", [](nb::handle_t<Outcome> self) { return view_of(nb::cast<Outcome&>(self).best.choice, self); },
            "Per variable the position of its parent set.")
        .def_prop_ro("lower", [](const Outcome& o) { return o.lower.quanta; })
        .def_prop_ro("expanded", [](const Outcome& o) { return o.counts.expanded; })
        .def_prop_ro("generated", [](const Outcome& o) { return o.counts.generated; })
        .def_prop_ro("stored", [](const Outcome& o) { return o.counts.stored; })
        .def_prop_ro("pruned", [](const Outcome& o) { return o.counts.pruned; })
        .def_ro("nodes_expected", &Outcome::nodes_expected,
                "About so many nodes have to be stored in the end (A*); 0: not known.")
        .def_ro("bytes_per_node", &Outcome::bytes_per_node)
        .def_ro("peak_bytes", &Outcome::peak_bytes)
        .def_ro("recorded", &Outcome::recorded, "Whether `expanded_sets` has all that was expanded.")
        .def_prop_ro("expanded_sets", array_of(&Outcome::expanded), "Words, one set after the other.");
}

}  // namespace

void bind_results(nb::module_& m) {
    bind_limits(m);
    bind_graphs(m);
    bind_outcome(m);
}

}  // namespace sabna::bindings
