// Separation from clusters at hand: walks to broken cuts of any size.
//
// Separation from single variables (bounds/separation.h) grows clusters to two dozen members. Where long cycles through
// most of the variables have to be broken, the cuts that are missing have half of all variables and more: somebody comes
// first among them. They are near clusters that have weights already, whose cuts the point satisfies with equality. So walks
// start there, and from all variables, and from single ones: tabu search, always the best move, entering or leaving, of a
// variable that has not moved lately. The deepest cut of every walk is noted.
//
// Order of walks and ties is by number: the same point gives the same cuts everywhere.
#pragma once

#include <span>
#include <vector>

#include "bounds/separation.h"

namespace sabna {

struct WalkOptions {
    int k = 1;
    double least_violation = 1e-4;
    int moves = 80;          // of each walk
    int round = 0;           // how long a moved variable rests depends on it: other rounds walk elsewhere
    std::size_t most = 100;  // cuts
};

// Broken cuts, deepest first (then by size and set).
template <int W>
std::vector<Cut<W>> walk_to_cuts(int n, const std::vector<Share<W>>& point, std::span<const VarSet<W>> starts,
                                 const WalkOptions& options);

}  // namespace sabna
