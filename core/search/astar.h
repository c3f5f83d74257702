// A* over the order lattice with optimal path extension: the paper's Algorithm 1.
//
// Differences. A step U -> U + i starts from the expanded node's set (line 16 of the paper's listing reads u.set on both
// sides, a slip). The open and closed lists are one table (node_table.h) with a list of numbers beside it
// (open_list.h). The start node is extended too. With a network known from elsewhere (local_search.h), nodes with
// f >= its cost are dropped: they cannot lead to a better one; without (`prune` off) every node is stored, as in the paper.
//
// With a consistent heuristic a node's g is final when it is expanded: path extension only joins edges to longer ones, along
// which h is as consistent as along each. Should a heuristic declare itself inconsistent, a cheaper way to a closed node
// opens it again by the same line of code.
//
// The f of the node being expanded is the smallest of all open ones, and so a lower bound of the optimum. It grows about as
// the logarithm of the number of nodes, so that after a while the end can be estimated: with a gap of D at
// the start of which c is closed by N nodes, some exp(D / c ln N) will close it (measured on tables of 60 to 110 variables:
// within a factor of three from 100,000 nodes on). Where that is out of reach the search can give up at once (`most_nodes`).
//
// Where it prunes, several nodes may be taken at a time (`nodes_at_once`) and their successors made side by side: that is most
// of the work. What they are is settled before, and they enter the table in turn, so that the number of threads does not
// matter. The few that are expanded too early cost less than what is gained: 16 at a time, some 0.1 % more nodes.
//
// A checkpoint (checkpoints.h) is the node table and a few numbers. The open list needs none: the next node is the open one
// of smallest f, the newest among equals, and the table says which are open and how they are reached.
#pragma once

#include <algorithm>
#include <cmath>

#include "bounds/heuristic.h"
#include "parallel.h"
#include "search/backtrack.h"
#include "search/checkpoints.h"
#include "search/node_table.h"
#include "search/noted_values.h"
#include "search/open_list.h"
#include "search/outcome.h"
#include "search/successors.h"

namespace sabna {

template <int W, class H>
requires Heuristic<H, W>
class AStar {
  public:
    // `known`: the best network so far, or an unknown one.
    AStar(const ParentGraphView<W>& graph, const H& heuristic, const SearchOptions& options, Assignment known,
          Watch& watch)
        : graph_(graph), h_(heuristic), options_(options), known_(std::move(known)), watch_(watch),
          successors_(graph, options), nodes_(watch), noted_(watch), open_(watch), all_(VarSet<W>::first(graph.n)),
          batch_(options.prune ? std::size_t(options.nodes_at_once) : 1),
          team_(std::min(options.threads, int(batch_.size()))), workspaces_(std::size_t(team_.threads())) {
        update_prune_at();
    }

    Outcome run() {
        Child first;
        successors_.start(first.set, first.g);
        lower_ = root_ = first.f = first.g + h_(first.set);
        first.hash = NodeTable<W>::hash(first.set);
        bool begun = false;
        if (go_on(begun) && (begun || keep(first))) {
            ready_ = true;
            search();
        }
        return finish();
    }

  private:
    using Id = typename NodeTable<W>::Id;
    static constexpr Id none = NodeTable<W>::none;
    static constexpr std::int64_t poll_every = 4096;  // successors made; 0.1 to 50 ms, by heuristic
    static constexpr Id first_estimate = 1 << 17;     // nodes before the end is estimated

    struct Child {
        VarSet<W> set;
        std::uint64_t hash;
        Cost g, f;
    };
    // A node that is expanded, and its successors below the best cost known.
    struct Expansion {
        OpenList::Entry node;
        std::vector<Child> children;
        std::int64_t generated, pruned;
        Cost least_pruned;
    };
    // What a thread works with, kept from node to node for its memory.
    struct Workspace {
        std::vector<std::int64_t> fit;
        ExpandedNode<W> expanded;
    };
    // What the open list asks about nodes.
    struct OpenNodes {
        AStar& search;
        Id size() const { return search.nodes_.size(); }
        std::size_t open_count() const { return std::size_t(size()) - std::size_t(search.closed_); }
        bool is_open(Id id) const { return !search.nodes_.closed(id); }
        Cost f(Id id) const { return search.nodes_.g(id) + search.value(id); }
        void prefetch(Id id) const { search.nodes_.prefetch_node(id); }
        bool poll() const { return search.poll(); }
    };

    // Whether h is worth noting: where it follows cheaply at successors, working it out anew takes much longer.
    static constexpr bool notes = requires(const H& h, const ExpandedNode<W>& node, const VarSet<W>& added) {
        h.after(node, added);
    };
    Cost value(Id id) const { return notes && noted_.has(id) ? noted_[id] : h_(nodes_.set(id)); }

