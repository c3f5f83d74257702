// First fits of sets U that change by one variable at a time.
//
// A variable that loses a possible parent keeps its parent set unless the lost one is in it; then the next fit is further down
// its list. A variable that gains a possible parent can only move forward, to a set that contains the new one: so only
// those sets are looked at, by a list of their positions for every pair of variables. Lists of thousands of sets are
// searched downwards by slices (parents/sliced_list.h).
//
// A copy shares these lists and counts its own work: one for each thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "parents/first_fit.h"
#include "parents/parent_graph.h"

namespace sabna {

template <int W>
class MovingFits {
  public:
    explicit MovingFits(const ParentGraphView<W>& graph) : graph_(graph) {
        auto lists = std::make_shared<Lists>(graph);
        auto& [index, start, position] = *lists;
        each_member([&](std::size_t pair, std::int64_t) { ++start[pair + 1]; });
        for (std::size_t p = 1; p < start.size(); ++p) start[p] += start[p - 1];
        position.resize(std::size_t(start.back()));
        std::vector<std::int64_t> next(start.begin(), start.end() - 1);
        each_member([&](std::size_t pair, std::int64_t at) { position[std::size_t(next[pair]++)] = std::int32_t(at); });
        lists_ = std::move(lists);
    }
    static std::uint64_t bytes(const ParentGraphView<W>& graph) {
        std::uint64_t members = 0;
        for (std::int64_t p = 0; p < graph.size(); ++p) members += std::uint64_t(graph.sets_begin[p].size());
        return FitIndex<W>::bytes(graph) + 4 * members + 16 * std::uint64_t(graph.n) * std::uint64_t(graph.n);
    }

    const ParentGraphView<W>& graph() const { return graph_; }
    Cost cost(int i, std::int64_t k) const { return graph_.costs_begin[graph_.offsets[i] + k]; }
    const VarSet<W>& set(int i, std::int64_t k) const { return graph_.sets_begin[graph_.offsets[i] + k]; }
    // Sets looked at so far.
    std::int64_t work() const { return work_; }
    void add_work(std::int64_t sets) { work_ += sets; }

    // The first fit of i among `placed`; the list's size if there is none.
    std::int64_t find(int i, const VarSet<W>& placed, std::int64_t begin = 0) { return find_from(i, placed, begin); }
    // The fit of i once `lost` is gone from its predecessors, of which `left` remain, where k is its fit so far.
    std::int64_t after_loss(int i, std::int64_t k, int lost, const VarSet<W>& left) {
        ++work_;
        return set(i, k).contains(lost) ? find_from(i, left, k + 1) : k;
    }
    // The fit of i once its predecessors have grown by `gained` to `grown`: k, or one before it.
    std::int64_t after_gain(int i, std::int64_t k, int gained, const VarSet<W>& grown) {
        const std::size_t pair = std::size_t(i) * std::size_t(graph_.n) + std::size_t(gained);
        const VarSet<W>* sets = graph_.sets_begin + graph_.offsets[i];
        const std::int32_t* position = lists_->position.data();
        const std::int32_t *at = position + lists_->start[pair], *end = position + lists_->start[pair + 1];
        const std::int32_t* from = at;
        while (at < end && *at < k && !sets[*at].subset_of(grown)) ++at;
        work_ += 1 + (at - from);
        return at < end && *at < k ? *at : k;
    }

  private:
    struct Lists {
        explicit Lists(const ParentGraphView<W>& graph)
            : index(graph), start(std::size_t(graph.n) * std::size_t(graph.n) + 1) {}
        FitIndex<W> index;
        std::vector<std::int64_t> start;     // per pair (child, parent), into position
        std::vector<std::int32_t> position;  // ascending: the child's sets that contain the parent
    };

    std::int64_t find_from(int i, const VarSet<W>& placed, std::int64_t begin) {
        const std::int64_t found = lists_->index.find(i, placed, begin);
        work_ += 1 + (found - begin) / (graph_.size(i) >= FitIndex<W>::sliced_from ? 8 : 1);
        return found;
    }
    template <class Visit>
    void each_member(Visit visit) const {
        for (int i = 0; i < graph_.n; ++i)
            for (std::int64_t k = 0; k < graph_.size(i); ++k)
                set(i, k).for_each([&](int v) { visit(std::size_t(i) * std::size_t(graph_.n) + std::size_t(v), k); });
    }

    const ParentGraphView<W>& graph_;
    std::shared_ptr<const Lists> lists_;
    std::int64_t work_ = 0;
};

}  // namespace sabna
