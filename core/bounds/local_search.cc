#include "bounds/local_search.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "bounds/order_climber.h"
#include "bounds/order_window.h"
#include "parallel.h"

namespace sabna {

namespace {

// Windows of so many variables take some 0.3 ms each. One crossing in so many is followed by windows.
constexpr int window_width = 12;
constexpr int crossings_per_window = 10;
// One kick in so many begins with another order of the same network.
constexpr int kicks_per_redraw = 4;
// Orders that are improved at a time, whatever the number of threads.
constexpr int at_a_time = 4;
// The first orders may take this share of the work: better few members that are crossed than many that are not.
constexpr int share_of_first = 3;

// Variables in the given sequence as far as they are ready (`fits(i, placed)`); the others as soon as they are.
template <int W, class Fits>
std::vector<int> in_sequence(std::vector<int> waiting, Fits fits) {
    std::vector<int> order;
    VarSet<W> placed;
    while (!waiting.empty()) {
        const auto before = order.size();
        std::erase_if(waiting, [&](int i) {
            if (!fits(i, placed)) return false;
            order.push_back(i);
            placed.insert(i);
            return true;
        });
        if (order.size() == before) return {};
    }
    return order;
}

template <int W>
std::vector<int> feasible_from(const ParentGraphView<W>& graph, std::vector<int> sequence) {
    return in_sequence<W>(std::move(sequence),
                          [&](int i, const VarSet<W>& placed) { return first_fit(graph, i, placed) < graph.size(i); });
}

struct Member {
    Cost cost;
    std::vector<int> order;
};

// What may be done, and to whom it is told.
struct Budget {
    std::int64_t work;      // sets that may be looked at
    std::int64_t done = 0;  // those looked at before
    Cost best = Cost::infinite();
    bool polls = false;  // only the thread that started the run
};

// Improves one order at a time; one for each thread.
template <int W>
class Improver {
  public:
    Improver(const MovingFits<W>& fits, const LocalSearchOptions& options, Watch& watch)
        : fits_(fits), options_(options), watch_(watch), random_(0), climber_(fits_),
          window_(fits_, std::min(window_width, fits.graph().n)) {}
    Improver(const Improver&) = delete;
    Improver& operator=(const Improver&) = delete;

    void begin(std::uint64_t seed, const Budget& budget) {
        random_ = Random(seed);
        budget_ = budget;
        before_ = fits_.work();
    }
    // Sets looked at since then.
    std::int64_t work() const { return fits_.work() - before_; }

    // The order, or where it cannot be scored one near to it.
    Member from_start(std::vector<int> order) {
        climber_.start(feasible(std::move(order)));
        climb_and_kick();
        climb_windows();
        return {climber_.cost(), climber_.order()};
    }
    // A child of two members.
    Member from_crossing(const std::vector<Member>& members, bool windows) {
        climber_.start(crossed(members));
        climb_and_kick();
        if (windows) climb_windows();
        return {climber_.cost(), climber_.order()};
    }

  private:
    bool go_on() {
        if (work() >= budget_.work) return false;
        if (!budget_.polls || ++asked_ % 32) return !watch_.stopped();
        Progress progress;
        progress.station = "upper bound";
        progress.upper = std::min(budget_.best, climber_.cost());
        progress.finished = budget_.done + work();
        progress.total = options_.work;
        return watch_.poll(progress);
    }
    std::vector<int> feasible(std::vector<int> sequence) {
        return in_sequence<W>(std::move(sequence), [&](int i, const VarSet<W>& placed) {
            return fits_.find(i, placed) < fits_.graph().size(i);
        });
    }

