#include "bounds/dual_pattern_db.h"

#include <random>

#include "bounds/dual_ascent.h"
#include "bounds/fixing.h"
#include "bounds/group_best.h"
#include "testing/harness.h"
#include "testing/random_clusters.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

struct Case {
    ParentGraphData<1> data;
    std::vector<Cluster<1>> clusters;
    std::vector<Groups<1>> partitions;

    // Every second one with weights of its own.
    std::vector<Pattern<1>> patterns() const {
        std::vector<Pattern<1>> result;
        for (std::size_t p = 0; p < partitions.size(); ++p)
            result.push_back(
                {p % 2 ? random_clusters<1>(data.view().n, 5, 300, std::uint32_t(p)) : clusters, partitions[p]});
        return result;
    }
};

// Weights from a dice, or from dual ascent.
Case some_case(std::uint32_t seed) {
    RandomGraph shape;
    shape.n = 3 + int(seed % 8);
    shape.sets = 3 + int(seed % 15);
    shape.largest = 1 + int(seed % 4);
    shape.costs = seed % 3 ? 1000 : 6;
    shape.empty_sets = seed % 5 != 0;
    Case result{random_graph<1>(shape, seed), random_clusters<1>(shape.n, 8, 300, seed), {}};
    Watch watch;
    if (seed % 2) result.clusters = dual_ascent(result.data.view(), {}, {}, watch).clusters;
    result.partitions = choose_groups<1>(shape.n, result.clusters, 2 + int(seed % 4), 3, seed);
    return result;
}

}  // namespace

// Protects from deleting optima: a value above the truth at any node does.
TEST(dual_pattern_keeps_its_promises_for_any_weights) {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        const Case c = some_case(seed);
        Watch watch;
        const DualPatternDb<1> database(c.data.view(), c.patterns(), 1 + int(seed % 2), watch);
        CHECK(database.ready());
        CHECK(holds_promises(c.data.view(), database));
    }
}

// Protects from values at successors that differ from those at the same nodes asked directly: at every node, for every
// variable and for random sets of them.
TEST(dual_pattern_tells_the_values_at_successors) {
    std::int64_t finite = 0;
    for (std::uint32_t seed = 0; seed < 80; ++seed) {
        const Case c = some_case(seed);
        const int n = c.data.view().n;
        Watch watch;
        std::vector<Pattern<1>> patterns = c.patterns();
        for (Pattern<1>& pattern : patterns)
            for (Cluster<1>& cluster : pattern.clusters)
                if (cluster.set.size() > 2 && (cluster.y + seed) % 3 == 0) cluster.k = 2;
        const DualPatternDb<1> database(c.data.view(), patterns, 1, watch);
        std::mt19937 random(seed);
        ExpandedNode<1> node;
        for (std::uint64_t placed = 0; placed < std::uint64_t{1} << n; ++placed) {
            const VarSet<1> set{{placed}};
            const VarSet<1> left = VarSet<1>::first(n) - set;
            if (left.empty() || database(set).is_infinite()) continue;
            begin_node<1>(database, node, set, database(set));
            left.for_each([&](int i) {
                const VarSet<1> added = VarSet<1>::single(i);
                CHECK_EQ(database.after(node, added).quanta, database(set | added).quanta);
            });
            const VarSet<1> several = VarSet<1>{{random()}} & left;
            if (several.empty()) continue;
            CHECK_EQ(database.after(node, several).quanta, database(set | several).quanta);
            finite += !database(set | several).is_infinite();
        }
    }
    CHECK(finite > 1000);
}

// Protects from a wrong table where lists are long, blocks many and clusters cross: against the formula, by brute force.
TEST(group_costs_agree_with_their_formula) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const Case c = some_case(seed);
        const auto graph = c.data.view();
        for (const Groups<1>& partition : c.partitions) {
            const auto crossing = crossing_clusters(c.clusters, partition);
            for (const VarSet<1>& group : partition) {
                const GroupCosts costs(graph, crossing, group);
                GroupCosts::Scratch scratch;
                const int g = costs.size(), low = std::max(0, g - int(seed % 3));
                std::vector<std::int64_t> row(std::size_t{1} << low);
                for (std::uint32_t high = 0; high < std::uint32_t{1} << (g - low); ++high)
                    for (int j = 0; j < g; ++j) {
                        costs.fill(j, high << low, low, scratch, row.data());
                        const int i = costs.variable(j);
                        for (std::uint32_t p = 0; p < row.size(); ++p) {
                            const std::uint32_t a = high << low | (~p & std::uint32_t(row.size() - 1));
                            if (a >> j & 1) continue;
                            VarSet<1> placed;
                            for (int b = 0; b < g; ++b)
                                if (a >> b & 1) placed.insert(costs.variable(b));
                            std::int64_t best = unreachable;
                            for (std::size_t s = 0; s < graph.sets(i).size(); ++s) {
                                const VarSet<1>& set = graph.sets(i)[s];
                                if (!(set & group).subset_of(placed)) continue;
                                std::int64_t value = graph.costs(i)[s].quanta;
                                for (const auto& k : crossing)
                                    if (k.set.contains(i) && (k.set & placed).size() < k.k && k.credits(set))
                                        value -= k.y;
                                best = std::min(best, value);
                            }
                            CHECK_EQ(row[p], best);
                        }
                    }
            }
        }
    }
}

