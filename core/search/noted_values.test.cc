#include "search/noted_values.h"

#include "testing/harness.h"

using namespace sabna;
using namespace sabna::testing;

// Protects from values of other nodes: a gap in the numbers would shift all that follow.
TEST(noted_values_are_those_of_their_nodes) {
    Watch watch;
    {
        NotedValues noted(watch);
        for (NotedValues::Id id = 0; id < 600'000; ++id) noted.note(id, Cost{7 * std::int64_t(id)});
        noted.note(600'001, Cost{1});
        CHECK(!noted.has(600'000) && !noted.has(600'001));
        for (NotedValues::Id id = 0; id < 600'000; ++id)
            CHECK(noted.has(id) && noted[id].quanta == 7 * std::int64_t(id));
        CHECK_EQ(watch.used(), noted.bytes());
    }
    CHECK_EQ(watch.used(), std::uint64_t{0});
}

// Protects from a search that ends for want of memory that it can do without.
TEST(noted_values_do_without_memory) {
    Watch watch({.bytes = 3 << 20}, {});
    NotedValues noted(watch);
    for (NotedValues::Id id = 0; id < 300'000; ++id) noted.note(id, Cost{1});
    CHECK(noted.has(262'143) && !noted.has(262'144));
    CHECK(!watch.stopped());
}
