// Building the parent graph from a table: exact, level by level over parent sets, all children at once.
//
// A set Q of size k + 1 is looked at when every Q - a of size k is stored and some child may still be served by all of
// them. One count of the partition by Q then gives the entropy given Q (or the cost) of all variables together. What may be
// left out, and why, is said in the files of the scores; rules apply to one set or to a set and all around it, and only
// strictly safe decisions are taken on rounded numbers: dominance is decided on the integers.
//
//   level_trie.h     the stored sets and how to find their subsets
//   level_store.h    what is known of each set of the last level
//   entropy_rule.*, configuration_rule.*   the two ways to prune
//   level_walk.*     one level, in blocks shared by the threads
//   build_state.*    how it begins, what it tells, the final lists
//   build.cc         level after level, in memory
//   level_builder.h  level after level in slices, which may be kept on disk or walked elsewhere
#pragma once

#include <cstdint>
#include <vector>

#include "parents/parent_graph.h"
#include "parents/so_far.h"
#include "scores/score.h"
#include "table.h"
#include "watch.h"

namespace sabna {

// Which parent sets are candidates at all: the one place where limits and prior knowledge enter.
template <int W>
struct Candidates {
    std::vector<VarSet<W>> allowed;     // possible parents of each variable
    std::vector<std::int64_t> largest;  // size of its parent sets

    // Every variable may have every other as parent, but for parents that no score can want.
    static Candidates all(const DistinctRows& table, const Score& score, const std::vector<std::int64_t>& max_parents);
};

template <int W>
struct BuildResult {
    ParentGraphData<W> graph;
    std::int64_t evaluated = 0;  // local scores computed
    std::int64_t counted = 0;    // parent sets counted
    std::vector<Cost> floor;     // per variable: no set that was not scored costs less; infinite when none is left
    Stop stop = Stop::none;
};

// `threads` >= 1. When the watch stops the run, the graph holds what was scored by then (at least the empty sets). `hear` is
// told of the empty sets and of every level.
template <int W>
BuildResult<W> build_parent_graph(const DistinctRows& table, Score& score, const Candidates<W>& candidates, int threads,
                                  Watch& watch, typename SoFar<W>::Hear hear = {});

// The exact cost of one family; saturated where the penalty is.
Cost local_cost(const DistinctRows& table, Score& score, int child, const std::vector<int>& parents);

// The number of configurations of these variables, from the product of the arities sorted: the same to the bit for
// the same arities in any order, also where it exceeds what a long double holds exactly.
long double configurations(const DistinctRows& table, std::vector<int> variables);

}  // namespace sabna
