#include "parents/level_walk.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <new>

#include "parallel.h"

namespace sabna {

namespace {

// Sets per block: enough to make the walk of the stack worth it, few enough for threads to share the end of a level.
constexpr std::uint32_t block_size = 64;

template <int W>
struct Block {
    std::vector<VarSet<W>> child_mask;  // of each P in the block
    StorePart<W> store;
    std::vector<Scored<W>> scored;
    std::vector<Cost> floor;
    std::int64_t evaluated = 0, counted = 0;
};

// Of so many rows that counting a single set takes long on the scale of a time limit.
template <int W>
bool many_rows(const BuildState<W>& state) {
    return state.table.distinct() > 10000;
}

// One thread's walk over blocks of the last level.
template <int W>
class Walker {
  public:
    Walker(const BuildState<W>& state, Rule<W>& rule, Watch& watch, std::atomic<std::int64_t>& evaluated)
        : state_(state), rule_(rule), watch_(watch), evaluated_(evaluated), depth_(int(state.trie.size()) - 1),
          path_(state.trie, depth_), refiner_(state.table, state.score.pruning() == Pruning::configurations),
          stack_(depth_ + 2), subsets_(depth_ + 1) {
        refiner_.whole(stack_[0]);
        judged_.best.resize(state.table.n);
        judged_.numbers.resize(rule.numbers_stored());
        store_.stride = rule.numbers_stored();
        store_.keeps_best = store_.stride == 0;
    }

    // What its partitions take at most: a row's number in each, and the cells.
    static std::uint64_t bytes(const BuildState<W>& state) {
        const std::uint64_t cells =
            state.score.pruning() == Pruning::configurations ? 8 : 4;  // without those of one row
        return (state.trie.size() + 1) * (4 + cells) * std::uint64_t(state.table.distinct());
    }

    // `go_on` is asked now and then whether to.
    template <class GoOn>
    void walk(std::uint32_t begin, std::uint32_t end, Block<W>& block, GoOn go_on) {
        block.floor.assign(state_.table.n, Cost::infinite());
        block.child_mask.reserve(end - begin);
        store_.clear();
        for (std::uint32_t p = begin; p < end; ++p) {
            if (!go_on()) return;
            block.child_mask.push_back(extend(p, block, go_on));
        }
        block.store = store_.packed();
        const std::uint64_t bytes = block.store.bytes();
        if (watch_.reserve(bytes + block.scored.capacity() * sizeof(Scored<W>))) block.store.reserved = bytes;
    }

  private:
    // All Q = P + x, x above P; returns the x for which Q was stored.
    template <class GoOn>
    VarSet<W> extend(std::uint32_t p, Block<W>& block, GoOn go_on) {
        const int same = path_.move_to(p);
        refined_ = std::min(refined_, same);
        prepared_ = false;
        VarSet<W> members = VarSet<W>::first(state_.table.n);
        if (depth_ > 0) members -= VarSet<W>::first(path_.member(depth_ - 1) + 1);
        for (int j = 0; j < depth_; ++j) members &= state_.trie[depth_ - 1].child_mask[path_.lacking(j)];
        VarSet<W> stored;
        const VarSet<W> P = path_.set();
        members.for_each([&](int x) {
            if (many_rows(state_) && !go_on()) return;  // stopped: the level is not completed
            if (consider(p, P, x, block)) stored.insert(x);
        });
        return stored;
    }

    bool consider(std::uint32_t p, const VarSet<W>& P, int x, Block<W>& block) {
        VarSet<W> children = state_.last.alive[p];
        if (depth_ == 0) children &= can_have_parent(x);
        for (int j = 0; j < depth_; ++j) {
            subsets_[j] = {path_.member(j), state_.trie[depth_ - 1].child(path_.lacking(j), x)};
            children &= state_.last.alive[subsets_[j].index];
        }
        if (children.empty()) return false;
        subsets_[depth_] = {x, p};
        const VarSet<W> Q = P.with(x);
        rule_.judge_before(Q, children, subsets_, state_.last, judged_);
        if (judged_.score.empty() && judged_.extend.empty()) return false;
        count(p, P, x);
        block.evaluated += judged_.score.size();
        ++block.counted;
        rule_.judge_after(Q, judged_, block.scored, block.floor);
        if (judged_.extend.empty()) return false;
        store_.append(judged_.extend, judged_.numbers.data(), judged_.best.data());
        return true;
    }

