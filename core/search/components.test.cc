#include "search/components.h"

#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

TEST(components_solved_one_by_one_cost_the_optimum) {
    for (std::uint32_t seed = 0; seed < 80; ++seed) {
        const auto graph = random_graph<1>({.n = 9, .sets = 1 + int(seed % 3), .largest = 2, .costs = 50}, seed);
        const auto view = graph.view();
        Cost total;
        VarSet<1> before;
        for (const auto& members : find_components(view)) {
            const auto part = extract_component<1>(FlatGraph(view), members);
            total += optimum(part.graph.view());
            for (const int v : members) before.insert(v);
            for (std::size_t k = 0; k < members.size(); ++k)
                for (std::int64_t p = part.graph.offsets[k]; p < part.graph.offsets[k + 1]; ++p) {
                    const std::int64_t q = part.origin[std::size_t(p)];
                    CHECK(q >= view.offsets[members[k]] && q < view.offsets[members[k] + 1]);
                    CHECK_EQ(part.graph.costs[std::size_t(p)].quanta, view.costs_begin[q].quanta);
                    CHECK(view.sets_begin[q].subset_of(before));  // earlier components and this one
                }
        }
        CHECK(before == VarSet<1>::first(9));
        CHECK_EQ(total.quanta, optimum(view).quanta);
    }
}

TEST(components_of_a_wide_graph_become_narrow) {
    // 300 variables in a chain of triangles: {0,1,2}, {3,4,5} with parents in the triangle before, ...
    ParentGraphData<32> graph;
    for (int i = 0; i < 300; ++i) {
        const int base = i - i % 3;
        VarSet<32> mate = VarSet<32>::single(base + (i + 1) % 3);
        if (base > 0) mate.insert(base - 1);
        graph.sets.push_back(mate), graph.costs.push_back({1});
        graph.sets.push_back({}), graph.costs.push_back({2});
        graph.offsets.push_back(std::int64_t(graph.sets.size()));
    }
    const auto parts = find_components(graph.view());
    CHECK_EQ(parts.size(), std::size_t(100));
    CHECK_EQ(parts[7][0], 21);
    const auto part = extract_component<1>(FlatGraph(graph.view()), parts[7]);
    CHECK_EQ(part.graph.sets.size(), std::size_t(6));
    CHECK_EQ(part.graph.sets[0].word[0], std::uint64_t{2});
    CHECK_EQ(optimum(part.graph.view()).quanta, 4);
}
