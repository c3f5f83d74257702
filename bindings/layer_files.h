// The files of a breadth-first search (core/search/layer_files.h), kept by an object of Python:
//
//     most_children           to a piece
//     resume()                the state after the last piece, a dictionary; None if there is none
//     keep(piece, state)      keep a LayerPiece and the state after it
//     runs(layer)             pairs of arrays (sets, costs) of mapped files, sorted
//     nodes(layer)            likewise, of what was expanded
#pragma once

#include "bindings.h"
#include "search/layer_files.h"

namespace sabna::bindings {

class PythonLayerFiles final : public LayerFiles {
  public:
    // `files` is None where there are none; then this is not used.
    PythonLayerFiles(nb::object files, PythonWatch& watch);
    LayerFiles* get() { return files_.is_none() ? nullptr : this; }

    bool resume(LayersState& state, bool& found) override;
    bool keep(LayerPiece&& piece, const LayersState& state) override;
    bool runs(int layer, std::vector<NodeRun>& runs) override { return listed("runs", layer, runs); }
    bool nodes(int layer, std::vector<NodeRun>& runs) override { return listed("nodes", layer, runs); }

  private:
    bool listed(const char* method, int layer, std::vector<NodeRun>& runs);
    bool guarded(const std::function<void()>& call);

    nb::object files_, held_;  // `held_`: the arrays that were listed last
    PythonWatch& watch_;
};

}  // namespace sabna::bindings
