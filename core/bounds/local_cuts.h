// Local cuts: inequalities over the families of a small group of variables that a fractional point breaks.
//
// Idea. Take a group G of some eight variables. For any coefficients a(i,T) >= 0 of a member i and a set T of other
// members, let a(i,S) be the least a(i,T) with T a subset of S, and
//
//   b = min over orders of G of the sum over i in G of the least a(i,T) with T among the members before i.
//
// Then sum over i in G of a(i,S) >= b for the parent sets S of every network: order G as the network does; what S has
// in G comes before i, so a(i,S) is one of those that the minimum is taken over. Cluster cuts with any k are the simplest
// of these; here coefficients are made for the point at hand, as in the local cuts of Applegate, Bixby, Chvatal and Cook
// (2001) for the travelling salesman: by the mixture of networks of the group that is nearest to it (nearest_mixture.h).
// Where columns of a table code one attribute, or say nearly the same, such cuts see at once what dozens of cluster cuts
// cannot say.
//
// Groups grow in the point: from every variable with several parent sets, by the variable most bound up with the group.
//
// Coefficients are rounded to small integers, and b is worked out from these: the cut holds whatever floating-point
// numbers were before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "watch.h"

namespace sabna {

// The parent sets of a graph, in rows of `words` words, and the share that a point gives to each.
struct PointOfGraph {
    std::span<const std::int64_t> offsets;
    std::span<const std::uint64_t> sets;
    std::size_t words;
    std::span<const double> share;
};

struct LocalCut {
    struct Entry {
        int member;            // position in `members`
        std::uint32_t family;  // T: bit j is members[j]
        int coefficient;
    };
    std::vector<int> members;  // ascending
    std::vector<Entry> entries;
    std::int64_t right = 0;
    double depth = 0;  // distance of the point from the cut
};

struct LocalCutOptions {
    int largest = 8;            // group
    int most_per_variable = 6;  // cuts
    std::uint64_t seed = 1;
    int threads = 1;
};

// Broken cuts, deepest first. The same for the same input, whatever the threads; other instructions for floating-point
// numbers may lead to other cuts. When the watch stops, those found by then.
std::vector<LocalCut> local_cuts(const PointOfGraph& point, const LocalCutOptions& options, Watch& watch);

}  // namespace sabna
