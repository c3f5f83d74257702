// Cluster weights by the volume algorithm: for long lists, where the linear program takes minutes.
//
// The cluster bound L(y) is concave in the weights y (bounds/cluster_bound.h); the linear program finds its maximum by tens of
// thousands of pivots. Subgradient steps cost a thousandth of that, and the volume algorithm (Barahona and Anbil 2000) makes
// them converge: a step goes along the violation of an average of the minimisers seen so far, its length is by what
// is left to the target (Polyak). That average approaches the program's fractional point, so that the same separation
// (bounds/separation.h) finds the clusters to add.
//
// Steps look at working columns only, each variable's parent sets of least reduced cost, laid out so that a step is a
// few vector operations for each cluster and member. Every few steps all sets are priced, by tables that say what clusters
// give to pairs and triples of parents (bounds/credit_tables.h). If it turns out that
// columns were missing, the weights go back to the best ones and the steps become shorter.
//
// Separation keeps small shares of the point and takes one cut of each start: many clusters that have little in common raise
// the bound most.
//
// Steps are floating point, pricing is in integers. What is returned are whole quanta, and their bound in integers: any weights are valid,
// and those given are returned where none better were found. The same with any number of
// threads, which share the variables and the starts of separation; the budget counts operations, some 4 ns each.
#pragma once

#include "bounds/dual_ascent.h"

namespace sabna {

// Of the options, the target, the work and the threads count; the target must be finite.
template <int W>
AscentResult<W> volume_ascent(const ParentGraphView<W>& graph, std::vector<Cluster<W>> start,
                              const AscentOptions& options, Watch& watch);

}  // namespace sabna
