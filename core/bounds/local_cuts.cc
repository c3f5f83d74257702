#include "bounds/local_cuts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bounds/nearest_mixture.h"
#include "parallel.h"
#include "random.h"

namespace sabna {

namespace {

// Shares nearer to 1 than this count as whole; a variable with one is in the middle of no group.
constexpr double whole = 0.999;
// A group with fewer members that are not whole has nothing to cut off.
constexpr int least_fractional = 3;
constexpr int least_members = 3;
// Variables less bound up with a group than this stay outside.
constexpr double least_tie = 1e-6;
// Steps towards the nearest mixture; most groups need some 60.
constexpr int most_steps = 200;
// Cuts that the point is nearer to are not worth a row.
constexpr double least_depth = 0.005;
// Largest coefficients tried, smallest first, and the share of the depth by the last that a smaller one must keep.
constexpr std::array scales{1, 2, 3, 4, 6, 8, 12, 24, 60, 240};
constexpr double deep_enough = 0.95;

// How the variables of a point hang together.
class Ties {
  public:
    explicit Ties(const PointOfGraph& point) : n_(point.offsets.size() - 1), open_(n_), parent_(n_ * n_) {
        for (std::size_t i = 0; i < n_; ++i) {
            double largest = 0;
            for (auto p = std::size_t(point.offsets[i]); p < std::size_t(point.offsets[i + 1]); ++p) {
                if (point.share[p] <= 0) continue;
                largest = std::max(largest, point.share[p]);
                for (std::size_t j = 0; j < n_; ++j)
                    if (point.sets[p * point.words + j / 64] >> (j % 64) & 1) parent_[i * n_ + j] += point.share[p];
            }
            open_[i] = largest < whole;
        }
    }

    std::size_t variables() const { return n_; }
    bool open(std::size_t i) const { return open_[i]; }
    // Whether j is a parent of i or the other way round is not settled.
    double unsettled(std::size_t i, std::size_t j) const { return split(i, j) + split(j, i); }
    // Each is a parent of the other.
    double mutual(std::size_t i, std::size_t j) const {
        const double there = parent_[i * n_ + j], back = parent_[j * n_ + i];
        return std::min(there, back) + 1e-3 * (there + back);
    }

  private:
    double split(std::size_t i, std::size_t j) const {
        const double share = std::min(1.0, parent_[i * n_ + j]);
        return share * (1 - share);
    }

    std::size_t n_;
    std::vector<bool> open_;
    std::vector<double> parent_;  // [i][j]: the share of i's sets that hold j
};

// The group that grows from a variable: always by the one with the most ties to it, or with some luck by another.
template <class Tie>
std::vector<int> grown(const Ties& ties, std::size_t start, int size, Random* random, const Tie& tie) {
    std::vector<int> group{int(start)};
    std::vector<double> to_group(ties.variables());
    std::vector<bool> inside(ties.variables());
    for (std::size_t last = start;;) {
        inside[last] = true;
        if (int(group.size()) == size) break;
        std::size_t best = last;
        double most = least_tie;
        for (std::size_t j = 0; j < ties.variables(); ++j) {
            to_group[j] += tie(last, j);
            if (inside[j] || to_group[j] <= least_tie) continue;
            const double value = random ? to_group[j] * (1 + random->below(1000)) / 1000 : to_group[j];
            if (value > most) most = value, best = j;
        }
        if (best == last) break;
        group.push_back(int(best)), last = best;
    }
    std::sort(group.begin(), group.end());
    return group;
}

std::vector<std::vector<int>> groups_of(const PointOfGraph& point, const LocalCutOptions& options) {
    const Ties ties(point);
    Random random(options.seed);
    std::set<std::vector<int>> groups;
    const auto unsettled = [&](std::size_t i, std::size_t j) { return ties.unsettled(i, j); };
    const auto mutual = [&](std::size_t i, std::size_t j) { return ties.mutual(i, j); };
    for (std::size_t i = 0; i < ties.variables(); ++i) {
        if (!ties.open(i)) continue;
        const int some = least_members + 1 + random.below(std::max(1, options.largest - least_members));
        groups.insert(grown(ties, i, options.largest, nullptr, unsettled));
        groups.insert(grown(ties, i, some, &random, unsettled));
        groups.insert(grown(ties, i, options.largest, nullptr, mutual));
        groups.insert(grown(ties, i, some, &random, mutual));
    }
    std::erase_if(groups, [](const std::vector<int>& group) { return int(group.size()) < least_members; });
    return {groups.begin(), groups.end()};
}

// A group's families, what the point gives to each, and the cut that is made of them.
class Group {
  public:
    Group(const PointOfGraph& point, const std::vector<int>& members) : members_(members) {
        families_.size = int(members.size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            std::map<std::uint32_t, double> shares{{0, 0.0}};
            double largest = 0;
            const auto v = std::size_t(members[i]);
            for (auto p = std::size_t(point.offsets[v]); p < std::size_t(point.offsets[v + 1]); ++p) {
                shares[family(point, p)] += point.share[p];
                largest = std::max(largest, point.share[p]);
            }
            fractional_ += largest < whole;
            families_.start.push_back(int(families_.mask.size()));
            for (const auto& [mask, share] : shares) families_.mask.push_back(mask), share_.push_back(share);
        }
        families_.start.push_back(int(families_.mask.size()));
    }

