// Depth-first branch and bound over the order lattice, in whatever memory there is.
//
// A* must store every node it reaches; this search stores the way it is on, and what else fits. Children are visited
// cheapest first, nodes with f >= the best network known are cut, and a table of bounded size remembers how cheaply sets
// were reached: coming to a set again at no less cost leads to nothing new (its completions have been searched, under a
// bound no better than today's). A full table forgets; then sets are searched again, which costs time and never an answer.
// So the search ends with the optimum under any memory limit, given time. With the optimum in hand from the
// start, as local search provides it nearly always, it expands no node that A* could have spared, apart from what it forgot.
//
// Among four places a new set replaces one with more variables placed: sets near the start stand for more work.
//
// Lower bound when stopped: the least f among children still waiting anywhere on the way, and among what was cut.
//
// A checkpoint (checkpoints.h) is the way, with the children that wait along it, and the best network. What the table
// remembers is not kept: a search that goes on without it may meet sets again, and finds the same.
#pragma once

#include <algorithm>
#include <vector>

#include "bounds/heuristic.h"
#include "search/checkpoints.h"
#include "search/outcome.h"
#include "search/successors.h"
#include "watch.h"

namespace sabna {

// The sets met so far, as many as fit.
template <int W>
class VisitedTable {
  public:
    explicit VisitedTable(Watch& watch) : watch_(watch), table_(1) {}
    ~VisitedTable() { watch_.release(reserved_); }
    VisitedTable(const VisitedTable&) = delete;
    VisitedTable& operator=(const VisitedTable&) = delete;

    // Whether the set was met at this cost or less; if not, it is noted now.
    bool met(const VarSet<W>& set, Cost g) {
        if (stored_ >= std::int64_t(2 * table_.size()) && !full_) grow();
        Bucket& bucket = bucket_of(set);
        Entry* place = nullptr;
        for (Entry& entry : bucket.entries) {
            if (entry.used && entry.set == set) {
                if (entry.g <= g) return true;
                entry.g = g;
                return false;
            }
            if (!place || rank(entry) > rank(*place)) place = &entry;
        }
        if (!place->used) ++stored_;
        *place = {set, g, true};
        return false;
    }
    std::int64_t stored() const { return stored_; }
    std::uint64_t bytes() const { return table_.size() * sizeof(Bucket); }

  private:
    static constexpr std::size_t most_buckets = std::size_t{1} << 24;  // 64 million sets; 1.6 GB for n <= 64
    struct Entry {
        VarSet<W> set;
        Cost g;
        bool used = false;
    };
    struct Bucket {
        Entry entries[4];
    };
    // Twice as large, unless the memory limit forbids: old and new stand side by side for a moment.
    void grow() {
        const std::uint64_t more = 2 * table_.size() * sizeof(Bucket);
        if (table_.size() >= most_buckets || !watch_.try_reserve(more)) {
            full_ = true;
            return;
        }
        std::vector<Bucket> old(2 * table_.size());
        old.swap(table_);
        stored_ = 0;
        for (const Bucket& bucket : old)
            for (const Entry& entry : bucket.entries)
                if (entry.used) met(entry.set, entry.g);
        watch_.release(reserved_);
        reserved_ = more;
    }
    Bucket& bucket_of(const VarSet<W>& set) { return table_[set.hash() >> 3 & (table_.size() - 1)]; }
    static int rank(const Entry& entry) { return entry.used ? entry.set.size() : max_variables + 1; }

    Watch& watch_;
    std::vector<Bucket> table_;
    std::uint64_t reserved_ = 0;
    std::int64_t stored_ = 0;
    bool full_ = false;
};

template <int W, class H>
requires Heuristic<H, W>
class BranchAndBound {
  public:
    BranchAndBound(const ParentGraphView<W>& graph, const H& heuristic, const SearchOptions& options, Assignment known,
                   Watch& watch)
        : graph_(graph), h_(heuristic), options_(options), best_(std::move(known)), watch_(watch),
          successors_(graph, options), visited_(watch), all_(VarSet<W>::first(graph.n)) {}

