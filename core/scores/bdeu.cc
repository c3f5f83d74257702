// BDeu: the marginal likelihood under a Dirichlet prior of equivalent sample size s spread evenly (Buntine 1991;
// Heckerman, Geiger, Chickering 1995). With a = s / q and b = s / (q r):
//     cost(i, P) = sum over cells  ln[a (a+1) ... (a + N_c - 1)] - sum over cells, values  ln[b (b+1) ... (b + N_cv - 1)]
//
// Pruning: cost(i, R') >= N(R+i) ln r for every R' that contains R, where N counts the configurations of R+i seen in the
// data. Proof: a cell's probability is that of its values one after the other, in any order. Take one of each of its u
// distinct values first: the k-th of them has probability b / (r b + k - 1) <= 1/r; what follows has probability at
// most 1. So the cell costs at least u ln r, the cells of R' together N(R'+i) ln r, and N grows with the set. The bound
// does not depend on s, and dominates that of de Campos and Ji (2011), which counts the cells of R only.
// A parent that is constant in the data is not useless here: it changes q.
//
// Equal integers for equivalent networks rest on q r being the same number whichever way the product of arities is taken:
// it is exact up to 2^64 (long double). Beyond, a and b may differ in the 64th binary digit between two families of the
// same variables, which moves a logarithm by some 1e-19 nat: a table entry then differs, by one quantum, only if it falls
// that close to the middle between two quanta. Not excluded, but such families have more cells than any table has rows.
#include "scores/tables.h"

namespace sabna {

namespace {

class BDeu final : public Score {
  public:
    BDeu(std::int64_t rows, double sample_size) : tables_(rows), sample_size_(sample_size) {}
    Pruning pruning() const override { return Pruning::configurations; }
    const CountTable& parent_table(long double q, std::int64_t) override { return tables_.of(sample_size_ / q); }
    const CountTable& family_table(long double q, std::int64_t r) override {
        return tables_.of(sample_size_ / (q * (long double)r));
    }
    bool constant_parents_are_useless() const override { return false; }

  private:
    RisingTables tables_;
    long double sample_size_;
};

}  // namespace

std::unique_ptr<Score> make_bdeu(std::int64_t rows, double sample_size) {
    return std::make_unique<BDeu>(rows, sample_size);
}

}  // namespace sabna
