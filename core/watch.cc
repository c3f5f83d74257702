#include "watch.h"

#include <chrono>

namespace sabna {

namespace {

constexpr std::int64_t between_ticks = 50'000'000;  // nanoseconds

std::int64_t now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Watch::Watch(double seconds, std::uint64_t bytes, Tick tick) : budget_(bytes), tick_(std::move(tick)) {
    if (seconds >= 0 && seconds < 1e9) deadline_ = now() + std::int64_t(seconds * 1e9);
}

bool Watch::poll(const Progress& progress) {
    if (stopped()) return false;
    const std::int64_t time = now();
    if (time >= deadline_) {
        halt(Stop::time_limit);
    } else if (time >= next_tick_) {
        next_tick_ = time + between_ticks;
        if (tick_ && !tick_(progress)) halt(Stop::interrupted);
    }
    return !stopped();
}

}  // namespace sabna
