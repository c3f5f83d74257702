#include "mixed/mixed_build.h"

#include <atomic>
#include <stdexcept>
#include <tuple>

#include "mixed/mixed_search.h"
#include "parallel.h"
#include "parents/slack.h"

namespace sabna {

namespace {

template <int W>
struct MixedList {
    std::vector<ScoredSet<W>> sets;
    bool complete = false;
};

template <int W>
class MixedBuilder {
  public:
    MixedBuilder(const MixedScore& score, const KnowledgeView<W>& knowledge, std::int64_t slack, Watch& watch,
                 typename SoFar<W>::Hear hear)
        : score_(score), knowledge_(knowledge), slack_(slack), watch_(watch), lists_(std::size_t(score.columns().n())),
          so_far_(score.columns().n(), std::move(hear)) {}

    void start() {
        Watch unlimited;
        for (int child = 0; child < n(); ++child) {
            lists_[std::size_t(child)] = look(child, 0, unlimited);
            if (lists_[std::size_t(child)].sets.empty())
                throw std::invalid_argument("a variable has no value under its required parents");
            lists_[std::size_t(child)].complete = knowledge_.limits[child] <= required(child);
            so_far_.start(child, lists_[std::size_t(child)].sets[0], {score_.floor_of(child)});
        }
        so_far_.tell_settled();
    }
    void build(int threads) {
        for (const int more : {1, n()}) {
            watch_.poll({.station = "parent graph", .evaluated = evaluated()});
            const auto task = [&](int child) {
                MixedList<W>& list = lists_[std::size_t(child)];
                MixedList<W> found = look(child, more, watch_);
                if (more == 1) found.complete = found.complete && knowledge_.limits[child] <= required(child) + 1;
                if (watch_.stopped() && !found.complete) add(found, list);
                list = std::move(found);
                so_far_.replace(
                    child, list.sets.size(), [&](std::size_t k) { return list.sets[k]; }, floor(child));
            };
            const auto meanwhile = [&] { more == 1 ? void() : so_far_.tell_meanwhile(); };
            parallel_tasks(n(), threads, watch_, "parent graph", evaluated_, task, meanwhile);
            if (more == 1 && !watch_.stopped()) so_far_.tell_settled();
        }
        so_far_.tell_meanwhile();
    }
    Cost floor(int child) const {
        return lists_[std::size_t(child)].complete ? Cost::infinite() : Cost{score_.floor_of(child)};
    }
    const std::vector<MixedList<W>>& lists() const { return lists_; }
    std::int64_t evaluated() const { return evaluated_.load(); }

  private:
    int n() const { return score_.columns().n(); }
    int required(int child) const { return knowledge_.required[child].size(); }

    // Sets of up to `more` parents beyond the required ones.
    MixedList<W> look(int child, int more, Watch& watch) {
        const VarSet<W> needed = knowledge_.required[child], open = knowledge_.allowed[child] - needed;
        const int limit = std::min<int>(knowledge_.limits[child], required(child) + more);
        MixedSearch search(score_, {child, needed.members(), open.members(), limit}, slack_, watch, evaluated_);
        MixedList<W> list;
        list.complete = search.run();
        for (std::size_t k = 0; k < search.kept(); ++k) list.sets.push_back(search.kept<W>(k));
        if (search.left_out() || !list.complete) {
            keep_within(list.sets, n(), slack_, watch);
        } else {
            std::sort(list.sets.begin(), list.sets.end(),
                      [](const auto& a, const auto& b) { return std::tie(a.cost, a.set) < std::tie(b.cost, b.set); });
        }
        list.complete = list.complete && !watch.stopped();
        return list;
    }

    // What an earlier look found.
    void add(MixedList<W>& found, const MixedList<W>& earlier) {
        found.sets.insert(found.sets.end(), earlier.sets.begin(), earlier.sets.end());
        std::sort(found.sets.begin(), found.sets.end(),
                  [](const auto& a, const auto& b) { return std::tie(a.cost, a.set) < std::tie(b.cost, b.set); });
        const auto same = [](const auto& a, const auto& b) { return a.set == b.set; };
        found.sets.erase(std::unique(found.sets.begin(), found.sets.end(), same), found.sets.end());
    }

    const MixedScore& score_;
    const KnowledgeView<W>& knowledge_;
    std::int64_t slack_;
    Watch& watch_;
    std::vector<MixedList<W>> lists_;
    SoFar<W> so_far_;
    std::atomic<std::int64_t> evaluated_{0};
};

}  // namespace

template <int W>
MixedBuilt build_mixed(const MixedScore& score, const KnowledgeView<W>& knowledge, std::int64_t slack, int threads,
                       Watch& watch, ParentGraphData<W>& out, typename SoFar<W>::Hear hear) {
    MixedBuilder<W> builder(score, knowledge, slack, watch, std::move(hear));
    MixedBuilt built;
    builder.start();
    builder.build(threads);
    built.stop = watch.stop();
    built.evaluated = builder.evaluated();
    for (int child = 0; child < score.columns().n(); ++child) {
        for (const auto& s : builder.lists()[std::size_t(child)].sets)
            out.costs.push_back(s.cost), out.sets.push_back(s.set);
        out.offsets.push_back(std::int64_t(out.sets.size()));
        built.floor.push_back(builder.floor(child));
    }
    return built;
}

#define SABNA_INSTANTIATE(W)                                                                               \
    template MixedBuilt build_mixed(const MixedScore&, const KnowledgeView<W>&, std::int64_t, int, Watch&, \
                                    ParentGraphData<W>&, SoFar<W>::Hear);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
