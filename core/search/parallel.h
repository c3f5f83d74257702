// Work in numbered blocks on several threads. Who does a block must not matter to the result; then neither does the number of
// threads. The calling thread takes part and is the only one to poll.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "watch.h"

namespace sabna {

// `work(thread, block)` for every block; stops early when the watch does. `poll`: called between the blocks of the caller.
template <class Work, class Poll>
bool for_each_block(int threads, std::int64_t blocks, Watch& watch, Work work, Poll poll) {
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    const auto run = [&](int thread) {
        try {
            while (!watch.stopped() && !failed) {
                const std::int64_t block = next.fetch_add(1, std::memory_order_relaxed);
                if (block >= blocks) return;
                work(thread, block);
                if (thread == 0 && !poll()) return;
            }
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    const int helpers = int(std::min<std::int64_t>(threads, blocks)) - 1;
    {
        std::vector<std::jthread> team;
        for (int t = 1; t <= helpers; ++t) team.emplace_back(run, t);
        run(0);
    }
    if (failure) std::rethrow_exception(failure);
    return !watch.stopped();
}

}  // namespace sabna
