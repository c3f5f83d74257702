#include "alternatives/combine.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace sabna {

bool Combiner::add(const std::vector<Cost>& costs) {
    // A heap of one candidate per partial sum, each stepping through the component's solutions: cheapest total first.
    using Candidate = std::tuple<Cost, std::uint32_t, std::uint32_t>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap;
    if (sums_.empty() || costs.empty()) return false;
    const Cost limit = sums_[0] + costs[0] + wanted_.slack;
    for (std::uint32_t a = 0; a < sums_.size() && sums_[a] + costs[0] <= limit; ++a)
        heap.push({sums_[a] + costs[0], a, 0});

    std::vector<Cost> sums;
    std::vector<Link> links;
    while (!heap.empty()) {
        const auto [cost, a, b] = heap.top();
        if (std::int64_t(sums.size()) == wanted_.count) {
            cut_ = true;
            break;
        }
        heap.pop();
        if (sums.size() == sums.capacity()) {
            const std::size_t more = sums.size() + 1024;
            if (!watch_.reserve(more * (sizeof(Cost) + sizeof(Link)))) return false;
            sums.reserve(sums.size() + more), links.reserve(sums.size() + more);
        }
        if ((sums.size() & 0xFFFF) == 0xFFFF &&
            !watch_.poll({.station = "alternatives", .stored = std::int64_t(sums.size())}))
            return false;
        sums.push_back(cost);
        links.push_back({a, b});
        if (b + 1 < costs.size() && sums_[a] + costs[b + 1] <= limit) heap.push({sums_[a] + costs[b + 1], a, b + 1});
    }
    sums_ = std::move(sums);
    links_.push_back(std::move(links));
    return true;
}

std::vector<std::vector<std::uint32_t>> Combiner::positions() const {
    std::vector<std::vector<std::uint32_t>> out(sums_.size(), std::vector<std::uint32_t>(links_.size()));
    for (std::uint32_t k = 0; k < out.size(); ++k) {
        std::uint32_t at = k;
        for (std::size_t c = links_.size(); c-- > 0;) {
            out[k][c] = links_[c][at].position;
            at = links_[c][at].before;
        }
    }
    return out;
}

}  // namespace sabna
