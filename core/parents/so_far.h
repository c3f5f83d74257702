// What is scored so far, told while a parent graph is built, so that there are bounds of the whole before scoring ends.
//
// Lower: a variable costs at least the smaller of its cheapest set so far and the floor of its sets still to come.
// Upper: any network made of the sets so far. For that a short list of the cheapest sets of each variable is enough,
// together with its base, the set of its required parents: those of all variables make a network.
//
// What is told as `settled` is the same for any number of threads and any clock; what workers finish meanwhile is told too,
// but nothing that the result depends on may be taken from it.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <tuple>
#include <vector>

#include "parents/parent_graph.h"
#include "parents/slack.h"

namespace sabna {

template <int W>
class SoFar {
  public:
    // Sets kept of each variable besides its base: enough for a good network, few enough to be looked at level by level.
    static constexpr std::size_t longest_list = 32;

    using Hear = std::function<void(ParentGraphData<W>&& lists, const std::vector<Cost>& floor, bool settled)>;

    // Without `hear` nothing is kept.
    SoFar(int n, Hear hear) : hear_(std::move(hear)) {
        if (!hear_) return;
        lists_.resize(std::size_t(n));
        floor_.assign(std::size_t(n), Cost::infinite());
    }
    explicit operator bool() const { return bool(hear_); }

    void start(int child, const ScoredSet<W>& base, Cost floor) {
        if (!hear_) return;
        lists_[std::size_t(child)] = {base, {}};
        floor_[std::size_t(child)] = floor;
    }
    void offer(int child, const ScoredSet<W>& set) {
        if (!hear_) return;
        std::vector<ScoredSet<W>>& best = lists_[std::size_t(child)].best;
        if (best.size() == longest_list && !before(set, best.back())) return;
        best.insert(std::upper_bound(best.begin(), best.end(), set, before), set);
        if (best.size() > longest_list) best.pop_back();
    }
    void set_floor(const std::vector<Cost>& floor) {
        if (hear_) floor_ = floor;
    }
    // All sets of a child, set(0) ... set(count - 1), those offered before included. Any thread may say so.
    template <class Set>
    void replace(int child, std::size_t count, Set set, Cost floor) {
        if (!hear_) return;
        const std::lock_guard lock(mutex_);
        List& list = lists_[std::size_t(child)];
        list.best.clear();
        for (std::size_t k = 0; k < count; ++k)
            if (const ScoredSet<W> s = set(k); s.set != list.base.set) offer(child, s);
        floor_[std::size_t(child)] = floor;
        changed_ = true;
    }

    // Only from the thread that started the run.
    void tell_settled() { tell(true); }
    void tell_meanwhile() {
        if (changed_) tell(false);
    }

  private:
    struct List {
        ScoredSet<W> base;
        std::vector<ScoredSet<W>> best;  // cheapest first, the base not among them
    };

    static bool before(const ScoredSet<W>& a, const ScoredSet<W>& b) {
        return std::tie(a.cost, a.set) < std::tie(b.cost, b.set);
    }

    void tell(bool settled);

    Hear hear_;
    std::vector<List> lists_;
    std::vector<Cost> floor_;
    std::mutex mutex_;
    std::atomic<bool> changed_{false};
};

}  // namespace sabna
