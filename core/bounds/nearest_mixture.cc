#include "bounds/nearest_mixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "bounds/growing_cholesky.h"

namespace sabna {

namespace {

// Squared distances below this are none, and so are gains of the nearest point below this share of it.
constexpr double next_to = 1e-3;
constexpr double no_nearer = 0.05;
// Networks with less leave the mixture.
constexpr double no_share = 1e-9;

// The networks of a mixture, as points less the point that is to be near.
class Mixture {
  public:
    Mixture(const GroupFamilies& families, const std::vector<double>& point) : size_(families.size), point_(point) {
        for (const double x : point) square_ += x * x;
    }

    bool contains(const GroupNetwork& network) const {
        return std::any_of(networks_.begin(), networks_.end(), [&](const GroupNetwork& other) {
            return std::equal(other.begin(), other.begin() + size_, network.begin());
        });
    }

    void add(const GroupNetwork& network, double share) {
        networks_.push_back(network), share_.push_back(share);
        double along = 0;
        for (int i = 0; i < size_; ++i) along += point_[std::size_t(network[std::size_t(i)])];
        along_.push_back(along);
        std::vector<double> row;
        for (std::size_t other = 0; other < networks_.size(); ++other)
            row.push_back(product(networks_.size() - 1, other) + 1);
        factor_.add(std::move(row));
    }

    // The mixture less the point.
    std::vector<double> towards() const {
        std::vector<double> y(point_.size());
        for (std::size_t f = 0; f < y.size(); ++f) y[f] = -point_[f];
        for (std::size_t q = 0; q < networks_.size(); ++q)
            for (int i = 0; i < size_; ++i) y[std::size_t(networks_[q][std::size_t(i)])] += share_[q];
        return y;
    }

    // Go to the nearest point of the plane through all networks, or as far as no share is negative; networks without a
    // share leave, and again until the nearest point of the plane is a mixture.
    void settle() {
        for (;;) {
            const std::vector<double> flat = nearest_of_plane();
            double step = 1;
            for (std::size_t q = 0; q < flat.size(); ++q)
                if (flat[q] <= no_share) step = std::min(step, share_[q] / (share_[q] - flat[q]));
            double sum = 0;
            for (std::size_t q = 0; q < flat.size(); ++q)
                sum += share_[q] = std::max(0.0, step * flat[q] + (1 - step) * share_[q]);
            for (double& share : share_) share /= sum;
            if (step >= 1 || !drop_empty()) return;
        }
    }

  private:
    double product(std::size_t a, std::size_t b) const {
        int same = 0;
        for (std::size_t i = 0; i < std::size_t(size_); ++i) same += networks_[a][i] == networks_[b][i];
        return same - along_[a] - along_[b] + square_;
    }

    bool drop_empty() {
        bool any = false;
        for (std::size_t q = networks_.size(); q-- > 0;) {
            if (share_[q] > no_share || networks_.size() == 1) continue;
            const auto at = std::ptrdiff_t(q);
            networks_.erase(networks_.begin() + at), share_.erase(share_.begin() + at),
                along_.erase(along_.begin() + at);
            factor_.remove(q);
            any = true;
        }
        return any;
    }

    // Shares with sum 1, perhaps negative ones: the solution of (products + 1) share = 1, scaled (Wolfe 1976).
    std::vector<double> nearest_of_plane() const {
        std::vector<double> share = factor_.solved_for_ones();
        double sum = 0;
        for (const double s : share) sum += s;
        for (double& s : share) s /= sum;
        return share;
    }

    int size_;
    const std::vector<double>& point_;
    double square_ = 0;
    std::vector<GroupNetwork> networks_;
    std::vector<double> share_, along_;
    GrowingCholesky factor_;  // of products + 1
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t f = 0; f < a.size(); ++f) sum += a[f] * b[f];
    return sum;
}

}  // namespace

template <class T>
LeastNetwork<T>::LeastNetwork(const GroupFamilies& families)
    : families_(families), lanes_(families.size <= 8 ? 8 : 16), total_(std::size_t{1} << families.size),
      fit_(total_.size() * lanes_) {}

// Every set has room for what its subsets have.
template <class T>
template <std::size_t lanes>
void LeastNetwork<T>::spread() {
    const std::size_t subsets = total_.size();
    for (std::size_t bit = 1; bit < subsets; bit <<= 1)
        for (std::size_t set = bit; set < subsets; set = (set + 1) | bit) {
            const T* __restrict less = fit_.data() + (set - bit) * lanes;
            T* __restrict more = fit_.data() + set * lanes;
#pragma omp simd
            for (std::size_t lane = 0; lane < lanes; ++lane)
                more[lane] = less[lane] < more[lane] ? less[lane] : more[lane];
        }
}

template <class T>
T LeastNetwork<T>::find(const std::vector<T>& cost, GroupNetwork& network) {
    const std::size_t subsets = total_.size();
    constexpr T never = std::numeric_limits<T>::max() / 16;
    T* fits = fit_.data();
#pragma omp simd
    for (std::size_t at = 0; at < fit_.size(); ++at) fits[at] = never;
    for (std::size_t i = 0; i < std::size_t(families_.size); ++i)
        for (int f = families_.start[i]; f < families_.start[i + 1]; ++f) {
            T& fit = fit_[families_.mask[std::size_t(f)] * lanes_ + i];
            fit = std::min(fit, cost[std::size_t(f)]);
        }
    if (lanes_ == 8) spread<8>();
    else spread<16>();
    total_[0] = 0;
    for (std::size_t set = 1; set < subsets; ++set) {
        T least = never;
        for (std::size_t left = set; left; left &= left - 1) {  // who comes last
            const std::size_t before = set & ~(left & -left);
            least = std::min(least, total_[before] + fit_[before * lanes_ + std::size_t(std::countr_zero(left))]);
        }
        total_[set] = least;
    }
    // Backwards: whose step led here, and the family that it was.
    for (std::size_t set = subsets - 1; set;) {
        std::size_t i = 0, before = set;
        for (;; ++i) {
            before = set & ~(std::size_t{1} << i);
            if (before != set && total_[before] + fit_[before * lanes_ + i] == total_[set]) break;
        }
        const T wanted = fit_[before * lanes_ + i];
        for (int f = families_.start[i];; ++f)
            if ((families_.mask[std::size_t(f)] & ~before) == 0 && cost[std::size_t(f)] == wanted) {
                network[i] = f;
                break;
            }
        set = before;
    }
    return total_[subsets - 1];
}

template class LeastNetwork<double>;
template class LeastNetwork<std::int64_t>;

std::vector<double> towards_nearest_mixture(const GroupFamilies& families, const std::vector<double>& point,
                                            int most_steps) {
    Mixture mixture(families, point);
    LeastNetwork<double> least(families);
    GroupNetwork network{};
    std::vector<double> y(point.size());
    for (std::size_t f = 0; f < y.size(); ++f) y[f] = -point[f];
    least.find(y, network);
    mixture.add(network, 1);
    for (int step = 0; step < most_steps; ++step) {
        y = mixture.towards();
        const double square = dot(y, y);
        if (square < next_to) return {};
        if (least.find(y, network) - dot(y, point) >= square * (1 - no_nearer)) break;
        if (mixture.contains(network)) break;
        mixture.add(network, 0);
        mixture.settle();
    }
    return y;
}

}  // namespace sabna
