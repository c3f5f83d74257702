#include "gaussian/gaussian_search.h"

#include <algorithm>

#include "gaussian/sweep.h"

namespace sabna {

GaussianSearch::GaussianSearch(const GaussianScore& score, const GaussianParents& parents, double slack,
                               std::int64_t most_nodes, Watch& watch, std::atomic<std::int64_t>& evaluated)
    : score_(score), watch_(watch), evaluated_(evaluated), slack_(std::max(slack, 0.0)), most_nodes_(most_nodes),
      words_(std::size_t(words_for(score.n()))), variables_(parents.required) {
    required_ = int(variables_.size());
    variables_.insert(variables_.end(), parents.open.begin(), parents.open.end());
    child_ = int(variables_.size());
    variables_.push_back(parents.child);
    width_ = child_ + 1;
    limit_ = std::min(parents.limit, child_);

    least_step_.assign(std::size_t(score.n()) + 2, std::numeric_limits<double>::infinity());
    for (int s = score.n() - 1; s >= 1; --s)
        least_step_[std::size_t(s)] = std::min(least_step_[std::size_t(s) + 1], score.offset(s) - score.offset(s - 1));

    frames_.resize(std::size_t(width_) + 1);
    Frame& start = frames_[0];
    start.given.resize(std::size_t(width_) * std::size_t(width_));
    for (int x = 0; x < width_; ++x)
        for (int y = 0; y < width_; ++y)
            start.given[at(x, y)] = score.matrix()[std::size_t(variables_[std::size_t(x)]) * std::size_t(score.n()) +
                                                   std::size_t(variables_[std::size_t(y)])];
    start.precision = start.given;
    for (int x = 0; x < width_; ++x) sweep(start.precision, width_, x);
    for (double& value : start.precision) value = -value;
    for (int x = 0; x < required_; ++x) {
        start.log_det += std::log(start.given[at(x, x)]);
        sweep(start.given, width_, x);
        members_.push_back(x);
    }
    for (int x = required_; x < child_; ++x) start.open.push_back(x);
    start.best = std::numeric_limits<double>::infinity();
    evaluate(start);
    visit(0);
    evaluated_ += nodes_ & 0xFFF;
}

// Include the open variables one by one; what is put out stays out for the rest of the loop.
void GaussianSearch::visit(int depth) {
    Frame& frame = frames_[std::size_t(depth)];
    while (int(members_.size()) < limit_) {
        if (watch_.stopped() || nodes_ >= most_nodes_) {
            floor_ = std::min(floor_, floor(frame));
            return;
        }
        if (!put_out_useless(frame) || some_member_useless(frame)) return;
        if (floor(frame) > frame.best + slack_ + gaussian_margin) return;
        const int position = choose(frame), variable = frame.open[std::size_t(position)];
        Frame& next = frames_[std::size_t(depth) + 1];
        add(frame, next, variable);
        members_.push_back(variable);
        evaluate(next);
        visit(depth + 1);
        members_.pop_back();
        put_out(frame, std::size_t(position));
    }
}

// The cost of P, and of P without one member; P is a candidate unless one of those is better by more than the slack.
void GaussianSearch::evaluate(Frame& frame) {
    if ((++nodes_ & 0xFFF) == 0) evaluated_ += 0x1000;
    const int k = int(members_.size());
    const double r = frame.given[at(child_, child_)];
    const double cost = score_.offset(k) + score_.weight(k) / 2 * std::log(r) + score_.share() / 2 * frame.log_det;
    for (int p = required_; p < k; ++p) {
        const int a = members_[std::size_t(p)];
        const double own = -1 / frame.given[at(a, a)], slope = frame.given[at(child_, a)];
        const double without = score_.offset(k - 1) + score_.weight(k - 1) / 2 * std::log(r + slope * slope * own) +
                               score_.share() / 2 * (frame.log_det - std::log(own));
        frame.best = std::min(frame.best, without);
    }
    if (cost <= frame.best + slack_ + gaussian_margin) {
        if (candidates() % at_once == 0 && watch_.reserve(at_once * bytes_per_candidate()))
            reserved_ += at_once * bytes_per_candidate();
        candidates_.resize(candidates_.size() + words_, 0);
        std::uint64_t* const set = candidates_.data() + candidates_.size() - words_;
        for (const int x : members_) {
            const int v = variables_[std::size_t(x)];
            set[v >> 6] |= std::uint64_t{1} << (v & 63);
        }
    }
    frame.best = std::min(frame.best, cost);
}

// Can a parent with partial information of at most `gain` pay in a set of at least `size` parents?
bool GaussianSearch::pays(double gain, double log_r_child, double log_r_other, int size) const {
    const double step = least_step_[std::size_t(size)] + score_.share() / 2 * (log_r_child + log_r_other);
    return score_.weight(limit_) * gain + slack_ + gaussian_margin >= step;
}

// False: nothing is left open.
bool GaussianSearch::put_out_useless(Frame& frame) {
    const int size = int(members_.size()) + 1;
    const double log_r = std::log(frame.given[at(child_, child_)]);
    for (bool changed = true; changed;) {
        changed = false;
        const double log_floor = std::log(r_all(frame, child_)), most = (log_r - log_floor) / 2;
        for (std::size_t p = 0; p < frame.open.size();) {
            const int q = frame.open[p];
            const double log_q = std::log(r_all(frame, q));
            const double gain = std::min(most, (std::log(frame.given[at(q, q)]) - log_q) / 2);
            if (pays(gain, log_floor, log_q, size)) ++p;
            else put_out(frame, p), changed = true;
        }
    }
    return !frame.open.empty();
}

bool GaussianSearch::some_member_useless(const Frame& frame) const {
    const int size = int(members_.size());
    const double r = frame.given[at(child_, child_)], log_floor = std::log(r_all(frame, child_));
    for (int p = required_; p < size; ++p) {
        const int a = members_[std::size_t(p)];
        const double own = -1 / frame.given[at(a, a)], slope = frame.given[at(child_, a)];
        const double log_a = std::log(r_all(frame, a));
        const double gain = std::min(std::log(r + slope * slope * own) - log_floor, std::log(own) - log_a) / 2;
        if (!pays(gain, log_floor, log_a, size)) return true;
    }
    return false;
}

// No set of the node but P itself costs less; infinite if there is none.
double GaussianSearch::floor(const Frame& frame) const {
    const int k = int(members_.size()), most = std::min(limit_, k + int(frame.open.size()));
    const double log_floor = std::log(r_all(frame, child_));
    double least = 0;
    if (score_.share() > 0) {
        least = std::numeric_limits<double>::infinity();
        for (const int q : frame.open) least = std::min(least, std::log(r_all(frame, q)));
    }
    double floor = std::numeric_limits<double>::infinity();
    for (int s = k + 1; s <= most; ++s)
        floor = std::min(floor, score_.offset(s) + score_.weight(s) / 2 * log_floor +
                                    score_.share() / 2 * (frame.log_det + (s - k) * least));
    return floor;
}

void GaussianSearch::add(const Frame& from, Frame& to, int variable) {
    to.given = from.given;
    to.precision = from.precision;
    to.open.clear();
    for (const int q : from.open)
        if (q != variable) to.open.push_back(q);
    to.log_det = from.log_det + std::log(from.given[at(variable, variable)]);
    to.best = from.best;
    sweep(to.given, width_, variable);
}

// Marginalise a variable: one rank-one update of the precision matrix.
void GaussianSearch::put_out(Frame& frame, std::size_t position) {
    const int e = frame.open[position];
    frame.open.erase(frame.open.begin() + std::ptrdiff_t(position));
    const double pivot = 1 / frame.precision[at(e, e)];
    for (int x = 0; x < width_; ++x) {
        const double factor = frame.precision[at(x, e)] * pivot;
        if (x == e || factor == 0) continue;
        for (int y = 0; y < width_; ++y) frame.precision[at(x, y)] -= factor * frame.precision[at(e, y)];
    }
    for (int x = 0; x < width_; ++x)
        if (x != e) frame.precision[at(x, e)] = frame.precision[at(e, x)] = 0;
}

// The open variable that i misses most when it is out: leaving it out raises the floor most.
int GaussianSearch::choose(const Frame& frame) const {
    int best = 0;
    double most = -1;
    for (std::size_t p = 0; p < frame.open.size(); ++p) {
        const int q = frame.open[p];
        const double link = frame.precision[at(child_, q)];
        const double value = link * link / frame.precision[at(q, q)];
        if (value > most) most = value, best = int(p);
    }
    return best;
}

}  // namespace sabna
