// An upper bound: local search over orders, with a population.
//
// An order of the variables stands for the best network that agrees with it (every variable takes its first fit among
// those before it). Teyssier and Koller (2005) search the space of orders by swapping neighbours; moving one variable
// to any other place is a larger neighbourhood for about the same price (bounds/order_climber.h). Local optima are left by a few
// random moves, kept if no worse.
//
// On 60 and more variables that ends some nats above the optimum, from any start, and starting again does not help. What does is
// to cross good orders, as MINOBS does (Lee and van Beek 2017): a member of the population keeps the places of half of
// the variables, the others follow the order of a second member, and the climb goes on from there. What is different here: an order is
// one of many of the same network, so the second member is first written anew, in the order of its network that is
// nearest to the first member's; then what both agree on stays. And now and then every window of the order is replaced by
// its best order (bounds/order_window.h), which sees moves of a dozen variables at once.
//
// Orders are improved four at a time, each with random numbers and a share of the work of its own, and join the population
// in their order: so several threads find what one does.
//
// Orders that some variable cannot be scored in (parent graphs need not list the empty set) are never entered. The
// budget counts sets looked at, and random numbers come from a seed: the same answer on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "parents/assignment.h"
#include "parents/parent_graph.h"
#include "watch.h"

namespace sabna {

struct LocalSearchOptions {
    std::uint64_t seed = 0;
    int restarts = 8;                               // orders to start from: the population
    int kicks = 60;                                 // fruitless kicks in a row before an order is left
    int crossings = 60;                             // fruitless crossings in a row before the end
    std::int64_t work = std::int64_t{150'000'000};  // sets looked at; some 10 ns each
    std::vector<std::vector<int>> starts{};         // orders to start from before random ones; none: the variables' own
    int threads = 1;
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
