// Partitions of the variables into groups for pattern databases.
//
// A table is exact inside its group and knows only cluster weights across groups. So a good partition keeps heavy
// clusters whole. Local search over moves and swaps finds it; each further partition counts clusters that earlier ones
// cut twice, so that between them the partitions keep most clusters whole somewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/cluster_bound.h"

namespace sabna {

template <int W>
using Groups = std::vector<VarSet<W>>;  // disjoint groups that cover all variables

// `count` partitions of n variables into as few groups of at most `largest` as possible, of nearly equal size.
template <int W>
std::vector<Groups<W>> choose_groups(int n, const std::vector<Cluster<W>>& clusters, int largest, int count,
                                     std::uint64_t seed);

// Throws unless the groups are disjoint and cover all n variables.
template <int W>
void check_groups(int n, const Groups<W>& partition);

// The clusters that no group of the partition contains.
template <int W>
std::vector<Cluster<W>> crossing_clusters(const std::vector<Cluster<W>>& clusters, const Groups<W>& partition);

}  // namespace sabna
