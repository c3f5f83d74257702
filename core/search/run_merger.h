// Merges sorted runs of nodes into one sorted stream in which every set stands once, at its least cost: the delayed detection
// of duplicates. A heap holds the first node of every run; a stream can be taken up again at any of its nodes.
//
// Nodes are read in blocks, after which all pages are given back: where one page is touched the system maps up to two
// megabytes of the file, and those of many runs took more memory than the search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "search/layer_files.h"
#include "search/layer_table.h"
#include "search/pages.h"

namespace sabna {

// A node in a file: its set, and what it costs to reach it.
template <int W>
struct FileNode {
    VarSet<W> set;
    Cost g;
};

// Nodes `begin` to `begin + count` of a run, or as many as it has.
template <int W>
void read_block(const NodeRun& run, std::size_t begin, std::size_t count, std::vector<FileNode<W>>& block) {
    if (run.width != W) throw std::invalid_argument("a run of nodes: sets of another width");
    block.resize(std::min(count, run.size - std::min(begin, run.size)));
    for (std::size_t k = 0; k < block.size(); ++k) {
        std::memcpy(block[k].set.word, run.words + (begin + k) * W, sizeof(block[k].set.word));
        block[k].g = {run.costs[begin + k]};
    }
    if (!run.mapped || block.empty()) return;
    give_back(run.words, run.size * sizeof(VarSet<W>));
    give_back(run.costs, run.size * sizeof(Cost));
}

template <int W>
class RunMerger {
  public:
    // `taken`: nodes of each run that are left out; empty for none. `room`: nodes of all runs to hold at a time.
    RunMerger(std::vector<NodeRun> runs, std::vector<std::int64_t> taken, std::size_t room)
        : runs_(std::move(runs)), taken_(std::move(taken)), blocks_(runs_.size()),
          block_size_(std::clamp<std::size_t>(room / std::max<std::size_t>(runs_.size(), 1), 32, 1 << 14)) {
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
    struct Block {
        std::vector<FileNode<W>> nodes;
        std::size_t next = 0;
    };
    struct Head {
        FileNode<W> node;
        std::size_t shard, run;
    };
    static bool later(const Head& a, const Head& b) {
        return a.shard != b.shard ? a.shard > b.shard : a.node.set > b.node.set;
    }
    bool push_head(std::size_t r) {
        if (std::size_t(taken_[r]) >= runs_[r].size) return false;
        Block& block = blocks_[r];
        if (block.next == block.nodes.size()) {
            read_block<W>(runs_[r], std::size_t(taken_[r]), block_size_, block.nodes);
            block.next = 0;
        }
        const FileNode<W>& node = block.nodes[block.next++];
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
    std::vector<Block> blocks_;
    std::size_t block_size_;
    std::vector<Head> heap_;
};

}  // namespace sabna
