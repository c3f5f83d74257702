#include "alternatives/branching.h"

#include <algorithm>

#include "alternatives/collector.h"

namespace sabna {

namespace {

// What the sets cost at a node, by position: reduced costs, and the weights of the clusters that are spent.
template <int W>
class Prices {
  public:
    Prices(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters) {
        ReducedCosts reduced = reduced_costs(graph, clusters);
        price_ = std::move(reduced.cost);
        std::vector<std::vector<std::uint32_t>> of(std::size_t(graph.size()));
        for (const Cluster<W>& c : clusters) {
            if (c.y == 0) continue;
            base_ += c.k * c.y;
            const auto number = std::uint32_t(clusters_.size());
            clusters_.push_back({c.y, c.k, {}});
            c.set.for_each([&](int i) {
                for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p)
                    if (c.credits(graph.sets_begin[p])) {
                        clusters_.back().credited.push_back(std::uint32_t(p));
                        of[std::size_t(p)].push_back(number);
                    }
            });
        }
        of_ = std::move(of);
    }

    std::int64_t base() const { return base_; }
    std::int64_t operator[](std::uint32_t p) const { return price_[p]; }

    void choose(std::uint32_t p) {
        for (const std::uint32_t c : of_[p])
            if (--clusters_[c].left == 0) raise(clusters_[c], clusters_[c].y);
    }
    void take_back(std::uint32_t p) {
        for (const std::uint32_t c : of_[p])
            if (clusters_[c].left++ == 0) raise(clusters_[c], -clusters_[c].y);
    }

  private:
    struct Entry {
        std::int64_t y;
        int left;                             // credits until it is spent; below 0 when more were given
        std::vector<std::uint32_t> credited;  // positions
    };
    void raise(const Entry& cluster, std::int64_t by) {
        for (const std::uint32_t p : cluster.credited) price_[p] += by;
    }

    std::int64_t base_ = 0;
    std::vector<std::int64_t> price_;
    std::vector<Entry> clusters_;
    std::vector<std::vector<std::uint32_t>> of_;  // the clusters that a set credits
};

template <int W>
class Branching {
  public:
    Branching(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters, Collector& found,
              std::int64_t most_visited, Watch& watch)
        : graph_(graph), prices_(graph, clusters), found_(found), most_(most_visited), watch_(watch), n_(graph.n),
          choice_(std::size_t(n_)), levels_(std::size_t(n_) + 1) {}

    // Every level has its own open sets and relations.
    static std::uint64_t bytes(const ParentGraphView<W>& graph) {
        const std::uint64_t n = std::uint64_t(graph.n), sets = std::uint64_t(graph.size());
        return (n + 1) * (4 * sets + n * (2 * sizeof(VarSet<W>) + sizeof(Free)));
    }

    // False: stopped or given up.
    bool run() {
        Level& root = levels_[0];
        root.paid = prices_.base();
        root.above.assign(std::size_t(n_), {}), root.below.assign(std::size_t(n_), {});
        root.free.clear(), root.open.clear();
        for (int i = 0; i < n_; ++i) {
            root.free.push_back({i, std::uint32_t(graph_.offsets[i]), std::uint32_t(graph_.offsets[i + 1]), 0});
            for (auto p = graph_.offsets[i]; p < graph_.offsets[i + 1]; ++p) root.open.push_back(std::uint32_t(p));
        }
        ended_ = false;
        descend(0);
        return !ended_;
    }

    std::int64_t visited() const { return visited_; }
    bool gave_up() const { return most_ >= 0 && visited_ > most_; }

  private:
    // A variable without parents yet: its open sets are open[begin .. end - 1].
    struct Free {
        int variable;
        std::uint32_t begin, end;
        std::int64_t least;
    };
    struct Level {
        std::int64_t paid = 0, bound = 0;
        std::vector<Free> free;
        std::vector<std::uint32_t> open;
        std::vector<VarSet<W>> above, below;  // ancestors and descendants by the choices made
    };

    void descend(int depth) {
        if (ended_ || !go_on()) return;
        Level& at = levels_[std::size_t(depth)];
        if (at.free.empty()) return record();
        if (!narrow(at) || !can_be_ordered(at)) return;
        const std::size_t next = choose_variable(at);
        const Free branch = at.free[next];
        at.free.erase(at.free.begin() + std::ptrdiff_t(next));
        const auto first = at.open.begin() + branch.begin, last = at.open.begin() + branch.end;
        std::sort(first, last, [&](auto p, auto q) { return std::pair(prices_[p], p) < std::pair(prices_[q], q); });
        for (std::uint32_t k = branch.begin; k < branch.end; ++k) {
            const std::uint32_t p = at.open[k];
            if (at.bound - branch.least + prices_[p] > found_.limit().quanta) break;
            choose(branch.variable, p, at, levels_[std::size_t(depth) + 1]);
            prices_.choose(p);
            descend(depth + 1);
            prices_.take_back(p);
        }
    }

    bool go_on() {
        ++visited_;
        if (gave_up()) ended_ = true;
        if ((visited_ & 0x3FF) == 0 && !watch_.poll({.station = "alternatives", .expanded = visited_})) ended_ = true;
        return !ended_;
    }

    void record() {
        Cost cost{};
        for (const std::uint32_t p : choice_) cost += graph_.costs_begin[p];
        if (!found_.add(cost, choice_)) ended_ = true;
    }

