// BDs: Bayesian Dirichlet sparse (Scutari 2016). As BDeu, but the prior of equivalent sample size s is spread over the
// parent configurations that occur in the data only: a = s / q~, b = s / (q~ r), q~ the number of cells.
//     cost(i, P) = sum over cells  ln[a (a+1) ... (a + N_c - 1)] - sum over cells, values  ln[b (b+1) ... (b + N_cv - 1)]
// Equals BDeu where every configuration occurs. Not score equivalent otherwise.
//
// Pruning: cost(i, R') >= N(R+i) ln r for every R' around R, N counting the configurations of R+i in the data: the proof
// for BDeu (bdeu.cc) bounds each cell by u ln r whatever its a and b = a / r, so it holds here too.
// A parent that is constant in the data splits no cell: useless.
#include <cmath>

#include "scores/tables.h"

namespace sabna {

namespace {

class Bds final : public Score {
  public:
    Bds(std::int64_t rows, double sample_size) : tables_(rows), sample_size_(sample_size) {}
    Pruning pruning() const override { return Pruning::own; }
    bool counts_observed_configurations() const override { return true; }
    const CountTable& parent_table(long double q, std::int64_t) override { return tables_.of(sample_size_ / q); }
    const CountTable& family_table(long double q, std::int64_t r) override {
        return tables_.of(sample_size_ / (q * (long double)r));
    }
    Quanta floor(const Partition&, std::int64_t seen, long double, std::int64_t r) const override {
        return Quanta((double)seen * std::log((double)r) * 0x1p30 * (1 - 1e-12));
    }

  private:
    RisingTables tables_;
    long double sample_size_;
};

}  // namespace

std::unique_ptr<Score> make_bds(std::int64_t rows, double sample_size) {
    return std::make_unique<Bds>(rows, sample_size);
}

}  // namespace sabna
