// Where a breadth-first search keeps its layers when they are files (bfs_files.h): who has the files implements this.
//
// A run is a sorted list of nodes of one layer, each set once: by the shard of its hash, then as binary numbers. A search
// writes pieces: the nodes that it expanded, and for every deeper layer a run of their children. After each piece the state is
// enough to go on.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "search/outcome.h"

namespace sabna {

// Nodes as the owner of the files has them: `size` sets of `width` words each, and what it costs to reach them.
struct NodeRun {
    const std::uint64_t* words = nullptr;
    const std::int64_t* costs = nullptr;
    std::size_t size = 0;
    std::size_t width = 1;
    bool mapped = false;  // they are part of a mapped file: what is read may be given back to the system
};

// What was expanded, and what came of it. Children of layer k stand from child_begin[k] to child_begin[k + 1].
struct LayerPiece {
    int layer = -1;  // -1: nothing was expanded, the one child is the start
    std::vector<std::uint64_t> words, child_words;
    std::vector<std::int64_t> costs, child_costs, child_begin;
};

// Between two pieces.
struct LayersState {
    int layer = 0;                    // whose nodes are expanded next
    std::vector<std::int64_t> taken;  // of each run of this layer: nodes that are done; empty at its beginning
    SearchCounts counts;
    Cost lower, pruned = Cost::infinite();  // no network costs less; least g + h that was dropped
    std::vector<Cost> smallest;             // per layer the least g + h of its nodes
};

// All return false if the search has to stop: the reason is with the watch.
class LayerFiles {
  public:
    virtual ~LayerFiles() = default;
    // The state after the last piece kept; `found`: whether there is one.
    virtual bool resume(LayersState& state, bool& found) = 0;
    virtual bool keep(LayerPiece&& piece, const LayersState& state) = 0;
    // The runs of a layer that is to be expanded, in the same order each time; valid until the next call.
    virtual bool runs(int layer, std::vector<NodeRun>& runs) = 0;
    // The expanded nodes of a layer, in their order; likewise.
    virtual bool nodes(int layer, std::vector<NodeRun>& runs) = 0;

    std::size_t most_children = std::size_t{1} << 26;  // to a piece; a gigabyte for up to 64 variables
};

}  // namespace sabna
