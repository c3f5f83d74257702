#include "posterior/posterior.h"

#include <bit>
#include <cmath>
#include <random>

#include "posterior/uniform_prior.h"
#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

// Calls visit(weight, parents) for every network of the graph, by trying all choices of parent sets.
template <class Visit>
void for_each_network(const ParentGraphView<1>& graph, int i, double weight, std::vector<std::uint64_t>& parents,
                      Visit visit) {
    if (i < graph.n) {
        for (std::size_t k = 0; k < graph.sets(i).size(); ++k) {
            parents[std::size_t(i)] = graph.sets(i)[k].word[0];
            for_each_network(graph, i + 1, weight * std::exp(-double(graph.costs(i)[k].quanta) / quanta_per_nat),
                             parents, visit);
        }
        return;
    }
    std::uint64_t placed = 0;
    for (int round = 0; round < graph.n; ++round)
        for (int v = 0; v < graph.n; ++v)
            if (!(parents[std::size_t(v)] & ~placed)) placed |= std::uint64_t{1} << v;
    if (placed + 1 == std::uint64_t{1} << graph.n) visit(weight, parents);
}

// Orders of the variables that agree with a network.
double orders(const std::vector<std::uint64_t>& parents) {
    std::vector<double> ways(std::size_t{1} << parents.size());
    ways[0] = 1;
    for (std::uint64_t U = 1; U < ways.size(); ++U)
        for (std::size_t v = 0; v < parents.size(); ++v)
            if (const std::uint64_t rest = U & ~(std::uint64_t{1} << v); rest != U && !(parents[v] & ~rest))
                ways[U] += ways[rest];
    return ways.back();
}

ParentGraphData<1> nats_graph(std::uint32_t seed) {
    RandomGraph shape;
    shape.n = 1 + int(seed % 5);
    shape.sets = 5;
    shape.empty_sets = seed % 3 != 0;
    shape.costs = 100;
    auto data = random_graph<1>(shape, seed);
    for (Cost& cost : data.costs) cost.quanta = cost.quanta * (std::int64_t{1} << 24) - (std::int64_t{1} << 30);
    return data;
}

}  // namespace

// Protects from a sum over networks that leaves one out, counts one twice, or shares edges out wrongly.
TEST(posterior_is_that_of_all_networks) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto data = nats_graph(seed);
        const auto graph = data.view();
        for (const StructurePrior prior : {StructurePrior::uniform, StructurePrior::order}) {
            const std::size_t n = std::size_t(graph.n);
            std::vector<double> edges(n * n);
            double total = 0;
            std::vector<std::uint64_t> parents(n);
            for_each_network(graph, 0, 1.0, parents, [&](double weight, const std::vector<std::uint64_t>& network) {
                if (prior == StructurePrior::order) weight *= orders(network);
                total += weight;
                for (std::size_t u = 0; u < n; ++u)
                    for (std::size_t v = 0; v < n; ++v)
                        if (network[v] >> u & 1) edges[u * n + v] += weight;
            });
            Watch watch;
            const Posterior found = find_posterior(graph, {prior, 0, 0}, 1 + int(seed % 3), watch);
            CHECK(found.stop == Stop::none);
            CHECK(found.possible);
            CHECK(std::fabs(found.log_total - std::log(total)) < 1e-12);
            for (std::size_t k = 0; k < edges.size(); ++k) CHECK(std::fabs(found.edges[k] - edges[k] / total) < 1e-12);
            CHECK_EQ(watch.used(), std::uint64_t{0});
        }
    }
}

// Protects from numbers that lose digits or exponents: the same sums in another order, and products far beyond a double.
TEST(wide_numbers_keep_digits_and_exponents) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<Wide> numbers;
        for (int k = 0; k < 40; ++k)
            numbers.push_back(Wide::exp_minus(Cost{std::int64_t(random() % 4000) << 27}) *
                              Wide::of(round % 2 && k % 2 ? -1.0 : 1.0));
        Wide forth, back, size;
        for (int k = 0; k < 40; ++k) {
            forth += numbers[std::size_t(k)], back += numbers[std::size_t(39 - k)];
            size += numbers[std::size_t(k)].hi < 0 ? -numbers[std::size_t(k)] : numbers[std::size_t(k)];
        }
        CHECK(std::fabs(ratio(forth - back, size)) < 1e-29);
    }
    Wide power = Wide::of(1);
    const Wide factor = Wide::exp_minus(Cost{std::int64_t{-700} << 30});
    for (int k = 0; k < 1000; ++k) power *= factor;
    CHECK(std::fabs(double(power.log()) - 700'000) < 1e-9);
    CHECK_EQ(ratio(power, power), 1.0);
    CHECK((power - power).is_zero());
    CHECK((Wide{} * power).is_zero());
    CHECK_EQ(ratio(Wide::of(3) + Wide{}, Wide::of(2)), 1.5);
    CHECK(Wide::of(1) < Wide::of(1) + Wide::of(0x1p-100));
}

// The number of networks (Robinson 1973), with all weights 1.
TEST(uniform_prior_counts_networks) {
    const double counts[] = {1, 3, 25, 543, 29281, 3781503, 1138779265};
    for (int n = 1; n <= 7; ++n) {
        ParentGraphData<1> data;
        for (int i = 0; i < n; ++i) {
            for (std::uint64_t s = 0; s < std::uint64_t{1} << n; ++s)
                if (!(s >> i & 1)) data.sets.push_back(VarSet<1>{{s}}), data.costs.push_back(Cost{0});
            data.offsets.push_back(std::int64_t(data.sets.size()));
        }
        Watch watch;
        FamilySums sums(data.view(), 1, watch);
        CHECK_EQ(ratio(uniform_forward(sums, 2, watch).back(), Wide::of(counts[n - 1])), 1.0);
    }
}

TEST(posterior_of_sets_that_make_no_network) {
    ParentGraphData<1> data;
    data.sets = {VarSet<1>::single(1), VarSet<1>::single(0)};
    data.costs = {Cost{5}, Cost{5}};
    data.offsets = {0, 1, 2};
    for (const StructurePrior prior : {StructurePrior::uniform, StructurePrior::order}) {
        Watch watch;
        CHECK(!find_posterior(data.view(), {prior, 10, 0}, 1, watch).possible);
    }
}
