#include "bounds/cluster_walk.h"

#include <algorithm>
#include <limits>
#include <random>

#include "bounds/block_descent.h"
#include "bounds/cluster_state.h"
#include "parallel.h"

namespace sabna {
namespace {

// Moves that a moved variable rests for, at least; by number and round up to so many more.
constexpr int least_rest = 5;
constexpr int more_rest = 4;
constexpr double tie = 1e-12;  // changes that differ by less are equal
constexpr double never = std::numeric_limits<double>::infinity();
// Walks from which on they are shared between threads: a millisecond.
constexpr std::size_t walks_to_share = 60;
// The chance that a block is in a union, in thousandths, is drawn from these.
constexpr int least_chance = 100;
constexpr int most_chance = 900;

template <int W>
class ClusterWalk {
  public:
    ClusterWalk(int n, const std::vector<Share<W>>& point, const WalkOptions& options)
        : n_(n), options_(options), state_(n, point, options.k), barred_(std::size_t(n)),
          least_((std::size_t(n) + ClusterState<W>::stretch - 1) / ClusterState<W>::stretch) {}

    // The deepest cut on a walk from this cluster; its violation is not positive if none is broken.
    Cut<W> from(const VarSet<W>& start) {
        state_.set(start);
        return walk({start, options_.k, 0.0});
    }

    // The same, whole blocks first.
    Cut<W> from(const VarSet<W>& start, const BlockDescent<W>& descent) {
        state_.set(start);
        descent.lower(state_);
        return walk({state_.cluster(), options_.k, state_.violation()});
    }

  private:
    Cut<W> walk(Cut<W> best) {
        std::fill(barred_.begin(), barred_.end(), 0);
        rest_.assign(least_.size() * ClusterState<W>::stretch, 0.0);
        recent_.assign(least_rest + more_rest, 0);
        const int stale = options_.stale > 0 ? options_.stale : options_.moves;
        for (int move = 1, deeper = 0; move <= options_.moves && move <= deeper + stale; ++move) {
            const int v = best_move(move);
            if (v < 0) break;
            state_.move(v);
            barred_[std::size_t(v)] = move + least_rest + (v + options_.round) % more_rest;
            recent_[std::size_t(move) % recent_.size()] = v;
            if (state_.size() > options_.k && state_.violation() > best.violation)
                best = {state_.cluster(), options_.k, state_.violation()}, deeper = move;
        }
        return best;
    }

    // The one that changes f least, of equals up to rounding the first; -1: none may move.
    int best_move(int move) {
        for (const int v : recent_) rest_[std::size_t(v)] = barred_[std::size_t(v)] >= move ? never : 0.0;
        if (state_.size() <= options_.k + 1) return best_in_turn();
        // First the least of every stretch, without a branch: which variable is best is anyone's guess.
        constexpr int stretch = ClusterState<W>::stretch;
        const double* change = state_.changes();
        const double* rest = rest_.data();
        double least = never;
        for (double& of_stretch : least_) {
            of_stretch = least_of(change, rest);
            least = lower(least, of_stretch);
            change += stretch, rest += stretch;
        }
        if (least == never) return -1;
        // The first that is equal to it; unless one before is hardly worse: rounding may chain them.
        const double equal = least + tie, near = least + 3 * tie;
        int v = 0;
        for (const double* of_stretch = least_.data(); *of_stretch > equal; ++of_stretch, v += stretch)
            if (*of_stretch <= near) return best_in_turn();
        for (; state_.change(v) + rest_[std::size_t(v)] > equal; ++v)
            if (state_.change(v) + rest_[std::size_t(v)] <= near) return best_in_turn();
        return v;
    }

    static double lower(double a, double b) { return b < a ? b : a; }  // std::min goes by address, and that is slow

    static double least_of(const double* change, const double* rest) {
        const double a = lower(change[0] + rest[0], change[1] + rest[1]);
        const double b = lower(change[2] + rest[2], change[3] + rest[3]);
        const double c = lower(change[4] + rest[4], change[5] + rest[5]);
        const double d = lower(change[6] + rest[6], change[7] + rest[7]);
        return lower(lower(a, b), lower(c, d));
    }

    // The same, each against the best before it.
    int best_in_turn() const {
        int best = -1;
        for (int v = 0; v < n_; ++v) {
            if (rest_[std::size_t(v)] > 0) continue;
            if (best >= 0 && state_.change(v) >= state_.change(best) - tie) continue;
            if (state_.size() > options_.k + 1 || !state_.cluster().contains(v)) best = v;
        }
        return best;
    }

    int n_;
    const WalkOptions& options_;
    ClusterState<W> state_;
    std::vector<int> barred_;    // of each variable: it rests until this move
    std::vector<double> rest_;   // of each variable: infinite while it rests, else 0
    std::vector<int> recent_;    // the variables moved last, as many as can rest at a time
    std::vector<double> least_;  // of each stretch of variables: the least change by one that may move
};

// Each block is in with the same chance, which is another for every union.
template <int W>
std::vector<VarSet<W>> random_unions(std::span<const VarSet<W>> blocks, const WalkOptions& options) {
    std::mt19937_64 random(std::uint64_t(options.round));  // alone, without distributions: the same everywhere
    std::vector<VarSet<W>> unions(blocks.empty() ? 0 : std::size_t(std::max(options.unions, 0)));
    for (VarSet<W>& made : unions) {
        const std::uint64_t chance = least_chance + random() % (most_chance - least_chance + 1);
        for (const VarSet<W>& block : blocks)
            if (random() % 1000 < chance) made |= block;
    }
    return unions;
}

}  // namespace

template <int W>
std::vector<Cut<W>> walk_to_cuts(int n, const std::vector<Share<W>>& point, std::span<const VarSet<W>> starts,
                                 const WalkOptions& options, std::span<const VarSet<W>> blocks) {
    std::vector<VarSet<W>> from(starts.begin(), starts.end());
    from.push_back(VarSet<W>::first(n));
    for (int v = 0; options.singles && v < n; ++v) from.push_back(VarSet<W>::single(v));
    const std::size_t plain = from.size();
    for (const VarSet<W>& made : random_unions(blocks, options))
        if (made.size() > options.k) from.push_back(made);

    const BlockDescent<W> descent(n, point, from.size() > plain ? blocks : blocks.first(0), options.k);
    const int threads = from.size() < walks_to_share ? 1 : std::max(options.threads, 1);
    std::vector<ClusterWalk<W>> walks(std::size_t(threads), ClusterWalk<W>(n, point, options));
    std::vector<Cut<W>> ends(from.size());
    Watch watch;
    for_each_block(
        threads, std::int64_t(from.size()), watch,
        [&](int thread, std::int64_t w) {
            ClusterWalk<W>& walk = walks[std::size_t(thread)];
            const VarSet<W>& start = from[std::size_t(w)];
            ends[std::size_t(w)] = std::size_t(w) < plain ? walk.from(start) : walk.from(start, descent);
        },
        [] { return true; });
    std::erase_if(ends, [&](const Cut<W>& cut) {
        return cut.violation <= options.least_violation || cut.set.size() <= options.k;
    });
    keep_deepest(ends, options.most);
    return ends;
}

#define SABNA_INSTANTIATE(W)                                                                                    \
    template std::vector<Cut<W>> walk_to_cuts<W>(int, const std::vector<Share<W>>&, std::span<const VarSet<W>>, \
                                                 const WalkOptions&, std::span<const VarSet<W>>);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
