#include "bounds/dual_ascent.h"

#include <algorithm>
#include <random>

namespace sabna {
namespace {

template <int W>
class Ascent {
  public:
    Ascent(const ParentGraphView<W>& graph, std::vector<Cluster<W>> start, const AscentOptions& options, Watch& watch)
        : graph_(graph), options_(options), watch_(watch), clusters_(std::move(start)), random_(options.seed) {
        ReducedCosts reduced = reduced_costs(graph, clusters_);
        excess_ = std::move(reduced.cost);
        for (int i = 0; i < graph.n; ++i)
            for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p)
                excess_[std::size_t(p)] -= reduced.least[std::size_t(i)];
        bound_ = reduced.bound;
        work_ = graph.size();
    }

    AscentResult<W> run() {
        for (std::int64_t epsilon = first_epsilon(); go_on(); epsilon /= 2) {
            collect_tight(epsilon);
            while (go_on() && raise(epsilon)) {}
            if (epsilon == 0) break;
        }
        return {merged(), bound_, work_};
    }

  private:
    // The budget is meant for sets of few words, of which it makes no difference how many there are.
    static constexpr std::int64_t wide = W > 8 ? W / 4 : 1;

    bool go_on() { return bound_ < options_.target && work_ < options_.work && in_time(); }

    bool in_time() {
        Progress progress;
        progress.station = "dual ascent";
        progress.lower = Cost{bound_};
        progress.finished = work_;
        progress.total = options_.work;
        return watch_.poll(progress);
    }

    // An eighth of the gap; without an upper bound, an eighth of the largest excess among each variable's ten best.
    std::int64_t first_epsilon() const {
        if (!Cost{options_.target}.is_infinite()) return (options_.target - bound_) / 8;
        std::int64_t largest = 0;
        for (int i = 0; i < graph_.n; ++i)
            for (std::int64_t p = graph_.offsets[i]; p < std::min(graph_.offsets[i + 1], graph_.offsets[i] + 10); ++p)
                largest = std::max(largest, excess_[std::size_t(p)]);
        return largest / 8;
    }

    void collect_tight(std::int64_t epsilon) {
        tight_.assign(std::size_t(graph_.n), {});
        for (int i = 0; i < graph_.n; ++i)
            for (std::int64_t p = graph_.offsets[i]; p < graph_.offsets[i + 1]; ++p)
                if (excess_[std::size_t(p)] <= epsilon) tight_[std::size_t(i)].push_back(graph_.sets_begin[p]);
        work_ += graph_.size();
    }

    // What is left of `open` after placing, again and again, every member that has a tight set outside what is left.
    VarSet<W> stuck(VarSet<W> open) {
        for (bool placed = true; placed;) {
            placed = false;
            open.for_each([&](int i) {
                for (const VarSet<W>& s : tight_[std::size_t(i)]) {
                    work_ += wide;
                    if (s.intersects(open)) continue;
                    open.erase(i);
                    placed = true;
                    break;
                }
            });
        }
        return open;
    }

    // A minimal stuck subset; members are offered for removal in random order. Of a thousand variables that takes seconds:
    // when time is over, any stuck set will do.
    VarSet<W> shrunk(VarSet<W> cluster) {
        std::vector<int> order;
        cluster.for_each([&](int i) { order.push_back(i); });
        for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random_() % k]);
        for (int v : order) {
            if (!cluster.contains(v)) continue;
            if (order.size() > 200 && !in_time()) break;
            const VarSet<W> rest = stuck(cluster.without(v));
            if (!rest.empty()) cluster = rest;
        }
        return cluster;
    }

    // The least excess among sets of members that are disjoint from the cluster.
    std::int64_t earning(const VarSet<W>& cluster) {
        std::int64_t least = Cost::infinite().quanta;
        cluster.for_each([&](int i) {
            for (std::int64_t p = graph_.offsets[i]; p < graph_.offsets[i + 1]; ++p)
                if (excess_[std::size_t(p)] < least && !graph_.sets_begin[p].intersects(cluster))
                    least = excess_[std::size_t(p)];
            work_ += graph_.size(i);
        });
        return least;
    }

    // Find a cluster and give it all the weight it can take. False: everything can be placed.
    bool raise(std::int64_t epsilon) {
        const VarSet<W> left = stuck(VarSet<W>::first(graph_.n));
        if (left.empty()) return false;
        VarSet<W> best;
        std::int64_t delta = -1;
        for (int t = 0; t < options_.tries && (t == 0 || !watch_.stopped()); ++t) {
            const VarSet<W> cluster = shrunk(left);
            const std::int64_t earns = earning(cluster);
            if (earns > delta) delta = earns, best = cluster;
        }
        // No member can do without the others: the graph admits no network at all. Nothing to raise.
        if (delta >= Cost::infinite().quanta) return false;
        best.for_each([&](int i) { charge(i, best, delta, epsilon); });
        clusters_.push_back({best, 1, delta});
        bound_ += delta;
        return true;
    }

    void charge(int i, const VarSet<W>& cluster, std::int64_t delta, std::int64_t epsilon) {
        for (std::int64_t p = graph_.offsets[i]; p < graph_.offsets[i + 1]; ++p) {
            if (graph_.sets_begin[p].intersects(cluster)) continue;
            std::int64_t& excess = excess_[std::size_t(p)];
            const bool loose = excess > epsilon;
            excess -= delta;
            if (loose && excess <= epsilon) tight_[std::size_t(i)].push_back(graph_.sets_begin[p]);
        }
        work_ += graph_.size(i);
    }

    std::vector<Cluster<W>> merged() {
        std::sort(clusters_.begin(), clusters_.end(),
                  [](const Cluster<W>& a, const Cluster<W>& b) { return a.k != b.k ? a.k < b.k : a.set < b.set; });
        std::vector<Cluster<W>> result;
        for (const Cluster<W>& c : clusters_) {
            if (!result.empty() && result.back().set == c.set && result.back().k == c.k) result.back().y += c.y;
            else result.push_back(c);
        }
        std::erase_if(result, [](const Cluster<W>& c) { return c.y == 0; });
        return result;
    }

    const ParentGraphView<W>& graph_;
    const AscentOptions& options_;
    Watch& watch_;
    std::vector<Cluster<W>> clusters_;
    std::vector<std::int64_t> excess_;           // reduced cost minus the variable's least
    std::vector<std::vector<VarSet<W>>> tight_;  // sets with excess <= epsilon
    std::int64_t bound_ = 0, work_ = 0;
    std::mt19937_64 random_;
};

}  // namespace

template <int W>
AscentResult<W> dual_ascent(const ParentGraphView<W>& graph, std::vector<Cluster<W>> start,
                            const AscentOptions& options, Watch& watch) {
    return Ascent<W>(graph, std::move(start), options, watch).run();
}

#define SABNA_INSTANTIATE(W)                                                                                          \
    template AscentResult<W> dual_ascent<W>(const ParentGraphView<W>&, std::vector<Cluster<W>>, const AscentOptions&, \
                                            Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
