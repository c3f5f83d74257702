// Descent over blocks: a cluster changes by whole groups of variables, as long as that lowers its value f(C).
//
// A block with fewer than half of its members in the cluster enters as a whole, any other leaves; always the one that
// lowers f most, the first of equals. What a block would change depends only on the parent sets that belong to its members
// or have one of them: it is summed up over these, and anew only after a block has moved that has such a parent set, too.
// Nothing is moved to try it, so no rounding adds up, and the descent ends.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bounds/cluster_state.h"

namespace sabna {

template <int W>
class BlockDescent {
  public:
    BlockDescent(int n, const std::vector<Share<W>>& point, std::span<const VarSet<W>> blocks, int k)
        : point_(point), blocks_(blocks), k_(k), touched_(blocks.size()), near_(blocks.size()) {
        std::vector<std::vector<int>> of_variable(static_cast<std::size_t>(n));
        for (std::size_t b = 0; b < blocks.size(); ++b)
            blocks[b].for_each([&](int v) { of_variable[std::size_t(v)].push_back(int(b)); });
        for (std::size_t p = 0; blocks.size() > 0 && p < point.size(); ++p) connect(int(p), of_variable);
        for (std::vector<int>& near : near_) keep_once(near);
    }

    // Ends where no block lowers f; the cluster never falls to k members.
    void lower(ClusterState<W>& state) const {
        std::vector<double> change(blocks_.size());
        for (std::size_t b = 0; b < blocks_.size(); ++b) change[b] = change_by(b, state.cluster());
        while (!change.empty()) {
            const std::size_t best = std::size_t(std::min_element(change.begin(), change.end()) - change.begin());
            if (change[best] >= -least_fall) return;
            moved_by(best, state.cluster()).for_each([&](int v) { state.move(v); });
            for (const int b : near_[best]) change[std::size_t(b)] = change_by(std::size_t(b), state.cluster());
        }
    }

  private:
    static constexpr double least_fall = 1e-9;

    static void keep_once(std::vector<int>& numbers) {
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    }

    // Notes a parent set with the blocks that it matters to.
    void connect(int p, const std::vector<std::vector<int>>& of_variable) {
        const Share<W>& share = point_[std::size_t(p)];
        std::vector<int> concerned;
        share.parents.with(share.variable).for_each([&](int v) {
            const std::vector<int>& more = of_variable[std::size_t(v)];
            concerned.insert(concerned.end(), more.begin(), more.end());
        });
        keep_once(concerned);
        for (const int b : concerned) {
            touched_[std::size_t(b)].push_back(p);
            near_[std::size_t(b)].insert(near_[std::size_t(b)].end(), concerned.begin(), concerned.end());
        }
    }

    // Its members that enter, or that leave.
    VarSet<W> moved_by(std::size_t b, const VarSet<W>& cluster) const {
        const VarSet<W> inside = blocks_[b] & cluster;
        return 2 * inside.size() < blocks_[b].size() ? blocks_[b] - cluster : inside;
    }

    double change_by(std::size_t b, const VarSet<W>& cluster) const {
        const VarSet<W> moved = moved_by(b, cluster);
        const VarSet<W> after = moved.intersects(cluster) ? cluster - moved : cluster | moved;
        if (after.size() <= k_) return 0;
        double change = 0;
        for (const int p : touched_[b]) {
            const Share<W>& share = point_[std::size_t(p)];
            const bool before = cluster.contains(share.variable) && share.parents.size_within(cluster) < k_;
            const bool now = after.contains(share.variable) && share.parents.size_within(after) < k_;
            change += share.x * (int(now) - int(before));
        }
        return change;
    }

    const std::vector<Share<W>>& point_;
    std::span<const VarSet<W>> blocks_;
    int k_;
    std::vector<std::vector<int>> touched_;  // of each block: the parent sets that belong to its members or have one
    std::vector<std::vector<int>> near_;     // of each block: those with such a parent set in common, itself included
};

}  // namespace sabna