    Outcome run() {
        bool begun = false;
        const bool loaded = go_on(begun);
        if (!begun) start();
        while (loaded && !way_.empty() && step()) {}
        return finish();
    }

  private:
    static constexpr std::int64_t poll_every = 4096;  // successors made; 0.1 to 50 ms, by heuristic
    static constexpr std::uint64_t most_recorded = std::uint64_t{1} << 27;  // bytes: 16 million sets for n <= 64
    struct Child {
        VarSet<W> set;
        Cost g, f;
        int added = -1;
    };
    struct Frame {
        Child node;
        std::vector<Child> waiting;  // dearest first, so that the next is at the back
    };

    Cost prune_at() const { return best_.known() ? best_.cost - options_.tolerance : Cost::infinite(); }

    void start() {
        Child root;
        successors_.start(root.set, root.g);
        root.f = root.g + h_(root.set);
        root_ = root.f;
        if (root.set == all_) reach_goal(root);
        else if (root.f < prune_at()) push(root);
    }

    // Take up the checkpoint, if there is one: then the search has begun. False: a limit.
    bool go_on(bool& begun) {
        std::vector<Checkpoints::Block> blocks;
        if (!options_.checkpoints) return true;
        if (!options_.checkpoints->load(blocks)) return false;
        if (blocks.empty()) return true;
        begun = true;
        const std::uint64_t* word = blocks[0].data();
        const auto number = [&word] { return std::int64_t(*word++); };
        counts_.expanded = number();
        counts_.generated = number();
        counts_.pruned = number();
        root_ = {number()};
        cut_ = {number()};
        const auto length = std::size_t(number());
        std::vector<int> order(length);
        for (int& v : order) v = int(number());
        if (!order.empty()) best_ = assign(graph_, std::move(order));
        const auto child = [&] {
            Child c;
            for (std::uint64_t& w : c.set.word) w = *word++;
            c.g = {number()};
            c.f = {number()};
            c.added = int(number());
            return c;
        };
        for (std::int64_t frames = number(); frames > 0; --frames) {
            Frame frame{child(), {}};
            for (std::int64_t waiting = number(); waiting > 0; --waiting) frame.waiting.push_back(child());
            way_.push_back(std::move(frame));
        }
        recording_ = false;
        return true;
    }
    bool keep_checkpoint() const {
        std::vector<std::uint64_t> words;
        const auto note = [&words](std::int64_t number) { words.push_back(std::uint64_t(number)); };
        note(counts_.expanded);
        note(counts_.generated);
        note(counts_.pruned);
        note(root_.quanta);
        note(cut_.quanta);
        note(std::int64_t(best_.order.size()));
        for (const int v : best_.order) note(v);
        const auto note_child = [&](const Child& c) {
            words.insert(words.end(), c.set.word, c.set.word + W);
            note(c.g.quanta);
            note(c.f.quanta);
            note(c.added);
        };
        note(std::int64_t(way_.size()));
        for (const Frame& frame : way_) {
            note_child(frame.node);
            note(std::int64_t(frame.waiting.size()));
            for (const Child& c : frame.waiting) note_child(c);
        }
        return options_.checkpoints->keep({Checkpoints::Block(words)});
    }

    // One move: down to the next child of the deepest node, or up. False: a limit.
    bool step() {
        Frame& frame = way_.back();
        if (frame.waiting.empty()) {
            way_.pop_back();
            return true;
        }
        const Child child = frame.waiting.back();
        frame.waiting.pop_back();
        if (child.f >= prune_at()) {
            cut(child.f);
            return true;
        }
        if (child.set == all_) {
            reach_goal(child);
            return true;
        }
        if (!visited_.met(child.set, child.g)) push(child);
        return counts_.generated < next_poll_ || poll();
    }

