#include "bounds/local_search.h"

#include <algorithm>
#include <numeric>

namespace sabna {

namespace {

// SplitMix64: the same numbers from the same seed on every machine, unlike the distributions of <random>.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    int below(int n) { return int((next() >> 32) * std::uint64_t(n) >> 32); }
    void shuffle(std::vector<int>& values) {
        for (int k = int(values.size()); k > 1; --k)
            std::swap(values[std::size_t(k - 1)], values[std::size_t(below(k))]);
    }

  private:
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

// Variables in the given sequence as far as they are ready; the others as soon as they are.
template <int W>
std::vector<int> feasible_from(const ParentGraphView<W>& graph, std::vector<int> waiting) {
    std::vector<int> order;
    VarSet<W> placed;
    while (!waiting.empty()) {
        const auto before = order.size();
        std::erase_if(waiting, [&](int i) {
            if (first_fit(graph, i, placed) == graph.size(i)) return false;
            order.push_back(i);
            placed.insert(i);
            return true;
        });
        if (order.size() == before) return {};
    }
    return order;
}

template <int W>
class Climber {
  public:
    Climber(const ParentGraphView<W>& graph, Watch& watch, std::int64_t work)
        : graph_(graph), watch_(watch), work_left_(work), fit_(std::size_t(graph.n)),
          before_(std::size_t(graph.n) + 1) {}

    void start(std::vector<int> order) {
        order_ = std::move(order);
        settle(0, graph_.n - 1);
        cost_ = {};
        for (int i = 0; i < graph_.n; ++i) cost_ += cost_of(i, fit(i));
    }
    Cost cost() const { return cost_; }
    const std::vector<int>& order() const { return order_; }
    bool exhausted() const { return work_left_ <= 0 || watch_.stopped(); }

    // Insertion moves until none improves.
    void climb(Random& random) {
        std::vector<int> sequence(order_);
        bool improved = true;
        while (improved && !pause()) {
            improved = false;
            random.shuffle(sequence);
            for (const int v : sequence) improved |= move_to_best_place(v);
        }
    }

    // Some random moves, whatever they cost.
    void kick(Random& random) {
        const int moves = 2 + random.below(3);
        for (int k = 0; k < moves; ++k) {
            const int from = random.below(graph_.n), to = random.below(graph_.n);
            const Cost change = from == to ? Cost{} : change_at(from, to);
            if (!change.is_infinite()) move(from, to, change);
        }
    }

  private:
    std::int64_t& fit(int i) { return fit_[std::size_t(i)]; }
    Cost cost_of(int i, std::int64_t k) const { return graph_.costs(i)[std::size_t(k)]; }
    const VarSet<W>& set_of(int i, std::int64_t k) const { return graph_.sets(i)[std::size_t(k)]; }

    bool pause() {
        Progress progress;
        progress.station = "upper bound";
        progress.upper = cost_;
        return work_left_ <= 0 || !watch_.poll(progress);
    }

    // The fit of i once `lost` is gone from its predecessors, of which `left` remain. List size: none.
    std::int64_t after_loss(int i, std::int64_t k, int lost, const VarSet<W>& left) {
        --work_left_;
        if (!set_of(i, k).contains(lost)) return k;
        const std::int64_t found = first_fit(graph_, i, left, k + 1);
        work_left_ -= found - k;
        return found;
    }
    // The fit of i once its predecessors have grown to `grown`: at k, or before it.
    std::int64_t after_gain(int i, std::int64_t k, const VarSet<W>& grown) {
        const auto* sets = graph_.sets(i).data();
        std::int64_t found = 0;
        while (found < k && !sets[found].subset_of(grown)) ++found;
        work_left_ -= found + 1;
        return found;
    }

