// Windows: the best order of some consecutive variables of an order, everything outside in its place.
//
// What comes before the window is available to all of it, what comes after to none; so its w variables are a problem of
// their own, solved by one table over their 2^w subsets. For every member, the ranks (positions in its list) of the
// best sets inside each subset come from a zeta transform; ranks are as good as costs, for lists ascend, and half as long.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/order_climber.h"

namespace sabna {

template <int W>
class OrderWindow {
  public:
    OrderWindow(MovingFits<W>& fits, int width)
        : fits_(fits), width_(width), rank_(std::size_t(width) << width), least_(std::size_t{1} << width) {}
    int width() const { return width_; }
    static std::uint64_t bytes(int width) { return (std::uint64_t(width) * 4 + 8) << width; }

    // Puts the variables from place `first` on into their best order; whether that costs less.
    bool improve(OrderClimber<W>& climber, int first) {
        const auto begin = climber.order().begin() + first;
        members_.assign(begin, begin + width_);
        VarSet<W> inside;
        for (const int i : members_) inside.insert(i);
        const VarSet<W>& before = climber.before(first);
        for (int j = 0; j < width_; ++j) fill(j, before, inside);
        Cost today;
        for (const int i : members_) today += fits_.cost(i, climber.fit(i));
        if (solve() >= today) return false;
        climber.replace(first, best_order());
        return true;
    }

  private:
    static constexpr std::int32_t none = INT32_MAX;
    std::int32_t* ranks(int j) { return rank_.data() + (std::size_t(j) << width_); }

    // The ranks of member j's best sets within `before` and each subset of the window.
    void fill(int j, const VarSet<W>& before, const VarSet<W>& inside) {
        const int i = members_[std::size_t(j)];
        std::int32_t* rank = ranks(j);
        const std::size_t size = std::size_t{1} << width_;
        std::fill(rank, rank + size, none);
        const VarSet<W> available = before | inside;
        const std::int64_t sets = fits_.graph().size(i);
        for (std::int64_t k = fits_.find(i, available); k < sets; k = fits_.find(i, available, k + 1)) {
            std::uint32_t needs = 0;
            const VarSet<W> rest = fits_.set(i, k) - before;
            if (!rest.empty())
                for (int m = 0; m < width_; ++m) needs |= std::uint32_t(rest.contains(members_[std::size_t(m)])) << m;
            rank[needs] = std::min(rank[needs], std::int32_t(k));
            if (needs == 0) break;  // whatever follows costs more
        }
        for (std::size_t bit = 1; bit < size; bit *= 2)
            for (std::size_t high = 0; high < size; high += 2 * bit)
                for (std::size_t low = high; low < high + bit; ++low)
                    rank[low + bit] = std::min(rank[low + bit], rank[low]);
        fits_.add_work(std::int64_t(size * std::size_t(width_)) / 8);
    }

    // The cost of member j right after the members in `placed`.
    Cost cost(int j, std::uint32_t placed) {
        const std::int32_t rank = ranks(j)[placed];
        return rank == none ? Cost::infinite() : fits_.cost(members_[std::size_t(j)], rank);
    }

    Cost solve() {
        least_[0] = {};
        const std::uint32_t all = (std::uint32_t{1} << width_) - 1;
        for (std::uint32_t set = 1; set <= all; ++set) {
            Cost best = Cost::infinite();
            for (std::uint32_t rest = set; rest; rest &= rest - 1) {
                const int j = std::countr_zero(rest);
                const std::uint32_t placed = set ^ (std::uint32_t{1} << j);
                if (least_[placed].is_infinite()) continue;
                best = std::min(best, least_[placed] + cost(j, placed));
            }
            least_[set] = best;
        }
        fits_.add_work(std::int64_t(all) * width_ / 2);
        return least_[all];
    }

    std::vector<int> best_order() {
        std::vector<int> order(static_cast<std::size_t>(width_));
        std::uint32_t set = (std::uint32_t{1} << width_) - 1;
        for (int place = width_ - 1; place >= 0; --place) {
            for (std::uint32_t rest = set; rest; rest &= rest - 1) {
                const int j = std::countr_zero(rest);
                const std::uint32_t placed = set ^ (std::uint32_t{1} << j);
                if (least_[placed].is_infinite() || least_[placed] + cost(j, placed) != least_[set]) continue;
                order[std::size_t(place)] = members_[std::size_t(j)];
                set = placed;
                break;
            }
        }
        return order;
    }

    MovingFits<W>& fits_;
    int width_;
    std::vector<int> members_;
    std::vector<std::int32_t> rank_;  // [member][subset]
    std::vector<Cost> least_;         // [subset]
};

}  // namespace sabna
