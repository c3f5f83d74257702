#include "bounds/separation.h"

#include <algorithm>

namespace sabna {
namespace {

// A cluster grows to at most this many members: cuts of larger ones are dense, weak and slow down the program.
constexpr int largest_cluster = 24;
// Moves of one start: by the size of the component, and at most; and how long a moved variable rests.
constexpr int moves_per_member = 3;
constexpr int most_moves = 90;
constexpr int tenure = 4;

template <int W>
class ClusterSearch {
  public:
    ClusterSearch(int n, const std::vector<Share<W>>& point, int k, double least)
        : n_(n), point_(point), k_(k), least_(least), delta_(std::size_t(n)) {}

    // Tabu search: always the best move, entering or leaving, of a variable that has not moved lately.
    void from(VarSet<W> cluster, const VarSet<W>& within) {
        std::vector<int> barred(std::size_t(n_), 0);  // until this move
        int size = cluster.size();
        const int moves = std::min(moves_per_member * within.size(), most_moves);
        for (int move = 1; move <= moves; ++move) {
            const double f = measure(cluster);
            if (size > k_ && f < k_ - least_) found_.push_back({cluster, k_, k_ - f});
            int best = -1;
            within.for_each([&](int v) {
                if (barred[std::size_t(v)] >= move) return;
                if (cluster.contains(v) ? size <= k_ + 1 : size >= largest_cluster) return;
                if (best < 0 || delta_[std::size_t(v)] < delta_[std::size_t(best)] - 1e-12) best = v;
            });
            if (best < 0) return;
            barred[std::size_t(best)] = move + tenure + best % 3;
            if (cluster.contains(best)) cluster.erase(best), --size;
            else cluster.insert(best), ++size;
        }
    }

    std::vector<Cut<W>> found() { return std::move(found_); }

  private:
    // f(C), and in delta_ how it changes when one variable enters or leaves.
    double measure(const VarSet<W>& cluster) {
        std::fill(delta_.begin(), delta_.end(), 0.0);
        double f = 0;
        for (const Share<W>& share : point_) {
            const VarSet<W> inside = share.parents & cluster;
            const int count = inside.size();
            double& own = delta_[std::size_t(share.variable)];
            if (!cluster.contains(share.variable)) {
                if (count < k_) own += share.x;
                continue;
            }
            if (count < k_) f += share.x, own -= share.x;
            if (count == k_ - 1) (share.parents - cluster).for_each([&](int v) { delta_[std::size_t(v)] -= share.x; });
            if (count == k_) inside.for_each([&](int v) { delta_[std::size_t(v)] += share.x; });
        }
        return f;
    }

    int n_;
    const std::vector<Share<W>>& point_;
    int k_;
    double least_;
    std::vector<double> delta_;
    std::vector<Cut<W>> found_;
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
std::vector<Cut<W>> separate(int n, const std::vector<Share<W>>& point, int k, double least_violation,
                             std::size_t most) {
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
        if (component.size() <= k) continue;

        std::vector<Share<W>> local;
        std::vector<VarSet<W>> linked(static_cast<std::size_t>(n));
        for (const Share<W>& share : point) {
            if (!component.contains(share.variable)) continue;
            local.push_back({share.variable, share.parents & component, share.x});
            linked[std::size_t(share.variable)] |= local.back().parents;
        }
        ClusterSearch<W> search(n, local, k, least_violation);
        component.for_each([&](int i) {
            search.from(VarSet<W>::single(i), component);
            linked[std::size_t(i)].for_each([&](int j) {
                if (j > i && linked[std::size_t(j)].contains(i)) search.from(VarSet<W>::single(i).with(j), component);
            });
        });
        for (Cut<W>& cut : search.found()) found.push_back(cut);
    }
    std::sort(found.begin(), found.end(), [](const Cut<W>& a, const Cut<W>& b) { return a.set < b.set; });
    found.erase(
        std::unique(found.begin(), found.end(), [](const Cut<W>& a, const Cut<W>& b) { return a.set == b.set; }),
        found.end());
    std::sort(found.begin(), found.end(), [](const Cut<W>& a, const Cut<W>& b) {
        if (a.violation != b.violation) return a.violation > b.violation;
        if (a.set.size() != b.set.size()) return a.set.size() < b.set.size();
        return a.set < b.set;
    });
    if (found.size() > most) found.resize(most);
    return found;
}

#define SABNA_INSTANTIATE(W) \
    template std::vector<Cut<W>> separate<W>(int, const std::vector<Share<W>>&, int, double, std::size_t);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
