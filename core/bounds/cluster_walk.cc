#include "bounds/cluster_walk.h"

#include <algorithm>

#include "bounds/cluster_state.h"

namespace sabna {
namespace {

// Moves that a moved variable rests for, at least; by number and round up to so many more.
constexpr int least_rest = 5;
constexpr int more_rest = 4;

template <int W>
class ClusterWalk {
  public:
    ClusterWalk(int n, const std::vector<Share<W>>& point, const WalkOptions& options)
        : n_(n), options_(options), state_(n, point, options.k), barred_(std::size_t(n)) {}

    // The deepest cut on a walk from this cluster; its violation is not positive if none is broken.
    Cut<W> from(const VarSet<W>& start) {
        const int k = options_.k;
        state_.set(start);
        std::fill(barred_.begin(), barred_.end(), 0);
        Cut<W> best{start, k, 0.0};
        for (int move = 1; move <= options_.moves; ++move) {
            const int v = best_move(move);
            if (v < 0) break;
            state_.move(v);
            barred_[std::size_t(v)] = move + least_rest + (v + options_.round) % more_rest;
            if (state_.size() > k && state_.violation() > best.violation)
                best = {state_.cluster(), k, state_.violation()};
        }
        return best;
    }

  private:
    int best_move(int move) const {
        int best = -1;
        for (int v = 0; v < n_; ++v) {
            if (barred_[std::size_t(v)] >= move) continue;
            if (best >= 0 && state_.change(v) >= state_.change(best) - 1e-12) continue;
            if (state_.size() > options_.k + 1 || !state_.cluster().contains(v)) best = v;
        }
        return best;
    }

    int n_;
    const WalkOptions& options_;
    ClusterState<W> state_;
    std::vector<int> barred_;  // of each variable: it rests until this move
};

}  // namespace

template <int W>
std::vector<Cut<W>> walk_to_cuts(int n, const std::vector<Share<W>>& point, std::span<const VarSet<W>> starts,
                                 const WalkOptions& options) {
    ClusterWalk<W> walk(n, point, options);
    std::vector<Cut<W>> found;
    const auto note = [&](const VarSet<W>& start) {
        const Cut<W> cut = walk.from(start);
        if (cut.violation > options.least_violation && cut.set.size() > options.k) found.push_back(cut);
    };
    for (const VarSet<W>& start : starts) note(start);
    note(VarSet<W>::first(n));
    for (int v = 0; v < n; ++v) note(VarSet<W>::single(v));
    keep_deepest(found, options.most);
    return found;
}

#define SABNA_INSTANTIATE(W)                                                                                    \
    template std::vector<Cut<W>> walk_to_cuts<W>(int, const std::vector<Share<W>>&, std::span<const VarSet<W>>, \
                                                 const WalkOptions&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
