// Pruning by configurations seen, for the Dirichlet scores bdeu and k2; statements and proofs in core/scores/bdeu.cc
// and parents/twins.h.
//
// The largest of the three bounds there is a floor of all sets strictly around Q. When a subset of Q costs no more, Q
// is not extended for i. Q itself costs N(Q + i) ln r at least, and N(Q + i) is at least the number of cells: most sets at
// the end of the walk need no count of i, or not a whole one, to be found useless. The proofs are about real numbers:
// `margin_` is more than rounding can make.
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
        : state_(state), counter_(state.table), twins_(state.table, state.score, *state.twins),
          any_twins_(state.twins->any()), margin_(4 * Quanta(state.table.distinct()) + 16), counted_(state.table.n),
          around_(state.table.n) {
        for (int i = 0; i < state.table.n; ++i) apart_.push_back(tables_apart(i));
    }

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

    void count(const VarSet<W>& Q, const Partition& partition, Judged<W>& judged) override {
        std::vector<int> members;
        Q.for_each([&](int v) { members.push_back(v); });
        const long double q = configurations(state_.table, members);
        if (any_twins_ && !judged.extend.empty()) twins_.look_at(partition);
        const VarSet<W> children = judged.score;
        children.for_each([&](int i) {
            if (!count_child(i, q, partition, judged)) judged.score.erase(i), judged.extend.erase(i);
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
            if (around_[i] >= state_.scale.above(judged.best[i])) judged.extend.erase(i);
            else if (judged.extend.contains(i)) floor[i] = std::min(floor[i], Cost{std::max<Quanta>(around_[i], 0)});
        });
    }

  private:
    // False: neither Q nor a set around it can be of use to i.
    bool count_child(int i, long double q, const Partition& partition, const Judged<W>& judged) {
        const std::int64_t r = state_.table.arity[i];
        const double each = std::ldexp(std::log(double(r)) * (1 - 1e-12), 30);  // quanta per configuration
        const double most = double(state_.scale.above(judged.best[i]) + margin_);
        const std::int64_t enough =
            each * double(state_.table.rows) > most ? std::int64_t(std::ceil(most / each)) + 1 : ScanCounter::all;
        if (partition.cells() >= enough) return false;
        counted_[i] = counter_.count(partition, i, {&state_.score.parent_table(q, r), &state_.score.family_table(q, r)},
                                     apart_[i], enough);
        if (counted_[i].configurations >= enough) return false;
        const double seen = double(counted_[i].configurations) * each;
        const double extra = judged.extend.contains(i) ? std::ldexp(twins_.extra(i, q) * (1 - 1e-12), 30) : 0;
        around_[i] = std::max(Quanta(std::min(seen + extra, double(saturated))), counted_[i].apart) - margin_;
        return true;
    }

    // The tables of the largest set that i can have, unless the bound by counts gains next to nothing with them.
    TablePair tables_apart(int i) const {
        std::vector<int> largest;
        state_.candidates.allowed[i].for_each([&](int v) { largest.push_back(v); });
        std::sort(largest.begin(), largest.end(),
                  [&](int a, int b) { return state_.table.arity[a] > state_.table.arity[b]; });
        const auto size = std::min<std::int64_t>(state_.candidates.largest[i], std::int64_t(largest.size()));
        largest.resize(std::size_t(size));
        const std::int64_t r = state_.table.arity[i];
        const long double q = configurations(state_.table, largest);
        const TablePair tables{&state_.score.parent_table(q, r), &state_.score.family_table(q, r)};
        const std::int64_t rows = state_.table.rows;
        const Quanta most = (*tables.parent)[rows] - (*tables.family)[rows];
        return double(most) > 1.02 * std::ldexp(std::log(double(r)), 30) ? tables : TablePair{};
    }

    const BuildState<W>& state_;
    ScanCounter counter_;
    TwinFloor twins_;
    bool any_twins_;
    Quanta margin_;
    std::vector<TablePair> apart_;  // per child
    std::vector<Counted> counted_;  // of the set at hand
    std::vector<Quanta> around_;    // its floors
};

}  // namespace

template <int W>
std::unique_ptr<Rule<W>> make_configuration_rule(const BuildState<W>& state) {
    return std::make_unique<ConfigurationRule<W>>(state);
}

#define SABNA_INSTANTIATE(W) template std::unique_ptr<Rule<W>> make_configuration_rule<W>(const BuildState<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
