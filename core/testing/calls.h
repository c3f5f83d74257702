// One call of every station of the core, on small inputs: what the tests of failing memory and of threads go through.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "watch.h"

namespace sabna::testing {

struct Answer {
    Stop stop = Stop::none;
    std::uint64_t digest = 0;  // of all that was found
    friend bool operator==(const Answer&, const Answer&) = default;
};

struct Call {
    std::string name;
    bool parallel;  // uses several threads where it has them
    // Makes the inputs; what it returns is the call itself, and can be made again and again.
    std::function<std::function<Answer()>(int threads)> prepare;
};

const std::vector<Call>& calls();

}  // namespace sabna::testing
