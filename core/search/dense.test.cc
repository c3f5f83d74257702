#include "search/dense.h"

#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

// Protects from a table that differs from the plain recursion, and from a read-off order that does not cost what the table says.
TEST(dense_search_is_optimal) {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        RandomGraph shape;
        shape.n = 1 + int(seed % 11);
        shape.sets = 4 + int(seed % 30);
        shape.largest = 1 + int(seed % 5);
        shape.costs = seed % 3 ? 1000 : 5;
        shape.empty_sets = seed % 4 != 0;
        const auto data = random_graph<1>(shape, seed);
        Watch watch;
        const Outcome outcome = dense_search(data.view(), 1 + int(seed % 2), watch);
        CHECK(outcome.best.known());
        CHECK_EQ(outcome.best.cost.quanta, optimum(data.view()).quanta);
        CHECK_EQ(outcome.lower.quanta, outcome.best.cost.quanta);
        CHECK(is_network(data.view(), outcome.best));
        CHECK_EQ(watch.used(), std::uint64_t{0});
    }
}

// Protects from errors at block boundaries: more variables than bits inside a block.
TEST(dense_search_over_several_blocks) {
    for (std::uint32_t seed = 0; seed < 2; ++seed) {
        RandomGraph shape;
        shape.n = 17;
        shape.sets = 40;
        shape.largest = 4;
        const auto data = random_graph<1>(shape, seed);
        Watch watch;
        const Outcome outcome = dense_search(data.view(), 2, watch);
        CHECK_EQ(outcome.best.cost.quanta, optimum(data.view()).quanta);
        CHECK(is_network(data.view(), outcome.best));
    }
}

TEST(dense_search_keeps_its_memory_limit) {
    const auto data = random_graph<1>({}, 1);
    Watch watch({.bytes = 100}, {});
    const Outcome outcome = dense_search(data.view(), 1, watch);
    CHECK(outcome.stop == Stop::memory_limit);
    CHECK(!outcome.best.known());
}
