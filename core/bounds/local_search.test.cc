#include "bounds/local_search.h"

#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

TEST(local_search_finds_the_optimum_of_small_graphs) {
    Watch watch;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto graph =
            random_graph<1>({.n = 8, .sets = 14, .costs = seed % 2 ? 5 : 1000, .empty_sets = seed % 3 != 0}, seed);
        const Assignment found = local_search(graph.view(), {}, watch);
        CHECK(is_network(graph.view(), found));
        CHECK_EQ(found.cost.quanta, optimum(graph.view()).quanta);
    }
}

TEST(local_search_is_the_same_for_the_same_seed_in_any_width) {
    Watch watch;
    const RandomGraph shape{.n = 40, .sets = 30};
    const auto narrow = random_graph<1>(shape, 5);
    const auto wide = random_graph<8>(shape, 5);
    const Assignment a = local_search(narrow.view(), {.seed = 7}, watch),
                     b = local_search(wide.view(), {.seed = 7}, watch);
    CHECK(a.order == b.order);
    CHECK(a.choice == b.choice);
    CHECK(is_network(wide.view(), b));
}

TEST(local_search_knows_when_no_network_exists) {
    Watch watch;
    ParentGraphData<1> cycle;  // 0 needs 1, 1 needs 0
    cycle.sets = {VarSet<1>::single(1), VarSet<1>::single(0)};
    cycle.costs = {{1}, {1}};
    cycle.offsets = {0, 1, 2};
    CHECK(feasible_order(cycle.view()).empty());
    CHECK(!local_search(cycle.view(), {}, watch).known());
}

TEST(local_search_copes_with_no_variable_at_all) {
    Watch watch;
    const ParentGraphData<1> nothing;
    const Assignment found = local_search(nothing.view(), {}, watch);
    CHECK(found.known());
    CHECK_EQ(found.cost.quanta, 0);
}
