// Memory that is refused when a test says so: operator new, and mmap as Pages uses it.
//
// Counting goes on over all threads. `Refusal` arms it; while armed, the k-th request from then on is refused, or that and
// all after it, as when there is no memory left.
#pragma once

#include <cstdint>

namespace sabna::testing {

// Blocks of operator new that live.
std::int64_t live_blocks();

class Refusal {
  public:
    // Requests are numbered from 1; 0: none is refused, they are only counted.
    Refusal(std::int64_t k, bool and_all_after);
    ~Refusal();
    Refusal(const Refusal&) = delete;
    Refusal& operator=(const Refusal&) = delete;
    std::int64_t requests() const;  // so far
    bool struck() const;            // something was refused
};

}  // namespace sabna::testing
