// Every request for memory is refused once. Whatever is refused, a call must end with std::bad_alloc, or say that
// memory was short, or do without and be right; it must leak nothing, and the same call made again must be right.
#include <algorithm>
#include <optional>

#include "testing/calls.h"
#include "testing/failing_memory.h"
#include "testing/harness.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

std::optional<Answer> answer_under(std::int64_t k, bool and_all_after, const std::function<Answer()>& call,
                                   bool& struck) {
    std::optional<Answer> answer;
    const Refusal refusal(k, and_all_after);
    try {
        answer = call();
    } catch (const std::bad_alloc&) {}
    struck = refusal.struck();
    return answer;
}

// The numbers of the requests to refuse: all of them, or as many as there is time for, spread evenly.
std::vector<std::int64_t> chosen(std::int64_t requests) {
    const std::int64_t most = thorough() ? 20'000 : 8, step = std::max<std::int64_t>(1, requests / most);
    std::vector<std::int64_t> numbers;
    for (std::int64_t k = 1; k <= requests; k += step) numbers.push_back(k);
    return numbers;
}

std::int64_t refuse_each(const Call& tested, int threads) {
    const std::function<Answer()> call = tested.prepare(threads);
    const Answer truth = call();
    CHECK(truth.stop == Stop::none);
    std::int64_t requests = 0;
    {
        const Refusal counting(0, false);
        CHECK(call() == truth);
        requests = counting.requests();
    }
    std::int64_t refused = 0;
    for (const std::int64_t k : chosen(requests)) {
        const bool and_all_after = refused % 2;
        const std::int64_t before = live_blocks();
        bool struck = false;
        if (const auto answer = answer_under(k, and_all_after, call, struck))
            CHECK(*answer == truth || answer->stop == Stop::memory_limit);
        refused += struck;
        CHECK_EQ(live_blocks(), before);
        CHECK(call() == truth);
    }
    return refused;
}

}  // namespace

TEST(every_allocation_fails_once_and_nothing_is_lost) {
    std::int64_t refused = 0;
    for (const Call& call : calls()) {
        const std::int64_t here = refuse_each(call, 1);
        if (here == 0) report_failure(__FILE__, __LINE__, call.name + ": nothing was refused");
        refused += here;
    }
    note(std::to_string(refused) + " allocations refused, on one thread");
}

TEST(every_allocation_fails_once_on_several_threads) {
    std::int64_t refused = 0;
    for (const Call& call : calls())
        if (call.parallel) refused += refuse_each(call, 3);
    note(std::to_string(refused) + " allocations refused, on three threads");
}
