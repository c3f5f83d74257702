#include "gaussian/gaussian_build.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <tuple>

#include "gaussian/gaussian_search.h"
#include "gaussian/sweep.h"
#include "parallel.h"
#include "parents/slack.h"

namespace sabna {

namespace {

// Nodes of the first look at each child: a way down to a good set and its surroundings, in less than a millisecond.
constexpr std::int64_t first_look = 64;
// Candidates of a stopped search that still get their exact costs: a tenth of a second.
constexpr std::size_t scored_when_stopped = 1 << 15;

// A floor in quanta from one in nats: below by more than rounding can make.
Cost to_floor(const GaussianScore& score, int child, double nats) {
    if (nats == std::numeric_limits<double>::infinity()) return Cost::infinite();
    const double quanta = std::floor((nats + score.log_scale(child) - 2 * gaussian_margin) * quanta_per_nat);
    const double most = double(largest_total);  // a lower floor is as true
    return {quanta > -most ? std::int64_t(std::min(quanta, most)) : -Cost::infinite().quanta};
}

// ln r(x | all others) of every variable; n^3 steps, some tenths of a second for 512, some seconds for 2,048.
std::vector<double> least_log_variances(const GaussianScore& score) {
    std::vector<double> inverse = score.matrix(), out;
    for (int x = 0; x < score.n(); ++x) sweep(inverse, score.n(), x);
    for (int x = 0; x < score.n(); ++x) out.push_back(-std::log(-inverse[std::size_t(x) * std::size_t(score.n() + 1)]));
    return out;
}

template <int W>
struct List {
    std::vector<ScoredSet<W>> sets;
    Cost floor;
    bool begun = false, complete = false;

    // What an earlier look found stays: a stopped look may have seen less, or cut its list short, base and all.
    void add(const List& earlier) {
        const auto order = [](const auto& a, const auto& b) {
            return std::tie(a.cost, a.set) < std::tie(b.cost, b.set);
        };
        if (!earlier.begun) return;
        sets.insert(sets.end(), earlier.sets.begin(), earlier.sets.end());
        std::sort(sets.begin(), sets.end(), order);
        const auto same = [](const auto& a, const auto& b) { return a.set == b.set; };
        sets.erase(std::unique(sets.begin(), sets.end(), same), sets.end());
        floor = std::max(floor, earlier.floor);
    }
};

template <int W>
class Builder {
  public:
    Builder(const GaussianScore& score, const KnowledgeView<W>& knowledge, std::int64_t slack, Watch& watch,
            typename SoFar<W>::Hear hear)
        : score_(score), knowledge_(knowledge), slack_(slack), watch_(watch), log_r_(least_log_variances(score)),
          lists_(std::size_t(score.n())), so_far_(score.n(), std::move(hear)) {}

    void build(int threads) {
        for (int child = 0; so_far_ && child < score_.n(); ++child)
            so_far_.start(child, required_set(child), root_floor(child));
        so_far_.tell_settled();
        for_all(threads, first_look);
        if (!watch_.stopped()) so_far_.tell_settled();
        for_all(threads, std::numeric_limits<std::int64_t>::max());
        so_far_.tell_meanwhile();
        if (watch_.stopped()) fill_in();
    }
    std::int64_t evaluated() const { return evaluated_.load(); }
    std::vector<List<W>>& lists() { return lists_; }

  private:
    void for_all(int threads, std::int64_t most_nodes) {
        watch_.poll({.station = "parent graph", .evaluated = evaluated()});
        const auto task = [&](int child) {
            List<W>& list = lists_[std::size_t(child)];
            if (list.complete) return;
            List<W> found = look(child, most_nodes);
            if (!found.complete) found.add(list);
            list = std::move(found);
            so_far_.replace(
                child, list.sets.size(), [&](std::size_t k) { return list.sets[k]; }, list.floor);
        };
        // The first look is told when it is over.
        const auto meanwhile = [&] { most_nodes == first_look ? void() : so_far_.tell_meanwhile(); };
        parallel_tasks(score_.n(), threads, watch_, "parent graph", evaluated_, task, meanwhile);
    }

