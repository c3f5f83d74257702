#include "posterior/family_sums.h"

#include "parallel.h"

namespace sabna {

namespace {

// sums[T] becomes the sum over the subsets of T (or the sets around T) of what stood there; false if the watch stopped it.
template <bool around>
bool zeta(Wide* sums, int variables, const Watch& watch) {
    const std::size_t count = std::size_t{1} << variables;
    for (std::size_t bit = 1; bit < count; bit <<= 1) {
        if (watch.stopped()) return false;
        for (std::size_t start = 0; start < count; start += 2 * bit)
            for (std::size_t T = start; T < start + bit; ++T)
                if constexpr (around) sums[T] += sums[T + bit];
                else sums[T + bit] += sums[T];
    }
    return true;
}

bool for_each_variable(int n, int threads, Watch& watch, const std::function<void(int)>& work) {
    Progress progress;
    progress.station = "posterior";
    return for_each_block(
        threads, n, watch, [&](int, std::int64_t j) { work(int(j)); }, [&] { return watch.poll(progress); });
}

}  // namespace

FamilySums::FamilySums(const ParentGraphView<1>& graph, int threads, Watch& watch) : graph_(graph) {
    if (graph.n == 0) return;
    const std::size_t each = std::size_t{1} << (graph.n - 1);
    table_.resize(each * std::size_t(graph.n));
    for_each_variable(graph.n, threads, watch, [&](int j) {
        for (std::int64_t k = 0; k < graph.size(j); ++k)
            at(j, std::uint32_t(graph.sets(j)[std::size_t(k)].word[0])) = weight(j, k);
        zeta<false>(table_.data() + each * std::size_t(j), graph.n - 1, watch);
    });
}

long double FamilySums::taken_out() const {
    long double sum = 0;
    for (int j = 0; j < graph_.n; ++j) sum += (long double)(graph_.best(j).quanta) / quanta_per_nat;
    return sum;
}

std::vector<double> FamilySums::edges(const Wide& Z, int threads, Watch& watch) {
    const std::size_t n = std::size_t(graph_.n), each = std::size_t{1} << (graph_.n - 1);
    std::vector<double> out(n * n, 0.0);
    for_each_variable(graph_.n, threads, watch, [&](int j) {
        if (!zeta<true>(table_.data() + each * std::size_t(j), graph_.n - 1, watch)) return;
        for (std::int64_t k = 0; k < graph_.size(j); ++k) {
            const VarSet<1> parents = graph_.sets(j)[std::size_t(k)];
            const double p = ratio(weight(j, k) * at(j, std::uint32_t(parents.word[0])), Z);
            parents.for_each([&](int u) { out[std::size_t(u) * n + std::size_t(j)] += p; });
        }
    });
    return out;
}

}  // namespace sabna
