// The entropy rule and its relatives, for bic and aic; statements and proofs in core/scores/bic.cc.
//
// For a candidate set Q the entropies given each Q - a are at hand. With w the price of a parameter and
//     g(a, i) = w (r_i - 1) (r_a - 1) x (product of the arities of Q - a)
// the increase of child i's penalty by a:
//  - i is done with Q and all around it, if for some a in Q  min(h(i | Q-a), h(a | Q-a)) <= g(a, i);
//  - i needs nothing strictly around Q, if that is <= g(a, i) x (smallest arity outside Q);
//  - the same, once Q is counted, if for every x outside Q  min(h(i | Q), h(x | Q)) <= g(x, i);
//  - the cost of Q itself is at least its penalty plus max over a of h(i | Q-a) - h(a | Q-a).
// All children are judged together on 16-bit numbers (level_store.h, narrow.h). Where arities differ the vectors use the
// smallest g over a, and the children that pass are looked at one by one.
//
// The proofs are about real numbers, our entropies are sums of rounded table entries: `margin_` is more than all the
// rounding that can enter a comparison (half a quantum per cell, for the four sums of two costs and two for the entropies),
// and what rounding to 16 bits may lose. Comparisons with penalties alone are between integers and need none.
#include <algorithm>
#include <limits>

#include "counting/entropies.h"
#include "parents/level_walk.h"
#include "parents/narrow.h"

namespace sabna {

namespace {

constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::max();

template <int W>
class EntropyRule final : public Rule<W> {
  public:
    explicit EntropyRule(const BuildState<W>& state)
        : state_(state), n_(state.table.n), counter_(state.table, state.score.parent_table(1, 1)),
          price_(state.score.parameter_price()),
          margin_((4.0 * state.table.distinct() + 8) * state.scale.per_quantum + 1e-3), entropy_(n_), own_(n_),
          around_(n_), least_(narrow_size(n_)), least_around_(narrow_size(n_)), room_(narrow_size(n_)),
          room_around_(narrow_size(n_)), entropies_(narrow_size(n_)), floor_(narrow_size(n_)), gain_(narrow_size(n_)) {
        one_arity_ = true;
        for (int v = 0; v < n_; ++v) one_arity_ = one_arity_ && state.table.arity[v] == state.table.arity[0];
        for (int v = 0; v < n_; ++v)
            if (!state.table.is_constant(v)) by_arity_.push_back(v);
        for (int v = 0; v < n_; ++v) inverse_.push_back(1 / double(state.table.arity[v] - 1));
        std::sort(by_arity_.begin(), by_arity_.end(),
                  [&](int a, int b) { return state.table.arity[a] < state.table.arity[b]; });
    }

    int numbers_stored() const override { return 2 * n_; }

    void judge_before(const VarSet<W>& Q, const VarSet<W>& children, const std::vector<Subset<W>>& subsets,
                      const LevelStore<W>& last, Judged<W>& judged) override {
        set_context(Q);
        list_subsets(subsets, last);
        judged.score = judged.extend = {};
        const VarSet<W> served = children & affordable(1);
        if (served.empty()) return;
        narrow_gather(listed_, n_, entropies_.data(), floor_.data(), gain_.data());
        VarSet<W> alive = served & narrow_greater<W>(entropies_.data(), least_.data(), n_) &
                          narrow_greater<W>(room_.data(), gain_.data(), n_);
        VarSet<W> extend;
        if (smallest_outside_ != nothing)
            extend = alive & narrow_greater<W>(entropies_.data(), least_around_.data(), n_) &
                     narrow_greater<W>(room_around_.data(), gain_.data(), n_) & affordable(double(smallest_outside_));
        narrow_add(floor_.data(), gain_.data(), n_);
        judged.score = alive & narrow_greater<W>(room_.data(), floor_.data(), n_);
        extend.for_each([&](int i) {
            if (Q.size() < state_.candidates.largest[i]) judged.extend.insert(i);
        });
        if (!one_arity_) (judged.score | judged.extend).for_each([&](int i) { judge_child(i, subsets, last, judged); });
    }

