#include "bounds/volume.h"

#include <algorithm>
#include <random>

#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

// Protects from weights whose bound is told wrong, exceeds the optimum, or is below that of the weights given.
TEST(volume_ascent_bounds_the_optimum_and_loses_nothing) {
    Watch watch;
    int better = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const int n = 3 + int(seed % 8);
        const int costs = seed % 4 == 0 ? 3 : 1 << 30;
        const auto graph = random_graph<1>(
            {.n = n, .sets = 20, .costs = costs, .empty_sets = seed % 3 != 0, .larger_is_cheaper = true}, seed);
        const std::int64_t best = optimum(graph.view()).quanta;
        AscentOptions options;
        options.target = best, options.work = 1'000'000;
        std::vector<Cluster<1>> start;
        if (seed % 2) start = dual_ascent<1>(graph.view(), {}, options, watch).clusters;
        const std::int64_t before = reduced_costs(graph.view(), start).bound;
        const AscentResult<1> raised = volume_ascent(graph.view(), start, options, watch);
        CHECK(raised.bound >= before && raised.bound <= best);
        CHECK_EQ(reduced_costs(graph.view(), raised.clusters).bound, raised.bound);
        better += raised.bound > before;
    }
    CHECK(better > 20);
}

TEST(volume_ascent_is_the_same_in_any_width) {
    Watch watch;
    const RandomGraph shape{.n = 20, .sets = 60, .costs = 1 << 30, .larger_is_cheaper = true};
    const auto narrow = random_graph<1>(shape, 5);
    const auto wide = random_graph<4>(shape, 5);
    AscentOptions options;
    options.target = std::int64_t{20} << 30, options.work = 3'000'000;
    const auto a = volume_ascent<1>(narrow.view(), {}, options, watch);
    const auto b = volume_ascent<4>(wide.view(), {}, options, watch);
    CHECK_EQ(a.bound, b.bound);
    CHECK_EQ(a.work, b.work);
    CHECK(a.bound > reduced_costs<1>(narrow.view(), {}).bound);
}

namespace {

// Parents nearby on a ring of 128 variables, so that there is much to cut, in every part of it.
ParentGraphData<2> ring() {
    std::mt19937 random(7);
    const int n = 128, reach = 7;
    ParentGraphData<2> graph;
    for (int i = 0; i < n; ++i) {
        std::vector<std::pair<std::int64_t, VarSet<2>>> list{{std::int64_t{20} << 30, VarSet<2>{}}};
        for (int a = 1; a <= 2 * reach; ++a)
            for (int b = a; b <= 2 * reach; ++b) {
                const int first = (i + n - reach + a - (a <= reach)) % n,
                          second = (i + n - reach + b - (b <= reach)) % n;
                const std::int64_t cost = std::int64_t(random() % (1u << 30)) * (a == b ? 9 : 4);
                list.push_back({cost, VarSet<2>::single(first).with(second)});
            }
        std::sort(list.begin(), list.end());
        for (const auto& [cost, set] : list) graph.sets.push_back(set), graph.costs.push_back(Cost{cost});
        graph.offsets.push_back(std::int64_t(graph.sets.size()));
    }
    return graph;
}

}  // namespace

TEST(volume_ascent_by_several_threads_is_the_same) {
    Watch watch;
    const auto graph = ring();
    const std::int64_t before = reduced_costs<2>(graph.view(), {}).bound;
    AscentOptions options;
    options.target = before + (std::int64_t{150} << 30), options.work = 100'000'000;
    const auto one = volume_ascent<2>(graph.view(), {}, options, watch);
    options.threads = 3;
    const auto three = volume_ascent<2>(graph.view(), {}, options, watch);
    CHECK(one.bound > before);
    CHECK_EQ(one.bound, three.bound);
    CHECK_EQ(one.work, three.work);
    CHECK_EQ(one.clusters.size(), three.clusters.size());
    for (std::size_t c = 0; c < one.clusters.size(); ++c)
        CHECK(one.clusters[c].set == three.clusters[c].set && one.clusters[c].y == three.clusters[c].y);
}

TEST(volume_ascent_without_memory_returns_what_it_was_given) {
    const auto graph = random_graph<1>({.n = 10, .sets = 30}, 5);
    Watch watch({.bytes = 1000}, [](const Progress&) { return true; });
    AscentOptions options;
    options.target = optimum(graph.view()).quanta;
    const auto raised = volume_ascent<1>(graph.view(), {}, options, watch);
    CHECK(raised.clusters.empty() && !watch.stopped());
    CHECK_EQ(raised.bound, reduced_costs<1>(graph.view(), {}).bound);
}
