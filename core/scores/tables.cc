#include "scores/tables.h"

#include <algorithm>
#include <cmath>

namespace sabna {

Quanta to_quanta(long double nats) { return Quanta(std::round(std::ldexp(nats, 30))); }

LogTable::LogTable(std::int64_t rows) {
    stored_.resize(std::min(rows, largest_stored_count) + 1);
    for (std::int64_t c = 0; c < stored_size(); ++c) stored_[c] = compute(c);
}

Quanta LogTable::compute(std::int64_t count) const {
    return count < 2 ? 0 : to_quanta((long double)count * std::log((long double)count));
}

RisingTable::RisingTable(long double a, std::int64_t rows) : a_(a) {
    stored_.resize(std::min(rows, largest_stored_count) + 1);
    long double sum = 0, lost = 0;  // compensated: the low parts of every addition are kept
    for (std::int64_t c = 1; c < stored_size(); ++c) {
        const long double term = std::log(a + (long double)(c - 1)), next = sum + term;
        lost += std::fabs(sum) >= std::fabs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
        stored_[c] = to_quanta(sum + lost);
    }
}

Quanta RisingTable::compute(std::int64_t count) const {
    int sign;  // lgammal_r: lgammal writes a global
    return to_quanta(::lgammal_r(a_ + (long double)count, &sign) - ::lgammal_r(a_, &sign));
}

const CountTable& RisingTables::of(long double a) {
    const std::lock_guard lock(mutex_);
    auto& entry = tables_[a];
    if (!entry) entry = std::make_unique<RisingTable>(a, rows_);
    return *entry;
}

}  // namespace sabna
