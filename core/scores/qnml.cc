// qNML: quotient normalized maximum likelihood (Silander, Leppa-aho, Jaasaari, Roos 2018). The joint values of a set of
// variables are coded as one multinomial; a family costs the quotient of two such codes:
//     cost(i, P) = -LL(i | P) + ln C(m, q r) - ln C(m, q)
// with C of regret.h and q the product of the parents' arities. No parameter to choose; score equivalent, here to the
// quantum: each ln C is rounded once, and the sum over a network telescopes.
//
// Pruning: -LL is not negative, so every set around R costs at least the least penalty over all q' >= q. The penalty
// grows with q for all we know, but we know no proof, so the minimum is taken from the table of all ln C(m, K) up to
// `largest_family`; the builder refuses tables on which larger families are possible (they need an in-degree limit).
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "scores/regret.h"
#include "scores/tables.h"

namespace sabna {

namespace {

// Largest q r: a million configurations, 8 MB of table, a tenth of a second.
constexpr std::int64_t most = std::int64_t{1} << 20;

using Regrets = std::vector<Quanta>;

// round(2^30 ln C(rows, K)) for K up to `most`. The last table made is kept: replicates of a bootstrap and the families of
// a network are scored one call after the other, with one number of rows.
std::shared_ptr<const Regrets> regrets(std::int64_t rows) {
    static std::mutex mutex;
    static std::int64_t kept_rows = -1;
    static std::shared_ptr<const Regrets> kept;
    const std::lock_guard lock(mutex);
    if (rows != kept_rows) {
        const std::vector<long double> exact = log_regrets(rows, most);
        const auto made = std::make_shared<Regrets>(std::size_t(most) + 1);
        std::transform(exact.begin(), exact.end(), made->begin(), to_quanta);
        kept = made, kept_rows = rows;
    }
    return kept;
}

class Qnml final : public Score {
  public:
    explicit Qnml(std::int64_t rows) : logs_(rows), regrets_(regrets(rows)), regret_(*regrets_) {}
    Pruning pruning() const override { return Pruning::own; }
    bool adds_likelihood() const override { return true; }
    std::int64_t largest_family() const override { return most; }
    const CountTable& parent_table(long double, std::int64_t) override { return logs_; }
    const CountTable& family_table(long double, std::int64_t) override { return logs_; }
    Quanta penalty_of(long double q, std::int64_t r) const override {
        if (q * (long double)r > (long double)most)
            throw std::length_error("qnml: a family has too many configurations");
        const auto at = std::size_t(q);
        return regret_[at * std::size_t(r)] - regret_[at];
    }
    // A parent of one state that is seen, and more that are not, changes q and so the penalty.
    bool constant_parents_are_useless() const override { return false; }
    Quanta floor(const Partition&, std::int64_t, long double q, std::int64_t r) const override {
        const std::vector<Quanta>& least = least_penalties(r);
        return q < (long double)least.size() ? least[std::size_t(q)] : -saturated;
    }

  private:
    // least[q]: the smallest penalty of a set with at least q configurations, as far as the table goes.
    const std::vector<Quanta>& least_penalties(std::int64_t r) const {
        const std::lock_guard lock(mutex_);
        std::vector<Quanta>& least = least_[r];
        if (least.empty()) {
            least.resize(std::size_t(most / r) + 1);
            Quanta smallest = saturated;
            for (std::size_t q = least.size(); q-- > 1;) {
                smallest = std::min(smallest, regret_[q * std::size_t(r)] - regret_[q]);
                least[q] = smallest;
            }
            least[0] = smallest;
        }
        return least;
    }
    LogTable logs_;
    std::shared_ptr<const Regrets> regrets_;
    const Regrets& regret_;
    mutable std::mutex mutex_;
    mutable std::map<std::int64_t, std::vector<Quanta>> least_;
};

}  // namespace

std::unique_ptr<Score> make_qnml(std::int64_t rows, double) { return std::make_unique<Qnml>(rows); }

}  // namespace sabna
