#include "watch.h"

#include <thread>

#include "testing/harness.h"

using namespace sabna;

TEST(watch_refuses_memory_beyond_the_budget) {
    Watch watch({.bytes = 1000}, {});
    CHECK(watch.reserve(600));
    CHECK(!watch.try_reserve(401));
    CHECK(!watch.stopped());  // one can do without
    CHECK(!watch.reserve(401));
    CHECK(watch.stop() == Stop::memory_limit);
    CHECK_EQ(watch.used(), 600u);
    watch.release(600);
    CHECK(watch.try_reserve(200));
    CHECK_EQ(watch.peak(), 600u);
    watch.release(200);
    CHECK(watch.try_reserve(1000));
    CHECK(!watch.try_reserve(~std::uint64_t{0}));  // must not wrap around
}

TEST(watch_keeps_the_first_reason) {
    Watch watch;
    watch.halt(Stop::time_limit);
    watch.halt(Stop::interrupted);
    CHECK(watch.stop() == Stop::time_limit);
    CHECK(!watch.poll({}));
}

TEST(watch_stops_at_the_deadline) {
    Watch none;
    CHECK(none.poll({}));
    Watch over({.seconds = 0}, {});
    CHECK(!over.poll({}));
    CHECK(over.stop() == Stop::time_limit);
}

TEST(watch_is_interrupted_by_its_tick) {
    int ticks = 0;
    Watch watch({.bytes = 0}, [&](const Progress& p) { return ++ticks, p.expanded < 5; });
    CHECK(watch.poll({}));
    Progress later;
    later.expanded = 5;
    CHECK(watch.poll(later));  // within 50 ms of the first tick: not called again
    CHECK_EQ(ticks, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    CHECK(!watch.poll(later));
    CHECK(watch.stop() == Stop::interrupted);
}