    void count(std::uint32_t p, const VarSet<W>& P, int x) {
        for (; refined_ < depth_; ++refined_)
            refiner_.refine(stack_[refined_], path_.member(refined_), stack_[refined_ + 1]);
        if (rule_.splits(x)) {
            if (!prepared_) rule_.prepare(stack_[depth_], P, p);
            prepared_ = true;
            rule_.count_split(stack_[depth_], x);
        } else {
            refiner_.refine(stack_[depth_], x, stack_[depth_ + 1]);
            rule_.count(P.with(x), stack_[depth_ + 1], judged_);
        }
    }

    VarSet<W> can_have_parent(int x) const {
        VarSet<W> children;
        for (int i = 0; i < state_.table.n; ++i)
            if (state_.candidates.allowed[i].contains(x)) children.insert(i);
        return children;
    }

    const BuildState<W>& state_;
    Rule<W>& rule_;
    Watch& watch_;
    std::atomic<std::int64_t>& evaluated_;
    int depth_;
    TriePath<W> path_;
    Refiner refiner_;
    std::vector<Partition> stack_;  // by the first t members; the last is for Q
    int refined_ = 0;               // how deep the stack is valid
    bool prepared_ = false;         // the rule for the set P at hand
    std::vector<Subset<W>> subsets_;
    Judged<W> judged_;
    StorePart<W> store_;  // of the block at hand
};

// Gives up the numbers of the last level as the walk goes on. A set and all its subsets of one member less have smallest
// members no smaller than its own, and sets are stored by smallest member: what comes before the smallest member of the
// first block still at work is not asked for again. Thus about one level is held, not two.
template <int W>
class LevelReclaimer {
  public:
    LevelReclaimer(BuildState<W>& state, std::size_t blocks, Watch& watch)
        : last_(state.last), watch_(watch), starts_(starts_by_first_member(state.trie, int(state.trie.size()) - 1)),
          finished_(blocks) {}

    void finish(std::size_t block) {
        const std::lock_guard lock(mutex_);
        finished_[block] = true;
        while (first_ < finished_.size() && finished_[first_]) ++first_;
        const auto next = std::upper_bound(starts_.begin(), starts_.end(), std::uint32_t(first_ * block_size));
        watch_.release(last_.give_up_before(*(next - 1)));
    }

