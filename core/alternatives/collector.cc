#include "alternatives/collector.h"

#include <algorithm>
#include <numeric>

namespace sabna {

bool Collector::add(Cost cost, const std::vector<std::uint32_t>& choice) {
    if (found_.costs.size() == found_.costs.capacity()) {
        const std::uint64_t more = (found_.costs.size() + 1024) * (sizeof(Cost) + 4 * std::uint64_t(n_));
        if (!watch_.reserve(more)) return false;
        found_.costs.reserve(2 * found_.costs.size() + 1024);
        found_.choices.reserve(found_.costs.capacity() * std::size_t(n_));
    }
    found_.costs.push_back(cost);
    found_.choices.insert(found_.choices.end(), choice.begin(), choice.end());
    if (size() >= 2 * count_) keep_best();
    else if (size() == count_) tighten();
    return true;
}

void Collector::tighten() {
    found_.cut = true;
    limit_ = std::min(limit_, *std::max_element(found_.costs.begin(), found_.costs.end()) - Cost{1});
}

void Collector::keep_best() {
    sort();
    found_.costs.resize(std::size_t(count_));
    found_.choices.resize(std::size_t(count_) * std::size_t(n_));
    tighten();
}

Solutions Collector::take(bool whole) {
    if (size() > count_) keep_best();
    else sort();
    if (found_.cut || !whole) found_.complete = false;
    Solutions out = std::move(found_);
    found_ = {};
    return out;
}

void Collector::sort() {
    std::vector<std::size_t> order(found_.costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return found_.costs[a] < found_.costs[b]; });
    std::vector<Cost> costs;
    std::vector<std::uint32_t> choices;
    costs.reserve(found_.costs.capacity()), choices.reserve(found_.choices.capacity());
    for (const std::size_t k : order) {
        costs.push_back(found_.costs[k]);
        const auto at = found_.choices.begin() + std::ptrdiff_t(k) * n_;
        choices.insert(choices.end(), at, at + n_);
    }
    found_.costs.swap(costs), found_.choices.swap(choices);
}

}  // namespace sabna
