// Breadth-first search whose layers are sorted files: for lattices that outgrow the memory.
//
// The search is that of bfs_reached.h; what differs is where nodes are. Children are not looked up when they are made: they are
// collected, sorted and written as runs, one for every layer they fall into, and a set that stands in several runs is found out
// when its layer's turn comes and the runs are merged (delayed duplicate detection, Korf 2004; for this lattice Malone, Yuan,
// Hansen and Bridges, UAI 2011). All files are read and written from front to back. Path extension jumps over layers, so runs of
// all deeper layers wait, not of the next one alone.
//
// A layer is expanded in pieces of as many nodes as have room for their children; after every piece the files and a small
// state are enough to go on. A piece that a limit interrupts is kept as far as it came.
//
// The way back: no node knows where it came from. Its predecessor is the last node of the deepest layer above it that leads to it
// at the right cost; files are read backwards layer by layer, each at most once. That is the node that bfs_reached.h prefers
// among equally cheap ones, and without path extension the choice is that of bfs_whole.h; so the network is the same.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bounds/heuristic.h"
#include "parallel.h"
#include "search/bfs_whole.h"
#include "search/run_merger.h"
#include "search/successors.h"

namespace sabna {

template <int W, class H>
requires Heuristic<H, W>
class FileBfs {
  public:
    FileBfs(const ParentGraphView<W>& graph, const H& heuristic, const SearchOptions& options, Assignment known,
            Watch& watch)
        : graph_(graph), h_(heuristic), options_(options), known_(std::move(known)), watch_(watch),
          files_(*options.files), successors_(graph, options), fit_(std::size_t(std::max(options.threads, 1))),
          expanded_(fit_.size()) {
        prune_at_ = options.prune && known_.known() ? known_.cost - options.tolerance : Cost::infinite();
        successors_.start(start_.set, start_.g);
        state_.lower = start_.g + h_(start_.set);
    }

    Outcome run() {
        if (!take_memory()) return finish(false);
        bool found = false, go_on = files_.resume(state_, found);
        if (go_on && !found) go_on = begin();
        while (go_on && state_.layer < graph_.n) go_on = expand_layer();
        const Outcome outcome = finish(go_on && find_goal());
        watch_.release(reserved_);
        return outcome;
    }

  private:
    static constexpr int shards = LayerTable<W>::shards;
    static constexpr std::size_t blocks = 32;  // to a batch
    using Node = FileNode<W>;
    using Basket = std::vector<Node>;

    // Children twice, as they are collected and as they are written; their nodes, at most an eighth as many; as many of
    // the files that are read; and a batch.
    bool take_memory() {
        const auto n = std::size_t(std::max(graph_.n, 1));
        const std::uint64_t free = watch_.budget() - std::min(watch_.used(), watch_.budget());
        const std::uint64_t each = sizeof(Node) * 3;
        capacity_ = std::size_t(std::min<std::uint64_t>(files_.most_children, free / 4 * 3 / each));
        for (;; capacity_ /= 2) {
            capacity_ = std::max(capacity_, 2 * n);
            block_size_ = std::clamp<std::size_t>(capacity_ / (blocks * n * 8), 1, (std::size_t{1} << 15) / n + 1);
            reserved_ = (capacity_ + blocks * block_size_ * n) * each;
            if (watch_.try_reserve(reserved_)) {
                // Hashes spread evenly: a shard that grows beyond this is a rare one.
                for (Basket& shard : children_) shard.reserve(reserved_ / each / shards * 9 / 8);
                nodes_.reserve(capacity_ / 8 + 1 + blocks * block_size_);
                return true;
            }
            if (capacity_ == 2 * n) break;
        }
        watch_.halt(Stop::memory_limit);
        reserved_ = 0;
        return false;
    }

    // The start is the only child of the first piece.
    bool begin() {
        state_.layer = start_.set.size();
        state_.smallest.assign(std::size_t(graph_.n + 1), Cost::infinite());
        state_.smallest[std::size_t(state_.layer)] = state_.lower;
        children_[0].push_back(start_);
        return files_.keep(written(-1), state_);
    }

    // The rest of the layer whose turn it is.
    bool expand_layer() {
        std::vector<NodeRun> runs;
        if (!files_.runs(state_.layer, runs)) return false;
        Cost waiting = Cost::infinite();
        for (int deeper = state_.layer; deeper <= graph_.n; ++deeper)
            waiting = std::min(waiting, state_.smallest[std::size_t(deeper)]);
        state_.lower = std::max(state_.lower, std::min(waiting, state_.pruned));
        RunMerger<W> merger(std::move(runs), state_.taken, capacity_ / 8);
        const bool nothing = merger.empty() && state_.taken.empty();
        finished_ = 0;
        while (!merger.empty()) {
            const bool go_on = expand_piece(merger);
            state_.taken = taken_;
            if (!nodes_.empty() && !files_.keep(written(state_.layer), state_)) return false;
            if (!go_on) return false;
        }
        ++state_.layer;
        state_.taken.clear();
        return nothing || files_.keep({}, state_);
    }

