// Posterior probabilities of edges, by sums over all networks: the front door.
//
//   wide.h            numbers with 106 bits and a large exponent
//   family_sums.*     sums over the parent sets of one variable, and back from derivatives to edges
//   order_prior.*, uniform_prior.*   sums over networks, by two priors
//   sampling.*        networks drawn from the posterior
#pragma once

#include <cstdint>
#include <vector>

#include "parents/parent_graph.h"
#include "watch.h"

namespace sabna {

enum class StructurePrior { uniform, order };

struct PosteriorAsked {
    StructurePrior prior = StructurePrior::uniform;
    std::int64_t samples = 0;
    std::uint64_t seed = 0;
};

struct Posterior {
    std::vector<double> edges;          // [u * n + j]: the probability that u is a parent of j
    std::vector<std::int64_t> choices;  // of the networks drawn, n positions each
    double log_total = 0;  // ln of the sum over networks of exp(-cost), each as often as the prior counts it
    bool possible = true;  // false: no network can be made of these parent sets
    Stop stop = Stop::none;
};

// The graph must list every parent set that counts, dominated ones included.
Posterior find_posterior(const ParentGraphView<1>& graph, const PosteriorAsked& asked, int threads, Watch& watch);

// Memory that `find_posterior` takes for n variables.
std::uint64_t posterior_bytes(int n, int threads);

}  // namespace sabna
