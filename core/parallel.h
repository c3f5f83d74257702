// Independent tasks on several threads.
//
// Tasks are taken by number from one counter; each writes its own result, so the outcome does not depend on how many
// threads there are or which takes what. The calling thread polls the watch meanwhile; the workers look at
// `watch.stopped()` and leave early by themselves.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "watch.h"

namespace sabna {

// How many threads, at most `threads`, can have so many bytes each; 0: not even one, and the watch is stopped. What they
// take is reserved.
inline int threads_that_fit(int threads, std::uint64_t bytes_each, Watch& watch) {
    if (!watch.reserve(bytes_each)) return 0;
    int fit = 1;
    while (fit < threads && watch.try_reserve(bytes_each)) ++fit;
    return fit;
}

// Calls task(0) ... task(count - 1). The first exception of a task is thrown again here, after all threads ended.
// `meanwhile` is called by the thread that polls, before it does.
template <class Task, class Meanwhile>
void parallel_tasks(int count, int threads, Watch& watch, const char* station, const std::atomic<std::int64_t>& evaluated,
                    Task task, Meanwhile meanwhile) {
    std::atomic<int> next{0}, finished{0};
    std::mutex mutex;
    std::condition_variable ended;
    std::exception_ptr error;
    int running = std::max(1, std::min(threads, count));
    const auto work = [&] {
        try {
            for (int k = next++; k < count && !watch.stopped(); k = next++) task(k), ++finished;
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
            next = count;
        }
        const std::lock_guard lock(mutex);
        if (--running == 0) ended.notify_all();
    };
    std::vector<std::thread> pool;
    for (int k = running; k > 0; --k) pool.emplace_back(work);
    {
        std::unique_lock lock(mutex);
        while (!ended.wait_for(lock, std::chrono::milliseconds(20), [&] { return running == 0; })) {
            lock.unlock();
            meanwhile();
            watch.poll({.station = station, .evaluated = evaluated.load(), .finished = finished.load(), .total = count});
            lock.lock();
        }
    }
    for (std::thread& thread : pool) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace sabna
