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
    std::vector<int> order(cut.blocks.size());
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

// The coefficient of a parent set of a variable, by definition.
std::int64_t coefficient(const LocalCut& cut, int variable, std::uint64_t set) {
    int own = -1;
    std::uint32_t met = 0;
    for (std::size_t j = 0; j < cut.blocks.size(); ++j)
        for (const int v : cut.blocks[j]) {
            if (v == variable) own = int(j);
            met |= std::uint32_t(set >> v & 1) << j;
        }
    return own < 0 || met >> own & 1 ? 0 : least(cut, own, met);
}

// Holds a cut to what it says: its right side is that of the best order, the point breaks it, no variable is in two blocks.
void check_cut(const LocalCut& cut, const RandomPoint& point) {
    CHECK(cut.right == least_of_all_orders(cut));
    double left = 0;
    for (std::size_t i = 0; i + 1 < point.offsets.size(); ++i)
        for (auto p = std::size_t(point.offsets[i]); p < std::size_t(point.offsets[i + 1]); ++p)
            left += point.share[p] * double(coefficient(cut, int(i), point.sets[p]));
    CHECK(left < double(cut.right));
    std::uint64_t used = 0;
    for (const auto& block : cut.blocks)
        for (const int v : block) CHECK(!(used >> v & 1)), used |= std::uint64_t{1} << v;
}

// The point of some networks, each with a share: whatever blocks are merged in it, it breaks no cut.
RandomPoint mixture(int n, int networks, std::mt19937& random) {
    RandomPoint point(n, random);
    std::fill(point.share.begin(), point.share.end(), 0.0);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (int network = 0; network < networks; ++network) {
        std::shuffle(order.begin(), order.end(), random);
        std::uint64_t before = 0;
        for (const int i : order) {
            std::vector<std::size_t> fits;
            for (auto p = std::size_t(point.offsets[std::size_t(i)]);
                 p < std::size_t(point.offsets[std::size_t(i) + 1]); ++p)
                if ((point.sets[p] & ~before) == 0) fits.push_back(p);
            point.share[fits[random() % fits.size()]] += 1.0 / networks;
            before |= std::uint64_t{1} << i;
        }
    }
    return point;
}

}  // namespace

// Protects from right sides that some network falls short of, and from cuts that the point satisfies.
TEST(local_cuts_are_broken_by_the_point_and_by_no_order) {
    std::mt19937 random(11);
    int found = 0, with_blocks = 0;
    for (int round = 0; round < 60; ++round) {
        const RandomPoint point(4 + round % 9, random);
        LocalCutOptions options;
        options.largest = 3 + round % 4, options.seed = std::uint64_t(round);
        Watch watch;
        for (const LocalCut& cut : local_cuts(point.view(), options, watch)) check_cut(cut, point), ++found;
        for (const LocalCut& cut : block_cuts(point.view(), options, watch)) check_cut(cut, point), ++with_blocks;
    }
    CHECK(found > 100);
    CHECK(with_blocks > 20);
}

// Protects from coefficients as large as they may be where 1 says the same: a ring of three, each with one of the others.
TEST(local_cuts_of_a_ring_have_small_coefficients) {
    const std::vector<std::int64_t> offsets{0, 2, 4, 6};
    const std::vector<std::uint64_t> sets{2, 4, 1, 4, 1, 2};
    const std::vector<double> share(6, 0.5);
    Watch watch;
    const auto cuts = local_cuts({offsets, sets, 1, share}, {}, watch);
    CHECK(cuts.size() == 1);
    CHECK(cuts[0].right == 1);
}

// Protects from cuts that hold for some networks only.
TEST(local_cuts_leave_mixtures_of_networks) {
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        const RandomPoint point = mixture(4 + round % 9, 2 + round % 3, random);
        LocalCutOptions options;
        options.seed = std::uint64_t(round);
        Watch watch;
        CHECK(local_cuts(point.view(), options, watch).empty());
        CHECK(block_cuts(point.view(), options, watch).empty());
    }
}

// Protects from blocks that lose a variable, or families that lead into their own block.
TEST(shrunk_points_have_every_variable_once) {
    std::mt19937 random(7);
    int merged = 0;
    for (int round = 0; round < 20; ++round) {
        const RandomPoint point = mixture(10 + round % 5, 1 + round % 2, random);
        ShrunkPoint shrunk(point.view(), std::uint64_t(round));
        while (shrunk.merge()) {
            ++merged;
            std::vector<int> all;
            for (const auto& block : shrunk.blocks()) all.insert(all.end(), block.begin(), block.end());
            std::sort(all.begin(), all.end());
            std::vector<int> expected(point.offsets.size() - 1);
            std::iota(expected.begin(), expected.end(), 0);
            CHECK(all == expected);
            const PointOfGraph view = shrunk.view();
            for (std::size_t b = 0; b < shrunk.blocks().size(); ++b) {
                double total = 0;
                for (auto p = std::size_t(view.offsets[b]); p < std::size_t(view.offsets[b + 1]); ++p) {
                    CHECK(!(view.sets[p * view.words + b / 64] >> (b % 64) & 1));
                    total += view.share[p];
                }
                CHECK(total > 0.999 && total < 1.05);
            }
        }
    }
    CHECK(merged > 20);
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
