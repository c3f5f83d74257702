#include "gaussian/gaussian_build.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "gaussian/gaussian_lattice.h"
#include "parallel.h"
#include "parents/slack.h"

namespace sabna {

template <int W>
GaussianBuilt build_gaussian(const GaussianScore& score, const KnowledgeView<W>& knowledge, std::int64_t slack, int threads,
                             Watch& watch, ParentGraphData<W>& out) {
    const int n = score.n();
    std::vector<std::vector<ScoredSet<W>>> lists(static_cast<std::size_t>(n));
    std::atomic<std::int64_t> evaluated{0};
    parallel_tasks(n, threads, watch, "parent graph", evaluated, [&](int child) {
        GaussianLattice<W> lattice(score, child, knowledge, double(slack) / quanta_per_nat, watch, evaluated);
        auto& list = lists[std::size_t(child)];
        for (const VarSet<W>& set : lattice.candidates()) {
            std::vector<int> parents;
            set.for_each([&](int v) { parents.push_back(v); });
            list.push_back({score.cost(child, parents), set});
        }
        keep_within(list, n, slack);
    });
    for (auto& list : lists) {
        for (const auto& s : list) out.costs.push_back(s.cost), out.sets.push_back(s.set);
        out.offsets.push_back(std::int64_t(out.sets.size()));
    }
    return {watch.stop(), evaluated.load()};
}

#define SABNA_FOR(W)                                                                                             \
    template GaussianBuilt build_gaussian(const GaussianScore&, const KnowledgeView<W>&, std::int64_t, int, Watch&, \
                                          ParentGraphData<W>&);
SABNA_FOR(1)
SABNA_FOR(2)
SABNA_FOR(4)
SABNA_FOR(8)
#undef SABNA_FOR

}  // namespace sabna