    // Right side 0 if there is none.
    LocalCut cut() const {
        if (fractional_ < least_fractional) return {};
        std::vector<double> towards = towards_nearest_mixture(families_, share_, most_steps);
        if (towards.empty()) return {};
        double largest = 0;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            const auto begin = towards.begin() + families_.start[i], end = towards.begin() + families_.start[i + 1];
            const double least = *std::min_element(begin, end);
            for (auto at = begin; at != end; ++at) largest = std::max(largest, *at -= least);
        }
        if (largest <= 0) return {};
        const LocalCut finest = rounded(towards, scales.back() / largest);
        if (finest.depth < least_depth) return {};
        for (const int scale : scales) {
            LocalCut cut = rounded(towards, scale / largest);
            if (cut.depth >= deep_enough * finest.depth) return cut;
        }
        return finest;
    }

  private:
    std::uint32_t family(const PointOfGraph& point, std::size_t p) const {
        std::uint32_t mask = 0;
        for (std::size_t j = 0; j < members_.size(); ++j) {
            const auto v = std::size_t(members_[j]);
            mask |= std::uint32_t(point.sets[p * point.words + v / 64] >> (v % 64) & 1) << j;
        }
        return mask;
    }

    LocalCut rounded(const std::vector<double>& values, double scale) const {
        LocalCut cut;
        for (const int v : members_) cut.blocks.push_back({v});
        std::vector<std::int64_t> coefficient(values.size());
        for (std::size_t f = 0; f < values.size(); ++f) coefficient[f] = std::llround(values[f] * scale);
        double left = 0, square = 0, most = 1;
        for (std::size_t i = 0; i < members_.size(); ++i)
            for (int f = families_.start[i]; f < families_.start[i + 1]; ++f) {
                const std::uint32_t mask = families_.mask[std::size_t(f)];
                std::int64_t smaller = std::numeric_limits<std::int64_t>::max();  // by what it contains; masks ascend
                for (int other = families_.start[i]; other < f; ++other)
                    if ((families_.mask[std::size_t(other)] & ~mask) == 0)
                        smaller = std::min(smaller, coefficient[std::size_t(other)]);
                const bool listed = coefficient[std::size_t(f)] < smaller;
                if (!listed) coefficient[std::size_t(f)] = smaller;
                const auto own = coefficient[std::size_t(f)];
                if (listed) cut.entries.push_back({int(i), mask, int(own)});
                left += double(own) * share_[std::size_t(f)];
                square += share_[std::size_t(f)] > 0 ? double(own) * double(own) : 0.0;
                most = std::max(most, double(own) * double(own));
            }
        GroupNetwork network{};
        cut.right = LeastNetwork<std::int64_t>(families_).find(coefficient, network);
        // Where the point has a share in families with coefficient 0 alone, the depth must not grow with the others'.
        cut.depth = (double(cut.right) - left) / std::sqrt(square > 0 ? square : most);
        return cut;
    }

    const std::vector<int>& members_;
    GroupFamilies families_;
    std::vector<double> share_;
    int fractional_ = 0;
};

bool deeper(const LocalCut& a, const LocalCut& b) { return a.depth > b.depth; }

}  // namespace

std::vector<LocalCut> local_cuts(const PointOfGraph& point, const LocalCutOptions& options, Watch& watch) {
    const auto groups = groups_of(point, options);
    std::vector<LocalCut> cuts(groups.size());
    for_each_block(
        options.threads, std::int64_t(groups.size()), watch,
        [&](int, std::int64_t g) { cuts[std::size_t(g)] = Group(point, groups[std::size_t(g)]).cut(); },
        [&] { return watch.poll({}); });
    std::erase_if(cuts, [](const LocalCut& cut) { return cut.right <= 0; });
    std::stable_sort(cuts.begin(), cuts.end(), deeper);
    std::vector<int> used(point.offsets.size() - 1);
    std::vector<LocalCut> chosen;
    for (LocalCut& cut : cuts) {
        if (std::any_of(cut.blocks.begin(), cut.blocks.end(), [&](const std::vector<int>& block) {
                return used[std::size_t(block[0])] >= options.most_per_variable;
            }))
            continue;
        for (const auto& block : cut.blocks) ++used[std::size_t(block[0])];
        chosen.push_back(std::move(cut));
    }
    return chosen;
}

std::vector<LocalCut> block_cuts(const PointOfGraph& point, const LocalCutOptions& options, Watch& watch) {
    ShrunkPoint shrunk(point, options.seed);
    std::set<std::vector<std::vector<int>>> known;  // groups that have their cut, or are of single variables
    std::vector<LocalCut> cuts;
    while (!watch.stopped() && shrunk.merge()) {
        for (LocalCut& cut : local_cuts(shrunk.view(), options, watch)) {
            std::size_t variables = 0;
            for (auto& block : cut.blocks) block = shrunk.blocks()[std::size_t(block[0])], variables += block.size();
            if (variables > cut.blocks.size() && known.insert(cut.blocks).second) cuts.push_back(std::move(cut));
        }
    }
    std::stable_sort(cuts.begin(), cuts.end(), deeper);
    if (cuts.size() > point.offsets.size() - 1) cuts.resize(point.offsets.size() - 1);
    return cuts;
}

}  // namespace sabna
