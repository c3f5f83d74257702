// A list of clusters travels as three arrays: sets [K, W], k [K], y [K]; where weights do not matter, as two.
#pragma once

#include "bindings.h"
#include "bounds/cluster_bound.h"

namespace sabna::bindings {

template <int W>
std::vector<Cluster<W>> clusters_of(const Words& sets, const Ints& ks) {
    if (ks.shape(0) != sets.shape(0)) throw std::invalid_argument("clusters: as many k as sets are needed");
    std::vector<Cluster<W>> clusters;
    for (const VarSet<W>& set : sets_of<W>(sets)) clusters.push_back({set, int(ks.data()[clusters.size()]), 0});
    check_clusters(clusters);
    return clusters;
}

template <int W>
std::vector<Cluster<W>> clusters_of(const Words& sets, const Ints& ks, const Ints& ys) {
    if (ys.shape(0) != sets.shape(0)) throw std::invalid_argument("clusters: as many weights as sets are needed");
    std::vector<Cluster<W>> clusters = clusters_of<W>(sets, ks);
    for (std::size_t c = 0; c < clusters.size(); ++c) clusters[c].y = ys.data()[c];
    check_clusters(clusters);
    return clusters;
}

}  // namespace sabna::bindings