    // Take up the checkpoint, if there is one: then the search has begun. False: a limit.
    bool go_on(bool& begun) {
        std::vector<Checkpoints::Block> blocks;
        if (!options_.checkpoints) return true;
        if (!options_.checkpoints->load(blocks)) return false;
        if (blocks.empty()) return true;
        begun = true;
        const Checkpoints::Block numbers = blocks[0];
        counts_.expanded = std::int64_t(numbers[0]);
        counts_.generated = std::int64_t(numbers[1]);
        counts_.pruned = std::int64_t(numbers[2]);
        closed_ = std::int64_t(numbers[3]);
        next_estimate_ = Id(numbers[4]);
        lower_ = {std::int64_t(numbers[5])};
        pruned_ = {std::int64_t(numbers[6])};
        for (std::size_t k = 1; k < blocks.size(); ++k) {
            if (!nodes_.restore(blocks[k]) || !poll()) return false;
            options_.checkpoints->done_with(k);
        }
        const Id goal = nodes_.find(all_, NodeTable<W>::hash(all_));
        if (goal != none) reach_goal(goal);
        return true;
    }
    bool keep_checkpoint() const {
        const std::uint64_t numbers[] = {std::uint64_t(counts_.expanded), std::uint64_t(counts_.generated),
                                         std::uint64_t(counts_.pruned),   std::uint64_t(closed_),
                                         std::uint64_t(next_estimate_),   std::uint64_t(lower_.quanta),
                                         std::uint64_t(pruned_.quanta)};
        std::vector<Checkpoints::Block> blocks = nodes_.blocks();
        blocks.insert(blocks.begin(), Checkpoints::Block(numbers));
        return options_.checkpoints->keep(blocks);
    }

    void search() {
        while (!proven() && goes_on() && take_nodes()) {
            lower_ = std::max(lower_, batch_[0].node.f);
            if (batch_[0].node.id == goal_) return void(solved_ = true);
            if (!expand()) return;
        }
        solved_ = !watch_.stopped();
        if (solved_ && !proven()) lower_ = Cost::infinite();  // nothing is open any more
    }
    bool goes_on() { return (counts_.generated < next_poll_ || poll()) && !gives_up(); }

    // The next open nodes, closed from here on, so that none is listed twice; false if there is none. The goal is passed
    // over behind others: what they lead to below it, or that nothing is left, ends the search.
    bool take_nodes() {
        for (taken_ = 0; taken_ < batch_.size() && open_.pop(OpenNodes{*this}, batch_[taken_].node);) {
            const Id id = batch_[taken_].node.id;
            ++closed_;
            nodes_.close(id);
            ready_ = false;
            if (id != goal_ || taken_ == 0) ++taken_;
        }
        return taken_ > 0;
    }

    // False: a limit.
    bool expand() {
        team_.run(int(taken_),
                  [&](int thread, int k) { make_children(batch_[std::size_t(k)], workspaces_[std::size_t(thread)]); });
        for (std::size_t k = 0; k < taken_; ++k) {
            ++counts_.expanded;
            counts_.generated += batch_[k].generated;
            counts_.pruned += batch_[k].pruned;
            pruned_ = std::min(pruned_, batch_[k].least_pruned);
        }
        for (std::size_t k = 0; k < taken_; ++k)
            if (!keep_all(batch_[k].children)) return false;
        ready_ = true;
        return true;
    }

    // All successors first, then the nodes their slots point to, then the lookups: by each step memory has answered
    // the one before. A lookup waits for two random accesses otherwise, and these waits were most of the run time.
    void make_children(Expansion& expansion, Workspace& workspace) const {
        const VarSet<W>& placed = nodes_.set(expansion.node.id);
        const Cost g = nodes_.g(expansion.node.id);
        expansion.children.clear();
        expansion.generated = expansion.pruned = 0;
        expansion.least_pruned = Cost::infinite();
        begin_node<W>(h_, workspace.expanded, placed, expansion.node.f - g);
        successors_.for_each(placed, workspace.fit, [&](int, const VarSet<W>& set, Cost cost) {
            ++expansion.generated;
            const Cost child_f = g + cost + heuristic_after<W>(h_, workspace.expanded, set - placed);
            if (child_f >= prune_at_) {
                ++expansion.pruned;
                expansion.least_pruned = std::min(expansion.least_pruned, child_f);
                return;
            }
            expansion.children.push_back({set, NodeTable<W>::hash(set), g + cost, child_f});
            nodes_.prefetch(expansion.children.back().hash);
        });
    }

