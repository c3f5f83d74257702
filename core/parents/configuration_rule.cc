// Pruning by configurations seen, for the Dirichlet scores bdeu and k2; statement and proof in core/scores/bdeu.cc.
//
// No set around Q can cost child i less than N(Q + i) ln r_i. When the best subset of Q reaches that, Q is not extended
// for i. The proof is about real numbers: a quantum per distinct row and table is more than rounding can make.
#include <algorithm>
#include <cmath>

#include "counting/scan.h"
#include "parents/level_walk.h"

namespace sabna {

namespace {

template <int W>
class ConfigurationRule final : public Rule<W> {
  public:
    explicit ConfigurationRule(const BuildState<W>& state)
        : state_(state), counter_(state.table), slack_(2 * Quanta(state.table.distinct()) + 2),
          counted_(state.table.n) {}

    int numbers_stored() const override { return 0; }

    void judge_before(const VarSet<W>& Q, const VarSet<W>& children, const std::vector<Subset<W>>& subsets,
                      const LevelStore<W>& last, Judged<W>& judged) override {
        const int size = Q.size();
        judged.score = children;
        judged.extend = {};
        children.for_each([&](int i) {
            std::uint32_t best = ~0u;
            for (const Subset<W>& subset : subsets) {
                const int rank = rank_of(last.alive[subset.index], i);
                best = std::min(best, last.costs(subset.index)[rank]);
            }
            judged.best[i] = best;
            if (size < state_.candidates.largest[i] && !(state_.candidates.allowed[i] - Q).empty())
                judged.extend.insert(i);
        });
    }

    void count(const VarSet<W>& Q, const Partition& partition, const Judged<W>& judged) override {
        std::vector<int> members;
        Q.for_each([&](int v) { members.push_back(v); });
        const long double q = configurations(state_.table, members);
        judged.score.for_each([&](int i) {
            const std::int64_t r = state_.table.arity[i];
            counted_[i] = counter_.count(partition, i,
                                         {&state_.score.parent_table(q, r), &state_.score.family_table(q, r)});
        });
    }

    void judge_after(const VarSet<W>& Q, Judged<W>& judged, std::vector<Scored<W>>& scored,
                     std::vector<Cost>& floor) override {
        judged.score.for_each([&](int i) {
            const Quanta cost = counted_[i].difference;
            if (cost < state_.scale.above(judged.best[i])) {
                const std::uint32_t stored = state_.scale.store_cost(cost);
                scored.push_back({Q, {cost}, i, stored == judged.best[i]});
                judged.best[i] = stored;
            }
            const double nats = double(counted_[i].configurations) * std::log(double(state_.table.arity[i]));
            const Quanta around = Quanta(std::ldexp(nats * (1 - 1e-14), 30)) - slack_;
            if (around >= state_.scale.above(judged.best[i])) judged.extend.erase(i);
            else if (judged.extend.contains(i)) floor[i] = std::min(floor[i], Cost{around});
        });
    }

  private:
    const BuildState<W>& state_;
    ScanCounter counter_;
    Quanta slack_;
    std::vector<Counted> counted_;  // of the set at hand
};

}  // namespace

template <int W>
std::unique_ptr<Rule<W>> make_configuration_rule(const BuildState<W>& state) {
    return std::make_unique<ConfigurationRule<W>>(state);
}

#define SABNA_INSTANTIATE(W) template std::unique_ptr<Rule<W>> make_configuration_rule<W>(const BuildState<W>&);
SABNA_INSTANTIATE(1)
SABNA_INSTANTIATE(2)
SABNA_INSTANTIATE(4)
SABNA_INSTANTIATE(8)

}  // namespace sabna
