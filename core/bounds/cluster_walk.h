// Separation from clusters at hand: walks to broken cuts of any size.
//
// Separation from single variables (bounds/separation.h) grows clusters to two dozen members. Where long cycles through
// most of the variables have to be broken, the cuts that are missing have half of all variables and more: somebody comes
// first among them. They are near clusters that have weights already, whose cuts the point satisfies with equality. So walks
// start there, and from all variables, and from single ones: tabu search, always the best move, entering or leaving, of a
// variable that has not moved lately. The deepest cut of every walk is noted.
//
// Where the columns come in strongly tied groups, the positions of a sequence as columns of zeros and ones, say, broken
// clusters are unions of whole groups, a few variables more or less. From one such union to another it is a way of many
// moves up and down, which few walks make. So further walks begin with random unions of blocks: whole blocks enter or
// leave, always the best one, as long as that lowers f; single variables follow. A variable of no block is in none of
// these unions: who wants it there gives it as a block.
//
// Order of walks and ties is by number: the same point gives the same cuts everywhere, with any number of threads.
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
    bool singles = true;     // walks from every single variable, too
    int unions = 0;          // walks from so many random unions of blocks; by round, others
    int stale = 0;           // a walk ends after so many moves without a deeper cut; 0: it makes all of its moves
    int threads = 1;
};

// Broken cuts, deepest first (then by size and set).
template <int W>
std::vector<Cut<W>> walk_to_cuts(int n, const std::vector<Share<W>>& point, std::span<const VarSet<W>> starts,
                                 const WalkOptions& options, std::span<const VarSet<W>> blocks = {});

}  // namespace sabna
