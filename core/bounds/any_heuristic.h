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
          note_([](const void* h, ExpandedNode<W>& node) {
              begin_node<W>(*static_cast<const H*>(h), node, node.set, node.h);
          }),
          after_([](const void* h, const ExpandedNode<W>& node, const VarSet<W>& added) {
              return heuristic_after<W>(*static_cast<const H*>(h), node, added);
          }) {
        static_assert(H::traits.admissible && H::traits.consistent);
    }

    Cost operator()(const VarSet<W>& placed) const { return value_(heuristic_, placed); }
    void note(ExpandedNode<W>& node) const { note_(heuristic_, node); }
    Cost after(const ExpandedNode<W>& node, const VarSet<W>& added) const { return after_(heuristic_, node, added); }

  private:
    const void* heuristic_;
    Cost (*value_)(const void*, const VarSet<W>&);
    void (*note_)(const void*, ExpandedNode<W>&);
    Cost (*after_)(const void*, const ExpandedNode<W>&, const VarSet<W>&);
};

}  // namespace sabna
