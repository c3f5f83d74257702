#include "parents/build.h"

#include <random>

#include "parents/child_by_child.h"
#include "parents/dominance.h"
#include "parents/first_fit.h"
#include "testing/harness.h"

using namespace sabna;

namespace {

DistinctRows random_table(int n, int rows, int largest_arity, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::int64_t> arities;
    std::vector<std::uint16_t> codes;
    for (int v = 0; v < n; ++v) {
        arities.push_back(2 + random() % (largest_arity - 1));
        for (int r = 0; r < rows; ++r) {
            const bool copies = v > 0 && random() % 4;
            const unsigned value = copies ? codes[std::size_t(v - 1) * rows + r] + random() % 5 / 4 : random();
            codes.push_back(std::uint16_t(value % arities[v]));
        }
    }
    return merge_rows(codes, arities, rows);
}

// Every subset scored one by one, then pruned by definition.
template <int W>
void equals_scoring_every_subset(const DistinctRows& table, const char* id, int largest, int threads) {
    const auto score = make_score(id, table.rows, 1);
    const auto candidates = Candidates<W>::all(table, *score, std::vector<std::int64_t>(table.n, largest));
    Watch watch;
    const auto built = build_parent_graph<W>(table, *score, candidates, threads, watch);
    CHECK(built.stop == Stop::none);
    for (int i = 0; i < table.n; ++i) {
        std::vector<CostedSet<W>> all;
        for (unsigned bits = 0; bits < 1u << table.n; ++bits) {
            if (bits >> i & 1 || std::popcount(bits) > largest) continue;
            VarSet<W> set;
            std::vector<int> members;
            for (int v = 0; v < table.n; ++v)
                if (bits >> v & 1) set.insert(v), members.push_back(v);
            all.push_back({local_cost(table, *score, i, members), set});
        }
        prune_dominated(all, table.n, watch);
        const auto view = built.graph.view();
        CHECK_EQ(view.size(i), std::int64_t(all.size()));
        for (std::size_t k = 0; k < all.size() && std::int64_t(all.size()) == view.size(i); ++k) {
            CHECK(view.sets(i)[k] == all[k].set);
            CHECK_EQ(view.costs(i)[k].quanta, all[k].cost.quanta);
        }
    }
}

}  // namespace

TEST(build_equals_scoring_every_subset) {
    unsigned seed = 0;
    for (const char* id : {"bic", "aic", "bdeu", "k2"})
        for (int largest_arity : {2, 3, 30})
            for (int rows : {1, 30, 700}) {
                const DistinctRows table = random_table(6, rows, largest_arity, ++seed);
                equals_scoring_every_subset<1>(table, id, 6, 1);
                equals_scoring_every_subset<2>(table, id, 2, 3);
            }
}

TEST(build_equals_the_other_builder) {
    // More binary variables than a vector has lanes, and sets of many levels: lanes are folded, levels given up on the way.
    for (int rows : {20, 60}) {
        const DistinctRows table = random_table(34, rows, 2, unsigned(rows));
        const auto score = make_score("bic", table.rows, 1);
        const auto candidates = Candidates<1>::all(table, *score, std::vector<std::int64_t>(table.n, table.n));
        Watch watch;
        const auto built = build_parent_graph<1>(table, *score, candidates, 2, watch);
        std::vector<VarSet<1>> required(table.n);
        const std::vector<std::int32_t> limits(table.n, 5);  // more than any set that stays has
        const std::vector<int> children = {0, 33};
        const KnowledgeView<1> knowledge{table.n, required.data(), candidates.allowed.data(), limits.data()};
        const auto other = build_child_by_child<1>(table, *score, knowledge, children, plain_dominance, 2, watch);
        for (int i : children) {
            const auto view = built.graph.view();
            CHECK_EQ(view.size(i), std::int64_t(other.lists[i].size()));
            for (std::size_t k = 0; k < other.lists[i].size() && std::int64_t(k) < view.size(i); ++k) {
                CHECK(view.sets(i)[k] == other.lists[i][k].set);
                CHECK_EQ(view.costs(i)[k].quanta, other.lists[i][k].cost.quanta);
            }
        }
    }
}

TEST(build_many_equal_rows) {
    // Cells and single rows heavier than a byte can count.
    std::vector<std::uint16_t> codes;
    for (int v = 0; v < 4; ++v)
        for (int r = 0; r < 3000; ++r) codes.push_back(std::uint16_t(r % 7 > v ? 1 : r % 31 == 5));
    const DistinctRows table = merge_rows(codes, std::vector<std::int64_t>{2, 2, 2, 2}, 3000);
    CHECK(table.distinct() < 16);
    for (const char* id : {"bic", "bdeu"}) equals_scoring_every_subset<1>(table, id, 4, 2);
}

TEST(lookups_agree) {
    std::mt19937_64 random(1);
    for (int length : {0, 1, 31, 199, 200, 255, 256, 257, 1000}) {
        ParentGraphData<2> data;
        data.offsets.assign(101, 0);
        for (int i = 1; i <= 100; ++i) data.offsets[std::size_t(i)] = length;  // all sets are those of variable 0
        data.sets.resize(std::size_t(length)), data.costs.resize(std::size_t(length));
        SlicedList<2> sliced(100);
        for (VarSet<2>& set : data.sets) {
            for (int k = 0; k < 3; ++k) set.insert(int(random() % 100));
            sliced.push_back(set);
        }
        std::vector<VarSet<2>> queries(200);
        for (std::size_t query = 0; query < queries.size(); ++query)
            for (int v = 0; v < 100; ++v)
                if (random() % 4 <= query % 4) queries[query].insert(v);
        const std::vector<std::int64_t> variables(queries.size(), 0);
        const auto by_scan = first_fits<2>(data.view(), variables, queries, false);
        CHECK(by_scan == first_fits<2>(data.view(), variables, queries, true));
        for (std::size_t query = 0; query < queries.size(); ++query) {
            const auto fits = std::find_if(data.sets.begin(), data.sets.end(),
                                           [&](const auto& set) { return set.subset_of(queries[query]); });
            CHECK_EQ(by_scan[query], fits == data.sets.end() ? -1 : fits - data.sets.begin());
            CHECK_EQ(sliced.first_subset(queries[query]), by_scan[query]);
            const std::int64_t begin = std::int64_t(random() % std::uint64_t(length + 1));
            const std::int64_t from_there = first_fit(data.view(), 0, queries[query], begin);
            CHECK_EQ(sliced.first_subset(queries[query], begin), from_there == length ? -1 : from_there);
            CHECK_EQ(FitIndex<2>(data.view()).find(0, queries[query], begin), from_there);
        }
    }
}
