#include "posterior/posterior.h"

#include <algorithm>
#include <stdexcept>

#include "posterior/family_sums.h"
#include "posterior/order_prior.h"
#include "posterior/sampling.h"
#include "posterior/uniform_prior.h"

namespace sabna {

std::uint64_t posterior_bytes(int n, int threads) {
    const std::uint64_t forward_and_backward = (std::uint64_t{2} * sizeof(Wide)) << n;
    const std::uint64_t scratch =
        std::max(std::uint64_t(threads) * uniform_scratch_bytes(n), sampling_scratch_bytes(n));
    return FamilySums::bytes(n) + forward_and_backward + scratch;
}

namespace {

void run(const ParentGraphView<1>& graph, const PosteriorAsked& asked, int threads, Watch& watch, Posterior& out) {
    const bool uniform = asked.prior == StructurePrior::uniform;
    FamilySums sums(graph, threads, watch);
    if (watch.stopped()) return;
    const std::vector<Wide> forward = uniform ? uniform_forward(sums, threads, watch) : order_forward(sums, watch);
    if (forward.empty()) return;
    const Wide Z = forward.back();
    out.possible = Z.hi > 0;
    if (!out.possible) return;
    out.log_total = double(Z.log() - sums.taken_out());
    if (asked.samples > 0) {
        const auto sample = uniform ? sample_uniform : sample_orders;
        Sampled sampled = sample(graph, sums, forward, asked.samples, asked.seed, watch);
        if (!sampled.done) return;
        out.choices = std::move(sampled.choices);
    }
    const bool done = uniform ? uniform_backward(sums, forward, threads, watch) : order_backward(sums, forward, watch);
    if (done) out.edges = sums.edges(Z, threads, watch);
}

}  // namespace

Posterior find_posterior(const ParentGraphView<1>& graph, const PosteriorAsked& asked, int threads, Watch& watch) {
    if (graph.n < 1 || graph.n > posterior_most_variables) throw std::invalid_argument("posterior: 1 to 30 variables");
    Posterior out;
    const std::uint64_t bytes = posterior_bytes(graph.n, threads);
    if (watch.reserve(bytes)) {
        run(graph, asked, threads, watch, out);
        watch.release(bytes);
    }
    out.stop = watch.stop();
    return out;
}

}  // namespace sabna
