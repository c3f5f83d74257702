// The pieces of a building that goes level by level: how it begins, what it tells, how its lists are made.
//
// Used by build.cc, which holds all of it in memory, and by level_builder.*, which takes levels slice by slice.
#pragma once

#include <memory>
#include <vector>

#include "parents/level_walk.h"

namespace sabna {

// The cost of every variable alone.
template <int W>
void score_empty_sets(BuildState<W>& state);

// The first level: the empty set, with what the rule wants to know of it.
template <int W>
void store_root(BuildState<W>& state);

// Under the configuration rule: which variables are twins (twins.h).
template <int W>
void find_twins(BuildState<W>& state, Watch& watch);

// The rule of the score, for one thread; the root is stored.
template <int W>
std::unique_ptr<Rule<W>> make_rule(const BuildState<W>& state);

// Tell of the sets scored since `told`; `complete`: there are no others.
template <int W>
void tell(const BuildState<W>& state, bool complete, std::size_t& told, SoFar<W>& so_far);

// What counting takes for each thread, whatever is found.
std::uint64_t bytes_to_count(const DistinctRows& table, const Score& score);

// The lists of all variables: a set whose cost is surely below that of its subsets stays, the unsure ones are compared
// with their subsets on the integers.
template <int W>
void append_lists(std::vector<Scored<W>>& scored, int n, ParentGraphData<W>& graph);

}  // namespace sabna
