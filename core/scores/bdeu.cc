// BDeu: the marginal likelihood under a Dirichlet prior of equivalent sample size s spread evenly (Buntine 1991;
// Heckerman, Geiger, Chickering 1995). With a = s / q and b = s / (q r):
//     cost(i, P) = sum over cells  ln[a (a+1) ... (a + N_c - 1)] - sum over cells, values  ln[b (b+1) ... (b + N_cv - 1)]
//
// Pruning: what every R' that contains R costs at least. A cell's probability is that of its values one after the other,
// in any order.
//  - Configurations: cost(i, R') >= N(R+i) ln r, where N counts the configurations of R+i seen in the data. Take one of each of
//    a cell's u distinct values first: the k-th of them has probability b / (r b + k - 1) <= 1/r; what follows at
//    most 1. So the cell costs at least u ln r, the cells of R' together N(R'+i) ln r, and N grows with the set. The bound
//    does not depend on s, and dominates that of de Campos and Ji (2011), which counts the cells of R only.
//  - Counts: if no R' in question has more than Q configurations, so that a >= a0 = s / Q, then cost(i, R') >= the sum over all
//    configurations of R+i seen of g(N_cv), g(N) = sum over k < N of ln[(a0 + k) / (a0/r + k)]: as if every value of a
//    cell had a cell of its own under the prior of the largest set. Take the rows of a cell of R' value by value: the
//    k-th row of a value has probability (a/r + k-1) / (a + k-1 + rows before) at most, and (a + k) / (a/r + k) grows with a.
//    That gives g of the counts under R'; these add up to those under R, and g is concave (its steps fall with k) with
//    g(0) = 0, so g(N1 + N2) <= g(N1) + g(N2). The first bound is g(1) for each; with a0 near 0 there is no difference, so
//    this one pays under an in-degree limit, for a large s, and for k2.
//  - Twins: rows that agree in all possible parents of i share a cell of R', whatever R' is; see parents/twins.h. This
//    is where a table with many rows and few distinct ones gains (Correia, Cussens, de Campos 2020).
// All three bound R' strictly around R (the first two also R itself), and all supersets of such an R' as well, so a set is given up
// together with all around it once a bound reaches the cost of a subset. Proofs are about real numbers; a cost in quanta
// differs by half a quantum per table entry at most, and bounds are used less several times that.
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
    PriorWeight prior_weight(long double q, std::int64_t) const override { return {0, double(sample_size_ / (2 * q))}; }

  private:
    RisingTables tables_;
    long double sample_size_;
};

}  // namespace

std::unique_ptr<Score> make_bdeu(std::int64_t rows, double sample_size) {
    return std::make_unique<BDeu>(rows, sample_size);
}

}  // namespace sabna