    bool splits(int x) const override { return counter_.can_split(x); }
    void prepare(const Partition& partition, const VarSet<W>& P, std::uint32_t index) override {
        list_idle(P, index);
        counter_.prepare(partition, idle_);
    }
    void count_split(const Partition& partition, int x) override {
        counter_.count_split(partition, x, entropy_.data());
    }
    void count(const VarSet<W>&, const Partition& partition, Judged<W>&) override {
        counter_.count(partition, entropy_.data());
    }

    void judge_after(const VarSet<W>& Q, Judged<W>& judged, std::vector<Scored<W>>& scored,
                     std::vector<Cost>& floor) override {
        const Scale& scale = state_.scale;
        judged.score.for_each([&](int i) {
            const Quanta cost = entropy_[i] + own_[i];
            const double gain = double(state_.empty_cost[i] - cost);
            if (gain <= gain_[i] * scale.unit) return;
            scored.push_back({Q, {cost}, i, gain < (gain_[i] + 1.0001) * scale.unit + 1});
            gain_[i] = std::max(gain_[i], scale.round_down(Quanta(gain)));
        });
        VarSet<W> extend;
        if (judged.extend.empty()) return;
        const BestGain best = best_gain();
        judged.extend.for_each([&](int i) {
            const double increase = double(own_[i]) * double(smallest_outside_ - 1);
            const double told = best.variable == i ? best.next : best.most;
            if (gain_[i] >= room_around_[i] || (double(entropy_[i]) - increase) * scale.per_quantum <= -margin_) return;
            if ((told - double(own_[i])) * scale.per_quantum <= -margin_) return;
            extend.insert(i);
            floor[i] = std::min(floor[i], Cost{around_[i]});
        });
        judged.extend = extend;
        if (extend.empty()) return;
        for (int x = 0; x < n_; ++x) judged.numbers[x] = scale.round_up(entropy_[x]);
        std::copy_n(gain_.begin(), n_, judged.numbers.begin() + n_);
    }

  private:
    // What depends on Q only through the arities in it; kept as long as these stay the same.
    void set_context(const VarSet<W>& Q) {
        long double q = 1;
        double smallest_share = 1;  // of (r_a - 1) / r_a
        Q.for_each([&](int a) {
            const double r = double(state_.table.arity[a]);
            q *= (long double)r;
            smallest_share = std::min(smallest_share, (r - 1) / r);
        });
        std::int64_t outside = nothing;
        for (int v : by_arity_)
            if (!Q.contains(v)) {
                outside = state_.table.arity[v];
                break;
            }
        if (q == q_ && outside == smallest_outside_ && smallest_share == smallest_share_) return;
        q_ = q, smallest_outside_ = outside, smallest_share_ = smallest_share;
        const double step = double(price_) * double(q) * state_.scale.per_quantum;
        for (int i = 0; i < n_; ++i) {
            const std::int64_t r = state_.table.arity[i];
            own_[i] = penalty(price_, q, r);
            around_[i] = outside == nothing ? saturated : penalty(price_, q * (long double)outside, r);
            const double least = step * double(r - 1) * smallest_share;
            least_[i] = narrow_threshold(least - margin_);
            least_around_[i] = outside == nothing ? 65535 : narrow_threshold(least * double(outside) - margin_);
            room_[i] = narrow_room(double(state_.empty_cost[i] - own_[i]) * state_.scale.per_quantum + margin_);
            room_around_[i] = narrow_room(double(state_.empty_cost[i] - around_[i]) * state_.scale.per_quantum);
        }
    }

    // Where the numbers of all Q - a are, and the most (r_i - 1) times `step` that what any a can tell pays for.
    void list_subsets(const std::vector<Subset<W>>& subsets, const LevelStore<W>& last) {
        payable_ = 1e300;
        listed_.clear();
        for (const Subset<W>& subset : subsets) {
            const std::uint16_t* numbers = last.numbers(subset.index);
            const std::uint16_t told = numbers[subset.lacks];
            const double r = double(state_.table.arity[subset.lacks]);
            payable_ = std::min(payable_, (double(told) + margin_) * r / (r - 1));
            listed_.push_back({numbers, std::uint16_t(std::min(told + 1, 65535))});
        }
    }

