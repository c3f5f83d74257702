// The parent graph of the scores of mixed/mixed_score.h: every set of parents is scored, but those that a rule excludes.
//
// Child by child: for each set D of discrete parents, in the order of sets as binary numbers, so that a set comes after all its
// subsets; and for each D every set C of continuous ones, in the same order. The rows are split along the way, one
// variable at a time. What is kept of a set is the least cost among it and its subsets: a set that costs no less is not listed.
//
// Rules (proofs in mixed_floors.cc and mixed_score.h), with `best` the least cost of a subset met and the slack wanted:
//   discrete child       if every set around D costs more than best + slack, none of them is looked at; nor is D itself if its
//                        penalty alone does, or if a subset of it was left out so;
//   continuous child     if under D every set of more than |C| continuous parents costs more, C grows no further under this D;
//   no value             a family without a value is not listed, and under bic-cg none around it is looked at: what is open at
//                        D + C shrinks to what has a value.
// Without a rule that covers sets of discrete parents (bcg, pnal of continuous children) all of them are looked at: the work doubles with every
// discrete variable, and an in-degree limit is the remedy.
//
// Stopped early. Required sets are scored for every child, whatever the watch says; then those with one parent more for all; then each
// child to its end. A child that was not finished has what was scored by then, and the floor of all its sets.
#pragma once

#include <cstdint>
#include <vector>

#include "mixed/mixed_score.h"
#include "parents/knowledge.h"
#include "parents/parent_graph.h"
#include "parents/so_far.h"
#include "watch.h"

namespace sabna {

struct MixedBuilt {
    Stop stop = Stop::none;      // not `none`: lists may lack sets
    std::vector<Cost> floor;     // per variable: no set that was not scored costs less; infinite when none is left
    std::int64_t evaluated = 0;  // families scored
};

// `slack`: see keep_within in parents/slack.h. Every required set must have a value, and discrete variables may have discrete ones only in `knowledge.required`.
template <int W>
MixedBuilt build_mixed(const MixedScore& score, const KnowledgeView<W>& knowledge, std::int64_t slack, int threads,
                       Watch& watch, ParentGraphData<W>& out, typename SoFar<W>::Hear hear = {});

}  // namespace sabna
