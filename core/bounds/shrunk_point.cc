#include "bounds/shrunk_point.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sabna {

namespace {

// By so much may a union exceed 1 to count as just satisfied, and so much must two blocks have to do with each other.
constexpr double tolerance = 1e-3;
constexpr double least_tie = 1e-6;
// For so many blocks there is one pair at a time: after each of these steps cuts are looked for.
constexpr std::size_t merged_of = 4;

}  // namespace

ShrunkPoint::ShrunkPoint(const PointOfGraph& point, std::uint64_t seed) : random_(seed), words_(point.words) {
    offsets_.push_back(0);
    for (std::size_t i = 0; i + 1 < point.offsets.size(); ++i) {
        blocks_.push_back({int(i)});
        for (auto p = std::size_t(point.offsets[i]); p < std::size_t(point.offsets[i + 1]); ++p)
            if (point.share[p] > 0) {
                const auto set = point.sets.subspan(p * words_, words_);
                sets_.insert(sets_.end(), set.begin(), set.end()), share_.push_back(point.share[p]);
            }
        offsets_.push_back(std::int64_t(share_.size()));
    }
}

bool ShrunkPoint::merge() {
    const auto merged = pairs();
    std::vector<std::size_t> number(blocks_.size(), blocks_.size());
    for (const auto& [a, b] : merged) number[b] = a;
    std::size_t count = 0;
    for (std::size_t a = 0; a < blocks_.size(); ++a)  // the first of a pair stands before the second
        number[a] = number[a] == blocks_.size() ? count++ : number[number[a]];
    if (!merged.empty()) renumber(number, count);
    return !merged.empty();
}

std::vector<std::pair<std::size_t, std::size_t>> ShrunkPoint::pairs() {
    const std::size_t n = blocks_.size();
    std::vector<double> total(n), meets(n * n);  // [a][b]: the share of a's sets that have somebody of b
    for (std::size_t a = 0; a < n; ++a)
        for (auto p = std::size_t(offsets_[a]); p < std::size_t(offsets_[a + 1]); ++p) {
            total[a] += share_[p];
            for (std::size_t b = 0; b < n; ++b)
                if (sets_[p * words_ + b / 64] >> (b % 64) & 1) meets[a * n + b] += share_[p];
        }
    std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> found;
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b) {
            const double tie = meets[a * n + b] + meets[b * n + a];
            if (tie > least_tie && total[a] + total[b] - tie < 1 + tolerance)
                found.push_back({-tie * (1000 + random_.below(1000)), {a, b}});
        }
    std::sort(found.begin(), found.end());
    std::vector<std::pair<std::size_t, std::size_t>> chosen;
    std::vector<bool> used(n);
    for (const auto& [value, pair] : found) {
        if (chosen.size() > n / merged_of) break;
        if (used[pair.first] || used[pair.second]) continue;
        used[pair.first] = used[pair.second] = true;
        chosen.push_back(pair);
    }
    return chosen;
}

void ShrunkPoint::renumber(const std::vector<std::size_t>& number, std::size_t count) {
    const std::size_t words = (count + 63) / 64;
    std::vector<std::map<std::vector<std::uint64_t>, double>> shares(count);
    std::vector<std::vector<int>> blocks(count);
    for (std::size_t a = 0; a < number.size(); ++a) {
        blocks[number[a]].insert(blocks[number[a]].end(), blocks_[a].begin(), blocks_[a].end());
        for (auto p = std::size_t(offsets_[a]); p < std::size_t(offsets_[a + 1]); ++p) {
            std::vector<std::uint64_t> set(words);
            for (std::size_t b = 0; b < number.size(); ++b)
                if (sets_[p * words_ + b / 64] >> (b % 64) & 1)
                    set[number[b] / 64] |= std::uint64_t{1} << number[b] % 64;
            if (!(set[number[a] / 64] >> (number[a] % 64) & 1)) shares[number[a]][set] += share_[p];
        }
    }
    for (auto& block : blocks) std::sort(block.begin(), block.end());
    blocks_ = std::move(blocks), words_ = words;
    offsets_.assign(1, 0), sets_.clear(), share_.clear();
    for (const auto& own : shares) {
        for (const auto& [set, share] : own) sets_.insert(sets_.end(), set.begin(), set.end()), share_.push_back(share);
        offsets_.push_back(std::int64_t(share_.size()));
    }
}

}  // namespace sabna
