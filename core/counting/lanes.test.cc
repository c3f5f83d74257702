#include "counting/lanes.h"

#include <algorithm>
#include <random>

#include "counting/scan.h"
#include "scores/tables.h"
#include "testing/harness.h"

using namespace sabna;

namespace {

DistinctRows random_rows(int n, int rows, int arity, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint16_t> codes;
    for (int v = 0; v < n; ++v)
        for (int r = 0; r < rows; ++r) codes.push_back(std::uint16_t(random() % 5 ? random() % arity : 0));
    return merge_rows(codes, std::vector<std::int64_t>(n, arity), rows);
}

// Entropies by lanes, with and without splitting, equal those counted one variable at a time.
void lanes_equal_scans(const DistinctRows& table, int members, unsigned seed) {
    std::mt19937 random(seed);
    const LogTable log(table.rows);
    LaneCounter lanes(table, log);
    ScanCounter scan(table);
    Refiner refiner(table, false);
    Partition P, Q;
    refiner.whole(P);
    std::vector<int> idle;
    for (int k = 0; k < members; ++k) {
        idle.push_back(int(random() % table.n));
        refiner.refine(P, idle.back(), Q);
        std::swap(P, Q);
    }
    std::sort(idle.begin(), idle.end());
    idle.erase(std::unique(idle.begin(), idle.end()), idle.end());
    lanes.prepare(P, idle);
    std::vector<Quanta> split(table.n, -1), whole(table.n, -1);
    for (int x = 0; x < table.n; ++x) {
        if (std::binary_search(idle.begin(), idle.end(), x) || !lanes.can_split(x)) continue;
        lanes.count_split(P, x, split.data());
        refiner.refine(P, x, Q);
        for (int y = 0; y < table.n; ++y) CHECK_EQ(split[y], scan.count(Q, y, {&log, &log}).difference);
    }
    lanes.count(P, whole.data());
    for (int y = 0; y < table.n; ++y) CHECK_EQ(whole[y], scan.count(P, y, {&log, &log}).difference);
}

}  // namespace

TEST(lanes_equal_scans) {
    unsigned seed = 0;
    for (int n : {3, 32, 34, 40, 47, 70})  // without folding, with, and too many to fold
        for (int members : {0, 1, 3, 9})
            for (int rows : {30, 500}) {
                ++seed;
                lanes_equal_scans(random_rows(n, rows, 2, seed), members, seed);
            }
    for (int members : {0, 2}) {
        ++seed;
        lanes_equal_scans(random_rows(12, 400, 5, seed), members, seed);
    }
}

TEST(lanes_of_heavy_rows) {
    // Few distinct rows: cells and single rows heavier than a byte can count, beside light ones; folded.
    std::mt19937 random(3);
    std::vector<std::uint16_t> kinds, codes;
    for (int k = 0; k < 40 * 34; ++k) kinds.push_back(std::uint16_t(random() % 2));
    for (int v = 0; v < 34; ++v)
        for (int r = 0; r < 4000; ++r) codes.push_back(kinds[std::size_t(r < 3000 ? r % 5 : r % 40) * 34 + v]);
    const DistinctRows table = merge_rows(codes, std::vector<std::int64_t>(34, 2), 4000);
    for (int members : {0, 1, 2, 4}) lanes_equal_scans(table, members, 7 + members);
}