    void push(const Child& node) {
        ++counts_.expanded;
        if (recording_) record(node.set);
        Frame frame{node, {}};
        begin_node<W>(h_, expanded_, node.set, node.f - node.g);
        successors_.for_each(node.set, fit_, [&](int i, const VarSet<W>& set, Cost cost) {
            ++counts_.generated;
            const Child child{set, node.g + cost, node.g + cost + heuristic_after<W>(h_, expanded_, set - node.set), i};
            if (child.f >= prune_at()) cut(child.f);
            else frame.waiting.push_back(child);
        });
        std::sort(frame.waiting.begin(), frame.waiting.end(),
                  [](const Child& a, const Child& b) { return a.f != b.f ? a.f > b.f : a.added < b.added; });
        way_.push_back(std::move(frame));
    }

    // Without room for all of them, none is kept.
    void record(const VarSet<W>& set) {
        constexpr std::uint64_t step = std::uint64_t{1} << 20;
        if (recorded_.size() * 8 >= recorded_bytes_) {
            if (recorded_bytes_ >= most_recorded || !watch_.try_reserve(step)) {
                recording_ = false;
                recorded_ = {};
                return;
            }
            recorded_bytes_ += step;
        }
        recorded_.insert(recorded_.end(), set.word, set.word + W);
    }

    void cut(Cost f) {
        ++counts_.pruned;
        cut_ = std::min(cut_, f);
    }

    void reach_goal(const Child& goal) {
        if (goal.g >= best_.cost) return;
        std::vector<int> order = successors_.placed_by({}, -1);
        VarSet<W> from;
        for (std::size_t k = 0; k <= way_.size(); ++k) {
            const Child& node = k < way_.size() ? way_[k].node : goal;
            if (node.added >= 0)
                for (int v : successors_.placed_by(from, node.added)) order.push_back(v);
            from = node.set;
        }
        best_ = assign(graph_, std::move(order));
    }

    Cost lower() const {
        Cost least = std::min(cut_, best_.cost);
        for (const Frame& frame : way_)
            for (const Child& child : frame.waiting) least = std::min(least, child.f);
        return std::max(least, std::min(root_, best_.cost));
    }

    bool poll() {
        next_poll_ = counts_.generated + poll_every;
        Progress progress;
        progress.station = "search";
        progress.expanded = counts_.expanded;
        progress.generated = counts_.generated;
        progress.stored = visited_.stored();
        progress.lower = lower();
        progress.upper = best_.cost;
        if (!watch_.poll(progress)) return false;
        const bool due = options_.checkpoints && options_.checkpoints->due(way_.size() * sizeof(Frame));
        return !due || keep_checkpoint();
    }

    Outcome finish() {
        Outcome outcome;
        outcome.stop = way_.empty() ? Stop::none : watch_.stop();
        outcome.lower = lower();
        outcome.best = std::move(best_);
        watch_.release(recorded_bytes_);
        outcome.expanded = std::move(recorded_);
        outcome.recorded = recording_;
        outcome.counts = counts_;
        outcome.counts.stored = visited_.stored();
        outcome.peak_bytes = visited_.bytes();
        if (visited_.stored()) outcome.bytes_per_node = double(visited_.bytes()) / double(visited_.stored());
        return outcome;
    }

    ParentGraphView<W> graph_;
    const H& h_;
    SearchOptions options_;
    Assignment best_;
    Watch& watch_;
    Successors<W> successors_;
    VisitedTable<W> visited_;
    VarSet<W> all_;
    std::vector<Frame> way_;
    std::vector<std::int64_t> fit_;  // memory for the successors
    ExpandedNode<W> expanded_;
    SearchCounts counts_;
    std::int64_t next_poll_ = 0;
    std::vector<std::uint64_t> recorded_;
    std::uint64_t recorded_bytes_ = 0;
    bool recording_ = options_.record;
    Cost root_;
    Cost cut_ = Cost::infinite();
};

}  // namespace sabna
