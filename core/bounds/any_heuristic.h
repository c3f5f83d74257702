// A heuristic whose kind is known at run time only.
//
// Searches are templates over their heuristic, which pays where it is a matter of nanoseconds: every pair of search and
// heuristic is compiled anew. Elsewhere a call through a pointer costs nothing that can be measured, and the searches
// are compiled once for each width, over this (search/strategies.h).
#pragma once

#include "bounds/heuristic.h"

namespace sabna {

// Refers to a heuristic that must outlive it.
template <int W>
class AnyHeuristic {
  public:
    // What the searches may rely on; only heuristics that promise as much can be put in.
    static constexpr HeuristicTraits traits{"any", true, true};

    template <Heuristic<W> H>
    explicit AnyHeuristic(const H& heuristic)
        : heuristic_(&heuristic),
          value_([](const void* h, const VarSet<W>& placed) { return (*static_cast<const H*>(h))(placed); }),
          after_([](const void* h, Cost before, const VarSet<W>& placed, const VarSet<W>& added) {
              return heuristic_after<W>(*static_cast<const H*>(h), before, placed, added);
          }) {
        static_assert(H::traits.admissible && H::traits.consistent);
    }

    Cost operator()(const VarSet<W>& placed) const { return value_(heuristic_, placed); }
    Cost after(Cost before, const VarSet<W>& placed, const VarSet<W>& added) const {
        return after_(heuristic_, before, placed, added);
    }

  private:
    const void* heuristic_;
    Cost (*value_)(const void*, const VarSet<W>&);
    Cost (*after_)(const void*, Cost, const VarSet<W>&, const VarSet<W>&);
};

}  // namespace sabna
