// The checkpoints of a search (core/search/checkpoints.h), kept by an object of Python:
//
//     between          seconds from one question whether it is time to the next
//     load()           the blocks kept last, a list of arrays; empty if there are none
//     done_with(k)     block k has been read
//     due(bytes)       whether it is time to keep so many bytes
//     keep(blocks)     keep these arrays; they are gone when the call is over
#pragma once

#include <chrono>

#include "bindings.h"
#include "search/checkpoints.h"

namespace sabna::bindings {

class PythonCheckpoints final : public Checkpoints {
  public:
    // `files` is None where there are none; then this is not used.
    PythonCheckpoints(nb::object files, PythonWatch& watch);
    Checkpoints* get() { return files_.is_none() ? nullptr : this; }

    bool load(std::vector<Block>& blocks) override;
    void done_with(std::size_t block) override;
    bool due(std::uint64_t bytes) override;
    bool keep(const std::vector<Block>& blocks) override;

  private:
    using Clock = std::chrono::steady_clock;

    bool guarded(const std::function<void()>& call);

    nb::object files_, held_;  // `held_`: the arrays that were loaded
    PythonWatch& watch_;
    Clock::duration between_{};
    Clock::time_point next_{};
};

}  // namespace sabna::bindings