    // Expands nodes until there is no more room for children. `taken_`: how far the runs are read by then.
    bool expand_piece(RunMerger<W>& merger) {
        nodes_.clear();
        taken_ = merger.taken();
        for (std::size_t begin = 0; !merger.empty() && nodes_.size() < capacity_ / 8 + 1; begin = nodes_.size()) {
            while (!merger.empty() && nodes_.size() - begin < blocks * block_size_) nodes_.push_back(merger.next());
            total_ = finished_ + std::int64_t(nodes_.size()) + merger.left();
            if (!expand_batch(begin)) {
                nodes_.resize(begin);
                drop_duplicates();
                return false;
            }
            finished_ += std::int64_t(nodes_.size() - begin);
            taken_ = merger.taken();
            if (collected() < capacity_) continue;
            drop_duplicates();
            if (collected() >= capacity_ / 2) break;
        }
        drop_duplicates();
        return true;
    }

    bool expand_batch(std::size_t begin) {
        const std::size_t end = nodes_.size();
        const auto block_count = std::int64_t((end - begin + block_size_ - 1) / block_size_);
        std::vector<Tally> tallies(fit_.size(),
                                   Tally{.smallest = std::vector<Cost>(state_.smallest.size(), Cost::infinite())});
        const bool made = for_each_block(
            options_.threads, block_count, watch_,
            [&](int thread, std::int64_t block) {
                const std::size_t first = begin + std::size_t(block) * block_size_;
                make_children(first, std::min(end, first + block_size_), std::size_t(thread), std::size_t(block),
                              tallies[std::size_t(thread)]);
            },
            [&] { return poll(); });
        if (!made) return false;
        for (const Tally& tally : tallies) {
            state_.counts.generated += tally.generated, state_.counts.pruned += tally.pruned;
            state_.pruned = std::min(state_.pruned, tally.smallest_pruned);
            for (std::size_t k = 0; k < tally.smallest.size(); ++k)
                state_.smallest[k] = std::min(state_.smallest[k], tally.smallest[k]);
        }
        state_.counts.expanded += std::int64_t(end - begin);
        for (std::size_t shard = 0; shard < shards; ++shard)
            for (std::int64_t block = 0; block < block_count; ++block) {
                const Basket& basket = baskets_[std::size_t(block)][shard];
                children_[shard].insert(children_[shard].end(), basket.begin(), basket.end());
            }
        return true;
    }

    struct Tally {
        std::int64_t generated = 0, pruned = 0;
        Cost smallest_pruned = Cost::infinite();
        std::vector<Cost> smallest;
    };

    void make_children(std::size_t begin, std::size_t end, std::size_t thread, std::size_t block, Tally& tally) {
        for (Basket& basket : baskets_[block]) basket.clear();
        for (std::size_t k = begin; k < end; ++k) {
            const Node& node = nodes_[k];
            begin_node<W>(h_, expanded_[thread], node.set, h_(node.set));
            successors_.for_each(node.set, fit_[thread], [&](int, const VarSet<W>& set, Cost cost) {
                ++tally.generated;
                const Cost f = node.g + cost + heuristic_after<W>(h_, expanded_[thread], set - node.set);
                if (f >= prune_at_) {
                    ++tally.pruned;
                    tally.smallest_pruned = std::min(tally.smallest_pruned, f);
                    return;
                }
                Cost& smallest = tally.smallest[std::size_t(set.size())];
                smallest = std::min(smallest, f);
                baskets_[block][LayerTable<W>::shard_of(LayerTable<W>::hash(set))].push_back({set, node.g + cost});
            });
        }
    }

    std::size_t collected() const {
        std::size_t total = 0;
        for (const Basket& shard : children_) total += shard.size();
        return total;
    }

    // Sorts the children of every shard; of those with the same set the cheapest stays.
    void drop_duplicates() {
        Watch unwatched;  // a piece that is stopped is put in order all the same
        for_each_block(
            options_.threads, shards, unwatched,
            [&](int, std::int64_t number) {
                Basket& shard = children_[std::size_t(number)];
                std::sort(shard.begin(), shard.end(),
                          [](const Node& a, const Node& b) { return a.set != b.set ? a.set < b.set : a.g < b.g; });
                const auto same = [](const Node& a, const Node& b) { return a.set == b.set; };
                shard.erase(std::unique(shard.begin(), shard.end(), same), shard.end());
            },
            [] { return true; });
    }

