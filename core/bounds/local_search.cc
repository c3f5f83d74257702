#include "bounds/local_search.h"

#include <algorithm>
#include <numeric>

#include "bounds/order_climber.h"
#include "bounds/order_window.h"

namespace sabna {

namespace {

// Windows of so many variables take some 0.3 ms each. One crossing in so many is followed by windows.
constexpr int window_width = 12;
constexpr int crossings_per_window = 10;
// One kick in so many begins with another order of the same network.
constexpr int kicks_per_redraw = 4;
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

template <int W>
class Population {
  public:
    Population(MovingFits<W>& fits, const LocalSearchOptions& options, Watch& watch)
        : fits_(fits), options_(options), watch_(watch), random_(options.seed), climber_(fits),
          window_(fits, std::min(window_width, fits.graph().n)) {}

    // The best order found; `order` is the first to start from.
    std::vector<int> run(std::vector<int> order) {
        first_members(std::move(order));
        int fruitless = 0;
        for (int crossing = 1; members_.size() > 1 && fruitless < options_.crossings && go_on(); ++crossing) {
            const Cost before = best().cost;
            climber_.start(crossed());
            climb_and_kick();
            if (crossing % crossings_per_window == 0) climb_windows();
            replace_worst();
            fruitless = best().cost < before ? 0 : fruitless + 1;
        }
        return best().order;
    }

  private:
    const Member& best() const {
        return *std::min_element(members_.begin(), members_.end(),
                                 [](const Member& a, const Member& b) { return a.cost < b.cost; });
    }

    bool go_on() {
        if (fits_.work() >= options_.work) return false;
        if (++asked_ % 32) return !watch_.stopped();
        Progress progress;
        progress.station = "upper bound";
        progress.upper = members_.empty() ? climber_.cost() : best().cost;
        progress.finished = fits_.work();
        progress.total = options_.work;
        return watch_.poll(progress);
    }

    // The members differ in cost: those that cost the same mostly are the same network.
    void first_members(std::vector<int> order) {
        members_.clear();
        for (int start = 0; start < options_.restarts; ++start) {
            if (start > 0 && !(fits_.work() < options_.work / share_of_first && go_on())) break;
            climber_.start(order);
            climb_and_kick();
            climb_windows();
            if (!known(climber_.cost())) members_.push_back({climber_.cost(), climber_.order()});
            if (std::size_t(start) + 1 < options_.starts.size()) order = options_.starts[std::size_t(start) + 1];
            else random_.shuffle(order);
            order = feasible(std::move(order));
        }
    }
    bool known(Cost cost) const {
        return std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.cost == cost; });
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
    std::vector<int> crossed() {
        const int count = int(members_.size()), a = random_.below(count);
        const int b = (a + 1 + random_.below(count - 1)) % count;
        std::vector<int> child = members_[std::size_t(a)].order;
        const std::vector<int> other = aligned(members_[std::size_t(b)].order, child);
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

    void replace_worst() {
        if (known(climber_.cost())) return;
        Member& worst = *std::max_element(members_.begin(), members_.end(),
                                          [](const Member& a, const Member& b) { return a.cost < b.cost; });
        if (climber_.cost() < worst.cost) worst = {climber_.cost(), climber_.order()};
    }

    MovingFits<W>& fits_;
    const LocalSearchOptions& options_;
    Watch& watch_;
    Random random_;
    OrderClimber<W> climber_;
    OrderWindow<W> window_;
    std::vector<Member> members_;
    std::int64_t asked_ = 0;
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
    const std::uint64_t bytes = MovingFits<W>::bytes(graph) + OrderWindow<W>::bytes(std::min(window_width, graph.n));
    if (!watch.try_reserve(bytes)) return assign(graph, order);  // better networks are a help, not a need
    MovingFits<W> fits(graph);
    order = Population<W>(fits, options, watch).run(std::move(order));
    watch.release(bytes);
    return assign(graph, order);
}

#define SABNA_INSTANTIATE(W)                                                                        \
    template Assignment local_search(const ParentGraphView<W>&, const LocalSearchOptions&, Watch&); \
    template std::vector<int> feasible_order(const ParentGraphView<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
