#include "bounds/partition.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace sabna {
namespace {

// Random starts per partition, and how often a pass over all moves may be repeated: the first bring nearly all. A pass takes
// n^2 looks, so that many variables get fewer.
constexpr int starts(int n) { return n <= 66 ? 6 : 1; }
constexpr int most_passes(int n) { return n <= 66 ? 30 : 3; }

template <int W>
class Search {
  public:
    Search(int n, const std::vector<Cluster<W>>& clusters, const std::vector<double>& weight, int groups, int largest)
        : n_(n), groups_(groups), largest_(largest), clusters_(clusters), weight_(weight), of_(std::size_t(n)) {
        for (std::size_t c = 0; c < clusters.size(); ++c)
            clusters[c].set.for_each([&](int v) { of_[std::size_t(v)].push_back(c); });
    }

    double run(std::mt19937_64& random, Partition<W>& best, double best_cut) {
        deal(random);
        for (int pass = 0; pass < most_passes(n_) && improve(); ++pass) {}
        double cut = 0;
        for (std::size_t c = 0; c < clusters_.size(); ++c)
            if (crosses(c)) cut += weight_[c];
        if (cut < best_cut) best = sets_, best_cut = cut;
        return best_cut;
    }

  private:
    void deal(std::mt19937_64& random) {
        std::vector<int> order(static_cast<std::size_t>(n_));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
        sets_.assign(std::size_t(groups_), {});
        group_.assign(std::size_t(n_), 0);
        for (int k = 0; k < n_; ++k) put(order[std::size_t(k)], k % groups_);
    }

    void put(int v, int g) {
        sets_[std::size_t(group_[std::size_t(v)])].erase(v);
        group_[std::size_t(v)] = g;
        sets_[std::size_t(g)].insert(v);
    }

    bool crosses(std::size_t c) const {
        const int v = clusters_[c].set.lowest();
        return !clusters_[c].set.subset_of(sets_[std::size_t(group_[std::size_t(v)])]);
    }

    // What the clusters of v (and of u, where it is not -1) that cross weigh; those of both count once.
    double cut(int v, int u) const {
        double sum = 0;
        for (std::size_t c : of_[std::size_t(v)]) if (crosses(c)) sum += weight_[c];
        if (u >= 0)
            for (std::size_t c : of_[std::size_t(u)])
                if (!clusters_[c].set.contains(v) && crosses(c)) sum += weight_[c];
        return sum;
    }

    bool improve() {
        bool any = false;
        for (int v = 0; v < n_; ++v) {
            for (int g = 0; g < groups_; ++g)
                if (g != group_[std::size_t(v)] && sets_[std::size_t(g)].size() < largest_) any |= try_change(v, -1, g);
            for (int u = v + 1; u < n_; ++u)
                if (group_[std::size_t(u)] != group_[std::size_t(v)]) any |= try_change(v, u, group_[std::size_t(u)]);
        }
        return any;
    }

    // Move v to group g, and u, if there is one, to where v was; undone unless it pays.
    bool try_change(int v, int u, int g) {
        const int from = group_[std::size_t(v)];
        const double before = cut(v, u);
        if (before == 0) return false;
        put(v, g);
        if (u >= 0) put(u, from);
        if (cut(v, u) < before * (1 - 1e-9)) return true;
        put(v, from);
        if (u >= 0) put(u, g);
        return false;
    }

    int n_, groups_, largest_;
    const std::vector<Cluster<W>>& clusters_;
    const std::vector<double>& weight_;
    std::vector<std::vector<std::size_t>> of_;
    Partition<W> sets_;
    std::vector<int> group_;
};

}  // namespace

template <int W>
std::vector<Partition<W>> choose_partitions(int n, const std::vector<Cluster<W>>& clusters, int largest, int count,
                                            std::uint64_t seed) {
    const int groups = std::max(1, (n + largest - 1) / largest);
    std::vector<Partition<W>> result;
    if (groups == 1) return {Partition<W>{VarSet<W>::first(n)}};
    std::mt19937_64 random(seed);
    std::vector<double> weight;
    for (const Cluster<W>& c : clusters) weight.push_back(double(c.k) * double(c.y));
    for (int t = 0; t < count; ++t) {
        Search<W> search(n, clusters, weight, groups, largest);
        Partition<W> best;
        double cut = 1e300;
        for (int start = 0; start < starts(n); ++start) cut = search.run(random, best, cut);
        for (std::size_t c = 0; c < clusters.size(); ++c) {
            const bool whole = std::any_of(best.begin(), best.end(),
                                           [&](const VarSet<W>& g) { return clusters[c].set.subset_of(g); });
            if (!whole) weight[c] *= 2;
        }
        if (std::find(result.begin(), result.end(), best) == result.end()) result.push_back(best);
    }
    return result;
}

template <int W>
void check_partition(int n, const Partition<W>& partition) {
    VarSet<W> covered;
    int members = 0;
    for (const VarSet<W>& group : partition) covered |= group, members += group.size();
    if (members != n || !(covered == VarSet<W>::first(n)))
        throw std::invalid_argument("partition: groups must be disjoint and cover all variables");
}

template <int W>
std::vector<Cluster<W>> crossing_clusters(const std::vector<Cluster<W>>& clusters, const Partition<W>& partition) {
    std::vector<Cluster<W>> result;
    for (const Cluster<W>& c : clusters) {
        const bool whole =
            std::any_of(partition.begin(), partition.end(), [&](const VarSet<W>& g) { return c.set.subset_of(g); });
        if (!whole && c.y > 0) result.push_back(c);
    }
    return result;
}

#define SABNA_INSTANTIATE(W)                                                                                      \
    template std::vector<Partition<W>> choose_partitions<W>(int, const std::vector<Cluster<W>>&, int, int,        \
                                                            std::uint64_t);                                       \
    template void check_partition<W>(int, const Partition<W>&);                                                   \
    template std::vector<Cluster<W>> crossing_clusters<W>(const std::vector<Cluster<W>>&, const Partition<W>&);
SABNA_INSTANTIATE(1)
SABNA_INSTANTIATE(2)
SABNA_INSTANTIATE(4)
SABNA_INSTANTIATE(8)
#undef SABNA_INSTANTIATE

}  // namespace sabna
