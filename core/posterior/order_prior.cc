#include "posterior/order_prior.h"

#include <bit>

namespace sabna {

namespace {

constexpr std::uint32_t sets_between_polls = 1 << 12;

bool poll_at(Watch& watch, std::uint32_t U, std::size_t count) {
    if (U % sets_between_polls) return true;
    Progress progress;
    progress.station = "posterior";
    progress.finished = U;
    progress.total = std::int64_t(count);
    return watch.poll(progress);
}

template <class Visit>
void for_each_member(std::uint32_t set, Visit visit) {
    for (; set; set &= set - 1) visit(std::countr_zero(set));
}

}  // namespace

std::vector<Wide> order_forward(const FamilySums& sums, Watch& watch) {
    const std::size_t count = std::size_t{1} << sums.n();
    std::vector<Wide> f(count);
    f[0] = Wide::of(1);
    for (std::uint32_t U = 1; U < count; ++U) {
        if (!poll_at(watch, U, count)) return {};
        for_each_member(U, [&](int i) {
            const std::uint32_t before = U ^ (std::uint32_t{1} << i);
            f[U] += sums.at(i, before) * f[before];
        });
    }
    return f;
}

bool order_backward(FamilySums& sums, const std::vector<Wide>& forward, Watch& watch) {
    const std::size_t count = std::size_t{1} << sums.n();
    const std::uint32_t all = std::uint32_t(count - 1);
    std::vector<Wide> b(count);
    b[all] = Wide::of(1);
    for (std::uint32_t U = all; U-- > 0;) {
        if (!poll_at(watch, U, count)) return false;
        for_each_member(all & ~U, [&](int i) {
            const Wide& after = b[U | std::uint32_t{1} << i];
            Wide& sum = sums.at(i, U);
            b[U] += sum * after;
            sum = forward[U] * after;
        });
    }
    return true;
}

}  // namespace sabna
