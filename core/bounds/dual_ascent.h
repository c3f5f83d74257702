// Dual ascent: weights for the cluster bound without a linear program.
//
// Idea (Troesser, de Givry, Katsirelos 2021, in the constraint solver ELSA). Call a parent set tight when its reduced
// cost is the least of its variable. Place variables greedily, each with a tight set inside what is placed. If
// that places all, no cluster can raise the bound any more. Otherwise what remains is a cluster in which every tight set of
// every member meets the cluster: giving it the weight
//   delta = the least (reduced cost - least of the variable) over members i and sets S disjoint from it
// raises the bound by delta and lowers no minimum. Smaller clusters leave more for others, so it is first shrunk to a
// minimal one.
//
// What is different here: tightness is scaled. Sets within epsilon of the least count as tight, and epsilon falls from
// a share of the gap to zero by halves. Early clusters then earn more than epsilon each, where the plain method spends
// its budget on crumbs. Several shrinking orders are tried and the one that earns most is taken. The budget counts
// parent sets looked at, so that a run is the same on every machine, and hundreds of thousands of sets cannot stall it.
//
// It starts from given weights: with none it replaces the linear program, with floored ones it repairs their rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/cluster_bound.h"
#include "watch.h"

namespace sabna {

struct AscentOptions {
    std::int64_t target = Cost::infinite().quanta;  // stop once the bound is here (the upper bound)
    std::int64_t work = 50'000'000;                 // parent sets looked at
    int tries = 4;                                  // shrinking orders per cluster
    std::uint64_t seed = 1;
    int threads = 1;  // of the volume algorithm
};

template <int W>
struct AscentResult {
    std::vector<Cluster<W>> clusters;  // those given, then new ones; equal sets merged, weights positive
    std::int64_t bound = 0;
    std::int64_t work = 0;
};

template <int W>
AscentResult<W> dual_ascent(const ParentGraphView<W>& graph, std::vector<Cluster<W>> start,
                            const AscentOptions& options, Watch& watch);

}  // namespace sabna