// Protects from fixing away what a better network needs: every set of every network below the target must stay.
TEST(fixing_keeps_every_better_network) {
    int dropped = 0;
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        const Case c = some_case(seed);
        const auto graph = c.data.view();
        const std::int64_t best = optimum(graph).quanta, target = best + std::int64_t(seed % 4) * 40 + (seed % 2);
        Watch watch;
        const DualPatternDb<1> database(graph, c.patterns(), 1, watch);
        std::vector<std::uint8_t> keep = fix_by_reduced_cost(graph, reduced_costs(graph, c.clusters), target);
        fix_by_tables(database.tables(), target, 1 + int(seed % 2), keep, watch);
        // The least cost of a network through (i, S): from the truth of the lattice, both ways.
        const std::vector<Cost> go = cost_to_go(graph);
        std::vector<std::int64_t> come(go.size(), unreachable);
        come[0] = 0;
        std::vector<std::int64_t> through(std::size_t(graph.size()), unreachable);
        for (std::uint64_t u = 0; u < go.size(); ++u) {
            if (is_unreachable(come[u])) continue;
            VarSet<1> placed;
            placed.word[0] = u;
            for (int i = 0; i < graph.n; ++i) {
                const std::uint64_t next = u | std::uint64_t{1} << i;
                if (placed.contains(i) || go[next].is_infinite()) continue;
                for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
                    if (!graph.sets_begin[p].subset_of(placed)) continue;
                    const std::int64_t cost = come[u] + graph.costs_begin[p].quanta;
                    come[next] = std::min(come[next], cost);
                    through[std::size_t(p)] = std::min(through[std::size_t(p)], cost + go[next].quanta);
                }
            }
        }
        for (std::size_t p = 0; p < keep.size(); ++p) {
            if (through[p] < target) CHECK(keep[p]);
            dropped += !keep[p];
        }
    }
    CHECK(dropped > 500);
}

// Protects from weights moved in a wrong direction: the networks of the groups must cost what the bound says they cost.
TEST(group_best_agrees_with_the_tables) {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        const Case c = some_case(seed);
        const auto graph = c.data.view();
        for (const Pattern<1>& pattern : c.patterns()) {
            Watch watch;
            const DualPatternDb<1> database(graph, {pattern}, 1, watch);
            watch.release(database.bytes());
            const GroupBest best = group_best(graph, pattern, 1 + int(seed % 2), watch);
            CHECK_EQ(watch.used(), std::uint64_t{0});
            CHECK_EQ(best.bound, database.root().quanta);
            if (database.root().is_infinite()) continue;
            CHECK_EQ(best.order.size(), std::size_t(graph.n));
            std::int64_t total = 0;
            const auto crossing = crossing_clusters(pattern.clusters, pattern.groups);
            for (const auto& k : crossing) total += k.k * k.y;
            for (const VarSet<1>& group : pattern.groups) {
                VarSet<1> placed;
                for (const int i : best.order) {
                    if (!group.contains(i)) continue;
                    const std::int64_t p = best.choice[std::size_t(i)];
                    CHECK(graph.offsets[i] <= p && p < graph.offsets[i + 1]);
                    CHECK((graph.sets_begin[p] & group).subset_of(placed));
                    total += graph.costs_begin[p].quanta;
                    for (const auto& k : crossing)
                        if (k.set.contains(i) && (k.set & placed).size() < k.k && k.credits(graph.sets_begin[p]))
                            total -= k.y;
                    placed.insert(i);
                }
            }
            CHECK_EQ(total, best.bound);
        }
    }
}
