// Local cuts: inequalities over the families of a small group of blocks of variables that a fractional point breaks.
//
// Idea. Take a group G of some seven blocks, sets of variables without a common member; most often each is one variable.
// For any coefficients a(B,T) >= 0 of a block B and a set T of other blocks, let the coefficient of a parent set S of a
// variable i in B be
//
//   0 if S has somebody of B, else the least a(B,T) such that S has somebody of each block in T,
//
// 0 for variables outside of G, and
//
//   b = min over orders of G of the sum over B in G of the least a(B,T) with T among the blocks before B.
//
// Then the coefficients of the parent sets of every network add up to b or more. Proof: order G as the network places the
// first variable of each block. That of B has no parent in B, and every block that it has a parent in has begun before; so
// its coefficient is one of those that the minimum is taken over. The others are not negative. Cluster cuts with any k are
// the simplest of these; here coefficients are made for the point at hand, as in the local cuts of Applegate, Bixby,
// Chvatal and Cook (2001) for the travelling salesman: by the mixture of networks of the group that is nearest to it
// (nearest_mixture.h). Where columns of a table code one attribute, or say nearly the same, such cuts see at once what
// dozens of cluster cuts cannot say.
//
// Groups grow in the point: from every variable with several parent sets, by the variable most bound up with the group;
// and likewise from the blocks of shrunk points (shrunk_point.h), which see cycles that lead through many variables.
//
// Coefficients are rounded to small integers, and b is worked out from these: the cut holds whatever floating-point
// numbers were before it.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/shrunk_point.h"
#include "watch.h"

namespace sabna {

struct LocalCut {
    struct Entry {
        int member;            // position in `blocks`
        std::uint32_t family;  // T: bit j is blocks[j]
        int coefficient;
    };
    std::vector<std::vector<int>> blocks;  // each ascending
    std::vector<Entry> entries;
    std::int64_t right = 0;
    double depth = 0;  // distance of the point from the cut
};

struct LocalCutOptions {
    int largest = 7;            // group
    int most_per_variable = 6;  // cuts that a variable, or a block, is in
    std::uint64_t seed = 1;
    int threads = 1;
};

// Broken cuts of groups of variables, deepest first. The same for the same input, whatever the threads; other instructions
// for floating-point numbers may lead to other cuts. When the watch stops, those found by then.
std::vector<LocalCut> local_cuts(const PointOfGraph& point, const LocalCutOptions& options, Watch& watch);

// The same of groups with blocks of several variables, at most one cut for every variable.
std::vector<LocalCut> block_cuts(const PointOfGraph& point, const LocalCutOptions& options, Watch& watch);

}  // namespace sabna
