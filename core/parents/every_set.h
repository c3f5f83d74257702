// Every parent set with its cost, none left out: what a sum over all networks needs (posterior/posterior.h).
//
// The cost of a family is A(P) - B(P + i) plus a penalty (scores/score.h), and A and B are sums over the cells of one set of
// variables each. A set is partitioned once for all families that it has to do with: as the parents of each variable outside it,
// and as the family of each variable inside. So 2^n partitions do for n 2^(n-1) families: for 20 variables ten times fewer
// than child by child. The integers are those of the other builders.
//
// Not for scores whose tables depend on more than q and r (Pruning::own), nor for products of arities of 2^63 and above, where q r
// may depend on the order of its factors.
#pragma once

#include <cstdint>
#include <vector>

#include "parents/knowledge.h"
#include "parents/parent_graph.h"
#include "scores/score.h"
#include "watch.h"

namespace sabna {

// Sums are stored for all subsets: 8 bytes each, for every arity if the score tells them apart.
inline constexpr int every_set_most_variables = 24;

struct EverySet {
    ParentGraphData<1> graph;  // stopped: the required sets alone
    std::int64_t evaluated = 0, counted = 0;
    Stop stop = Stop::none;
};

// The lists of `children`; those of other variables are empty.
EverySet build_every_set(const DistinctRows& table, Score& score, const KnowledgeView<1>& knowledge,
                         const std::vector<int>& children, int threads, Watch& watch);

}  // namespace sabna
