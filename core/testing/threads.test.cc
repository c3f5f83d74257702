// Whatever the number of threads, the answer is the same to the bit; under ThreadSanitizer also: without a race.
#include "parallel.h"

#include <chrono>
#include <stdexcept>
#include <thread>

#include "testing/calls.h"
#include "testing/harness.h"

using namespace sabna;
using namespace sabna::testing;

TEST(any_number_of_threads_gives_the_same_answer) {
    for (const Call& call : calls()) {
        if (!call.parallel) continue;
        const Answer truth = call.prepare(1)();
        for (const int count : {2, 3, 5})
            if (call.prepare(count)() != truth) report_failure(__FILE__, __LINE__, call.name + ": another answer");
    }
}

TEST(blocks_on_threads_are_each_done_once) {
    for (const int threads : {1, 2, 7}) {
        Watch watch;
        std::vector<std::atomic<int>> done(1000);
        const auto work = [&](int thread, std::int64_t block) {
            CHECK(thread >= 0 && thread < threads);
            ++done[std::size_t(block)];
        };
        CHECK(for_each_block(threads, std::int64_t(done.size()), watch, work, [] { return true; }));
        for (const std::atomic<int>& count : done) CHECK_EQ(count.load(), 1);
    }
}

TEST(tasks_on_threads_are_each_done_once) {
    for (const int threads : {1, 2, 7}) {
        Watch watch;
        const std::atomic<std::int64_t> evaluated{0};
        std::vector<std::atomic<int>> done(100);
        parallel_tasks(
            int(done.size()), threads, watch, "test", evaluated, [&](int k) { ++done[std::size_t(k)]; }, [] {});
        for (const std::atomic<int>& count : done) CHECK_EQ(count.load(), 1);
    }
}

// Protects from work that is done twice, or by a thread that wakes when it is over: rounds of all sizes, some after a sleep.
TEST(a_standing_team_of_threads_does_each_task_once) {
    for (const int threads : {1, 2, 5}) {
        StandingTeam team(threads);
        for (int round = 0; round < 2000; ++round) {
            std::vector<std::atomic<int>> done(std::size_t(round % 23));
            team.run(int(done.size()), [&](int thread, int k) {
                CHECK(thread >= 0 && thread < team.threads());
                ++done[std::size_t(k)];
            });
            for (const std::atomic<int>& count : done) CHECK_EQ(count.load(), 1);
            if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
}

// Protects from std::terminate: an exception on another thread must arrive on this one.
TEST(an_exception_on_threads_arrives_where_they_were_started) {
    for (const int threads : {1, 2, 7}) {
        Watch watch;
        const std::atomic<std::int64_t> evaluated{0};
        int caught = 0;
        const auto fail_at_50 = [](std::int64_t k) {
            if (k == 50) throw std::runtime_error("fifty");
        };
        try {
            for_each_block(
                threads, 100, watch, [&](int, std::int64_t k) { fail_at_50(k); }, [] { return true; });
        } catch (const std::runtime_error&) {
            ++caught;
        }
        try {
            parallel_tasks(100, threads, watch, "test", evaluated, fail_at_50, [] {});
        } catch (const std::runtime_error&) {
            ++caught;
        }
        try {
            StandingTeam(threads).run(100, [&](int, int k) { fail_at_50(k); });
        } catch (const std::runtime_error&) {
            ++caught;
        }
        CHECK_EQ(caught, 3);
    }
}

// The same for what the calling thread does between: asking whether to go on.
TEST(an_exception_of_the_poll_ends_the_threads) {
    for (const int threads : {1, 3}) {
        Watch watch({}, [](const Progress&) -> bool { throw std::runtime_error("no more"); });
        const std::atomic<std::int64_t> evaluated{0};
        std::atomic<bool> released{false};
        int caught = 0;
        try {
            parallel_tasks(
                1000, threads, watch, "test", evaluated,
                [&](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }, [&] { released = true; });
        } catch (const std::runtime_error&) {
            ++caught;
        }
        CHECK(released);
        CHECK_EQ(caught, 1);
    }
}
