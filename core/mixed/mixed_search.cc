#include "mixed/mixed_search.h"

#include <cmath>

#include "varset.h"

namespace sabna {

namespace {

std::vector<int> ordered(const MixedScore& score, const std::vector<int>& open, int child, int& discrete) {
    std::vector<int> out;
    for (const int v : open)
        if (score.columns().discrete(v)) out.push_back(v);
    discrete = int(out.size());
    if (score.columns().discrete(child)) return out;  // the model
    for (const int v : open)
        if (!score.columns().discrete(v)) out.push_back(v);
    return out;
}

}  // namespace

MixedSearch::MixedSearch(const MixedScore& score, const MixedParents& parents, std::int64_t slack, Watch& watch,
                         std::atomic<std::int64_t>& evaluated)
    : score_(score), parents_(parents), slack_(slack), watch_(watch), evaluated_(evaluated),
      words_(std::size_t(words_for(score.columns().n()))),
      variables_(ordered(score, parents.open, parents.child, discrete_)),
      most_(std::min(std::size_t(std::max(parents.limit - int(parents.required.size()), 0)), variables_.size())),
      best_(int(variables_.size()), int(most_)), splitter_(score.columns()) {
    reserved_ = BestBelow::bytes_for(int(variables_.size()), int(most_)) +
                (most_ + 2) * std::uint64_t(score.columns().rows) * 8;
    if (!watch_.reserve(reserved_)) reserved_ = 0;
    levels_.resize(most_ + 1);
    at_depth_.resize(most_ + 1);
    splitter_.start(parents_.child, levels_[0]);
    Cells finer;
    for (const int v : parents_.required) {
        splitter_.split(levels_[0], v, finer);
        std::swap(levels_[0], finer);
    }
    at_depth_[0] = &levels_[0];
}

bool MixedSearch::run() {
    const bool grows = look_at(levels_[0], BestBelow::unknown);
    if (!grows) return !watch_.stopped();
    const long double configurations = score_.configurations(discrete_parents_);
    visit_continuous(0, int(variables_.size()), floors(levels_[0]));
    visit_discrete(0, discrete_, configurations);
    return !watch_.stopped();
}

const Cells& MixedSearch::split(std::size_t depth, int variable) {
    if (splitter_.leaves_alone(variable)) return *(at_depth_[depth + 1] = at_depth_[depth]);
    splitter_.split(*at_depth_[depth], variable, levels_[depth + 1]);
    return *(at_depth_[depth + 1] = &levels_[depth + 1]);
}

// The set at hand has discrete members only, of which the lowest is `below`: those still lower join it one by one.
void MixedSearch::visit_discrete(std::size_t depth, int below, long double configurations) {
    if (members_.size() >= most_) return;
    for (int p = 0; p < below && !watch_.stopped(); ++p) {
        members_.insert(members_.begin(), std::uint16_t(p));
        const int variable = variables_[std::size_t(p)];
        const long double with_p = configurations * (long double)score_.columns().arity[std::size_t(variable)];
        const auto [best, all_known] = best_subset();
        if (is_useless(best, all_known, with_p)) {
            left_out_ = true;
        } else {
            const Cells& cells = split(depth, variable);
            if (look_at(cells, best)) {
                visit_continuous(depth + 1, int(variables_.size()), floors(cells));
                visit_discrete(depth + 1, p, with_p);
            }
        }
        members_.erase(members_.begin());
    }
}

// Of a discrete child. Sets are met after all their subsets: if one of these was not looked at, a rule excluded it with all
// around it, and so this one.
bool MixedSearch::is_useless(Quanta below, bool all_known, long double configurations) const {
    if (!score_.columns().discrete(parents_.child)) return false;
    if (!all_known) return true;
    return score_.penalty_floor(parents_.child, configurations) - below > std::max<std::int64_t>(slack_, 0);
}

// The lowest continuous member is `below`; positions of continuous variables follow those of the discrete ones.
void MixedSearch::visit_continuous(std::size_t depth, int below, const std::vector<double>& floors) {
    if (members_.size() >= most_) return;
    std::size_t at = 0;
    while (at < members_.size() && members_[at] < discrete_) ++at;
    if (!floors.empty()) {
        const std::size_t size = continuous_parents_.size();
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t s = size + 1; s < floors.size(); ++s) least = std::min(least, floors[s]);
        const double best = double(best_here_ + std::max<std::int64_t>(slack_, 0)) / quanta_per_nat;
        if (least > best) {
            left_out_ |= below > discrete_;
            return;
        }
    }
    for (int p = discrete_; p < below && !watch_.stopped(); ++p) {
        members_.insert(members_.begin() + std::ptrdiff_t(at), std::uint16_t(p));
        const Cells& cells = split(depth, variables_[std::size_t(p)]);
        if (look_at(cells, best_subset().first)) visit_continuous(depth + 1, p, floors);
        members_.erase(members_.begin() + std::ptrdiff_t(at));
    }
}

