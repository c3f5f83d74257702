#include "bounds/separation.h"

#include <algorithm>

#include "bounds/cluster_state.h"
#include "parallel.h"

namespace sabna {
namespace {

// Moves of one start: by the size of the component, and at most.
constexpr int moves_per_member = 3;
constexpr int most_moves = 90;
// Starts in a component from which on they are shared between threads: some milliseconds.
constexpr std::size_t starts_to_share = 60;

template <int W>
class ClusterSearch {
  public:
    ClusterSearch(int n, const std::vector<Share<W>>& point, const SeparationOptions& options)
        : options_(options), state_(n, point, options.k), barred_(std::size_t(n)) {}

    // Tabu search: always the best move, entering or leaving, of a variable that has not moved lately.
    std::vector<Cut<W>> from(const VarSet<W>& start, const VarSet<W>& within) {
        std::vector<Cut<W>> found;
        state_.set(start);
        std::fill(barred_.begin(), barred_.end(), 0);
        const int k = options_.k, moves = std::min(moves_per_member * within.size(), most_moves);
        for (int move = 1; move <= moves; ++move) {
            note(found);
            int best = -1;
            within.for_each([&](int v) {
                if (barred_[std::size_t(v)] >= move) return;
                if (state_.cluster().contains(v) ? state_.size() <= k + 1 : state_.size() >= options_.largest) return;
                if (best < 0 || state_.change(v) < state_.change(best) - 1e-12) best = v;
            });
            if (best < 0) break;
            barred_[std::size_t(best)] = move + options_.rest + best % 3;
            state_.move(best);
        }
        return found;
    }

  private:
    void note(std::vector<Cut<W>>& found) const {
        if (state_.size() <= options_.k || state_.f() >= options_.k - options_.least_violation) return;
        const Cut<W> cut{state_.cluster(), options_.k, state_.violation()};
        if (!options_.one_of_each_start || found.empty()) found.push_back(cut);
        else if (cut.violation > found.front().violation) found.front() = cut;
    }

    const SeparationOptions& options_;
    ClusterState<W> state_;
    std::vector<int> barred_;  // of each variable: it rests until this move
};

// reach[i]: everything i can be reached from through the support, i included.
template <int W>
std::vector<VarSet<W>> ancestors(int n, const std::vector<Share<W>>& point) {
    std::vector<VarSet<W>> reach(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) reach[std::size_t(i)].insert(i);
    for (const Share<W>& share : point) reach[std::size_t(share.variable)] |= share.parents;
    for (int via = 0; via < n; ++via)  // Warshall
        for (int i = 0; i < n; ++i)
            if (reach[std::size_t(i)].contains(via)) reach[std::size_t(i)] |= reach[std::size_t(via)];
    return reach;
}

}  // namespace

template <int W>
void keep_deepest(std::vector<Cut<W>>& cuts, std::size_t most) {
    std::sort(cuts.begin(), cuts.end(), [](const Cut<W>& a, const Cut<W>& b) { return a.set < b.set; });
    cuts.erase(std::unique(cuts.begin(), cuts.end(), [](const Cut<W>& a, const Cut<W>& b) { return a.set == b.set; }),
               cuts.end());
    std::sort(cuts.begin(), cuts.end(), [](const Cut<W>& a, const Cut<W>& b) {
        if (a.violation != b.violation) return a.violation > b.violation;
        if (a.set.size() != b.set.size()) return a.set.size() < b.set.size();
        return a.set < b.set;
    });
    if (cuts.size() > most) cuts.resize(most);
}

template <int W>
std::vector<Cut<W>> separate(int n, const std::vector<Share<W>>& point, const SeparationOptions& options,
                             Watch& watch) {
    const std::vector<VarSet<W>> reach = ancestors(n, point);
    std::vector<Cut<W>> found;
    VarSet<W> done;
    for (int root = 0; root < n; ++root) {
        if (done.contains(root)) continue;
        VarSet<W> component;
        reach[std::size_t(root)].for_each([&](int v) {
            if (reach[std::size_t(v)].contains(root)) component.insert(v);
        });
        done |= component;
        if (component.size() <= options.k) continue;

        std::vector<Share<W>> local;
        std::vector<VarSet<W>> linked(static_cast<std::size_t>(n));
        for (const Share<W>& share : point) {
            if (!component.contains(share.variable)) continue;
            local.push_back({share.variable, share.parents & component, share.x});
            linked[std::size_t(share.variable)] |= local.back().parents;
        }
        std::vector<VarSet<W>> starts;
        component.for_each([&](int i) {
            starts.push_back(VarSet<W>::single(i));
            linked[std::size_t(i)].for_each([&](int j) {
                if (j <= i || !linked[std::size_t(j)].contains(i)) return;
                if ((7 * i + j + options.turn) % options.pair_turns == 0)
                    starts.push_back(VarSet<W>::single(i).with(j));
            });
        });
        const int shared = starts.size() < starts_to_share ? 1 : options.threads;
        std::vector<ClusterSearch<W>> searches(std::size_t(shared), ClusterSearch<W>(n, local, options));
        std::vector<std::vector<Cut<W>>> of_start(starts.size());
        for_each_block(
            shared, std::int64_t(starts.size()), watch,
            [&](int thread, std::int64_t s) {
                of_start[std::size_t(s)] = searches[std::size_t(thread)].from(starts[std::size_t(s)], component);
            },
            [] { return true; });
        for (const std::vector<Cut<W>>& cuts : of_start) found.insert(found.end(), cuts.begin(), cuts.end());
    }
    keep_deepest(found, options.most);
    return found;
}

#define SABNA_INSTANTIATE(W)                                                                                       \
    template std::vector<Cut<W>> separate<W>(int, const std::vector<Share<W>>&, const SeparationOptions&, Watch&); \
    template void keep_deepest<W>(std::vector<Cut<W>>&, std::size_t);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
