// Merges sorted runs of nodes into one sorted stream in which every set stands once, at its least cost: the delayed detection
// of duplicates. A heap holds the first node of every run; a stream can be taken up again at any of its nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "search/layer_files.h"
#include "search/layer_table.h"

namespace sabna {

// A node in a file: its set, and what it costs to reach it.
template <int W>
struct FileNode {
    VarSet<W> set;
    Cost g;
};

template <int W>
FileNode<W> node_of(const NodeRun& run, std::size_t k) {
    FileNode<W> node;
    std::memcpy(node.set.word, run.words + k * W, sizeof(node.set.word));
    node.g = {run.costs[k]};
    return node;
}

template <int W>
class RunMerger {
  public:
    // `taken`: nodes of each run that are left out; empty for none.
    RunMerger(std::vector<NodeRun> runs, std::vector<std::int64_t> taken)
        : runs_(std::move(runs)), taken_(std::move(taken)) {
        taken_.resize(runs_.size(), 0);
        for (std::size_t r = 0; r < runs_.size(); ++r)
            if (push_head(r)) std::push_heap(heap_.begin(), heap_.end(), later);
    }

    bool empty() const { return heap_.empty(); }
    const std::vector<std::int64_t>& taken() const { return taken_; }
    // Nodes left, those that stand in several runs counted several times.
    std::int64_t left() const {
        std::int64_t total = 0;
        for (std::size_t r = 0; r < runs_.size(); ++r) total += std::int64_t(runs_[r].size) - taken_[r];
        return total;
    }

    // The next node; there is one.
    FileNode<W> next() {
        FileNode<W> node = heap_.front().node;
        do {
            node.g = std::min(node.g, heap_.front().node.g);
            advance();
        } while (!heap_.empty() && heap_.front().node.set == node.set);
        return node;
    }

  private:
    struct Head {
        FileNode<W> node;
        std::size_t shard, run;
    };
    static bool later(const Head& a, const Head& b) {
        return a.shard != b.shard ? a.shard > b.shard : a.node.set > b.node.set;
    }
    bool push_head(std::size_t r) {
        if (std::size_t(taken_[r]) >= runs_[r].size) return false;
        const FileNode<W> node = node_of<W>(runs_[r], std::size_t(taken_[r]));
        heap_.push_back({node, LayerTable<W>::shard_of(LayerTable<W>::hash(node.set)), r});
        return true;
    }
    void advance() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const std::size_t r = heap_.back().run;
        heap_.pop_back();
        ++taken_[r];
        if (push_head(r)) std::push_heap(heap_.begin(), heap_.end(), later);
    }

    std::vector<NodeRun> runs_;
    std::vector<std::int64_t> taken_;
    std::vector<Head> heap_;
};

}  // namespace sabna
