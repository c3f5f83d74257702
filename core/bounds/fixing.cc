#include "bounds/fixing.h"

#include <algorithm>

#include "parallel.h"

namespace sabna {

template <int W>
std::vector<std::uint8_t> fix_by_reduced_cost(const ParentGraphView<W>& graph, const ReducedCosts& reduced,
                                              std::int64_t target) {
    std::vector<std::uint8_t> keep(std::size_t(graph.size()));
    for (int i = 0; i < graph.n; ++i) {
        const std::int64_t others = reduced.bound - reduced.least[std::size_t(i)];
        for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p)
            keep[std::size_t(p)] = others + reduced.cost[std::size_t(p)] < target;
    }
    return keep;
}

namespace {

// The forward pass over one group. `room` is what the group may cost in a network below the target.
class ForwardPass {
  public:
    ForwardPass(const PatternTables::Group& group, std::int64_t room, const std::vector<std::uint8_t>& keep)
        : costs_(*group.costs), table_(group.table), room_(room), g_(costs_.size()), low_(block_bits(g_)),
          open_(std::size_t(g_)) {
        for (int j = 0; j < g_; ++j)
            for (std::size_t t = 0; t < costs_.items(j).size(); ++t)
                if (keep[std::size_t(costs_.items(j)[t].position)]) open_[std::size_t(j)].push_back(std::uint32_t(t));
    }

    // Marks in `survive` what may stay. False: the watch stopped, and the marks mean nothing.
    template <class GoOn>
    bool run(std::vector<std::uint8_t>& survive, GoOn go_on) {
        const std::size_t size = std::size_t{1} << low_;
        forward_.assign(std::size_t{1} << g_, unreachable);
        forward_.back() = 0;
        rows_.resize(size * std::size_t(g_));
        for (std::uint32_t high = std::uint32_t{1} << (g_ - low_); high-- > 0;) {
            if (!go_on()) return false;
            const std::uint32_t first = high << low_;
            if (std::none_of(forward_.begin() + first, forward_.begin() + first + std::ptrdiff_t(size),
                             [](std::int64_t f) { return !is_unreachable(f); }))
                continue;  // after fixing most blocks are out of reach
            const std::uint32_t others = (((std::uint32_t{1} << (g_ - low_)) - 1) & ~high) << low_;
            for (int j = 0; j < g_; ++j)
                if (j < low_ || (high >> (j - low_) & 1))
                    costs_.fill(j, others, low_, scratch_, rows_.data() + size * std::size_t(j));
            for (std::uint32_t p = std::uint32_t(size); p-- > 0;)
                if (!is_unreachable(forward_[first | p])) expand(first | p, survive);
        }
        return true;
    }

  private:
    void expand(std::uint32_t remaining, std::vector<std::uint8_t>& survive) {
        const std::size_t size = std::size_t{1} << low_;
        const std::int64_t so_far = forward_[remaining];
        for (std::uint32_t rest = remaining; rest; rest &= rest - 1) {
            const int j = std::countr_zero(rest);
            const std::uint32_t next = remaining ^ (std::uint32_t{1} << j);
            const std::int64_t d = rows_[size * std::size_t(j) + (remaining & (size - 1))];
            if (is_unreachable(d) || is_unreachable(table_[next]) || so_far + d + table_[next] >= room_) continue;
            forward_[next] = std::min(forward_[next], so_far + d);
            if (!open_[std::size_t(j)].empty()) mark(j, remaining, room_ - so_far - table_[next], survive);
        }
    }

    // Sets of member j below `most` when `remaining` is not yet placed.
    void mark(int j, std::uint32_t remaining, std::int64_t most, std::vector<std::uint8_t>& survive) {
        const std::uint32_t placed = ~remaining & std::uint32_t(table_.size() - 1);
        std::vector<std::uint32_t>& open = open_[std::size_t(j)];
        const auto& items = costs_.items(j);
        bool any = false;
        for (std::uint32_t& t : open) {
            if (items[t].least >= most) break;  // ascending
            if ((items[t].needs & ~placed) || costs_.value(j, t, placed) >= most) continue;
            survive[std::size_t(items[t].position)] = 1;
            any = true;
        }
        if (any) std::erase_if(open, [&](std::uint32_t t) { return survive[std::size_t(items[t].position)] != 0; });
    }

    const GroupCosts& costs_;
    const std::vector<std::int64_t>& table_;
    std::int64_t room_;
    int g_, low_;
    std::vector<std::vector<std::uint32_t>> open_;  // items not yet known to survive, ascending by least
    std::vector<std::int64_t> forward_, rows_;
    GroupCosts::Scratch scratch_;
};

}  // namespace

void fix_by_tables(const std::vector<PatternTables>& patterns, std::int64_t target, int threads,
                   std::vector<std::uint8_t>& keep, Watch& watch, std::vector<std::uint8_t>* struck_by) {
    if (struck_by) struck_by->assign(keep.size(), 0);
    target = std::min(target, largest_total);  // no network costs more
    struct Task {
        const PatternTables* pattern;
        const PatternTables::Group* group;
        std::vector<std::uint8_t> survive{};
        bool done = false;
    };
    std::vector<Task> tasks;
    for (const PatternTables& pattern : patterns) {
        if (Cost{pattern.root}.is_infinite()) {  // no network can be made of these sets at all
            std::fill(keep.begin(), keep.end(), std::uint8_t{0});
            if (struck_by)
                struck_by->assign(keep.size(),
                                  std::uint8_t(1u << std::min<std::ptrdiff_t>(&pattern - patterns.data(), 7)));
            return;
        }
        for (const PatternTables::Group& group : pattern.groups) tasks.push_back({&pattern, &group});
    }
    const auto work = [&](int worker, std::int64_t number) {
        Task& task = tasks[std::size_t(number)];
        const std::uint64_t bytes = group_table_bytes(task.group->costs->size(), 1) + keep.size();
        if (!watch.try_reserve(bytes)) return;  // fixing is a help, not a need
        // Everything but this group, at the root.
        const std::int64_t others = task.pattern->root - task.group->table.back();
        task.survive.assign(keep.size(), 0);
        ForwardPass pass(*task.group, target - others, keep);
        task.done = pass.run(task.survive, [&] {
            Progress progress;
            progress.station = "fixing";
            progress.finished = number;
            progress.total = std::int64_t(tasks.size());
            return worker == 0 ? watch.poll(progress) : !watch.stopped();
        });
        watch.release(bytes);
    };
    for_each_block(threads, std::int64_t(tasks.size()), watch, work, [] { return true; });
    for (const Task& task : tasks) {
        if (!task.done) continue;
        for (int j = 0; j < task.group->costs->size(); ++j)
            for (const auto& item : task.group->costs->items(j)) {
                const auto p = std::size_t(item.position);
                if (struck_by && !task.survive[p])
                    (*struck_by)[p] |= std::uint8_t(1u << std::min<std::ptrdiff_t>(task.pattern - patterns.data(), 7));
                keep[p] &= task.survive[p];
            }
    }
}

#define SABNA_INSTANTIATE(W)                                                                                  \
    template std::vector<std::uint8_t> fix_by_reduced_cost<W>(const ParentGraphView<W>&, const ReducedCosts&, \
                                                              std::int64_t);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
