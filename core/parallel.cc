#include "parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace sabna {

namespace {

// The first exception of a team, and whether there was one.
class Failure {
  public:
    explicit operator bool() const { return failed_.load(std::memory_order_relaxed); }
    // To be called while the exception is handled.
    void note() {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        failed_.store(true, std::memory_order_relaxed);
    }
    // Once all threads have ended.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

// Threads that are joined when it goes.
class Team {
  public:
    // False: no thread was to be had; whoever has started goes on.
    template <class Run>
    bool start(Run run) {
        try {
            threads_.emplace_back(std::move(run));
        } catch (const std::system_error&) {
            return false;
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }
    bool empty() const { return threads_.empty(); }

  private:
    std::vector<std::jthread> threads_;
};

}  // namespace

bool for_each_block(int threads, std::int64_t blocks, Watch& watch, const std::function<void(int, std::int64_t)>& work,
                    const std::function<bool()>& poll) {
    std::atomic<std::int64_t> next{0};
    Failure failure;
    const auto run = [&](int thread) {
        try {
            while (!watch.stopped() && !failure) {
                const std::int64_t block = next.fetch_add(1, std::memory_order_relaxed);
                if (block >= blocks) return;
                work(thread, block);
                if (thread == 0 && !poll()) return;
            }
        } catch (...) {
            failure.note();
        }
    };
    {
        Team helpers;
        const int wanted = int(std::min<std::int64_t>(threads, blocks));
        for (int t = 1; t < wanted && helpers.start([&run, t] { run(t); }); ++t) {}
        run(0);
    }
    failure.rethrow();
    return !watch.stopped();
}

void parallel_tasks(int count, int threads, Watch& watch, const char* station,
                    const std::atomic<std::int64_t>& evaluated, const std::function<void(int)>& task,
                    const std::function<void()>& meanwhile) {
    std::atomic<int> next{0}, finished{0};
    std::mutex mutex;
    std::condition_variable ended;
    Failure failure;
    int running = 0;
    const auto run = [&] {
        try {
            for (int k = next++; k < count && !watch.stopped() && !failure; k = next++) task(k), ++finished;
        } catch (...) {
            failure.note();
        }
        const std::lock_guard lock(mutex);
        if (--running == 0) ended.notify_all();
    };
    {
        Team team;
        for (int k = std::max(1, std::min(threads, count)); k > 0; --k) {
            {
                const std::lock_guard lock(mutex);
                ++running;
            }
            if (team.start(run)) continue;
            const std::lock_guard lock(mutex);
            --running;
            break;
        }
        if (team.empty()) throw std::bad_alloc();
        std::unique_lock lock(mutex);
        while (!ended.wait_for(lock, std::chrono::milliseconds(20), [&] { return running == 0; })) {
            lock.unlock();
            try {
                meanwhile();
                watch.poll(
                    {.station = station, .evaluated = evaluated.load(), .finished = finished.load(), .total = count});
            } catch (...) {
                failure.note();
            }
            lock.lock();
        }
    }
    failure.rethrow();
}

// What is to be done, and how much of it is taken, stand in one number: the count above, the next k below. So a thread that
// wakes late takes nothing of what is over, or some of what has begun since.
class StandingTeam::Members {
  public:
    explicit Members(int threads) {
        for (int t = 1; t < threads && team_.start([this, t] { wait_and_work(t); }); ++t) ++helpers_;
    }
    ~Members() {
        leaving_.store(true, std::memory_order_relaxed);
        publish(stop_signal);
    }

    int helpers() const { return helpers_; }

    void run(int count, const std::function<void(int, int)>& work) {
        work_ = &work;
        done_.store(0, std::memory_order_relaxed);
        publish(std::uint64_t(count) << 32);
        take_all(0);
        for (int look = 0; done_.load(std::memory_order_acquire) < count; ++look)
            look < looks ? rest() : std::this_thread::yield();
        failure_.rethrow();
    }

  private:
    static constexpr int looks = 2'000;              // some milliseconds
    static constexpr std::uint64_t stop_signal = 1;  // nothing to take, unlike any before

    void publish(std::uint64_t work) {
        next_.store(work, std::memory_order_release);
        if (helpers_) next_.notify_all();
    }
    static bool has_work(std::uint64_t next) { return std::uint32_t(next) < next >> 32; }

    // Takes what is left to take and does it.
    void take_all(int thread) {
        while (has_work(next_.load(std::memory_order_acquire))) {
            const std::uint64_t taken = next_.fetch_add(1, std::memory_order_acq_rel);
            if (!has_work(taken)) return;
            try {
                if (!failure_) (*work_)(thread, int(std::uint32_t(taken)));
            } catch (...) {
                failure_.note();
            }
            done_.fetch_add(1, std::memory_order_release);
        }
    }
    void wait_and_work(int thread) {
        for (;;) {
            take_all(thread);
            std::uint64_t next = next_.load(std::memory_order_acquire);
            for (int look = 0; look < looks && !has_work(next); ++look) {
                rest();
                next = next_.load(std::memory_order_acquire);
            }
            if (leaving_.load(std::memory_order_relaxed)) return;
            if (!has_work(next)) next_.wait(next, std::memory_order_acquire);
        }
    }
    static void rest() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        std::this_thread::yield();
#endif
    }

    std::atomic<std::uint64_t> next_{0};
    std::atomic<int> done_{0};
    std::atomic<bool> leaving_{false};
    const std::function<void(int, int)>* work_ = nullptr;
    Failure failure_;
    int helpers_ = 0;
    Team team_;  // the last: its threads use the others
};

StandingTeam::StandingTeam(int threads) : members_(threads > 1 ? std::make_unique<Members>(threads) : nullptr) {}
StandingTeam::~StandingTeam() = default;
int StandingTeam::threads() const { return members_ ? 1 + members_->helpers() : 1; }

void StandingTeam::run(int count, const std::function<void(int, int)>& work) {
    if (threads() > 1 && count > 1) return members_->run(count, work);
    for (int k = 0; k < count; ++k) work(0, k);
}

}  // namespace sabna