    List<W> look(int child, std::int64_t most_nodes) {
        const VarSet<W> required = knowledge_.required[child], open = knowledge_.allowed[child] - required;
        const GaussianSearch search(score_, {child, required.members(), open.members(), knowledge_.limits[child]},
                                    double(slack_) / quanta_per_nat, most_nodes, watch_, evaluated_);
        List<W> list;
        list.floor = to_floor(score_, child, search.floor());
        for (std::size_t k = 0; k < search.candidates(); ++k) {
            if (list.sets.size() >= scored_when_stopped && watch_.stopped()) {
                list.floor = root_floor(child);
                break;
            }
            VarSet<W> set;
            std::copy_n(search.candidate(k), W, set.word);
            list.sets.push_back({score_.cost(child, set.members()), set});
        }
        list.floor = std::min(list.floor, keep_within(list.sets, score_.n(), slack_, watch_));
        list.begun = true;
        list.complete = list.floor == Cost::infinite();
        watch_.reserve(2 * list.sets.size() * sizeof(ScoredSet<W>));  // the list, and the graph it is copied to
        return list;
    }

    // The children that were not begun.
    void fill_in() {
        for (int child = 0; child < score_.n(); ++child) {
            List<W>& list = lists_[std::size_t(child)];
            if (list.begun) continue;
            list.sets.push_back(required_set(child));
            list.floor = root_floor(child);
        }
    }

    ScoredSet<W> required_set(int child) const {
        const VarSet<W>& required = knowledge_.required[child];
        return {score_.cost(child, required.members()), required};
    }

    // No set of parents at all costs less.
    Cost root_floor(int child) const {
        const VarSet<W> required = knowledge_.required[child], open = knowledge_.allowed[child] - required;
        double inside = 0, least = open.empty() ? 0 : std::numeric_limits<double>::infinity();
        required.for_each([&](int v) { inside += log_r_[std::size_t(v)]; });
        open.for_each([&](int v) { least = std::min(least, log_r_[std::size_t(v)]); });
        double floor = std::numeric_limits<double>::infinity();
        const int k = required.size(), most = std::min<int>(knowledge_.limits[child], k + open.size());
        for (int s = k; s <= most; ++s)
            floor = std::min(floor, score_.offset(s) + score_.weight(s) / 2 * log_r_[std::size_t(child)] +
                                        score_.share() / 2 * (inside + (s - k) * least));
        return to_floor(score_, child, floor);
    }

    const GaussianScore& score_;
    const KnowledgeView<W>& knowledge_;
    std::int64_t slack_;
    Watch& watch_;
    std::vector<double> log_r_;  // ln r(x | all others)
    std::vector<List<W>> lists_;
    SoFar<W> so_far_;
    std::atomic<std::int64_t> evaluated_{0};
};

}  // namespace

template <int W>
GaussianBuilt build_gaussian(const GaussianScore& score, const KnowledgeView<W>& knowledge, std::int64_t slack,
                             int threads, Watch& watch, ParentGraphData<W>& out, typename SoFar<W>::Hear hear) {
    Builder<W> builder(score, knowledge, slack, watch, std::move(hear));
    builder.build(threads);
    GaussianBuilt built{watch.stop(), {}, builder.evaluated()};
    for (const List<W>& list : builder.lists()) {
        for (const auto& s : list.sets) out.costs.push_back(s.cost), out.sets.push_back(s.set);
        out.offsets.push_back(std::int64_t(out.sets.size()));
        built.floor.push_back(list.floor);
    }
    return built;
}

#define SABNA_INSTANTIATE(W)                                                                                        \
    template GaussianBuilt build_gaussian(const GaussianScore&, const KnowledgeView<W>&, std::int64_t, int, Watch&, \
                                          ParentGraphData<W>&, SoFar<W>::Hear);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
