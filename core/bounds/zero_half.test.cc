#include "bounds/zero_half.h"

#include <algorithm>
#include <random>

#include "testing/harness.h"

using namespace sabna;

namespace {

struct PointAndLoss {
    std::vector<std::int32_t> variable;
    std::vector<double> share, slack;
    std::vector<std::uint8_t> parity, odd;

    PointAndLoss(int variables, std::size_t rows, std::mt19937& random) {
        for (int i = 0; i < variables; ++i)
            for (int c = 0; c < 2; ++c) variable.push_back(i), share.push_back(0.5);
        for (std::size_t r = 0; r < rows; ++r) {
            slack.push_back(random() % 4 == 0 ? 0.25 : 0.0), odd.push_back(random() % 2);
            for (std::size_t c = 0; c < share.size(); ++c) parity.push_back(random() % 3 == 0);
        }
    }
    FractionalPoint view() const { return {variable, share, parity, odd, slack}; }

    // The loss of some rows and some equations, by definition; 2 if the right side is even.
    double loss(const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& equations) const {
        bool right = equations.size() % 2;
        double total = 0;
        for (const auto r : rows) right ^= odd[std::size_t(r)], total += slack[std::size_t(r)];
        for (std::size_t c = 0; c < share.size(); ++c) {
            bool coefficient = std::find(equations.begin(), equations.end(), variable[c]) != equations.end();
            for (const auto r : rows) coefficient ^= parity[std::size_t(r) * share.size() + c];
            if (coefficient) total += share[c];
        }
        return right ? total : 2;
    }
};

}  // namespace

// Protects from combinations that do not lose what they say, and from overlooking those that enumeration finds.
TEST(zero_half_against_enumeration) {
    std::mt19937 random(7);
    int exist = 0, missed = 0;
    for (int round = 0; round < 60; ++round) {
        const int variables = 3;
        const std::size_t rows = 2 + random() % 5;
        const PointAndLoss point(variables, rows, random);
        ZeroHalfOptions options;
        options.orders = 4;
        const auto found = zero_half(point.view(), options);
        for (const Combination& made : found) {
            CHECK(made.loss < options.most_loss);
            CHECK(std::abs(made.loss - point.loss(made.rows, made.equations)) < 1e-9);
        }
        bool any = false;
        for (unsigned used = 1; used < 1u << rows; ++used)
            for (unsigned equations = 0; equations < 1u << variables; ++equations) {
                std::vector<std::int32_t> r, e;
                for (int bit = 0; bit < 8; ++bit) {
                    if (used >> bit & 1) r.push_back(bit);
                    if (equations >> bit & 1) e.push_back(bit);
                }
                any |= point.loss(r, e) < options.most_loss;
            }
        exist += any, missed += any && found.empty();
        CHECK(any || found.empty());
    }
    CHECK(exist > 20);
    CHECK(missed * 5 <= exist);
}

// Protects from rows and columns that are not there.
TEST(zero_half_of_nothing) {
    CHECK(zero_half({}, {}).empty());
    std::mt19937 random(1);
    CHECK(zero_half(PointAndLoss(2, 0, random).view(), {}).empty());
    CHECK(zero_half(PointAndLoss(0, 3, random).view(), {}).size() <= 3);
}
