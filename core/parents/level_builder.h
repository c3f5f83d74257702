// The builder of build.h, slice by slice: for levels that are kept on disk, or walked on several machines.
//
// Whoever drives it has a level walked in slices, in any order and anywhere, and then advances it by the arrays of all
// slices in their order. It keeps the trie and where each set's numbers stand; the numbers themselves stay where the
// caller has them, in memory or in a mapped file, and must stay there until the next level is in place. Nothing here
// depends on how a level is cut: the graph is that of build_parent_graph, to the bit.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "parallel.h"
#include "parents/build_state.h"

namespace sabna {

// The arrays of one slice, where the caller has them; of a level that is not the last the masks are enough.
template <int W>
struct SliceView {
    std::span<const VarSet<W>> child_mask, alive;
    const std::uint16_t* narrow = nullptr;
    const std::uint32_t* best = nullptr;
};

template <int W>
class LevelBuilder {
  public:
    LevelBuilder(DistinctRows table, std::unique_ptr<Score> score, Candidates<W> candidates, Watch& watch)
        : table_(std::move(table)), score_(std::move(score)),
          candidates_(std::move(candidates)), state_{.table = table_, .score = *score_, .candidates = candidates_} {
        score_empty_sets(state_);
        store_root(state_);
        find_twins(state_, watch);
    }
    LevelBuilder(const LevelBuilder&) = delete;
    LevelBuilder& operator=(const LevelBuilder&) = delete;

    int level() const { return int(state_.trie.size()) - 1; }  // size of the sets to be extended next
    std::size_t sets() const { return state_.last.size(); }
    const BuildState<W>& state() const { return state_; }

    Slice<W> walk(std::uint32_t begin, std::uint32_t end, int threads, Watch& watch) {
        const std::uint64_t each = bytes_to_count(table_, *score_);
        const int counting = threads_that_fit(threads, each, watch);
        while (int(rules_.size()) < counting) rules_.push_back(make_rule(state_));
        Slice<W> slice;
        if (counting > 0) slice = walk_slice(state_, rules_, begin, end, watch);
        watch.release(std::uint64_t(counting) * each);
        return slice;
    }

    // All slices of the level are walked.
    void advance(const std::vector<SliceView<W>>& slices) {
        TrieLevel<W>& above = state_.trie.back();
        std::size_t parents = 0, stored = 0;
        for (const SliceView<W>& slice : slices) parents += slice.child_mask.size(), stored += slice.alive.size();
        state_.last = {};  // the level before is not needed any more, and large levels leave no room to grow into
        above.child_begin.reserve(parents + 1), above.child_mask.reserve(parents);
        LevelStore<W> next;
        next.reserve(stored, 0, score_->pruning() != Pruning::entropy);
        std::uint32_t child = 0;
        for (const SliceView<W>& slice : slices) {
            for (const VarSet<W>& mask : slice.child_mask) {
                above.child_begin.push_back(child);
                above.child_mask.push_back(mask);
                child += std::uint32_t(mask.size());
            }
            std::size_t at = 0;
            for (const VarSet<W>& children : slice.alive) {
                next.alive.push_back(children);
                if (slice.best) next.best_at.push_back(slice.best + at), at += std::size_t(children.size());
                else next.narrow_at.push_back(slice.narrow + at), at += 2 * std::size_t(table_.n);
            }
        }
        above.child_begin.push_back(child);
        state_.trie.emplace_back();
        state_.last = std::move(next);
    }

    // What the slices of a level scored; `complete`: of all of the level, so that `floor` is that of the sets left.
    void take(std::vector<Scored<W>>&& scored, const std::vector<Cost>& floor, bool complete, std::int64_t evaluated,
              std::int64_t counted) {
        state_.scored.insert(state_.scored.end(), scored.begin(), scored.end());
        state_.evaluated += evaluated, state_.counted += counted;
        if (complete) state_.floor = floor;
    }

    BuildResult<W> finish(bool complete) {
        BuildResult<W> result;
        result.evaluated = state_.evaluated, result.counted = state_.counted;
        result.floor = complete ? std::vector<Cost>(table_.n, Cost::infinite()) : state_.floor;
        append_lists(state_.scored, table_.n, result.graph);
        return result;
    }

  private:
    DistinctRows table_;
    std::unique_ptr<Score> score_;
    Candidates<W> candidates_;
    BuildState<W> state_;
    std::vector<std::unique_ptr<Rule<W>>> rules_;
};

}  // namespace sabna