    // Climb, then kick and climb again from the best, until kicks stay fruitless.
    void climb_and_kick() {
        const auto go = [&] { return go_on(); };
        climber_.climb(random_, go);
        Member best{climber_.cost(), climber_.order()};
        for (int fruitless = 0; fruitless < options_.kicks && go_on(); ++fruitless) {
            if (random_.below(kicks_per_redraw) == 0) climber_.redraw(random_);
            climber_.kick(random_, 1 + random_.below(4));
            climber_.climb(random_, go);
            if (climber_.cost() < best.cost) fruitless = 0;
            if (climber_.cost() <= best.cost) best = {climber_.cost(), climber_.order()};
            else climber_.start(best.order);
        }
        if (climber_.cost() > best.cost) climber_.start(best.order);
    }

    // Every window, until none improves; they overlap by half.
    void climb_windows() {
        const int width = window_.width(), last = int(climber_.order().size()) - width;
        for (bool improved = true; improved;) {
            improved = false;
            for (int first = 0; go_on(); first = std::min(first + (width + 1) / 2, last)) {
                improved |= window_.improve(climber_, first);
                if (first == last) break;
            }
            if (improved) climber_.climb(random_, [&] { return go_on(); });
        }
    }

    // Half of the variables at the places they have in one member, the others in the order of a second one.
    std::vector<int> crossed(const std::vector<Member>& members) {
        const int count = int(members.size()), a = random_.below(count);
        const int b = (a + 1 + random_.below(count - 1)) % count;
        std::vector<int> child = members[std::size_t(a)].order;
        const std::vector<int> other = aligned(members[std::size_t(b)].order, child);
        std::vector<bool> stays;
        for (std::size_t i = 0; i < child.size(); ++i) stays.push_back(random_.below(2));
        auto next = other.begin();
        for (int& v : child) {
            if (stays[std::size_t(v)]) continue;
            while (stays[std::size_t(*next)]) ++next;
            v = *next++;
        }
        return feasible(std::move(child));
    }
    // The network of `order` in another of its orders, near to `model`.
    std::vector<int> aligned(const std::vector<int>& order, const std::vector<int>& model) {
        climber_.start(order);
        return in_sequence<W>(model,
                              [&](int i, const VarSet<W>& placed) { return climber_.parents(i).subset_of(placed); });
    }

    MovingFits<W> fits_;
    const LocalSearchOptions& options_;
    Watch& watch_;
    Random random_;
    OrderClimber<W> climber_;
    OrderWindow<W> window_;
    Budget budget_{0};
    std::int64_t before_ = 0, asked_ = 0;
};

template <int W>
class Population {
  public:
    Population(const MovingFits<W>& fits, const LocalSearchOptions& options, int threads, Watch& watch)
        : options_(options), watch_(watch), random_(options.seed) {
        for (int t = 0; t < threads; ++t) improvers_.push_back(std::make_unique<Improver<W>>(fits, options, watch));
    }

    // The best order found; `order` is the first to start from.
    std::vector<int> run(std::vector<int> order) {
        first_members(std::move(order));
        int fruitless = 0;
        for (int crossing = 1; members_.size() > 1 && fruitless < options_.crossings && go_on();
             crossing += at_a_time) {
            const auto child = [&](Improver<W>& improver, int k) {
                return improver.from_crossing(members_, (crossing + k) % crossings_per_window == 0);
            };
            for (Member& made : improved(at_a_time, child)) {
                const Cost before = best();
                replace_worst(std::move(made));
                fruitless = best() < before ? 0 : fruitless + 1;
            }
        }
        return least()->order;
    }

  private:
    auto least() const {
        return std::min_element(members_.begin(), members_.end(),
                                [](const Member& a, const Member& b) { return a.cost < b.cost; });
    }
    Cost best() const { return members_.empty() ? Cost::infinite() : least()->cost; }
    bool go_on() const { return done_ < options_.work && !watch_.stopped(); }

