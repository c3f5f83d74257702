// Work on several threads: the only place where threads are started.
//
// Work is taken by number from one counter, and who does what must not matter to the result; then neither does the number
// of threads. Where the system gives fewer threads than asked for, fewer do the work. An exception ends all of it and is
// thrown again on the calling thread, which is also the only one to poll the watch; the others look at `watch.stopped()`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

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

// `work(thread, block)` for every block; stops early when the watch does, or when `poll` says no: it is called between the
// blocks of the calling thread, which is thread 0. True: all blocks are done.
bool for_each_block(int threads, std::int64_t blocks, Watch& watch,
                    const std::function<void(int thread, std::int64_t block)>& work, const std::function<bool()>& poll);

// Calls task(0) ... task(count - 1), for tasks that may take long: the calling thread does none of them and polls, and
// calls `meanwhile` before it does.
void parallel_tasks(int count, int threads, Watch& watch, const char* station,
                    const std::atomic<std::int64_t>& evaluated, const std::function<void(int)>& task,
                    const std::function<void()>& meanwhile);

// Threads that stay, for work of some 100 microseconds at a time, again and again: to start threads for each would take as
// long. Between two calls they look out for a while, and then sleep.
class StandingTeam {
  public:
    explicit StandingTeam(int threads);  // the calling one is among them
    ~StandingTeam();
    StandingTeam(const StandingTeam&) = delete;
    StandingTeam& operator=(const StandingTeam&) = delete;

    int threads() const;  // those that the system gave
    // `work(thread, k)` for every k below `count`; the calling thread is thread 0.
    void run(int count, const std::function<void(int thread, int k)>& work);

  private:
    class Members;
    std::unique_ptr<Members> members_;
};

}  // namespace sabna