    // The variables whose entropies given sets around P nobody needs: members, and those that are no child still alive
    // and can tell none of these enough to be a parent beside P.
    void list_idle(const VarSet<W>& P, std::uint32_t index) {
        idle_.clear();
        const VarSet<W>& alive = state_.last.alive[index];
        std::int64_t smallest = nothing;
        alive.for_each([&](int i) { smallest = std::min(smallest, state_.table.arity[i]); });
        long double q = 1;
        P.for_each([&](int a) { q *= (long double)state_.table.arity[a]; });
        const double step = double(price_) * double(q) * double(smallest - 1) * state_.scale.per_quantum;
        const std::uint16_t* entropies = state_.last.numbers(index);
        for (int y = 0; y < n_; ++y) {
            const bool tells = entropies[y] > step * double(state_.table.arity[y] - 1) - margin_;
            if (P.contains(y) || (!tells && !alive.contains(y))) idle_.push_back(y);
        }
    }

    // The most that one of the variables outside Q can tell given Q, per parameter it adds: of any, and of any but the first.
    struct BestGain {
        double most = 0, next = 0;
        int variable = -1;
    };
    BestGain best_gain() const {
        BestGain t;
        for (int x = 0; x < n_; ++x) {
            const double tells = state_.table.arity[x] > 1 ? double(entropy_[x]) * inverse_[x] : 0;
            if (tells > t.most) t = {tells, t.most, x};
            else t.next = std::max(t.next, tells);
        }
        return t;
    }

    // The children for which every a in Q can tell more than `factor` times the increase of the penalty.
    VarSet<W> affordable(double factor) const {
        const double most = payable_ / (double(price_) * double(q_) * state_.scale.per_quantum * factor);
        if (one_arity_) return double(state_.table.arity[0] - 1) < most ? VarSet<W>::first(n_) : VarSet<W>{};
        VarSet<W> children;
        for (int i = 0; i < n_; ++i)
            if (double(state_.table.arity[i] - 1) < most) children.insert(i);
        return children;
    }

    // The first two rules with the exact increase of each a.
    void judge_child(int i, const std::vector<Subset<W>>& subsets, const LevelStore<W>& last, Judged<W>& judged) const {
        const double step = double(price_) * double(q_) * state_.scale.per_quantum * double(state_.table.arity[i] - 1);
        for (const Subset<W>& subset : subsets) {
            const double r = double(state_.table.arity[subset.lacks]);
            const double increase = step * (r - 1) / r;
            const std::uint16_t h = last.numbers(subset.index)[i];
            if (h <= increase * double(smallest_outside_) - margin_) judged.extend.erase(i);
            if (h <= increase - margin_) judged.score.erase(i);
        }
    }

    const BuildState<W>& state_;
    int n_;
    EntropyCounter counter_;
    Quanta price_;
    double margin_;  // in 16-bit steps
    bool one_arity_;
    std::vector<int> by_arity_;    // variables that are not constant
    std::vector<double> inverse_;  // of arity - 1
    std::vector<Quanta> entropy_;
    // by the arities of the set at hand; thresholds in 16-bit steps
    long double q_ = 0;
    std::int64_t smallest_outside_ = 0;
    double smallest_share_ = 0;
    std::vector<Quanta> own_, around_;                 // penalties
    std::vector<std::uint16_t> least_, least_around_;  // what an entropy must exceed
    std::vector<std::uint16_t> room_, room_around_;    // what a gain must stay below
    // of the set at hand
    std::vector<std::uint16_t> entropies_, floor_, gain_;
    std::vector<NarrowSubset> listed_;
    std::vector<int> idle_;
    double payable_ = 0;
};

}  // namespace

template <int W>
std::unique_ptr<Rule<W>> make_entropy_rule(const BuildState<W>& state) {
    return std::make_unique<EntropyRule<W>>(state);
}

#define SABNA_INSTANTIATE(W) template std::unique_ptr<Rule<W>> make_entropy_rule<W>(const BuildState<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
