// Breadth-first search with optimal path extension: only the nodes that are reached, layer by layer.
//
// Path extension jumps over layers, so there is one bucket of nodes for every deeper layer that was jumped to. When a layer's
// turn comes, no more nodes can arrive in it and all their costs are final. Once it is expanded its costs and its
// index are let go; what stays for the way back are the sets and, for each, the number of the node it was best reached from.
//
// Threads: nodes are expanded in batches of fixed size. First the successors of the batch are made, by blocks, and
// sorted by the upper bits of their hash; then each of the shards of the hash space is merged by one thread. A node
// reached twice keeps the cheaper way, and of equal ones that from the higher number. When a layer's turn comes its shards are
// sorted and its nodes numbered. Blocks, shards and numbers do not depend on the threads, and so neither does the result; nor
// does it depend on where the nodes are kept, for bfs_files.h numbers them the same way.
//
// The smallest g + h of the nodes that wait, those in deeper buckets included, when a layer's turn comes is a lower bound.
#pragma once

#include <algorithm>
#include <array>

#include "bounds/heuristic.h"
#include "parallel.h"
#include "search/layer_table.h"
#include "search/outcome.h"
#include "search/successors.h"

namespace sabna {

template <int W, class H>
requires Heuristic<H, W>
class ReachedBfs {
  public:
    ReachedBfs(const ParentGraphView<W>& graph, const H& heuristic, const SearchOptions& options, Assignment known,
               Watch& watch)
        : graph_(graph), h_(heuristic), options_(options), known_(std::move(known)), watch_(watch),
          successors_(graph, options), fit_(std::size_t(std::max(options.threads, 1))), expanded_(fit_.size()) {
        prune_at_ = options.prune && known_.known() ? known_.cost - options.tolerance : Cost::infinite();
        block_size_ = std::max<std::size_t>(1, block_bytes / (sizeof(Child) * std::size_t(std::max(graph.n, 1))));
        for (int k = 0; k <= graph.n; ++k) layers_.emplace_back(watch);
    }

    Outcome run() {
        VarSet<W> placed;
        Cost g;
        successors_.start(placed, g);
        lower_ = g + h_(placed);
        counts_.stored = 1;
        if (!watch_.reserve(blocks * block_bytes)) return finish(false);
        bool go_on = layers_[std::size_t(placed.size())].keep(
            {placed, LayerTable<W>::hash(placed), g, lower_, LayerTable<W>::start});
        for (int k = placed.size(); k < graph_.n && go_on; ++k) go_on = expand_layer(k);
        watch_.release(blocks * block_bytes);
        return finish(go_on);
    }

  private:
    static constexpr std::size_t blocks = 32;                         // to a batch
    static constexpr std::size_t block_bytes = std::size_t{1} << 19;  // of children: 16 MB for a batch
    using Child = typename LayerTable<W>::Child;
    static constexpr int shards = LayerTable<W>::shards;

    // The children that one block of nodes has in one shard of the hash space.
    using Basket = std::vector<Child>;

    bool expand_layer(int k) {
        auto& layer = layers_[std::size_t(k)];
        if (layer.size() == 0) return true;
        Cost waiting = Cost::infinite();
        for (int deeper = k; deeper <= graph_.n; ++deeper)
            waiting = std::min(waiting, layers_[std::size_t(deeper)].smallest_f());
        lower_ = std::max(lower_, std::min(waiting, pruned_));
        const auto sort = [&](int, std::int64_t shard) { layer.sort_shard(int(shard)); };
        if (!for_each_block(options_.threads, shards, watch_, sort, [&] { return poll(); })) return false;
        layer.number_from(numbered_);
        numbered_ += layer.size();
        for (std::size_t begin = 0; begin < layer.size(); begin += blocks * block_size_)
            if (!expand_batch(layer, begin, std::min(layer.size(), begin + blocks * block_size_))) return false;
        peak_ = std::max(peak_, bytes());
        layer.retire();
        return true;
    }

    bool expand_batch(const LayerTable<W>& layer, std::size_t begin, std::size_t end) {
        const auto block_count = std::int64_t((end - begin + block_size_ - 1) / block_size_);
        const auto go_on = [&] { return poll(); };
        std::vector<Tally> tallies(fit_.size());
        const bool made = for_each_block(
            options_.threads, block_count, watch_,
            [&](int thread, std::int64_t block) {
                const std::size_t first = begin + std::size_t(block) * block_size_;
                make_children(layer, first, std::min(end, first + block_size_), std::size_t(thread),
                              baskets_[std::size_t(block)], tallies[std::size_t(thread)]);
            },
            go_on);
        for (const Tally& tally : tallies) {
            counts_.generated += tally.generated;
            counts_.pruned += tally.pruned;
            pruned_ = std::min(pruned_, tally.smallest_pruned);
        }
        if (!made) return false;
        counts_.expanded += std::int64_t(end - begin);
        std::array<std::int64_t, std::size_t(shards)> fresh{};
        const bool merged = for_each_block(
            options_.threads, shards, watch_,
            [&](int, std::int64_t shard) {
                for (std::int64_t block = 0; block < block_count; ++block)
                    for (const Child& child : baskets_[std::size_t(block)][std::size_t(shard)]) {
                        const auto kept = layers_[std::size_t(child.set.size())].keep_in(int(shard), child);
                        if (kept == LayerTable<W>::Kept::no_room) return;
                        fresh[std::size_t(shard)] += kept == LayerTable<W>::Kept::fresh;
                    }
            },
            go_on);
        for (const std::int64_t count : fresh) counts_.stored += count;
        return merged;
    }

