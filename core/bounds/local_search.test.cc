#include "bounds/local_search.h"

#include <algorithm>

#include "bounds/order_climber.h"
#include "bounds/order_window.h"
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
    const auto wide = random_graph<4>(shape, 5);
    const Assignment a = local_search(narrow.view(), {.seed = 7}, watch),
                     b = local_search(wide.view(), {.seed = 7}, watch);
    CHECK(a.order == b.order);
    CHECK(a.choice == b.choice);
    CHECK(is_network(wide.view(), b));
}

// Protects from orders that depend on which thread was first.
TEST(local_search_is_the_same_for_any_number_of_threads) {
    for (std::uint32_t seed = 0; seed < 6; ++seed) {
        const auto graph = random_graph<1>({.n = 30, .sets = 60, .largest = 4, .empty_sets = seed % 2 == 0}, seed);
        LocalSearchOptions options{.seed = seed, .restarts = 6, .kicks = 3, .crossings = 8, .work = 400'000};
        Watch watch;
        const Assignment one = local_search(graph.view(), options, watch);
        for (const int threads : {2, 3, 9}) {
            options.threads = threads;
            const Assignment several = local_search(graph.view(), options, watch);
            CHECK(one.order == several.order);
            CHECK(is_network(graph.view(), several));
        }
    }
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

// Protects from costs kept up to date wrongly move by move.
TEST(a_climber_costs_what_its_order_costs_after_any_moves) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const int n = 2 + int(seed % 19);
        const auto graph = random_graph<2>(
            {.n = n, .sets = seed % 4 ? 40 : 400, .costs = seed % 3 ? 10'000 : 4, .empty_sets = seed % 5 != 0}, seed);
        const auto view = graph.view();
        MovingFits<2> fits(view);
        OrderClimber<2> climber(fits);
        OrderWindow<2> window(fits, std::min(n, 5));
        Random random(seed);
        climber.start(feasible_order(view));
        for (int round = 0; round < 6; ++round) {
            const Cost before = climber.cost();
            if (round % 3 == 0) climber.kick(random, 3);
            if (round % 3 == 1) climber.climb(random, [] { return true; });
            if (round % 3 == 2) window.improve(climber, random.below(n - window.width() + 1));
            CHECK(round % 3 == 0 || climber.cost() <= before);
            const Cost kept = climber.cost();
            climber.redraw(random);
            const Assignment again = assign(view, climber.order());
            CHECK(climber.cost() <= kept);
            CHECK(is_network(view, again));
            CHECK_EQ(again.cost.quanta, climber.cost().quanta);
        }
    }
}

// Protects from a climb that ends early: no single move of a variable improves what it ends with.
TEST(no_move_of_one_variable_improves_what_a_climb_ends_with) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const auto graph = random_graph<1>({.n = 12, .sets = 60, .empty_sets = seed % 2 == 0}, seed);
        const auto view = graph.view();
        MovingFits<1> fits(view);
        OrderClimber<1> climber(fits);
        Random random(seed);
        climber.start(feasible_order(view));
        climber.climb(random, [] { return true; });
        for (int from = 0; from < view.n; ++from) {
            for (int to = 0; to < view.n; ++to) {
                std::vector<int> order = climber.order();
                const int v = order[std::size_t(from)];
                order.erase(order.begin() + from);
                order.insert(order.begin() + to, v);
                CHECK(assign(view, order).cost >= climber.cost());
            }
        }
    }
}

TEST(a_window_over_all_variables_is_exact) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const int n = 2 + int(seed % 8);
        const auto graph = random_graph<4>({.n = n, .sets = 20, .costs = 50, .empty_sets = seed % 2 == 0}, seed);
        const auto view = graph.view();
        MovingFits<4> fits(view);
        OrderClimber<4> climber(fits);
        climber.start(feasible_order(view));
        OrderWindow<4>(fits, n).improve(climber, 0);
        CHECK_EQ(climber.cost().quanta, optimum(view).quanta);
    }
}

TEST(local_search_starts_from_what_it_is_given) {
    const auto graph = random_graph<1>({.n = 30, .sets = 200, .largest = 4}, 3);
    Watch watch;
    const Assignment good = local_search(graph.view(), {.seed = 1}, watch);
    const LocalSearchOptions no_work{.restarts = 2, .work = 0, .starts = {feasible_order(graph.view()), good.order}};
    CHECK(local_search(graph.view(), no_work, watch).known());
    const LocalSearchOptions only{.restarts = 1, .kicks = 0, .starts = {good.order}};
    CHECK_EQ(local_search(graph.view(), only, watch).cost.quanta, good.cost.quanta);
}

TEST(local_search_without_memory_for_its_index_gives_a_network) {
    const auto graph = random_graph<1>({.n = 30, .sets = 200}, 3);
    Watch watch({.bytes = 1000}, [](const Progress&) { return true; });
    CHECK(is_network(graph.view(), local_search(graph.view(), {}, watch)));
    CHECK(!watch.stopped());
}
