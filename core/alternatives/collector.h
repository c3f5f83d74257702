// The networks found so far of one component: all of them, or the k best.
//
// With k wanted and k found, only strictly cheaper ones are of interest from then on: `limit` falls with every k found.
// Lists are sorted when they are twice too long, so that this costs little. Of equal networks those found first stay.
#pragma once

#include <cstdint>
#include <vector>

#include "alternatives/alternatives.h"

namespace sabna {

class Collector {
  public:
    // Networks of n choices; at most `count` of them, none above `limit`.
    Collector(int n, std::int64_t count, Cost limit, Watch& watch)
        : n_(n), count_(count), limit_(limit), watch_(watch) {}

    // Begin again with another limit.
    void restart(Cost limit) {
        found_.costs.clear(), found_.choices.clear(), found_.cut = false;
        limit_ = limit;
    }
    // What a network may cost to be of interest.
    Cost limit() const { return limit_; }
    std::int64_t size() const { return std::int64_t(found_.costs.size()); }
    // `choice` has n entries; `cost` is within the limit. False: no memory, and the watch has stopped.
    bool add(Cost cost, const std::vector<std::uint32_t>& choice);
    // Sorted, cheapest first. `whole`: the search was not stopped. The collector is empty afterwards.
    Solutions take(bool whole);

  private:
    void tighten();
    void keep_best();
    void sort();

    int n_;
    std::int64_t count_;
    Cost limit_;
    Watch& watch_;
    Solutions found_;
};

}  // namespace sabna