  private:
    LevelStore<W>& last_;
    Watch& watch_;
    std::vector<std::uint32_t> starts_;
    std::vector<bool> finished_;
    std::size_t first_ = 0;  // block not finished
    std::mutex mutex_;
};

// Walk the sets of the last level from `from` to `to` in blocks; `finished` is told of each. False: stopped by the watch.
template <int W>
bool walk_blocks(const BuildState<W>& state, std::vector<std::unique_ptr<Rule<W>>>& rule_per_thread, std::uint32_t from,
                 std::uint32_t to, std::vector<Block<W>>& blocks, Watch& watch,
                 const std::function<void(std::size_t)>& finished) {
    const std::uint64_t each = Walker<W>::bytes(state);
    const int most = std::min<int>(int(rule_per_thread.size()), int(blocks.size()));
    const int threads = threads_that_fit(most, each, watch);
    if (threads == 0) return false;
    std::atomic<std::int64_t> evaluated{state.evaluated};
    std::vector<std::unique_ptr<Walker<W>>> walkers(static_cast<std::size_t>(threads));
    std::uint32_t seen = 0;  // sets of thread 0
    const auto walk_block = [&](int thread, std::uint32_t b) {
        std::unique_ptr<Walker<W>>& walker = walkers[std::size_t(thread)];
        if (!walker)
            walker = std::make_unique<Walker<W>>(state, *rule_per_thread[std::size_t(thread)], watch, evaluated);
        const std::uint32_t begin = from + b * block_size, end = std::min(to, begin + block_size);
        walker->walk(begin, end, blocks[b], [&] {
            if (thread > 0 || (++seen % 4 && !many_rows(state))) return !watch.stopped();
            return watch.poll({.station = "parent graph",
                               .evaluated = evaluated.load(std::memory_order_relaxed),
                               .finished = b,
                               .total = std::int64_t(blocks.size())});
        });
        finished(b);
        evaluated.fetch_add(blocks[b].evaluated, std::memory_order_relaxed);
    };
    const auto work = [&](int thread, std::int64_t b) {
        try {
            walk_block(thread, std::uint32_t(b));
        } catch (const std::bad_alloc&) {
            watch.halt(Stop::memory_limit);
        }
    };
    const bool complete = for_each_block(threads, std::int64_t(blocks.size()), watch, work, [] { return true; });
    walkers.clear();
    watch.release(std::uint64_t(threads) * each);
    return complete;
}

std::size_t blocks_of(std::uint32_t sets) { return (sets + block_size - 1) / block_size; }

template <int W>
void join_blocks(BuildState<W>& state, std::vector<Block<W>>& blocks, bool complete) {
    std::size_t sets = 0, families = state.scored.size();
    for (const Block<W>& block : blocks) sets += block.store.alive.size(), families += block.scored.size();
    state.scored.reserve(families);
    for (Block<W>& block : blocks) {
        state.evaluated += block.evaluated;
        state.counted += block.counted;
        state.scored.insert(state.scored.end(), block.scored.begin(), block.scored.end());
        block.scored = {};
    }
    if (!complete) return;
    TrieLevel<W>& above = state.trie.back();
    const std::size_t last_sets = state.last.size();
    LevelStore<W> next;
    state.last = {};
    next.reserve(sets, blocks.size(), state.score.pruning() != Pruning::entropy);
    above.child_begin.reserve(last_sets + 1), above.child_mask.reserve(last_sets);
    state.floor.assign(state.table.n, Cost::infinite());
    above.child_begin.clear();
    std::uint32_t child = 0;
    for (Block<W>& block : blocks) {
        for (const VarSet<W>& mask : block.child_mask) {
            above.child_begin.push_back(child);
            above.child_mask.push_back(mask);
            child += std::uint32_t(mask.size());
        }
        next.append(std::move(block.store));
        for (int i = 0; i < state.table.n; ++i) state.floor[i] = std::min(state.floor[i], block.floor[i]);
    }
    above.child_begin.push_back(child);
    state.trie.emplace_back();
    state.last = std::move(next);
}

}  // namespace

template <int W>
bool walk_level(BuildState<W>& state, std::vector<std::unique_ptr<Rule<W>>>& rule_per_thread, Watch& watch) {
    const std::uint32_t sets = std::uint32_t(state.last.size());
    std::vector<Block<W>> blocks(blocks_of(sets));
    LevelReclaimer<W> reclaimer(state, blocks.size(), watch);
    const bool complete = walk_blocks<W>(state, rule_per_thread, 0, sets, blocks, watch,
                                         [&](std::size_t block) { reclaimer.finish(block); });
    watch.release(state.last.give_up_before(sets));
    join_blocks(state, blocks, complete);
    return complete;
}

template <int W>
Slice<W> walk_slice(const BuildState<W>& state, std::vector<std::unique_ptr<Rule<W>>>& rule_per_thread,
                    std::uint32_t begin, std::uint32_t end, Watch& watch) {
    std::vector<Block<W>> blocks(blocks_of(end - begin));
    Slice<W> slice;
    slice.complete = walk_blocks<W>(state, rule_per_thread, begin, end, blocks, watch, [](std::size_t) {});
    slice.floor.assign(state.table.n, Cost::infinite());
    for (Block<W>& block : blocks) {
        const StorePart<W>& store = block.store;
        slice.evaluated += block.evaluated, slice.counted += block.counted;
        slice.scored.insert(slice.scored.end(), block.scored.begin(), block.scored.end());
        slice.child_mask.insert(slice.child_mask.end(), block.child_mask.begin(), block.child_mask.end());
        slice.alive.insert(slice.alive.end(), store.alive.begin(), store.alive.end());
        slice.narrow.insert(slice.narrow.end(), store.narrow.begin(),
                            store.narrow.begin() + std::ptrdiff_t(store.alive.size() * std::size_t(store.stride)));
        slice.best.insert(slice.best.end(), store.best.begin(), store.best.end());
        for (std::size_t i = 0; i < block.floor.size(); ++i) slice.floor[i] = std::min(slice.floor[i], block.floor[i]);
        watch.release(store.reserved);
        block = {};
    }
    if (!slice.narrow.empty()) slice.narrow.resize(slice.narrow.size() + StorePart<W>::overread);
    return slice;
}

#define SABNA_INSTANTIATE(W)                                                                                     \
    template bool walk_level<W>(BuildState<W>&, std::vector<std::unique_ptr<Rule<W>>>&, Watch&);                 \
    template Slice<W> walk_slice<W>(const BuildState<W>&, std::vector<std::unique_ptr<Rule<W>>>&, std::uint32_t, \
                                    std::uint32_t, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
