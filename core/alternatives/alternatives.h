// The k best networks, and all networks within a factor of the best.
//
// Sources: k best by dynamic programming (Tian, He, Ram 2010; Chen, Tian 2014), all networks within a Bayes factor (Liao,
// Sharma, Cussens, van Beek 2019). What is done differently: no list of k networks is kept per set of variables, and no
// solver is asked for one network after the other. Instead
//   1. the parent graph is split into components (search/components.h). A network is a free choice of one solution per
//      component, and its cost the sum, so each component is enumerated alone, within the same slack above its own best;
//   2. a forward and a backward pass over the order lattice give for every parent set the cost of the best network that
//      uses it (lattice_tables.h). A set above best + slack occurs in no network wanted and goes; this usually splits
//      the component further, and then step 2 is repeated on the parts;
//   3. depth-first search enumerates what is left, each network in one order only (enumerate.h), pruned by the exact
//      cost of the best completion;
//   4. the components' solutions are combined, cheapest sums first (combine.h).
// Components too large for tables are narrowed by bounds and enumerated by branching.h; src/sabna/alternatives/listing.py decides.
// The graph must list every set that a wanted network can use: a set may be left out only if a subset is cheaper by
// more than the slack. (Proof: replace the set by that subset; the network stays acyclic and improves by more than the
// slack, so the first one was not within the slack of the best.)
#pragma once

#include <cstdint>
#include <vector>

#include "parents/parent_graph.h"
#include "watch.h"

namespace sabna {

// Components above this size have no dense tables here: 2^25 sets x 25 variables x 8 bytes are 3.4 GB already.
inline constexpr int largest_dense_component = 25;

struct Wanted {
    std::int64_t count = 0;  // at most so many networks, the best ones
    Cost slack{};            // no network above the best by more than this
};

// Networks, cheapest first: choices[k * n + i] is the position in the graph's arrays of the parents of i in network k.
struct Alternatives {
    std::vector<Cost> costs;
    std::vector<std::int64_t> choices;
    bool complete = false;  // all networks within the slack are here; false: `count` cut the list, or a stop
    Stop stop = Stop::none;
    int too_large = 0;         // size of a component beyond the tables; then there are no networks
    std::int64_t visited = 0;  // nodes of the depth-first searches
};

template <int W>
Alternatives find_alternatives(const ParentGraphView<W>& graph, Wanted wanted, Watch& watch);

// A component of at most `largest_dense_component` variables, its sets cut down to its members; sets that fall
// together stay apart, as they make different networks.
struct SmallSet {
    Cost cost;
    std::uint32_t set;
    std::int64_t origin;  // position in the whole graph's arrays
};
struct SmallGraph {
    std::vector<int> members;                 // the variables of the whole graph, ascending
    std::vector<std::vector<SmallSet>> sets;  // per member, cheapest first
    int n() const { return int(members.size()); }
};

// Solutions of one component: choice[k * n + i] is an index into sets[i].
struct Solutions {
    std::vector<Cost> costs;
    std::vector<std::uint32_t> choices;
    bool complete = true;  // nothing within the slack is missing
    bool cut = false;      // `count` cut the list
};

}  // namespace sabna
