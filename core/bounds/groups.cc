#include "bounds/groups.h"

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

int group_count(int n, int largest) { return std::max(1, (n + largest - 1) / largest); }

// Whether the members of a cluster are in several groups.
bool divided(const std::vector<int>& members, const std::vector<int>& group_of) {
    for (const int v : members)
        if (group_of[std::size_t(v)] != group_of[std::size_t(members[0])]) return true;
    return false;
}

// Local search over the partitions of n variables; a cluster is the list of its members.
class GroupSearch {
  public:
    GroupSearch(int n, const std::vector<std::vector<int>>& clusters, const std::vector<double>& weight, int groups,
                int largest)
        : n_(n), groups_(groups), largest_(largest), clusters_(clusters), weight_(weight), of_(std::size_t(n)),
          size_(std::size_t(groups)) {
        for (std::size_t c = 0; c < clusters.size(); ++c)
            for (const int v : clusters[c]) of_[std::size_t(v)].push_back(c);
    }

    // `best`: the group of each variable.
    double run(std::mt19937_64& random, std::vector<int>& best, double best_cut) {
        deal(random);
        for (int pass = 0; pass < most_passes(n_) && improve(); ++pass) {}
        double cut = 0;
        for (std::size_t c = 0; c < clusters_.size(); ++c)
            if (crosses(c)) cut += weight_[c];
        if (cut < best_cut) best = group_, best_cut = cut;
        return best_cut;
    }

  private:
    void deal(std::mt19937_64& random) {
        std::vector<int> order(static_cast<std::size_t>(n_));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
        group_.assign(std::size_t(n_), 0);
        size_.assign(std::size_t(groups_), 0);
        size_[0] = n_;
        for (int k = 0; k < n_; ++k) put(order[std::size_t(k)], k % groups_);
    }

    void put(int v, int g) {
        --size_[std::size_t(group_[std::size_t(v)])];
        group_[std::size_t(v)] = g;
        ++size_[std::size_t(g)];
    }

    bool crosses(std::size_t c) const { return divided(clusters_[c], group_); }

    // What the clusters of v (and of u, where it is not -1) that cross weigh; those of both count once.
    double cut(int v, int u) const {
        double sum = 0;
        for (std::size_t c : of_[std::size_t(v)])
            if (crosses(c)) sum += weight_[c];
        if (u >= 0)
            for (std::size_t c : of_[std::size_t(u)])
                if (!std::binary_search(clusters_[c].begin(), clusters_[c].end(), v) && crosses(c)) sum += weight_[c];
        return sum;
    }

    bool improve() {
        bool any = false;
        for (int v = 0; v < n_; ++v) {
            for (int g = 0; g < groups_; ++g)
                if (g != group_[std::size_t(v)] && size_[std::size_t(g)] < largest_) any |= try_change(v, -1, g);
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
    const std::vector<std::vector<int>>& clusters_;
    const std::vector<double>& weight_;
    std::vector<std::vector<std::size_t>> of_;  // the clusters of a variable
    std::vector<int> group_, size_;             // of each variable; of each group
};

// The group of each variable, for every partition; see `choose_groups`.
std::vector<std::vector<int>> choose(int n, const std::vector<std::vector<int>>& clusters, std::vector<double> weight,
                                     int largest, int count, std::uint64_t seed) {
    const int groups = group_count(n, largest);
    if (groups == 1) return {std::vector<int>(std::size_t(n), 0)};
    std::vector<std::vector<int>> result;
    std::mt19937_64 random(seed);
    for (int t = 0; t < count; ++t) {
        GroupSearch search(n, clusters, weight, groups, largest);
        std::vector<int> best;
        double cut = 1e300;
        for (int start = 0; start < starts(n); ++start) cut = search.run(random, best, cut);
        for (std::size_t c = 0; c < clusters.size(); ++c)
            if (divided(clusters[c], best)) weight[c] *= 2;
        if (std::find(result.begin(), result.end(), best) == result.end()) result.push_back(best);
    }
    return result;
}

}  // namespace

template <int W>
std::vector<Groups<W>> choose_groups(int n, const std::vector<Cluster<W>>& clusters, int largest, int count,
                                     std::uint64_t seed) {
    std::vector<std::vector<int>> members;
    std::vector<double> weight;
    for (const Cluster<W>& c : clusters)
        members.push_back(c.set.members()), weight.push_back(double(c.k) * double(c.y));
    std::vector<Groups<W>> result;
    for (const std::vector<int>& group_of : choose(n, members, std::move(weight), largest, count, seed)) {
        Groups<W> groups(std::size_t(group_count(n, largest)));
        for (int v = 0; v < n; ++v) groups[std::size_t(group_of[std::size_t(v)])].insert(v);
        result.push_back(std::move(groups));
    }
    return result;
}

template <int W>
void check_groups(int n, const Groups<W>& partition) {
    VarSet<W> covered;
    int members = 0;
    for (const VarSet<W>& group : partition) covered |= group, members += group.size();
    if (members != n || !(covered == VarSet<W>::first(n)))
        throw std::invalid_argument("partition: groups must be disjoint and cover all variables");
}

template <int W>
std::vector<Cluster<W>> crossing_clusters(const std::vector<Cluster<W>>& clusters, const Groups<W>& partition) {
    std::vector<Cluster<W>> result;
    for (const Cluster<W>& c : clusters) {
        const bool whole =
            std::any_of(partition.begin(), partition.end(), [&](const VarSet<W>& g) { return c.set.subset_of(g); });
        if (!whole && c.y > 0) result.push_back(c);
    }
    return result;
}

#define SABNA_INSTANTIATE(W)                                                                                        \
    template std::vector<Groups<W>> choose_groups<W>(int, const std::vector<Cluster<W>>&, int, int, std::uint64_t); \
    template void check_groups<W>(int, const Groups<W>&);                                                           \
    template std::vector<Cluster<W>> crossing_clusters<W>(const std::vector<Cluster<W>>&, const Groups<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
