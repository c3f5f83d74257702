// A cluster on the move: its value f(C) at a fractional point (bounds/separation.h), kept up to date.
//
// A move, a variable that enters or leaves, changes f and what other moves would change it by at those parent sets alone
// that belong to the variable or have it: some hundred operations, whatever the sizes of point and cluster.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bounds/separation.h"

namespace sabna {

template <int W>
class ClusterState {
  public:
    static constexpr int stretch = 8;  // variables that are looked at together

    ClusterState(int n, const std::vector<Share<W>>& point, int k)
        : point_(point), k_(k), own_(std::size_t(n)), having_(std::size_t(n)), inside_(point.size()),
          delta_(std::size_t((n + stretch - 1) / stretch * stretch), std::numeric_limits<double>::infinity()) {
        for (std::size_t p = 0; p < point.size(); ++p) {
            own_[std::size_t(point[p].variable)].push_back(int(p));
            point[p].parents.for_each([&](int v) { having_[std::size_t(v)].push_back(int(p)); });
        }
    }

    void set(const VarSet<W>& cluster) {
        cluster_ = cluster, size_ = cluster.size(), f_ = 0;
        std::fill_n(delta_.begin(), own_.size(), 0.0);
        for (std::size_t p = 0; p < point_.size(); ++p) {
            inside_[p] = point_[p].parents.size_within(cluster_);
            if (cluster_.contains(point_[p].variable) && inside_[p] < k_) f_ += point_[p].x;
            count(int(p), 1.0);
        }
    }

    void move(int v) {
        f_ += delta_[std::size_t(v)];
        for (const int p : own_[std::size_t(v)]) count(p, -1.0);
        for (const int p : having_[std::size_t(v)]) count(p, -1.0);
        const int step = cluster_.contains(v) ? -1 : 1;
        if (step > 0) cluster_.insert(v);
        else cluster_.erase(v);
        size_ += step;
        for (const int p : having_[std::size_t(v)]) inside_[std::size_t(p)] += step;
        for (const int p : own_[std::size_t(v)]) count(p, 1.0);
        for (const int p : having_[std::size_t(v)]) count(p, 1.0);
    }

    const VarSet<W>& cluster() const { return cluster_; }
    int size() const { return size_; }
    double f() const { return f_; }
    double change(int v) const { return delta_[std::size_t(v)]; }  // of f, if v enters or leaves
    // Of each variable what it would change, as above, and infinity for numbers from n on up to a multiple of `stretch`.
    const double* changes() const { return delta_.data(); }
    // k - f(C), to nine digits: the rounding of the moves so far must not order cuts that are equally deep.
    double violation() const { return std::round((k_ - f_) * 1e9) * 1e-9; }

  private:
    // Adds what a parent set has to do with moves, its own variable's and its members', or with -1 takes it back.
    void count(int p, double sign) {
        const Share<W>& share = point_[std::size_t(p)];
        const int inside = inside_[std::size_t(p)];
        const double x = sign * share.x;
        const bool member = cluster_.contains(share.variable);
        if (inside < k_) delta_[std::size_t(share.variable)] += member ? -x : x;
        if (!member) return;
        if (inside == k_) (share.parents & cluster_).for_each([&](int v) { delta_[std::size_t(v)] += x; });
        if (inside == k_ - 1) (share.parents - cluster_).for_each([&](int v) { delta_[std::size_t(v)] -= x; });
    }

    const std::vector<Share<W>>& point_;
    int k_;
    std::vector<std::vector<int>> own_, having_;  // of each variable: its parent sets, and those that it is in
    std::vector<int> inside_;                     // of each parent set: members in the cluster
    std::vector<double> delta_;
    VarSet<W> cluster_;
    int size_ = 0;
    double f_ = 0;
};

}  // namespace sabna
