// An upper bound: order-based local search.
//
// An order of the variables stands for the best network that agrees with it (every variable takes its first fit among
// those before it). Teyssier and Koller (2005) search the space of orders by swapping neighbours; moving one variable
// to any other place is a larger neighbourhood for the same price, since the cost of all places follows from a
// walk of neighbour swaps. Two observations make the walk cheap: a variable that loses a possible parent changes only
// if that parent is in its set, and one that gains a parent can only move forward in its list.
//
// Local optima are left by a few random moves, kept if no worse, and now and then by a new random order. Orders that some
// variable cannot be scored in (parent graphs need not list the empty set) are never entered.
#pragma once

#include <cstdint>
#include <vector>

#include "parents/assignment.h"
#include "parents/parent_graph.h"
#include "watch.h"

namespace sabna {

struct LocalSearchOptions {
    std::uint64_t seed = 0;
    int restarts = 8;                               // random orders to start from
    int kicks = 60;                                 // fruitless kicks in a row before the next start, per start
    std::int64_t work = std::int64_t{150'000'000};  // sets looked at; some 0.3 s
    std::vector<int> start{};                       // order to start from; empty: the order of the variables
};

// The best order found, as a network. Unknown only if no network exists at all, or if the watch stopped before the first
// order was complete.
template <int W>
Assignment local_search(const ParentGraphView<W>& graph, const LocalSearchOptions& options, Watch& watch);

// An order in which every variable has a parent set, or an empty one if there is none: then no network exists. Taking
// whatever variable is ready is enough, since a variable once ready stays ready.
template <int W>
std::vector<int> feasible_order(const ParentGraphView<W>& graph);

}  // namespace sabna
