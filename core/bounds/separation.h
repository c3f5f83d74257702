// Separation: clusters whose cut a fractional point of the linear program breaks.
//
// The point x gives every parent set S of i a share x(i,S). The cut of a cluster C with k asks that
//   f(C) = sum over i in C of the shares of sets with |S cap C| < k   be at least k.
// Finding the least f is NP-hard (Cussens, Haws, Studeny 2017); local search finds broken cuts in milliseconds.
//
// How. From every variable, and from every pair that are each other's parents somewhere in the support, grow the
// cluster by the member that lowers f most, then drop members as long as that lowers f, and note every broken
// cut on the way. The change of f by every single move is kept up to date (bounds/cluster_state.h). A least broken
// cluster with k = 1 lies inside one strongly connected component of the support (the members of C in the first component
// have no parents in the rest of C, and break their own cut at least as much), so components are searched apart.
//
// Order of starts and ties is by number: the same point gives the same cuts everywhere, with any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "varset.h"
#include "watch.h"

namespace sabna {

template <int W>
struct Share {
    int variable;
    VarSet<W> parents;
    double x;  // in (0, 1]
};

template <int W>
struct Cut {
    VarSet<W> set;
    int k;
    double violation;  // k - f(C), positive
};

struct SeparationOptions {
    int k = 1;
    double least_violation = 1e-4;
    std::size_t most = 100;
    // A cluster grows to at most this many members: in a linear program cuts of larger ones are dense and weak.
    int largest = 24;
    // Of each start the deepest cut alone, so that those taken have less in common.
    bool one_of_each_start = false;
    int rest = 4;  // moves that a moved variable rests for, at least
    // Of the pairs one in `pair_turns` is a start, in each turn others.
    int pair_turns = 1, turn = 0;
    int threads = 1;
};

// Broken cuts, deepest first (then by k, size and set), at most `most`; fewer if the watch is stopped.
template <int W>
std::vector<Cut<W>> separate(int n, const std::vector<Share<W>>& point, const SeparationOptions& options, Watch& watch);

// Each cut once, sorted as above, at most `most`.
template <int W>
void keep_deepest(std::vector<Cut<W>>& cuts, std::size_t most);

}  // namespace sabna