std::vector<double> MixedSearch::floors(const Cells& cells) {
    std::vector<int> open;
    for (std::size_t p = std::size_t(discrete_); p < variables_.size(); ++p) open.push_back(variables_[p]);
    if (open.size() < 2 || members_.size() + 1 >= most_) return {};
    for (const int v : parents_.required)
        if (!score_.columns().discrete(v)) open.push_back(v);
    const MixedFamily family{parents_.child, discrete_parents_, {}, &cells};
    return score_.floors_by_size(family, open, room_);
}

std::pair<Quanta, bool> MixedSearch::best_subset() const {
    Quanta best = BestBelow::unknown;
    bool all_known = true;
    Positions rest(members_.begin() + (members_.empty() ? 0 : 1), members_.end());
    for (std::size_t k = 0; k < members_.size(); ++k) {
        if (k) rest[k - 1] = members_[k - 1];
        const Quanta found = best_.of(rest);
        all_known &= found != BestBelow::unknown;
        best = std::min(best, found);
    }
    return {best, all_known};
}

bool MixedSearch::look_at(const Cells& cells, Quanta below) {
    evaluated_.fetch_add(1, std::memory_order_relaxed);
    discrete_parents_.clear(), continuous_parents_.clear();
    const auto add = [&](int v) {
        (score_.columns().discrete(v) ? discrete_parents_ : continuous_parents_).push_back(v);
    };
    for (const int v : parents_.required) add(v);
    for (const std::uint16_t p : members_) add(variables_[p]);
    if (!parents_.required.empty()) {
        std::sort(discrete_parents_.begin(), discrete_parents_.end());
        std::sort(continuous_parents_.begin(), continuous_parents_.end());
    }
    const MixedFamily family{parents_.child, discrete_parents_, continuous_parents_, &cells};
    const std::optional<Quanta> cost = score_.cost(family, room_);
    if (!cost) {
        left_out_ = true;
        if (score_.no_value_is_final() || cells.rows.empty()) return false;
    }
    best_here_ = std::min(below, cost.value_or(BestBelow::unknown));
    const std::uint64_t entry = best_.bytes_per_set(members_.size());
    if (entry) {
        if (!watch_.reserve(entry)) return false;
        reserved_ += entry;
    }
    best_.put(members_, best_here_);
    if (cost && (below == BestBelow::unknown || *cost - below <= slack_)) {
        if (!watch_.reserve(2 * (8 + 8 * words_))) return false;  // the list, and the graph it is copied to
        costs_.push_back(*cost);
        sets_.resize(sets_.size() + words_, 0);
        std::uint64_t* const set = sets_.data() + sets_.size() - words_;
        for (const int v : discrete_parents_) set[v >> 6] |= std::uint64_t{1} << (v & 63);
        for (const int v : continuous_parents_) set[v >> 6] |= std::uint64_t{1} << (v & 63);
    }
    if (members_.size() >= most_) return false;
    if (!score_.columns().discrete(parents_.child) || best_here_ == BestBelow::unknown) return true;
    const bool grows = score_.floor_around(family, room_) - best_here_ <= std::max<std::int64_t>(slack_, 0);
    left_out_ |= !grows;
    return grows;
}

}  // namespace sabna