    // False: a limit.
    bool keep_all(const std::vector<Child>& children) {
        for (const Child& child : children) nodes_.prefetch_match(child.hash);
        for (const Child& child : children)
            if (!keep(child)) return false;
        return true;
    }
    // False: a limit.
    bool keep(const Child& child) {
        Id id = nodes_.find(child.set, child.hash);
        if (id == none) {
            id = nodes_.insert(child.set, child.hash, child.g);
            if (id == none) return false;
            if constexpr (notes) noted_.note(id, child.f - child.g);
        } else if (child.g < nodes_.g(id)) {
            if (nodes_.closed(id)) --closed_;
            nodes_.improve(id, child.g);
        } else {
            return true;
        }
        if (child.set == all_) reach_goal(id);
        return open_.push(child.f, id);
    }

    // How many nodes will be stored in the end, if the bound goes on to grow as their logarithm.
    double nodes_expected() const {
        if (prune_at_.is_infinite() || nodes_.size() < 2) return 0;
        const double whole = double((prune_at_ - root_).quanta), closed = double((lower_ - root_).quanta);
        return closed > 0 ? std::exp(std::log(double(nodes_.size())) * whole / closed) : HUGE_VAL;
    }
    bool gives_up() {
        if (!options_.most_nodes || nodes_.size() < next_estimate_) return false;
        next_estimate_ = nodes_.size() + nodes_.size() / 2;
        const double most = double(options_.most_nodes);
        if (nodes_expected() <= most && double(nodes_.size()) <= most) return false;
        watch_.halt(Stop::memory_limit);
        return true;
    }

    void reach_goal(Id id) {
        goal_ = id;
        update_prune_at();
    }
    Cost upper() const { return std::min(known_.cost, goal_ == none ? Cost::infinite() : nodes_.g(goal_)); }
    void update_prune_at() { prune_at_ = options_.prune ? upper() - options_.tolerance : Cost::infinite(); }
    // The best network known is within the tolerance of the lower bound.
    bool proven() const { return options_.prune && prune_at_ <= lower_; }

    bool poll() {
        next_poll_ = counts_.generated + poll_every;
        Progress progress;
        progress.station = "search";
        progress.expanded = counts_.expanded;
        progress.generated = counts_.generated;
        progress.stored = nodes_.size();
        progress.lower = std::min({lower_, pruned_, upper()});
        progress.upper = upper();
        if (!watch_.poll(progress)) return false;
        const bool due = options_.checkpoints && ready_ && options_.checkpoints->due(nodes_.bytes());
        return !due || keep_checkpoint();
    }

    Outcome finish() {
        Outcome outcome;
        outcome.stop = solved_ ? Stop::none : watch_.stop();
        outcome.best = std::move(known_);
        if (goal_ != none && nodes_.g(goal_) < outcome.best.cost)
            outcome.best = assign(graph_, Backtrack<W>(successors_, nodes_).order(goal_));
        outcome.lower = std::min({lower_, pruned_, outcome.best.cost});
        if (options_.record) record(outcome);
        outcome.counts = counts_;
        outcome.counts.stored = nodes_.size();
        outcome.nodes_expected = nodes_expected();
        outcome.peak_bytes = nodes_.reserved() + noted_.bytes() + open_.peak_bytes();
        if (nodes_.size()) outcome.bytes_per_node = double(nodes_.bytes() + open_.peak_bytes()) / double(nodes_.size());
        return outcome;
    }

    // The closed nodes' sets: all that was expanded.
    void record(Outcome& outcome) const {
        const std::uint64_t bytes = sizeof(VarSet<W>) * std::uint64_t(counts_.expanded);
        if (!watch_.try_reserve(bytes)) return;
        for (Id id = 0; id < nodes_.size(); ++id)
            if (nodes_.closed(id) && id != goal_)
                outcome.expanded.insert(outcome.expanded.end(), nodes_.set(id).word, nodes_.set(id).word + W);
        watch_.release(bytes);
        outcome.recorded = true;
    }

    ParentGraphView<W> graph_;
    const H& h_;
    SearchOptions options_;
    Assignment known_;
    Watch& watch_;
    Successors<W> successors_;
    NodeTable<W> nodes_;
    NotedValues noted_;  // h of the nodes
    OpenList open_;
    VarSet<W> all_;
    std::vector<Expansion> batch_;
    std::size_t taken_ = 0;  // of the batch
    StandingTeam team_;
    std::vector<Workspace> workspaces_;  // one for each thread
    SearchCounts counts_;
    std::int64_t closed_ = 0, next_poll_ = 0;
    Id goal_ = none, next_estimate_ = first_estimate;
    Cost lower_{-Cost::infinite().quanta}, root_;
    Cost prune_at_ = Cost::infinite();  // f from which on nodes are dropped
    Cost pruned_ = Cost::infinite();    // the smallest f dropped
    bool solved_ = false;
    bool ready_ =
        false;  // the node table is what the search has reached: no checkpoint between nodes taken and their successors
};

}  // namespace sabna
