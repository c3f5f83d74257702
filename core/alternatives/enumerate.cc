#include "alternatives/enumerate.h"

#include "alternatives/collector.h"

namespace sabna {

namespace {

class Enumeration {
  public:
    Enumeration(const SmallGraph& graph, const LatticeTables& tables, Wanted wanted, Watch& watch)
        : graph_(graph), tables_(tables), watch_(watch), n_(graph.n()), choice_(std::size_t(n_)),
          since_larger_(std::size_t(n_ + 1) * n_), found_(n_, wanted.count, tables.best() + wanted.slack, watch) {}

    Solutions run(std::int64_t& visited) {
        descend(0, 0, {});
        visited += visited_;
        return found_.take(!stopped_);
    }

  private:
    // since_larger_[depth * n + w]: the variables placed from the last one larger than w on; 0 if there is none. The
    // parents of w must meet it.
    std::uint32_t* waiting(int depth) { return since_larger_.data() + std::size_t(depth) * n_; }

    void descend(int depth, std::uint32_t placed, Cost cost) {
        if (stopped_) return;
        if ((++visited_ & 0xFFF) == 0 && !watch_.poll({.station = "alternatives", .expanded = visited_}))
            stopped_ = true;
        if (depth == n_) return record(cost);
        const std::uint32_t full = (std::uint32_t{1} << n_) - 1;
        for (std::uint32_t rest = full & ~placed; rest; rest &= rest - 1)
            place(std::countr_zero(rest), depth, placed, cost);
    }

    void place(int v, int depth, std::uint32_t placed, Cost cost) {
        const std::uint32_t next = placed | 1u << v, must_meet = waiting(depth)[v];
        const Cost after = tables_.backward(next);
        if (after.is_infinite()) return;
        bool ready = false;
        const auto& sets = graph_.sets[std::size_t(v)];
        for (std::uint32_t k = 0; k < sets.size(); ++k) {
            if (cost + sets[k].cost + after > found_.limit()) break;
            if (sets[k].set & ~placed || (must_meet && !(sets[k].set & must_meet))) continue;
            if (!ready) {
                const std::uint32_t* now = waiting(depth);
                std::uint32_t* then = waiting(depth + 1);
                for (int w = 0; w < n_; ++w) then[w] = w < v ? 1u << v : now[w] ? now[w] | 1u << v : 0;
                ready = true;
            }
            choice_[std::size_t(v)] = k;
            descend(depth + 1, next, cost + sets[k].cost);
        }
    }

    void record(Cost cost) {
        if (!stopped_ && !found_.add(cost, choice_)) stopped_ = true;
    }

    const SmallGraph& graph_;
    const LatticeTables& tables_;
    Watch& watch_;
    int n_;
    bool stopped_ = false;
    std::int64_t visited_ = 0;
    std::vector<std::uint32_t> choice_;
    std::vector<std::uint32_t> since_larger_;
    Collector found_;
};

}  // namespace

Solutions enumerate_networks(const SmallGraph& graph, const LatticeTables& tables, Wanted wanted, Watch& watch,
                             std::int64_t& visited) {
    return Enumeration(graph, tables, wanted, watch).run(visited);
}

}  // namespace sabna