    // What was collected as the piece to be kept; nothing is collected any more.
    LayerPiece written(int layer) {
        LayerPiece piece;
        piece.layer = layer;
        for (const Node& node : nodes_) append(node, piece.words, piece.costs);
        nodes_.clear();
        std::vector<std::size_t> at(std::size_t(graph_.n + 2), 0);
        for (const Basket& shard : children_)
            for (const Node& child : shard) ++at[std::size_t(child.set.size()) + 1];
        for (std::size_t k = 1; k < at.size(); ++k) at[k] += at[k - 1];
        piece.child_begin.assign(at.begin(), at.end());
        piece.child_words.resize(at.back() * W);
        piece.child_costs.resize(at.back());
        for (Basket& shard : children_) {
            for (const Node& child : shard) {
                const std::size_t place = at[std::size_t(child.set.size())]++;
                std::copy(child.set.word, child.set.word + W, piece.child_words.begin() + std::ptrdiff_t(place * W));
                piece.child_costs[place] = child.g.quanta;
            }
            shard.clear();
        }
        return piece;
    }
    static void append(const Node& node, std::vector<std::uint64_t>& words, std::vector<std::int64_t>& costs) {
        words.insert(words.end(), node.set.word, node.set.word + W);
        costs.push_back(node.g.quanta);
    }

    // All layers are expanded: the last one has one node, or none.
    bool find_goal() {
        std::vector<NodeRun> runs;
        if (!files_.runs(graph_.n, runs)) return false;
        RunMerger<W> merger(std::move(runs), {}, capacity_ / 8);
        if (merger.empty()) return true;
        const Node goal = merger.next();
        reached_end_ = true;
        if (goal.g >= known_.cost) return true;
        std::vector<int> order;
        if (!way_back(goal, order)) return false;
        known_ = assign(graph_, std::move(order));
        return true;
    }

    bool way_back(Node at, std::vector<int>& order) {
        for (int layer = graph_.n - 1; at.set != start_.set; --layer) {
            if (layer < 0) throw std::logic_error("bfs_files: a node that nothing leads to");
            std::vector<NodeRun> runs;
            if (!files_.nodes(layer, runs)) return false;
            Node from;
            int variable = -1;
            for (std::size_t r = 0, begin = 0; r < runs.size();) {
                if (!poll()) return false;
                read_block<W>(runs[r], begin, capacity_ / 8 + 1, nodes_);
                begin += nodes_.size();
                if (begin == runs[r].size) ++r, begin = 0;
                for (const Node& node : nodes_) {
                    if (!node.set.subset_of(at.set) || node.g + successors_.least_cost(at.set - node.set) > at.g)
                        continue;
                    const int by = variable_between(node, at);
                    if (by >= 0 && (variable < 0 || !whole_ || by < variable)) from = node, variable = by;
                }
            }
            if (variable < 0) continue;
            const std::vector<int> placed = successors_.placed_by(from.set, variable);
            order.insert(order.end(), placed.rbegin(), placed.rend());
            at = from;
        }
        const std::vector<int> first = successors_.placed_by({}, -1);
        order.insert(order.end(), first.rbegin(), first.rend());
        std::reverse(order.begin(), order.end());
        return true;
    }
    // Of the variables by which `node` leads to `to` the cheapest, if its cost is right; -1 if there is none.
    int variable_between(const Node& node, const Node& to) {
        int variable = -1;
        Cost cheapest = Cost::infinite();
        successors_.for_each(node.set, fit_[0], [&](int i, const VarSet<W>& child, Cost cost) {
            if (child == to.set && cost < cheapest) cheapest = cost, variable = i;
        });
        return variable >= 0 && node.g + cheapest == to.g ? variable : -1;
    }

    bool poll() {
        Progress progress;
        progress.station = "search";
        progress.finished = finished_;
        progress.total = total_;
        progress.expanded = state_.counts.expanded;
        progress.generated = state_.counts.generated;
        progress.stored = state_.counts.expanded;
        progress.lower = std::min(state_.lower, known_.cost);
        progress.upper = known_.cost;
        return watch_.poll(progress);
    }

    Outcome finish(bool solved) {
        Outcome outcome;
        outcome.stop = solved ? Stop::none : watch_.stop();
        outcome.best = std::move(known_);
        if (solved) state_.lower = state_.pruned;
        outcome.lower = std::min({state_.lower, state_.pruned, outcome.best.cost});
        outcome.counts = state_.counts;
        outcome.counts.stored = state_.counts.expanded + reached_end_;
        outcome.peak_bytes = reserved_;
        return outcome;
    }

    ParentGraphView<W> graph_;
    const H& h_;
    SearchOptions options_;
    Assignment known_;
    Watch& watch_;
    LayerFiles& files_;
    Successors<W> successors_;
    std::vector<std::vector<std::int64_t>> fit_;  // memory for the successors, per thread
    std::vector<ExpandedNode<W>> expanded_;       // likewise
    bool whole_ = !options_.path_extension && !options_.scc_branching && W == 1 && graph_.n <= whole_bfs_limit;
    LayersState state_;
    Node start_;
    bool reached_end_ = false;
    std::vector<std::int64_t> taken_;
    std::vector<Node> nodes_;                           // of the piece
    std::array<Basket, std::size_t(shards)> children_;  // of the piece
    std::array<std::array<Basket, std::size_t(shards)>, blocks> baskets_;
    std::size_t capacity_ = 0, block_size_ = 1;  // children to a piece, nodes to a block
    std::int64_t finished_ = 0, total_ = 0;      // nodes of the layer
    std::uint64_t reserved_ = 0;
    Cost prune_at_;
};

}  // namespace sabna
