#include "layer_files.h"

#include <nanobind/stl/pair.h>

#include "results.h"

namespace sabna::bindings {

namespace {

std::vector<std::int64_t> quanta_of(const std::vector<Cost>& costs) {
    std::vector<std::int64_t> quanta;
    for (const Cost cost : costs) quanta.push_back(cost.quanta);
    return quanta;
}

nb::dict to_dict(const LayersState& state) {
    nb::dict d;
    d["layer"] = state.layer;
    d["taken"] = state.taken;
    d["expanded"] = state.counts.expanded;
    d["generated"] = state.counts.generated;
    d["dropped"] = state.counts.pruned;
    d["lower"] = state.lower.quanta;
    d["pruned"] = state.pruned.quanta;
    d["smallest"] = quanta_of(state.smallest);
    return d;
}

LayersState from_dict(const nb::dict& d) {
    LayersState state;
    state.layer = nb::cast<int>(d["layer"]);
    state.taken = nb::cast<std::vector<std::int64_t>>(d["taken"]);
    state.counts.expanded = nb::cast<std::int64_t>(d["expanded"]);
    state.counts.generated = nb::cast<std::int64_t>(d["generated"]);
    state.counts.pruned = nb::cast<std::int64_t>(d["dropped"]);
    state.lower = {nb::cast<std::int64_t>(d["lower"])};
    state.pruned = {nb::cast<std::int64_t>(d["pruned"])};
    for (const std::int64_t least : nb::cast<std::vector<std::int64_t>>(d["smallest"]))
        state.smallest.push_back({least});
    return state;
}

}  // namespace

PythonLayerFiles::PythonLayerFiles(nb::object files, PythonWatch& watch) : files_(std::move(files)), watch_(watch) {
    if (!files_.is_none()) most_children = nb::cast<std::size_t>(files_.attr("most_children"));
}

bool PythonLayerFiles::guarded(const std::function<void()>& call) {
    if (watch_.guarded(call)) return true;
    watch_.watch().halt(Stop::interrupted);
    return false;
}

bool PythonLayerFiles::resume(LayersState& state, bool& found) {
    return guarded([&] {
        const nb::object kept = files_.attr("resume")();
        found = !kept.is_none();
        if (found) state = from_dict(nb::cast<nb::dict>(kept));
    });
}

bool PythonLayerFiles::keep(LayerPiece&& piece, const LayersState& state) {
    return guarded([&] { files_.attr("keep")(nb::cast(std::move(piece)), to_dict(state)); });
}

bool PythonLayerFiles::listed(const char* method, int layer, std::vector<NodeRun>& runs) {
    return guarded([&] {
        held_ = files_.attr(method)(layer);
        for (nb::handle run : held_) {
            const auto [words, costs] = nb::cast<std::pair<Words, Ints>>(run);
            if (words.shape(0) != costs.shape(0)) throw std::invalid_argument("a run of nodes: as many sets as costs");
            runs.push_back({words.data(), costs.data(), costs.shape(0), words.shape(1), true});
        }
    });
}

void bind_layer_files(nb::module_& m) {
    nb::class_<LayerPiece>(m, "LayerPiece", "Expanded nodes and their children; see core/search/layer_files.h.")
        .def_ro("layer", &LayerPiece::layer)
        .def_prop_ro("words", array_of(&LayerPiece::words))
        .def_prop_ro("costs", array_of(&LayerPiece::costs))
        .def_prop_ro("child_words", array_of(&LayerPiece::child_words))
        .def_prop_ro("child_costs", array_of(&LayerPiece::child_costs))
        .def_prop_ro("child_begin", array_of(&LayerPiece::child_begin));
}

}  // namespace sabna::bindings
