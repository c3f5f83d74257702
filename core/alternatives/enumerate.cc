#include "alternatives/enumerate.h"

#include <algorithm>
#include <numeric>

namespace sabna {

namespace {

class Enumeration {
  public:
    Enumeration(const SmallGraph& graph, const LatticeTables& tables, Wanted wanted, Watch& watch)
        : graph_(graph), tables_(tables), wanted_(wanted), watch_(watch), n_(graph.n()),
          limit_(tables.best() + wanted.slack), choice_(std::size_t(n_)), since_larger_(std::size_t(n_ + 1) * n_) {}

    Solutions run(std::int64_t& visited) {
        descend(0, 0, {});
        visited += visited_;
        finish();
        return std::move(found_);
    }

  private:
    // since_larger_[depth * n + w]: the variables placed from the last one larger than w on; 0 if there is none. The
    // parents of w must meet it.
    std::uint32_t* waiting(int depth) { return since_larger_.data() + std::size_t(depth) * n_; }

    void descend(int depth, std::uint32_t placed, Cost cost) {
        if (stopped_) return;
        if ((++visited_ & 0xFFF) == 0 && !watch_.poll({.station = "alternatives", .expanded = visited_})) stopped_ = true;
        if (depth == n_) return record(cost);
        const std::uint32_t full = (std::uint32_t{1} << n_) - 1;
        for (std::uint32_t rest = full & ~placed; rest; rest &= rest - 1) place(std::countr_zero(rest), depth, placed, cost);
    }

    void place(int v, int depth, std::uint32_t placed, Cost cost) {
        const std::uint32_t next = placed | 1u << v, must_meet = waiting(depth)[v];
        const Cost after = tables_.backward(next);
        if (after.is_infinite()) return;
        bool ready = false;
        const auto& sets = graph_.sets[std::size_t(v)];
        for (std::uint32_t k = 0; k < sets.size(); ++k) {
            if (cost + sets[k].cost + after > limit_) break;
            if (sets[k].set & ~placed || (must_meet && !(sets[k].set & must_meet))) continue;
            if (!ready) {
                const std::uint32_t *now = waiting(depth);
                std::uint32_t *then = waiting(depth + 1);
                for (int w = 0; w < n_; ++w) then[w] = w < v ? 1u << v : now[w] ? now[w] | 1u << v : 0;
                ready = true;
            }
            choice_[std::size_t(v)] = k;
            descend(depth + 1, next, cost + sets[k].cost);
        }
    }

    void record(Cost cost) {
        if (stopped_) return;
        if (found_.costs.size() == found_.costs.capacity()) {
            const std::uint64_t more = (found_.costs.size() + 1024) * (sizeof(Cost) + 4 * std::uint64_t(n_));
            if (!watch_.reserve(more)) { stopped_ = true; return; }
            found_.costs.reserve(2 * found_.costs.size() + 1024);
            found_.choices.reserve(found_.costs.capacity() * std::size_t(n_));
        }
        found_.costs.push_back(cost);
        found_.choices.insert(found_.choices.end(), choice_.begin(), choice_.end());
        if (std::int64_t(found_.costs.size()) >= 2 * wanted_.count) keep_best();
        else if (std::int64_t(found_.costs.size()) == wanted_.count) tighten();
    }

    // Once k are known, only strictly cheaper ones are of interest.
    void tighten() {
        found_.cut = true;
        limit_ = std::min(limit_, *std::max_element(found_.costs.begin(), found_.costs.end()) - Cost{1});
    }

    void keep_best() {
        sort();
        found_.costs.resize(std::size_t(wanted_.count));
        found_.choices.resize(std::size_t(wanted_.count) * n_);
        tighten();
    }

    void finish() {
        if (std::int64_t(found_.costs.size()) > wanted_.count) keep_best();
        else sort();
        if (found_.cut || stopped_) found_.complete = false;
    }

    void sort() {
        std::vector<std::size_t> order(found_.costs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return found_.costs[a] < found_.costs[b]; });
        std::vector<Cost> costs;
        std::vector<std::uint32_t> choices;
        costs.reserve(found_.costs.capacity()), choices.reserve(found_.choices.capacity());
        for (const std::size_t k : order) {
            costs.push_back(found_.costs[k]);
            const auto at = found_.choices.begin() + std::ptrdiff_t(k) * n_;
            choices.insert(choices.end(), at, at + n_);
        }
        found_.costs.swap(costs), found_.choices.swap(choices);
    }

    const SmallGraph& graph_;
    const LatticeTables& tables_;
    Wanted wanted_;
    Watch& watch_;
    int n_;
    Cost limit_;
    bool stopped_ = false;
    std::int64_t visited_ = 0;
    std::vector<std::uint32_t> choice_;
    std::vector<std::uint32_t> since_larger_;
    Solutions found_;
};

}  // namespace

Solutions enumerate_networks(const SmallGraph& graph, const LatticeTables& tables, Wanted wanted, Watch& watch,
                             std::int64_t& visited) {
    return Enumeration(graph, tables, wanted, watch).run(visited);
}

}  // namespace sabna
