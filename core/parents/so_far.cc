#include "parents/so_far.h"

namespace sabna {

template <int W>
void SoFar<W>::tell(bool settled) {
    if (!hear_) return;
    ParentGraphData<W> lists;
    std::vector<Cost> floor;
    {
        const std::lock_guard lock(mutex_);
        for (const List& list : lists_) {
            std::vector<ScoredSet<W>> sets = list.best;
            sets.insert(std::upper_bound(sets.begin(), sets.end(), list.base, before), list.base);
            for (const ScoredSet<W>& s : sets) lists.costs.push_back(s.cost), lists.sets.push_back(s.set);
            lists.offsets.push_back(std::int64_t(lists.sets.size()));
        }
        floor = floor_;
        changed_ = false;
    }
    hear_(std::move(lists), floor, settled);
}

#define SABNA_INSTANTIATE(W) template void SoFar<W>::tell(bool);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
