#include "posterior/uniform_prior.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "parallel.h"

namespace sabna {

namespace {

using Set = std::uint32_t;

// The sets of U that a task of `uniform_forward` adds to have one pattern on the last variables: so many of them.
constexpr int pattern_bits = 4;

struct Outside {
    int count = 0;
    int variable[posterior_most_variables];
    Wide minus[posterior_most_variables];  // -A_j(T)

    Outside(const FamilySums& sums, Set T, Set outside) {
        for (; outside; outside &= outside - 1) {
            variable[count] = std::countr_zero(outside);
            minus[count] = -sums.at(variable[count], T);
            ++count;
        }
    }
};

// products[k]: of the first factors in the k-th of their sets, times `first`.
void fill_products(std::vector<Wide>& products, const Wide& first, const Outside& factors, int count) {
    products[0] = first;
    for (int k = 0; k < count; ++k) {
        const std::size_t half = std::size_t{1} << k;
        for (std::size_t s = 0; s < half; ++s) products[half + s] = products[s] * factors.minus[k];
    }
}

// Calls visit(T) for every set of `size` among n variables, ascending.
template <class Visit>
void for_each_of_size(int n, int size, Visit visit) {
    const std::uint64_t end = std::uint64_t{1} << n;
    if (size == 0) return visit(Set{0});
    for (std::uint64_t T = (std::uint64_t{1} << size) - 1; T < end;) {
        visit(Set(T));
        const std::uint64_t low = T & (~T + 1), up = T + low;
        T = up | ((T ^ up) / low >> 2);
    }
}

// All that sets T of one size add to the sets U with the given pattern on the last variables.
void add_to_pattern(const FamilySums& sums, int size, Set last, Set pattern, std::vector<Wide>& H,
                    std::vector<Wide>& products, const Watch& watch) {
    const Set all = Set((std::uint64_t{1} << sums.n()) - 1);
    for_each_of_size(sums.n(), size, [&](Set T) {
        if ((T & last & ~pattern) || watch.stopped()) return;
        const Set fixed = pattern & ~T, free = all & ~last & ~T;
        const Outside in_pattern(sums, T, fixed), factors(sums, T, free);
        Wide first = -H[T];
        for (int k = 0; k < in_pattern.count; ++k) first *= in_pattern.minus[k];
        if (first.is_zero()) return;
        fill_products(products, first, factors, factors.count);
        Set s = 0;
        for (std::size_t k = 0; k < std::size_t{1} << factors.count; ++k, s = (s - free) & free)
            if (fixed | s) H[T | fixed | s] += products[k];
    });
}

// K(T), and the derivatives of Z in the place of A_j(T).
void take_back(FamilySums& sums, Set T, const Wide& H, std::vector<Wide>& K, std::vector<Wide>& terms,
               std::vector<Wide>& products) {
    const Set outside = Set((std::uint64_t{1} << sums.n()) - 1) & ~T;
    const Outside factors(sums, T, outside);
    const int m = factors.count;
    fill_products(products, Wide::of(1), factors, m - 1);
    Set s = 0;
    for (std::size_t k = 0; k < std::size_t{1} << m; ++k, s = (s - outside) & outside) terms[k] = K[T | s];
    terms[0] = Wide{};
    for (int k = m; k-- > 0;) {  // fold the sums with and without the k-th variable
        const std::size_t half = std::size_t{1} << k;
        Wide derivative;
        for (std::size_t i = 0; i < half; ++i) {
            const Wide& with = terms[half + i];
            derivative += with * products[i];
            terms[i] += with * factors.minus[k];
        }
        sums.at(factors.variable[k], T) = H * derivative;
    }
    K[T] = -terms[0];
}

Progress progress_at(int n, int size) {
    Progress progress;
    progress.station = "posterior";
    progress.finished = n - size;
    progress.total = n;
    return progress;
}

}  // namespace

std::uint64_t uniform_scratch_bytes(int n) { return (std::uint64_t{2} * sizeof(Wide)) << n; }

std::vector<Wide> uniform_forward(const FamilySums& sums, int threads, Watch& watch) {
    const int n = sums.n(), patterns = std::min(n, pattern_bits);
    const Set last = Set(((std::uint64_t{1} << patterns) - 1) << (n - patterns));
    std::vector<Wide> H(std::size_t{1} << n);
    H[0] = Wide::of(1);
    const std::atomic<std::int64_t> evaluated{0};
    for (int size = 0; size < n && !watch.stopped(); ++size) {
        const auto add = [&](int task) {  // the pattern of most work first
            std::vector<Wide> products(std::size_t{1} << (n - patterns));
            const Set pattern = Set((std::uint64_t{1} << patterns) - 1 - std::uint64_t(task)) << (n - patterns);
            add_to_pattern(sums, size, last, pattern, H, products, watch);
        };
        parallel_tasks(1 << patterns, threads, watch, "posterior", evaluated, add, [] {});
    }
    if (watch.stopped()) H.clear();
    return H;
}

bool uniform_backward(FamilySums& sums, const std::vector<Wide>& forward, int threads, Watch& watch) {
    const int n = sums.n();
    const std::size_t count = std::size_t{1} << n;
    std::vector<Wide> K(count);
    K.back() = Wide::of(1);
    std::vector<std::vector<Wide>> terms(static_cast<std::size_t>(threads)), products = terms;
    for (auto* scratch : {&terms, &products})
        for (auto& table : *scratch) table.resize(count);
    for (int size = n; size-- > 0;) {
        std::vector<Set> sets;
        for_each_of_size(n, size, [&](Set T) { sets.push_back(T); });
        const Progress progress = progress_at(n, size);
        const bool done = for_each_block(
            threads, std::int64_t(sets.size()), watch,
            [&](int thread, std::int64_t block) {
                const Set T = sets[std::size_t(block)];
                take_back(sums, T, forward[T], K, terms[std::size_t(thread)], products[std::size_t(thread)]);
            },
            [&] { return watch.poll(progress); });
        if (!done) return false;
    }
    return true;
}

}  // namespace sabna
