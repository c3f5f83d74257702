#include "alternatives/alternatives.h"

#include <algorithm>
#include <functional>
#include <set>

#include "alternatives/branching.h"
#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;

namespace {

// Every network of the graph by trying all choices of parent sets: (cost, choices), cheapest first.
std::vector<std::pair<Cost, std::vector<std::int64_t>>> all_networks(const ParentGraphView<1>& graph) {
    std::vector<std::pair<Cost, std::vector<std::int64_t>>> out;
    std::vector<std::int64_t> choice(std::size_t(graph.n));
    const std::function<void(int, Cost)> choose = [&](int i, Cost cost) {
        if (i == graph.n) {
            VarSet<1> placed;
            for (int round = 0; round < graph.n; ++round)
                for (int v = 0; v < graph.n; ++v)
                    if (graph.sets_begin[choice[std::size_t(v)]].subset_of(placed)) placed.insert(v);
            if (placed.size() == graph.n) out.push_back({cost, choice});
            return;
        }
        for (std::int64_t k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
            choice[std::size_t(i)] = k;
            choose(i + 1, cost + graph.costs_begin[k]);
        }
    };
    choose(0, {});
    std::sort(out.begin(), out.end());
    return out;
}

// A graph with dominated sets in it: `costs` small makes ties.
ParentGraphData<1> undominated_or_not(int n, int sets, int costs, std::uint32_t seed) {
    std::mt19937 random(seed);
    ParentGraphData<1> graph;
    for (int i = 0; i < n; ++i) {
        std::set<std::uint64_t> seen;
        std::vector<std::pair<std::int64_t, std::uint64_t>> list{{std::int64_t(random() % std::uint32_t(costs)), 0}};
        for (int k = 0; k < sets; ++k) {
            const std::uint64_t set = random() & ((1u << n) - 1) & ~(1u << i);
            if (set && seen.insert(set).second) list.push_back({std::int64_t(random() % std::uint32_t(costs)), set});
        }
        std::sort(list.begin(), list.end());
        for (const auto& [cost, set] : list) {
            graph.costs.push_back({cost});
            graph.sets.push_back({});
            graph.sets.back().word[0] = set;
        }
        graph.offsets.push_back(std::int64_t(graph.sets.size()));
    }
    return graph;
}

}  // namespace

TEST(alternatives_within_a_slack_are_all_and_each_once) {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
        const auto graph = undominated_or_not(2 + int(seed % 4), 5, seed % 3 ? 40 : 4, seed);
        const auto all = all_networks(graph.view());
        for (const std::int64_t slack : {0, 3, 25, 1000}) {
            Watch watch;
            const auto found = find_alternatives(graph.view(), {1 << 20, Cost{slack}}, watch);
            CHECK(found.complete);
            std::vector<std::pair<Cost, std::vector<std::int64_t>>> mine, wanted;
            for (std::size_t k = 0; k < found.costs.size(); ++k) {
                const auto at = found.choices.begin() + std::ptrdiff_t(k) * graph.view().n;
                mine.push_back({found.costs[k], {at, at + graph.view().n}});
            }
            std::sort(mine.begin(), mine.end());
            for (const auto& network : all)
                if (network.first <= all[0].first + Cost{slack}) wanted.push_back(network);
            CHECK(mine == wanted);
        }
    }
}

TEST(alternatives_k_best_have_the_k_least_costs) {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
        const auto graph = undominated_or_not(3 + int(seed % 3), 6, seed % 2 ? 30 : 5, 1000 + seed);
        const auto all = all_networks(graph.view());
        for (const std::int64_t k : {1, 2, 7, 50}) {
            Watch watch;
            const auto found = find_alternatives(graph.view(), {k, Cost{1 << 20}}, watch);
            CHECK_EQ(found.costs.size(), std::min(std::size_t(k), all.size()));
            std::set<std::vector<std::int64_t>> different;
            for (std::size_t a = 0; a < found.costs.size(); ++a) {
                CHECK(found.costs[a] == all[a].first);
                const auto at = found.choices.begin() + std::ptrdiff_t(a) * graph.view().n;
                different.insert({at, at + graph.view().n});
            }
            CHECK_EQ(different.size(), found.costs.size());
        }
    }
}

TEST(alternatives_of_a_graph_without_networks) {
    ParentGraphData<1> graph;  // each needs the other
    graph.offsets = {0, 1, 2};
    graph.costs = {Cost{1}, Cost{1}};
    graph.sets = {VarSet<1>::single(1), VarSet<1>::single(0)};
    Watch watch;
    const auto found = find_alternatives(graph.view(), {5, Cost{10}}, watch);
    CHECK(found.costs.empty());
    CHECK(found.complete);
}

TEST(branching_lists_the_same_whatever_the_weights) {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        const int n = 3 + int(seed % 3);
        const auto graph = undominated_or_not(n, 5, seed % 2 ? 30 : 4, 2000 + seed);
        const auto all = all_networks(graph.view());
        std::mt19937 random(seed);
        std::vector<Cluster<1>> clusters;
        for (int c = 0; c < int(seed % 7); ++c) {
            VarSet<1> set;
            set.word[0] = random() & ((1u << n) - 1);
            const int k = 1 + int(random() % 2);
            if (set.size() > k) clusters.push_back({set, k, std::int64_t(random() % 20)});
        }
        for (const std::int64_t slack : {0, 2, 20, 1000}) {
            Watch watch;
            const auto result =
                branch_networks(graph.view(), clusters, all[0].first, {1 << 20, Cost{slack}}, -1, watch);
            CHECK(result.found.complete);
            std::vector<std::pair<Cost, std::vector<std::int64_t>>> mine, wanted;
            for (std::size_t k = 0; k < result.found.costs.size(); ++k) {
                const auto at = result.found.choices.begin() + std::ptrdiff_t(k) * n;
                mine.push_back({result.found.costs[k], {at, at + n}});
            }
            std::sort(mine.begin(), mine.end());
            for (const auto& network : all)
                if (network.first <= all[0].first + Cost{slack}) wanted.push_back(network);
            CHECK(mine == wanted);
        }
        for (const std::int64_t k : {1, 3, 40}) {
            Watch watch;
            const auto found =
                branch_networks(graph.view(), clusters, all[0].first, {k, Cost{1 << 20}}, -1, watch).found;
            CHECK_EQ(found.costs.size(), std::min(std::size_t(k), all.size()));
            for (std::size_t a = 0; a < found.costs.size(); ++a) CHECK(found.costs[a] == all[a].first);
        }
    }
}

TEST(branching_gives_up_after_its_budget) {
    const auto graph = undominated_or_not(5, 6, 4, 7);
    Watch watch;
    const auto best = all_networks(graph.view())[0].first;
    const auto result = branch_networks(graph.view(), {}, best, {1 << 20, Cost{1000}}, 10, watch);
    CHECK(result.gave_up);
    CHECK(!result.found.complete);
}