    // Walk the variable at `from` to the left or right, one neighbour at a time; `visit(place, change)` sees every place
    // that can be reached and returns whether to go on.
    template <class Visit>
    void walk_left(int from, Visit visit) {
        const int v = order_[std::size_t(from)];
        std::int64_t k = fit(v);
        Cost others;
        for (int place = from - 1; place >= 0; --place) {
            const int u = order_[std::size_t(place)];
            const VarSet<W>& left = before_[std::size_t(place)];
            k = after_loss(v, k, u, left);
            if (k == graph_.size(v)) return;
            others += cost_of(u, after_gain(u, fit(u), left.with(v))) - cost_of(u, fit(u));
            if (!visit(place, others + cost_of(v, k) - cost_of(v, fit(v)))) return;
        }
    }
    template <class Visit>
    void walk_right(int from, Visit visit) {
        const int v = order_[std::size_t(from)];
        std::int64_t k = fit(v);
        Cost others;
        for (int place = from + 1; place < graph_.n; ++place) {
            const int u = order_[std::size_t(place)];
            const std::int64_t lost = after_loss(u, fit(u), v, before_[std::size_t(place)].without(v));
            if (lost == graph_.size(u)) return;
            others += cost_of(u, lost) - cost_of(u, fit(u));
            k = after_gain(v, k, before_[std::size_t(place) + 1]);
            if (!visit(place, others + cost_of(v, k) - cost_of(v, fit(v)))) return;
        }
    }

    bool move_to_best_place(int v) {
        const int from = int(std::find(order_.begin(), order_.end(), v) - order_.begin());
        int to = from;
        Cost best;
        const auto keep_best = [&](int place, Cost change) {
            if (change < best) best = change, to = place;
            return true;
        };
        walk_left(from, keep_best);
        walk_right(from, keep_best);
        if (to == from) return false;
        move(from, to, best);
        return true;
    }

    // The change in cost of one move; infinite if it cannot be made.
    Cost change_at(int from, int to) {
        Cost found = Cost::infinite();
        const auto look = [&](int place, Cost change) {
            if (place == to) found = change;
            return place != to;
        };
        if (to < from) walk_left(from, look);
        else walk_right(from, look);
        return found;
    }

    void move(int from, int to, Cost change) {
        const auto begin = order_.begin();
        if (to < from) std::rotate(begin + to, begin + from, begin + from + 1);
        else std::rotate(begin + from, begin + from + 1, begin + to + 1);
        settle(std::min(from, to), std::max(from, to));
        cost_ += change;
    }
    // Predecessors and fits of the places first .. last.
    void settle(int first, int last) {
        for (int place = first; place <= last; ++place) {
            const int i = order_[std::size_t(place)];
            before_[std::size_t(place) + 1] = before_[std::size_t(place)].with(i);
            fit(i) = first_fit(graph_, i, before_[std::size_t(place)]);
            work_left_ -= fit(i) + 1;
        }
    }

    const ParentGraphView<W>& graph_;
    Watch& watch_;
    std::int64_t work_left_;
    std::vector<int> order_;
    std::vector<std::int64_t> fit_;  // per variable, a position in its own list
    std::vector<VarSet<W>> before_;  // per place, the variables before it
    Cost cost_;
};

// Climb, then kick and climb again from the best of this start, until kicks stay fruitless.
template <int W>
void climb_and_kick(Climber<W>& climber, Random& random, int fruitless_allowed) {
    climber.climb(random);
    std::vector<int> order = climber.order();
    Cost cost = climber.cost();
    for (int fruitless = 0; fruitless < fruitless_allowed && !climber.exhausted(); ++fruitless) {
        climber.kick(random);
        climber.climb(random);
        if (climber.cost() < cost) fruitless = 0;
        if (climber.cost() <= cost) order = climber.order(), cost = climber.cost();
        else climber.start(order);
    }
    climber.start(order);
}

}  // namespace

template <int W>
std::vector<int> feasible_order(const ParentGraphView<W>& graph) {
    std::vector<int> all(std::size_t(graph.n));
    std::iota(all.begin(), all.end(), 0);
    return feasible_from(graph, all);
}

template <int W>
Assignment local_search(const ParentGraphView<W>& graph, const LocalSearchOptions& options, Watch& watch) {
    std::vector<int> order = options.start.empty() ? feasible_order(graph) : feasible_from(graph, options.start);
    if (order.empty() && graph.n > 0) return {};
    Assignment best = assign(graph, order);
    if (graph.n < 2) return best;
    Random random(options.seed);
    Climber<W> climber(graph, watch, options.work);
    for (int start = 0; start < options.restarts && !climber.exhausted(); ++start) {
        climber.start(order);
        climb_and_kick(climber, random, options.kicks);
        if (climber.cost() < best.cost) best = assign(graph, climber.order());
        random.shuffle(order);
        order = feasible_from(graph, order);
    }
    return best;
}

#define SABNA_INSTANTIATE(W)                                                                        \
    template Assignment local_search(const ParentGraphView<W>&, const LocalSearchOptions&, Watch&); \
    template std::vector<int> feasible_order(const ParentGraphView<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
