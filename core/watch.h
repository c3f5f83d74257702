// Limits, interruption and progress of one run.
//
// Every long loop of the core holds a Watch. It reserves memory there before it allocates, so that a limit is met
// before it is broken, and it polls. The thread that started the run polls with `poll`, which reads the clock and calls
// `tick` (progress out, interruption in) at most every 50 ms; other threads look at `stopped` only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

#include "cost.h"

namespace sabna {

// Why a run ended, and the names that Python has for the reasons (sabna.base.stop): that of a limit is the setting's.
enum class Stop : int { none = 0, time_limit = 1, memory_limit = 2, interrupted = 3 };
constexpr std::pair<Stop, const char*> stop_names[] = {
    {Stop::none, "none"},
    {Stop::time_limit, "time_limit"},
    {Stop::memory_limit, "memory_limit"},
    {Stop::interrupted, "interrupted"},
};

// What one run may take, and the names by which Python gives it (bindings/results.cc).
struct Limits {
    double seconds = -1;  // below 0: no time limit
    std::uint64_t bytes = ~std::uint64_t{0};
};
template <class Value>
struct LimitField {
    const char* name;
    Value Limits::*member;
};
constexpr std::tuple limit_fields{LimitField{"seconds", &Limits::seconds}, LimitField{"bytes", &Limits::bytes}};

// What a run can say about itself; a station fills in what it knows.
struct Progress {
    const char* station = "";
    std::int64_t evaluated = 0;  // local scores computed
    std::int64_t finished = 0;   // units of work done ...
    std::int64_t total = 0;      // ... of so many, 0 if unknown
    std::int64_t expanded = 0;
    std::int64_t generated = 0;
    std::int64_t stored = 0;
    Cost lower{-Cost::infinite().quanta};
    Cost upper = Cost::infinite();
};

class Watch {
  public:
    using Tick = std::function<bool(const Progress&)>;  // false: stop, the user interrupted

    // Without limits; for tests and short runs.
    Watch() = default;
    Watch(const Limits& limits, Tick tick) : budget_(limits.bytes), tick_(std::move(tick)) {
        if (limits.seconds >= 0 && limits.seconds < 1e9) deadline_ = now() + std::int64_t(limits.seconds * 1e9);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Ask before allocating. False: the run must stop (the reason is noted), nothing is reserved.
    bool reserve(std::uint64_t bytes) {
        if (try_reserve(bytes)) return true;
        halt(Stop::memory_limit);
        return false;
    }
    // The same for memory that one can do without: a refusal does not end the run.
    bool try_reserve(std::uint64_t bytes) {
        std::uint64_t used = used_.load(std::memory_order_relaxed);
        do {
            if (bytes > budget_ || used > budget_ - bytes) return false;
        } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
        std::uint64_t peak = peak_.load(std::memory_order_relaxed);
        while (peak < used + bytes && !peak_.compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {}
        return true;
    }
    void release(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
    std::uint64_t budget() const { return budget_; }

    bool stopped() const { return stop() != Stop::none; }
    Stop stop() const { return stop_.load(std::memory_order_relaxed); }
    // The first reason stays.
    void halt(Stop reason) {
        Stop none = Stop::none;
        stop_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
    }

    // True: go on. Cheap enough for every few thousand steps; only from the thread that started the run.
    bool poll(const Progress& progress) {
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

  private:
    static constexpr std::int64_t between_ticks = 50'000'000;  // nanoseconds
    static std::int64_t now() {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    std::atomic<Stop> stop_{Stop::none};
    std::atomic<std::uint64_t> used_{0}, peak_{0};
    std::uint64_t budget_ = ~std::uint64_t{0};
    std::int64_t deadline_ = INT64_MAX;  // nanoseconds of a steady clock
    std::int64_t next_tick_ = 0;
    Tick tick_;
};

}  // namespace sabna