    // Some orders improved, each by `improve(improver, number)` with an equal share of the work that is left. Where the
    // watch stops before all have been begun, those that were.
    template <class Improve>
    std::vector<Member> improved(int count, const Improve& improve) {
        std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count));
        for (std::uint64_t& seed : seeds) seed = random_.next();
        const std::int64_t share = (options_.work - done_) / count;
        std::vector<Member> made(static_cast<std::size_t>(count));
        std::vector<std::int64_t> work(static_cast<std::size_t>(count));
        const auto one = [&](int thread, std::int64_t k) {
            Improver<W>& improver = *improvers_[std::size_t(thread)];
            improver.begin(seeds[std::size_t(k)], {share, done_, best(), thread == 0});
            made[std::size_t(k)] = improve(improver, int(k));
            work[std::size_t(k)] = improver.work();
        };
        for_each_block(int(improvers_.size()), count, watch_, one, [] { return true; });
        for (const std::int64_t w : work) done_ += w;
        std::erase_if(made, [](const Member& member) { return member.order.empty(); });
        return made;
    }

    // The first order by itself, however little work is allowed; then the others, at most `restarts`. The members differ
    // in cost: those that cost the same mostly are the same network.
    void first_members(std::vector<int> order) {
        improvers_[0]->begin(random_.next(), {options_.work, 0, Cost::infinite(), true});
        members_.push_back(improvers_[0]->from_start(order));
        done_ += improvers_[0]->work();
        for (int start = 1; start < options_.restarts && done_ < options_.work / share_of_first && go_on();) {
            std::vector<std::vector<int>> orders;
            for (; start < options_.restarts && int(orders.size()) < at_a_time; ++start) {
                if (std::size_t(start) < options_.starts.size()) order = options_.starts[std::size_t(start)];
                else random_.shuffle(order);
                orders.push_back(order);
            }
            const auto from = [&](Improver<W>& improver, int k) { return improver.from_start(orders[std::size_t(k)]); };
            for (Member& made : improved(int(orders.size()), from))
                if (!known(made.cost)) members_.push_back(std::move(made));
        }
    }
    bool known(Cost cost) const {
        return std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.cost == cost; });
    }
    void replace_worst(Member&& made) {
        if (known(made.cost)) return;
        Member& worst = *std::max_element(members_.begin(), members_.end(),
                                          [](const Member& a, const Member& b) { return a.cost < b.cost; });
        if (made.cost < worst.cost) worst = std::move(made);
    }

    const LocalSearchOptions& options_;
    Watch& watch_;
    Random random_;
    std::vector<std::unique_ptr<Improver<W>>> improvers_;
    std::vector<Member> members_;
    std::int64_t done_ = 0;  // sets looked at
};

}  // namespace

template <int W>
std::vector<int> feasible_order(const ParentGraphView<W>& graph) {
    std::vector<int> all(std::size_t(graph.n));
    std::iota(all.begin(), all.end(), 0);
    return feasible_from(graph, all);
}

template <int W>
Assignment local_search(const ParentGraphView<W>& graph, const LocalSearchOptions& options, Watch& watch) {
    std::vector<int> order =
        options.starts.empty() ? feasible_order(graph) : feasible_from(graph, options.starts.front());
    if (order.empty() && graph.n > 0) return {};
    if (graph.n < 2 || options.restarts < 1) return assign(graph, order);
    const std::uint64_t each = OrderWindow<W>::bytes(std::min(window_width, graph.n));
    std::uint64_t bytes = MovingFits<W>::bytes(graph) + each;
    if (!watch.try_reserve(bytes)) return assign(graph, order);  // better networks are a help, not a need
    int threads = 1;
    for (; threads < std::min(options.threads, at_a_time) && watch.try_reserve(each); ++threads) bytes += each;
    const MovingFits<W> fits(graph);
    order = Population<W>(fits, options, threads, watch).run(std::move(order));
    watch.release(bytes);
    return assign(graph, order);
}

#define SABNA_INSTANTIATE(W)                                                                        \
    template Assignment local_search(const ParentGraphView<W>&, const LocalSearchOptions&, Watch&); \
    template std::vector<int> feasible_order(const ParentGraphView<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
