#include "bounds/credit_tables.h"

#include "testing/harness.h"
#include "testing/random_clusters.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

// Protects from reduced costs that are not those of the formula: of long lists, whose clusters are in tables by their members
// or by the rest, and of sets and clusters that are in none.
TEST(credit_tables_give_what_every_cluster_says) {
    typename CreditTables<1>::Space space;
    std::int64_t fewer = 0, more = 0;
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        const int n = 26 + int(seed % 2) * 6;
        auto data = random_graph<1>(
            {.n = n, .sets = 2000, .largest = 2 + int(seed % 3), .costs = 1 << 30, .larger_is_cheaper = true}, seed);
        data.sets.push_back(VarSet<1>::first(5)), data.costs.push_back(Cost{1 << 30}), ++data.offsets.back();
        const auto graph = data.view();
        const CreditTables<1> tables(graph);
        auto clusters = random_clusters<1>(n, 100, 1 << 20, seed);
        for (int v = 0; v < n; v += 2) clusters.push_back({VarSet<1>::first(n).without(v), 1 + v % 4 / 2, 1000 + v});
        for (int i = 0; i < n; ++i) {
            std::vector<Cluster<1>> of;
            for (const Cluster<1>& c : clusters)
                if (c.set.contains(i)) of.push_back(c);
            tables.reduce(i, of, space);
            CHECK_EQ(std::int64_t(space.reduced.size()), graph.size(i));
            for (std::size_t p = 0; p < space.reduced.size(); ++p) {
                std::int64_t value = graph.costs(i)[p].quanta;
                for (const Cluster<1>& c : of)
                    if (c.credits(graph.sets(i)[p])) value -= c.y;
                CHECK_EQ(space.reduced[p], value);
            }
            (space.tested.empty() ? fewer : more) += 1;
        }
    }
    CHECK(fewer > 50 && more > 50);  // both ways were taken
}
