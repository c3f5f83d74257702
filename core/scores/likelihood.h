// What bic and aic share: the likelihood by the table of c ln c, and a price per parameter.
#pragma once

#include "scores/tables.h"

namespace sabna {

class LikelihoodScore final : public Score {
  public:
    LikelihoodScore(std::int64_t rows, Quanta price) : table_(rows), price_(price) {}
    Pruning pruning() const override { return Pruning::entropy; }
    const CountTable& parent_table(long double, std::int64_t) override { return table_; }
    const CountTable& family_table(long double, std::int64_t) override { return table_; }
    Quanta parameter_price() const override { return price_; }
    bool adds_likelihood() const override { return true; }

  private:
    LogTable table_;
    Quanta price_;
};

}  // namespace sabna
