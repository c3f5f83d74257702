#include "bounds/local_cuts.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "bounds/nearest_mixture.h"
#include "testing/harness.h"

using namespace sabna;

namespace {

// A graph of up to 64 variables with random sets of up to two others, and random shares.
struct RandomPoint {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint64_t> sets;
    std::vector<double> share;

    RandomPoint(int n, std::mt19937& random) {
        for (int i = 0; i < n; ++i) {
            sets.push_back(0);
            for (int s = 0; s < 5; ++s) {
                std::uint64_t set = std::uint64_t{1} << random() % std::uint64_t(n);
                if (s % 2) set |= std::uint64_t{1} << random() % std::uint64_t(n);
                sets.push_back(set & ~(std::uint64_t{1} << i));
            }
            double sum = 0;
            for (int s = 0; s < 6; ++s)
                share.push_back(random() % 3 ? double(random() % 100) : 0.0), sum += share.back();
            for (std::size_t p = share.size() - 6; p < share.size(); ++p) share[p] = sum > 0 ? share[p] / sum : 1.0 / 6;
            offsets.push_back(std::int64_t(sets.size()));
        }
    }
    PointOfGraph view() const { return {offsets, sets, 1, share}; }
};

// What a cut lists for a member and some others, by definition.
std::int64_t least(const LocalCut& cut, int member, std::uint32_t others) {
    std::int64_t found = 1 << 20;
    for (const auto& entry : cut.entries)
        if (entry.member == member && (entry.family & ~others) == 0)
            found = std::min<std::int64_t>(found, entry.coefficient);
    return found;
}

std::int64_t least_of_all_orders(const LocalCut& cut) {
    std::vector<int> order(cut.members.size());
    std::iota(order.begin(), order.end(), 0);
    std::int64_t found = 1 << 20;
    do {
        std::int64_t sum = 0;
        std::uint32_t before = 0;
        for (const int i : order) sum += least(cut, i, before), before |= std::uint32_t{1} << i;
        found = std::min(found, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    return found;
}

}  // namespace

// Protects from right sides that some network falls short of, and from cuts that the point satisfies.
TEST(local_cuts_are_broken_by_the_point_and_by_no_order) {
    std::mt19937 random(11);
    int found = 0;
    for (int round = 0; round < 60; ++round) {
        const RandomPoint point(4 + round % 9, random);
        LocalCutOptions options;
        options.largest = 3 + round % 4, options.seed = std::uint64_t(round);
        Watch watch;
        for (const LocalCut& cut : local_cuts(point.view(), options, watch)) {
            CHECK(cut.right == least_of_all_orders(cut));
            double left = 0;
            for (std::size_t m = 0; m < cut.members.size(); ++m) {
                const auto v = std::size_t(cut.members[m]);
                for (auto p = std::size_t(point.offsets[v]); p < std::size_t(point.offsets[v + 1]); ++p) {
                    std::uint32_t others = 0;
                    for (std::size_t j = 0; j < cut.members.size(); ++j)
                        others |= std::uint32_t(point.sets[p] >> cut.members[j] & 1) << j;
                    left += point.share[p] * double(least(cut, int(m), others));
                }
            }
            CHECK(left < double(cut.right));
            ++found;
        }
    }
    CHECK(found > 100);
}

// Protects from a nearest mixture that is not: no network may lie further in its direction.
TEST(no_network_is_nearer_than_the_nearest_mixture) {
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        GroupFamilies families;
        families.size = 3 + round % 4;
        std::vector<double> point;
        for (int i = 0; i < families.size; ++i) {
            families.start.push_back(int(families.mask.size()));
            for (std::uint32_t mask = 0; mask < 1u << families.size; ++mask)
                if (!(mask >> i & 1) && (mask == 0 || random() % 2)) families.mask.push_back(mask);
            const std::size_t own = families.mask.size() - std::size_t(families.start.back());
            for (std::size_t f = 0; f < own; ++f) point.push_back(1.0 / double(own));
        }
        families.start.push_back(int(families.mask.size()));
        const std::vector<double> y = towards_nearest_mixture(families, point, 500);
        if (y.empty()) continue;
        double square = 0, along = 0;
        for (std::size_t f = 0; f < y.size(); ++f) square += y[f] * y[f], along += y[f] * point[f];
        GroupNetwork network{};
        CHECK(LeastNetwork<double>(families).find(y, network) - along >= 0.9 * square);
    }
}