    // Close sets that make a cycle or exceed the limit. False: nothing of interest is below.
    bool narrow(Level& at) {
        at.bound = at.paid;
        for (Free& v : at.free) {
            const VarSet<W>& below = at.below[std::size_t(v.variable)];
            v.end = keep(at, v, [&](std::uint32_t p) { return !graph_.sets_begin[p].intersects(below); });
            if (v.begin == v.end) return false;
            v.least = prices_[at.open[v.begin]];
            for (std::uint32_t k = v.begin; k < v.end; ++k) v.least = std::min(v.least, prices_[at.open[k]]);
            at.bound += v.least;
        }
        const std::int64_t room = found_.limit().quanta - at.bound;
        if (room < 0) return false;
        for (Free& v : at.free) v.end = keep(at, v, [&](std::uint32_t p) { return prices_[p] - v.least <= room; });
        return true;
    }

    template <class Stay>
    std::uint32_t keep(Level& at, const Free& v, Stay stay) {
        std::uint32_t end = v.begin;
        for (std::uint32_t k = v.begin; k < v.end; ++k)
            if (stay(at.open[k])) at.open[end++] = at.open[k];
        return end;
    }

    // Whether some choice of open sets has no cycle, by placing what can be placed.
    bool can_be_ordered(const Level& at) {
        VarSet<W> waiting;  // the free ones not yet placed
        for (const Free& v : at.free) waiting.insert(v.variable);
        // A chosen variable is placed when all above it are; so only the free ones among those above a set matter.
        for (bool more = true; more && !waiting.empty();) {
            more = false;
            for (const Free& v : at.free)
                if (waiting.contains(v.variable) && has_fit(at, v, waiting)) waiting.erase(v.variable), more = true;
        }
        return waiting.empty();
    }

    bool has_fit(const Level& at, const Free& v, const VarSet<W>& waiting) {
        for (std::uint32_t k = v.begin; k < v.end; ++k) {
            VarSet<W> needs = graph_.sets_begin[at.open[k]];
            graph_.sets_begin[at.open[k]].for_each([&](int u) { needs |= at.above[std::size_t(u)]; });
            if (!needs.intersects(waiting)) return true;
        }
        return false;
    }

    std::size_t choose_variable(const Level& at) const {
        std::size_t best = 0;
        for (std::size_t k = 1; k < at.free.size(); ++k)
            if (at.free[k].end - at.free[k].begin < at.free[best].end - at.free[best].begin) best = k;
        return best;
    }

    // The level below: set p chosen for i, the open sets copied without gaps.
    void choose(int i, std::uint32_t p, const Level& at, Level& next) {
        choice_[std::size_t(i)] = p;
        next.paid = at.paid + prices_[p];
        next.free.clear(), next.open.clear();
        for (const Free& v : at.free) {
            const auto begin = std::uint32_t(next.open.size());
            next.open.insert(next.open.end(), at.open.begin() + v.begin, at.open.begin() + v.end);
            next.free.push_back({v.variable, begin, std::uint32_t(next.open.size()), 0});
        }
        next.above = at.above, next.below = at.below;
        VarSet<W> above = graph_.sets_begin[p], below = at.below[std::size_t(i)].with(i);
        graph_.sets_begin[p].for_each([&](int u) { above |= at.above[std::size_t(u)]; });
        above.for_each([&](int u) { next.below[std::size_t(u)] |= below; });
        below.for_each([&](int u) { next.above[std::size_t(u)] |= above; });
    }

    const ParentGraphView<W>& graph_;
    Prices<W> prices_;
    Collector& found_;
    std::int64_t most_, visited_ = 0;
    Watch& watch_;
    int n_;
    bool ended_ = false;
    std::vector<std::uint32_t> choice_;
    std::vector<Level> levels_;
};

// A pass that was stopped adds what lies beyond the passes before it.
void add_beyond(Solutions& known, Cost limit, const Solutions& more, int n) {
    for (std::size_t k = 0; k < more.costs.size(); ++k) {
        if (more.costs[k] <= limit) continue;
        const auto at = more.choices.begin() + std::ptrdiff_t(k) * n;
        known.costs.push_back(more.costs[k]);
        known.choices.insert(known.choices.end(), at, at + n);
    }
    known.complete = false;
}

}  // namespace

template <int W>
BranchingResult branch_networks(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters, Cost best,
                                Wanted wanted, std::int64_t most_visited, Watch& watch) {
    constexpr int halvings = 6;  // the first slack tried is the whole one divided by 2^6
    const std::uint64_t bytes = Branching<W>::bytes(graph);
    BranchingResult out;
    out.found.complete = false;
    if (!watch.reserve(bytes)) {
        out.stop = watch.stop();
        return out;
    }
    Collector found(graph.n, wanted.count, best, watch);
    Branching<W> branching(graph, clusters, found, most_visited, watch);
    for (int k = halvings; k >= 0; --k) {
        if (k > 0 && wanted.slack.quanta >> (k - 1) == 0) continue;
        const Cost slack{wanted.slack.quanta >> k};
        found.restart(best + slack);
        if (!branching.run()) {
            add_beyond(out.found, best + out.within, found.take(false), graph.n);
            break;
        }
        out.found = found.take(true);
        out.within = found.limit() - best;  // below the slack if `count` cut the list
        if (out.found.cut) break;
    }
    out.visited = branching.visited();
    out.gave_up = branching.gave_up();
    out.stop = watch.stop();
    watch.release(bytes);
    return out;
}

#define SABNA_INSTANTIATE(W)                                                                                     \
    template BranchingResult branch_networks<W>(const ParentGraphView<W>&, const std::vector<Cluster<W>>&, Cost, \
                                                Wanted, std::int64_t, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
