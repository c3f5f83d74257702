// An order of the variables, its cost, and moves of one variable to another place.
//
// The costs of all places of a variable follow from a walk of neighbour swaps (bounds/moving_fits.h makes each of them cheap). A walk
// to the left ends where what the variable has lost exceeds all that those before it could still gain; a walk to the right where
// what the others have lost exceeds all that the variable could still gain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bounds/moving_fits.h"
#include "random.h"

namespace sabna {

template <int W>
class OrderClimber {
  public:
    explicit OrderClimber(MovingFits<W>& fits)
        : fits_(fits), n_(fits.graph().n), place_(std::size_t(n_)), fit_(std::size_t(n_)), before_(std::size_t(n_) + 1),
          to_gain_(std::size_t(n_) + 1) {}

    // Every variable must have a fit in this order.
    void start(std::vector<int> order) {
        order_ = std::move(order);
        cost_ = {};
        settle(0, n_ - 1);
    }
    Cost cost() const { return cost_; }
    const std::vector<int>& order() const { return order_; }
    const VarSet<W>& before(int place) const { return before_[std::size_t(place)]; }
    std::int64_t fit(int i) const { return fit_[std::size_t(i)]; }
    const VarSet<W>& parents(int i) const { return fits_.set(i, fit(i)); }

    // Moves to the best place, variable by variable, until none improves or `go_on` says no.
    template <class GoOn>
    void climb(Random& random, GoOn go_on) {
        std::vector<int> sequence(order_);
        random.shuffle(sequence);
        int fruitless = 0;
        for (std::size_t at = 0; fruitless < n_ && go_on(); at = (at + 1) % sequence.size())
            fruitless = move_to_best_place(sequence[at]) ? 0 : fruitless + 1;
    }

    // Some random moves, whatever they cost.
    void kick(Random& random, int moves) {
        for (int k = 0; k < moves; ++k) {
            const int from = random.below(n_), to = random.below(n_);
            if (from != to && can_move(from, to)) move(from, to);
        }
    }

    // Replaces the places from `first` on by the same variables in another order, in which they have fits.
    void replace(int first, const std::vector<int>& order) {
        std::copy(order.begin(), order.end(), order_.begin() + first);
        settle(first, first + int(order.size()) - 1);
    }

    // Another order of the same network, at random.
    void redraw(Random& random) {
        std::vector<int> ready(order_), order;
        random.shuffle(ready);
        VarSet<W> placed;
        while (!ready.empty()) {
            std::erase_if(ready, [&](int i) {
                if (!parents(i).subset_of(placed)) return false;
                order.push_back(i);
                placed.insert(i);
                return true;
            });
        }
        start(std::move(order));
    }

  private:
    Cost fit_cost(int i) const { return fits_.cost(i, fit_[std::size_t(i)]); }
    int at(int place) const { return order_[std::size_t(place)]; }

    // `visit(place, change)` for every place left (right) of `from` that can pay: while a change below `most` is possible.
    template <class Visit>
    void walk_left(int from, const Cost& most, Visit visit) {
        const int v = at(from);
        std::int64_t k = fit_[std::size_t(v)];
        const Cost own = fit_cost(v);
        Cost others;
        for (int place = from - 1; place >= 0; --place) {
            const int u = at(place);
            const VarSet<W>& left = before(place);
            k = fits_.after_loss(v, k, u, left);
            if (k == fits_.graph().size(v)) return;
            const Cost change = others + fits_.cost(v, k) - own;
            if (change - to_gain_[std::size_t(place) + 1] >= most) return;
            const std::int64_t gained = fits_.after_gain(u, fit_[std::size_t(u)], v, left.with(v));
            others += fits_.cost(u, gained) - fit_cost(u);
            visit(place, others + fits_.cost(v, k) - own);
        }
    }
    template <class Visit>
    void walk_right(int from, const Cost& most, Visit visit) {
        const int v = at(from);
        std::int64_t k = fit_[std::size_t(v)];
        const Cost own = fit_cost(v), could_gain = own - fits_.cost(v, 0);
        Cost others;
        for (int place = from + 1; place < n_; ++place) {
            const int u = at(place);
            const std::int64_t lost = fits_.after_loss(u, fit_[std::size_t(u)], v, before(place).without(v));
            if (lost == fits_.graph().size(u)) return;
            others += fits_.cost(u, lost) - fit_cost(u);
            if (others - could_gain >= most) return;
            k = fits_.after_gain(v, k, u, before(place + 1));
            visit(place, others + fits_.cost(v, k) - own);
        }
    }

    bool move_to_best_place(int v) {
        const int from = place_[std::size_t(v)];
        int to = from;
        Cost best;
        const auto keep_best = [&](int place, Cost change) {
            if (change < best) best = change, to = place;
        };
        walk_left(from, best, keep_best);
        walk_right(from, best, keep_best);
        if (to == from) return false;
        move(from, to);
        return true;
    }

    // Whether all have fits after a move.
    bool can_move(int from, int to) {
        const int v = at(from);
        if (to < from) return fits_.find(v, before(to)) < fits_.graph().size(v);
        for (int place = from + 1; place <= to; ++place) {
            const int u = at(place);
            if (fits_.after_loss(u, fit_[std::size_t(u)], v, before(place).without(v)) == fits_.graph().size(u))
                return false;
        }
        return true;
    }

    void move(int from, int to) {
        const auto begin = order_.begin();
        if (to < from) std::rotate(begin + to, begin + from, begin + from + 1);
        else std::rotate(begin + from, begin + from + 1, begin + to + 1);
        settle(std::min(from, to), std::max(from, to));
    }
    // Predecessors, fits and the cost, where the places first .. last have changed.
    void settle(int first, int last) {
        for (int place = first; place <= last; ++place) {
            const int i = at(place);
            place_[std::size_t(i)] = place;
            before_[std::size_t(place) + 1] = before(place).with(i);
            fit_[std::size_t(i)] = fits_.find(i, before(place));
        }
        for (int place = first; place < n_; ++place)
            to_gain_[std::size_t(place) + 1] =
                to_gain_[std::size_t(place)] + fit_cost(at(place)) - fits_.cost(at(place), 0);
        cost_ = {};
        for (int i = 0; i < n_; ++i) cost_ += fit_cost(i);
    }

    MovingFits<W>& fits_;
    int n_;
    std::vector<int> order_, place_;
    std::vector<std::int64_t> fit_;  // per variable, a position in its own list
    std::vector<VarSet<W>> before_;  // per place, the variables before it
    std::vector<Cost> to_gain_;      // per place, what the variables before it cost more than their best sets
    Cost cost_;
};

}  // namespace sabna
