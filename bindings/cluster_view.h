// A list of clusters travels as three arrays: sets [K, W], k [K], y [K].
#pragma once

#include <stdexcept>
#include <vector>

#include "bindings.h"
#include "bounds/cluster_bound.h"

namespace sabna::bindings {

template <int W>
std::vector<Cluster<W>> clusters_of(const Array2<std::uint64_t>& sets, const Array1<std::int64_t>& ks,
                                    const Array1<std::int64_t>& ys) {
    if (sets.shape(1) != W || ks.shape(0) != sets.shape(0) || ys.shape(0) != sets.shape(0))
        throw std::invalid_argument("clusters: the shapes of sets, k and y do not fit together");
    std::vector<Cluster<W>> clusters(sets.shape(0));
    const auto* words = reinterpret_cast<const VarSet<W>*>(sets.data());
    for (std::size_t c = 0; c < clusters.size(); ++c) clusters[c] = {words[c], int(ks.data()[c]), ys.data()[c]};
    check_clusters(clusters);
    return clusters;
}

}  // namespace sabna::bindings
