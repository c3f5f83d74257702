// The two kinds of tables behind the scores: c ln c, and logarithms of rising factorials.
#pragma once

#include <map>
#include <mutex>

#include "scores/score.h"

namespace sabna {

// Beyond this count entries are computed when needed: in a million rows few cells are so large.
inline constexpr std::int64_t largest_stored_count = 65536;

// round(2^30 x), x in nats.
Quanta to_quanta(long double nats);

// T[c] = round(2^30 c ln c), T[0] = 0. Superadditive also after rounding (T[a + b] - T[a] - T[b] is at least
// 2 ln 2 nats for a, b >= 1), so that -LL is never negative.
class LogTable final : public CountTable {
  public:
    explicit LogTable(std::int64_t rows);

  private:
    Quanta compute(std::int64_t count) const override;
};

// G[c] = round(2^30 ln(a (a + 1) ... (a + c - 1))) = round(2^30 (lgamma(a + c) - lgamma(a))).
class RisingTable final : public CountTable {
  public:
    RisingTable(long double a, std::int64_t rows);

  private:
    Quanta compute(std::int64_t count) const override;
    long double a_;
};

// One RisingTable for every argument asked for. A table depends on its argument alone, so threads may race for it.
class RisingTables {
  public:
    explicit RisingTables(std::int64_t rows) : rows_(rows) {}
    const CountTable& of(long double a);

  private:
    std::int64_t rows_;
    std::mutex mutex_;
    std::map<long double, std::unique_ptr<RisingTable>> tables_;
};

}  // namespace sabna
