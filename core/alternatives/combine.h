// Sums of independent choices, cheapest first: one solution of every component makes a network.
//
// Components are added one at a time to a list of partial sums that is kept sorted, within the slack, and no longer than
// wanted. Cutting it to the k best at every step loses nothing: a network's partial sum is among the k best
// partial sums, or k others with the same remainder are no worse.
#pragma once

#include <vector>

#include "alternatives/alternatives.h"

namespace sabna {

class Combiner {
  public:
    Combiner(int n, Wanted wanted, Watch& watch) : n_(n), wanted_(wanted), watch_(watch), sums_(1) {}

    // The costs of a component's solutions ascending; position k of them is recorded. False: out of memory or stopped.
    bool add(const std::vector<Cost>& costs);
    // Sorted total costs, and for each network and component (in the order added) the position chosen.
    const std::vector<Cost>& costs() const { return sums_; }
    std::vector<std::vector<std::uint32_t>> positions() const;
    bool cut() const { return cut_; }

  private:
    struct Link {
        std::uint32_t before, position;
    };
    int n_;
    Wanted wanted_;
    Watch& watch_;
    bool cut_ = false;
    std::vector<Cost> sums_;
    std::vector<std::vector<Link>> links_;  // per component and sum: where it comes from
};

}  // namespace sabna
