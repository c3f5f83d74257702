// fNML: factorized normalized maximum likelihood (Silander, Roos, Kontkanen, Myllymaki 2008). Each cell of the parents
// is coded with the NML distribution of a multinomial of r values:
//     cost(i, P) = -LL(i | P) + sum over cells  ln C(N_c, r)
// with C of regret.h. No parameter to choose. Not score equivalent.
//
// Pruning: cost(i, R') >= sum over the cells of R of ln C(N_c, r) for every R' around R. Proof: -LL is not negative, and
// C(N1 + N2, r) <= C(N1, r) C(N2, r), as the maximised likelihood of a sequence is at most the product of those of its
// parts; so splitting cells never lowers the sum. Table entries are rounded to half a quantum each, well within the
// margin the builder leaves.
// A parent that is constant in the data splits no cell: useless.
#include <cmath>
#include <map>
#include <mutex>

#include "counting/partition.h"
#include "scores/regret.h"
#include "scores/tables.h"

namespace sabna {

namespace {

// F[N] = round(2^30 (N ln N + ln C(N, r))), and the second part alone.
class RegretTable final : public CountTable {
  public:
    RegretTable(std::int64_t r, std::int64_t rows, bool with_likelihood) : r_(r), with_likelihood_(with_likelihood) {
        const std::int64_t size = std::min(rows, largest_stored_count) + 1;
        for (std::int64_t count = 0; count < size; ++count) stored_.push_back(compute(count));
    }

  private:
    // The two parts are rounded apart, so that the likelihood is that of bic to the quantum.
    Quanta compute(std::int64_t count) const override {
        if (count == 0) return 0;
        const Quanta regret = to_quanta(log_regrets(count, r_)[std::size_t(r_)]);
        const long double c = (long double)count;
        return with_likelihood_ ? to_quanta(c * std::log(c)) + regret : regret;
    }
    std::int64_t r_;
    bool with_likelihood_;
};

class Fnml final : public Score {
  public:
    explicit Fnml(std::int64_t rows) : rows_(rows), logs_(rows) {}
    Pruning pruning() const override { return Pruning::own; }
    const CountTable& parent_table(long double, std::int64_t r) override { return tables(r).first; }
    const CountTable& family_table(long double, std::int64_t) override { return logs_; }
    bool adds_likelihood() const override { return true; }
    Quanta floor(const Partition& cells, std::int64_t, long double, std::int64_t r) const override {
        const RegretTable& regret = tables(r).second;
        Quanta sum = 0;
        for (const std::uint32_t weight : cells.weight) sum += regret[weight];
        return sum;
    }

  private:
    using Pair = std::pair<RegretTable, RegretTable>;
    const Pair& tables(std::int64_t r) const {
        const std::lock_guard lock(mutex_);
        auto found = tables_.find(r);
        if (found == tables_.end())
            found = tables_.emplace(r, Pair{RegretTable(r, rows_, true), RegretTable(r, rows_, false)}).first;
        return found->second;
    }
    std::int64_t rows_;
    LogTable logs_;
    mutable std::mutex mutex_;
    mutable std::map<std::int64_t, Pair> tables_;
};

}  // namespace

std::unique_ptr<Score> make_fnml(std::int64_t rows, double) { return std::make_unique<Fnml>(rows); }

}  // namespace sabna
