// Building parent lists child by child: for required parents, for dominance with slack, and for scores with rules of
// their own. Slower than build.h, which counts for all children at once, and more general.
//
// Prior knowledge. The search of a child starts at its required parents R instead of the empty set, and grows by
// allowed ones. Every set met obeys, and is compared with sets that obey only: a set of required parents is never lost to a
// subset without them. All rules below are statements about a set Q, its members a outside R and the sets around Q, so
// they hold for these sets as they do for all: the penalty is compared with the best obedient subset (R or
// better, not the empty set), and the entropy rule removes no member of R, as R - a is never asked for.
//
// Slack. A set is of no use once a subset is cheaper by more than the slack s (parents/slack.h). Each rule proves
// cost(Q') - cost(subset of Q') >= x for all Q' around Q and is applied when x > s:
//   floor     no set around Q costs less than f(Q) (the score's file says why); x = f(Q) - best subset of Q met. Where f bounds
//             what comes on top of -LL (bic, aic, fnml, qnml), -LL given all possible parents is added: it falls with the set
//   entropy   for bic and aic: a member a of Q gains at most min(h(i|Q-a), h(a|b) for b in Q-a) and costs the
//             penalty increase g(a); x = g(a) - gain. (h(a|Q-a) itself would need a count of a: the pair bound is free.)
// A set is looked at only when all its subsets (above R) have been, so the best subset is exact, and what is kept is
// exactly what `keep_within` would keep of all sets.
//
// Stopped early. R itself is scored for every child, whatever the watch says, then R with one parent more for all of
// them, then each child to its end. What is not scored lies around a set of the last level that was finished, so the
// least floor of that level bounds it. All costs are at least 0, in integers too: cell by cell, what is rounded is 0
// exactly (a child of one state) or at least ln 2 (bdeu, bds, k2, fnml: a code of a cell of two or more possible values);
// for bic, aic, qnml T is superadditive (scores/tables.h), and C(N, K) grows with K, as it sums over more sequences.
#pragma once

#include <cstdint>
#include <vector>

#include "parents/knowledge.h"
#include "parents/parent_graph.h"
#include "parents/slack.h"
#include "parents/so_far.h"
#include "scores/score.h"
#include "table.h"
#include "watch.h"

namespace sabna {

template <int W>
struct ChildLists {
    std::vector<std::vector<ScoredSet<W>>> lists;  // of each variable asked for, as in a parent graph; others are empty
    std::vector<Cost> floor;                       // per variable: no set that was not scored costs less; as in build.h
    std::int64_t evaluated = 0;
    Stop stop = Stop::none;  // not `none`: the lists are not complete, but none asked for is empty
};

// `hear` is told of the required sets, of those with one parent more, and of each child that is done.
template <int W>
ChildLists<W> build_child_by_child(const DistinctRows& table, Score& score, const KnowledgeView<W>& knowledge,
                                   const std::vector<int>& children, std::int64_t slack, int threads, Watch& watch,
                                   typename SoFar<W>::Hear hear = {});

}  // namespace sabna
