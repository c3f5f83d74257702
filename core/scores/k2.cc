// K2: the marginal likelihood under a uniform prior on every conditional distribution (Cooper and Herskovits 1992):
//     cost(i, P) = sum over cells  ln[r (r+1) ... (r + N_c - 1)] - sum over cells, values  ln[N_cv!]
// Markov equivalent networks may differ under it: that is the score, not the rounding.
//
// Pruning: as bdeu; the proofs there hold for any symmetric Dirichlet prior, here with b = 1, whatever the set. So the
// second bound, with the true counts, is the stronger one here: a configuration seen N times costs ln C(N + r - 1, N).
// A parent that is constant in the data leaves all counts as they are, and the cost.
#include "scores/tables.h"

namespace sabna {

namespace {

class K2 final : public Score {
  public:
    explicit K2(std::int64_t rows) : tables_(rows) {}
    Pruning pruning() const override { return Pruning::configurations; }
    const CountTable& parent_table(long double, std::int64_t r) override { return tables_.of((long double)r); }
    const CountTable& family_table(long double, std::int64_t) override { return tables_.of(1); }
    PriorWeight prior_weight(long double, std::int64_t r) const override { return {double(r), double(r)}; }

  private:
    RisingTables tables_;
};

}  // namespace

std::unique_ptr<Score> make_k2(std::int64_t rows, double) { return std::make_unique<K2>(rows); }

}  // namespace sabna
