#include "table.h"

#include <algorithm>
#include <map>
#include <random>

#include "testing/harness.h"

using namespace sabna;

namespace {

struct Codes {
    std::vector<std::uint16_t> codes;
    std::vector<std::int64_t> arities;
    std::int64_t rows;
};

// Values up to `arity`, of which the largest is never seen.
Codes random_codes(int n, int rows, int arity, unsigned seed) {
    std::mt19937 random(seed);
    Codes out{{}, std::vector<std::int64_t>(std::size_t(n), arity + 1), rows};
    for (int k = 0; k < n * rows; ++k) out.codes.push_back(std::uint16_t(random() % unsigned(arity)));
    return out;
}

// How often each row occurs, by ranks of its values among those observed.
std::map<std::vector<int>, std::uint64_t> counted(const DistinctRows& table) {
    std::map<std::vector<int>, std::uint64_t> out;
    for (int r = 0; r < table.distinct(); ++r) {
        std::vector<int> row;
        for (int v = 0; v < table.n; ++v) row.push_back(table.column[std::size_t(v)][std::size_t(r)]);
        out[row] += table.weight[std::size_t(r)];
    }
    return out;
}

}  // namespace

TEST(rows_kept_or_merged_are_the_same_table) {
    unsigned seed = 0;
    for (int n : {1, 3, 8, 20})
        for (int rows : {1, 7, 100, 3000})
            for (int arity : {2, 5}) {
                const Codes given = random_codes(n, rows, arity, ++seed);
                const DistinctRows merged = merge_rows(given.codes, given.arities, rows);
                Watch free, late({.seconds = 0}, {}), poor({.bytes = 0}, {});
                for (Watch* watch : {&free, &late, &poor}) {
                    const DistinctRows other = merge_rows(given.codes, given.arities, rows, *watch);
                    CHECK(counted(other) == counted(merged));
                    CHECK(other.observed == merged.observed);
                    CHECK_EQ(other.rows, merged.rows);
                }
            }
}

TEST(rows_stay_where_they_are_when_merging_does_not_pay) {
    Codes given = random_codes(30, 2000, 3, 5);
    given.arities.assign(30, 3);
    Watch watch;
    const DistinctRows table = merge_rows(given.codes, given.arities, given.rows, watch);
    CHECK_EQ(table.distinct(), 2000);
    CHECK(table.column[0].data() == given.codes.data());
    CHECK(std::all_of(table.held.begin(), table.held.end(), [](const auto& held) { return held.empty(); }));
}

TEST(a_table_that_cannot_be_held_is_an_exception) {
    const Codes given = random_codes(1, 2000000, 2, 6);  // two million weights of four bytes
    Watch poor({.bytes = 1000000}, {});
    bool refused = false;
    try {
        merge_rows(given.codes, given.arities, given.rows, poor);
    } catch (const std::bad_alloc&) {
        refused = true;
    }
    CHECK(refused);
    CHECK(poor.peak() <= 1000000);
}