    struct Tally {
        std::int64_t generated = 0, pruned = 0;
        Cost smallest_pruned = Cost::infinite();
    };

    void make_children(const LayerTable<W>& layer, std::size_t begin, std::size_t end, std::size_t thread,
                       std::array<Basket, std::size_t(shards)>& baskets, Tally& tally) {
        for (Basket& basket : baskets) basket.clear();
        for (std::size_t k = begin; k < end; ++k) {
            const auto node = layer.at(k);
            begin_node<W>(h_, expanded_[thread], node.set, h_(node.set));
            successors_.for_each(node.set, fit_[thread], [&](int, const VarSet<W>& set, Cost cost) {
                ++tally.generated;
                const Cost f = node.g + cost + heuristic_after<W>(h_, expanded_[thread], set - node.set);
                if (f >= prune_at_) {
                    ++tally.pruned;
                    tally.smallest_pruned = std::min(tally.smallest_pruned, f);
                    return;
                }
                const std::uint64_t hash = LayerTable<W>::hash(set);
                baskets[LayerTable<W>::shard_of(hash)].push_back({set, hash, node.g + cost, f, node.number});
            });
        }
    }

    std::uint64_t bytes() const {
        std::uint64_t total = 0;
        for (const auto& layer : layers_) total += layer.bytes();
        return total;
    }

    bool poll() {
        Progress progress;
        progress.station = "search";
        progress.expanded = counts_.expanded;
        progress.generated = counts_.generated;
        progress.stored = counts_.stored;
        progress.lower = std::min(lower_, known_.cost);
        progress.upper = known_.cost;
        return watch_.poll(progress);
    }

    // Each step back: the retained predecessor, and of the variables that lead from it to here the cheapest.
    std::vector<int> backtrack() {
        std::vector<int> backwards;
        VarSet<W> at = VarSet<W>::first(graph_.n);
        for (std::uint32_t from = layers_.back().parent_of_only(); from != LayerTable<W>::start;) {
            const auto& layer =
                *std::find_if(layers_.begin(), layers_.end(), [&](const auto& l) { return l.has_number(from); });
            const auto [set, parent] = layer.retired(from);
            int variable = -1;
            Cost cheapest = Cost::infinite();
            successors_.for_each(set, fit_[0], [&](int i, const VarSet<W>& child, Cost cost) {
                if (child == at && cost < cheapest) cheapest = cost, variable = i;
            });
            const std::vector<int> placed = successors_.placed_by(set, variable);
            backwards.insert(backwards.end(), placed.rbegin(), placed.rend());
            at = set;
            from = parent;
        }
        const std::vector<int> first = successors_.placed_by({}, -1);
        backwards.insert(backwards.end(), first.rbegin(), first.rend());
        std::reverse(backwards.begin(), backwards.end());
        return backwards;
    }

    Outcome finish(bool solved) {
        Outcome outcome;
        outcome.stop = solved ? Stop::none : watch_.stop();
        outcome.best = std::move(known_);
        const LayerTable<W>& goal = layers_.back();
        if (solved && goal.size() && goal.only_g() < outcome.best.cost) outcome.best = assign(graph_, backtrack());
        if (solved) lower_ = pruned_;
        outcome.lower = std::min({lower_, pruned_, outcome.best.cost});
        outcome.counts = counts_;
        outcome.peak_bytes = std::max(peak_, bytes());
        outcome.bytes_per_node = double(outcome.peak_bytes) / double(std::max<std::int64_t>(counts_.stored, 1));
        return outcome;
    }

    ParentGraphView<W> graph_;
    const H& h_;
    SearchOptions options_;
    Assignment known_;
    Watch& watch_;
    Successors<W> successors_;
    std::vector<std::vector<std::int64_t>> fit_;  // memory for the successors, per thread
    std::vector<ExpandedNode<W>> expanded_;       // likewise
    std::vector<LayerTable<W>> layers_;
    std::array<std::array<Basket, std::size_t(shards)>, blocks> baskets_;
    std::size_t block_size_;  // nodes
    SearchCounts counts_;
    std::uint64_t numbered_ = 0, peak_ = 0;
    Cost lower_, prune_at_, pruned_ = Cost::infinite();
};

}  // namespace sabna
