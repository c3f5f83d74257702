// The entropy rule and its relatives, for bic and aic; statements and proofs in core/scores/bic.cc.
//
// For a candidate set Q the entropies given each Q - a are at hand. With w the price of a parameter and
//     g(a, i) = w (r_i - 1) (r_a - 1) x (product of the arities of Q - a)
// the increase of child i's penalty by a:
//  - i is done with Q and all around it, if for some a in Q  min(h(i | Q-a), h(a | Q-a)) <= g(a, i);
//  - i needs nothing strictly around Q, if that is <= g(a, i) x (smallest arity outside Q);
//  - the cost of Q itself is at least its penalty plus max over a of h(i | Q-a) - h(a | Q-a).
// The proofs are about real numbers, our entropies are sums of rounded table entries: `slack_` is more than all the
// rounding that can enter a comparison (half a quantum per cell, for the four sums of two costs and two for the entropies),
// and what the 16-bit storage may lose. Comparisons with penalties alone are between integers and need none.
#include <algorithm>
#include <limits>

#include "counting/entropies.h"
#include "parents/level_walk.h"

namespace sabna {

namespace {

template <int W>
class EntropyRule final : public Rule<W> {
  public:
    explicit EntropyRule(const BuildState<W>& state)
        : state_(state), counter_(state.table, state.score.parent_table(1, 1)), price_(state.score.parameter_price()),
          slack_((4.0 * state.table.distinct() + 8) * state.scale.per_quantum + 1e-3), entropy_(state.table.n) {}

    int entropies_stored() const override { return state_.table.n; }

    void judge_before(const VarSet<W>& Q, const VarSet<W>& children, const std::vector<Subset<W>>& subsets,
                      const LevelStore<W>& last, Judged<W>& judged) override {
        set_context(Q);
        judged.score = judged.extend = {};
        children.for_each([&](int i) { judge_child(i, subsets, last, judged); });
    }

    void judge_after(const VarSet<W>& Q, const Partition& partition, Judged<W>& judged,
                     std::vector<Scored<W>>& scored, std::vector<Cost>& floor) override {
        counter_.count(partition, entropy_.data());
        const Scale& scale = state_.scale;
        judged.score.for_each([&](int i) {
            const Quanta cost = entropy_[i] + penalty(price_, q_, state_.table.arity[i]);
            if (cost >= scale.above(judged.best[i])) return;
            const std::uint32_t stored = scale.store_cost(cost);
            scored.push_back({Q, {cost}, i, stored == judged.best[i]});
            judged.best[i] = stored;
        });
        VarSet<W> extend;
        judged.extend.for_each([&](int i) {
            const Quanta own = penalty(price_, q_, state_.table.arity[i]);
            const Quanta around = penalty(price_, q_ * smallest_outside_, state_.table.arity[i]);
            if (around >= scale.above(judged.best[i])) return;
            const double increase = double(own) * (smallest_outside_ - 1);
            if (double(entropy_[i]) * scale.per_quantum <= increase * scale.per_quantum - slack_) return;
            extend.insert(i);
            floor[i] = std::min(floor[i], Cost{around});
        });
        judged.extend = extend;
        if (extend.empty()) return;
        for (int x = 0; x < state_.table.n; ++x) judged.entropies[x] = scale.store_entropy(entropy_[x]);
    }

  private:
    void set_context(const VarSet<W>& Q) {
        q_ = 1;
        smallest_outside_ = std::numeric_limits<std::int64_t>::max();
        size_ = Q.size();
        Q.for_each([&](int v) { q_ *= (long double)state_.table.arity[v]; });
        for (int v = 0; v < state_.table.n; ++v)
            if (!Q.contains(v) && !state_.table.is_constant(v))
                smallest_outside_ = std::min(smallest_outside_, state_.table.arity[v]);
        // Nothing outside: nothing around Q either.
    }

    void judge_child(int i, const std::vector<Subset<W>>& subsets, const LevelStore<W>& last, Judged<W>& judged) {
        const double r = double(state_.table.arity[i] - 1);
        const double unit = state_.scale.per_quantum;
        bool may_extend = size_ < state_.candidates.largest[i] &&
                          smallest_outside_ != std::numeric_limits<std::int64_t>::max();
        double lowest = 0;  // bound on h(i | Q), in units
        std::uint32_t best = ~0u;
        for (const Subset<W>& subset : subsets) {
            const std::uint16_t* h = last.entropies(subset.index);
            const double r_a = double(state_.table.arity[subset.lacks]);
            const double increase = double(price_) * r * (r_a - 1) * double(q_ / (long double)r_a) * unit;
            const double gain = std::min(h[i], h[subset.lacks]);
            if (gain <= increase - slack_) return;
            may_extend = may_extend && gain > increase * double(smallest_outside_) - slack_;
            lowest = std::max(lowest, double(h[i]) - 1 - double(h[subset.lacks]));
            const int rank = rank_of(last.alive[subset.index], i);
            best = std::min(best, last.best[last.best_begin[subset.index] + rank]);
        }
        const Quanta above = state_.scale.above(best), own = penalty(price_, q_, state_.table.arity[i]);
        if (own >= above) return;
        if (may_extend && penalty(price_, q_ * (long double)smallest_outside_, state_.table.arity[i]) < above)
            judged.extend.insert(i);
        if ((double(own) - double(above)) * unit + lowest - slack_ < 0) judged.score.insert(i);
        judged.best[i] = best;
    }

    const BuildState<W>& state_;
    EntropyCounter counter_;
    Quanta price_;
    double slack_;  // in units of stored entropies
    std::vector<Quanta> entropy_;
    // of the set at hand
    long double q_ = 1;
    std::int64_t smallest_outside_ = 0;
    int size_ = 0;
};

}  // namespace

template <int W>
std::unique_ptr<Rule<W>> make_entropy_rule(const BuildState<W>& state) {
    return std::make_unique<EntropyRule<W>>(state);
}

#define SABNA_INSTANTIATE(W) template std::unique_ptr<Rule<W>> make_entropy_rule<W>(const BuildState<W>&);
SABNA_INSTANTIATE(1)
SABNA_INSTANTIATE(2)
SABNA_INSTANTIATE(4)
SABNA_INSTANTIATE(8)

}  // namespace sabna
