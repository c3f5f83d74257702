#include "gaussian/gaussian_build.h"

#include <random>

#include "parents/slack.h"
#include "testing/harness.h"

using namespace sabna;

namespace {

std::vector<double> linear_data(int n, int m, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> columns(std::size_t(n * m));
    for (int i = 0; i < n; ++i) {
        std::vector<double> weight;
        for (int j = 0; j < i; ++j) weight.push_back(random() % 2 ? normal(random) : 0.0);
        for (int r = 0; r < m; ++r) {
            double value = normal(random);
            for (int j = 0; j < i; ++j) value += weight[std::size_t(j)] * columns[std::size_t(j * m + r)];
            columns[std::size_t(i * m + r)] = value;
        }
    }
    return columns;
}

}  // namespace

// Protects from a bound that leaves out a set it must not: the pruned lists equal those of all sets.
TEST(gaussian_parent_graph_equals_that_of_all_sets) {
    constexpr int n = 5, m = 30;
    for (std::uint32_t seed = 0; seed < 24; ++seed) {
        const auto data = linear_data(n, m, seed);
        const auto score = seed % 2 ? GaussianScore::bge(data, n, m, {1, n + 2}) : GaussianScore::bic(data, n, m);
        std::vector<VarSet<1>> required(n), allowed(n);
        for (int i = 0; i < n; ++i) allowed[std::size_t(i)] = VarSet<1>::first(n).without(i);
        if (seed % 3 == 0) required[4].insert(0);
        const std::vector<std::int32_t> limits(n, seed % 4 ? n : 2);
        const std::int64_t slack = seed % 5 ? plain_dominance : std::int64_t(2 * quanta_per_nat);
        Watch watch;
        ParentGraphData<1> graph;
        build_gaussian<1>(score, {n, required.data(), allowed.data(), limits.data()}, slack, 2, watch, graph);
        for (int i = 0; i < n; ++i) {
            std::vector<ScoredSet<1>> all;
            for (std::uint64_t bits = 0; bits < 1u << n; ++bits) {
                VarSet<1> set;
                set.word[0] = bits;
                if (!set.subset_of(allowed[std::size_t(i)]) || !required[std::size_t(i)].subset_of(set)) continue;
                if (set.size() > limits[std::size_t(i)]) continue;
                std::vector<int> parents;
                set.for_each([&](int v) { parents.push_back(v); });
                all.push_back({score.cost(i, parents), set});
            }
            keep_within(all, n, slack, watch);
            const auto sets = graph.view().sets(i);
            CHECK_EQ(sets.size(), all.size());
            for (std::size_t k = 0; k < std::min(sets.size(), all.size()); ++k) CHECK(sets[k] == all[k].set);
        }
    }
}
