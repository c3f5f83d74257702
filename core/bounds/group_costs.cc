#include "bounds/group_costs.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sabna {

template <int W>
GroupCosts::GroupCosts(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters,
                       const VarSet<W>& group) {
    std::vector<int> place(std::size_t(graph.n), -1);
    group.for_each([&](int v) {
        place[std::size_t(v)] = int(members_.size());
        members_.push_back({v, {}, {}, {}, {}, 0, {}});
    });
    if (size() > 30) throw std::invalid_argument("group: at most 30 variables");
    for (int j = 0; j < size(); ++j) build_member(graph, clusters, j, place);
}

template <int W>
void GroupCosts::build_member(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters, int j,
                              const std::vector<int>& place) {
    Member& member = members_[std::size_t(j)];
    const auto local = [&](const VarSet<W>& set) {
        std::uint32_t mask = 0;
        set.for_each([&](int v) {
            if (place[std::size_t(v)] >= 0) mask |= std::uint32_t{1} << place[std::size_t(v)];
        });
        return mask;
    };
    std::vector<const Cluster<W>*> fading, lasting;  // credits that can be lost inside the group, and others
    for (const Cluster<W>& c : clusters) {
        if (c.y == 0 || !c.set.contains(member.variable)) continue;
        const std::uint32_t mask = local(c.set.without(member.variable));
        if (std::popcount(mask) < c.k) {
            lasting.push_back(&c);
            continue;
        }
        fading.push_back(&c);
        member.clusters.push_back({mask, c.k, c.y});
    }
    member.words = (fading.size() + 63) / 64;
    member.touching.resize(std::size_t(size()));
    for (std::uint32_t c = 0; c < member.clusters.size(); ++c)
        for (int bit = 0; bit < size(); ++bit)
            if (member.clusters[c].mask >> bit & 1) member.touching[std::size_t(bit)].push_back(c);

    std::vector<Item> items;
    for (std::int64_t p = graph.offsets[member.variable]; p < graph.offsets[member.variable + 1]; ++p) {
        const VarSet<W>& set = graph.sets_begin[p];
        Item item{graph.costs_begin[p].quanta, 0, local(set), p};
        for (const Cluster<W>* c : lasting)
            if (c->credits(set)) item.least -= c->y;
        item.most = item.least;
        for (const Cluster<W>* c : fading)
            if (c->credits(set)) item.least -= c->y;
        items.push_back(item);
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
        return a.least != b.least ? a.least < b.least : a.position < b.position;
    });
    member.credits.assign(items.size() * member.words, 0);
    for (std::size_t t = 0; t < items.size(); ++t)
        for (std::size_t c = 0; c < fading.size(); ++c)
            if (fading[c]->credits(graph.sets_begin[items[t].position]))
                member.credits[t * member.words + (c >> 6)] |= std::uint64_t{1} << (c & 63);
    member.items = std::move(items);
    find_candidates(member);
}

// Whether item a is worth as little as item b for every A that b fits.
bool GroupCosts::always_beats(const Member& member, std::size_t a, std::size_t b) const {
    const Item &x = member.items[a], &y = member.items[b];
    if (x.needs & ~y.needs) return false;
    if (x.most <= y.least) return true;
    std::int64_t worst = x.least - y.least;  // plus what a may lose and b cannot
    for (std::size_t w = 0; w < member.words; ++w) {
        std::uint64_t more = member.credits[a * member.words + w] & ~member.credits[b * member.words + w];
        for (; more; more &= more - 1) {
            worst += member.clusters[w * 64 + std::size_t(std::countr_zero(more))].y;
            if (worst > 0) return false;
        }
    }
    return worst <= 0;
}

void GroupCosts::find_candidates(Member& member) const {
    constexpr std::size_t most_compared = 4000;  // beyond, comparing all pairs costs more than it saves
    for (std::size_t b = 0; b < member.items.size(); ++b) {
        bool beaten = false;
        if (member.items.size() <= most_compared)
            for (std::size_t a = 0; a < member.candidates.size() && !beaten; ++a)
                beaten = always_beats(member, member.candidates[a], b);
        if (!beaten) member.candidates.push_back(std::uint32_t(b));
    }
}

void GroupCosts::fill(int j, std::uint32_t high, int low, Scratch& scratch, std::int64_t* out) const {
    const Member& member = members_[std::size_t(j)];
    if (!member.clusters.empty()) fill_by_recursion(member, high, low, scratch, out);
    else if (member.candidates.size() < 0xFFFF) fill_by_zeta(member, high, low, scratch.ranks, out);
    else fill_by_zeta(member, high, low, scratch.wide_ranks, out);
}

template <class Rank>
void GroupCosts::fill_by_zeta(const Member& member, std::uint32_t high, int low, std::vector<Rank>& ranks,
                              std::int64_t* out) const {
    const std::uint32_t size = std::uint32_t{1} << low, mask = size - 1;
    ranks.assign(size, Rank(-1));
    Rank rank = 0;
    for (std::uint32_t t : member.candidates) {  // ascending by value: the first to come stays
        const std::uint32_t needs = member.items[t].needs;
        if (!(needs & ~mask & ~high) && ranks[mask ^ (needs & mask)] == Rank(-1)) ranks[mask ^ (needs & mask)] = rank;
        ++rank;
    }
    // Indexed by what remains: fewer bits remain, more is available.
    Rank* r = ranks.data();
    for (std::uint32_t step = 1; step < size; step *= 2)
        for (std::uint32_t base = 0; base < size; base += 2 * step)
            for (std::uint32_t k = 0; k < step; ++k) r[base + k] = std::min(r[base + k], r[base + step + k]);
    for (std::uint32_t p = 0; p < size; ++p)
        out[p] = r[p] == Rank(-1) ? unreachable : member.items[member.candidates[r[p]]].least;
}

// The recursion over the low bits, highest first.
struct GroupCosts::Descent {
    const Member& member;
    Scratch& scratch;
    std::int64_t* out;
    std::size_t stride;  // room per level in scratch.live
    int own;             // the member's own bit, which always remains

    // `count` sets are live on this level; the bits above are decided, p holds those that remain.
    void run(int level, std::size_t count, std::uint32_t p) {
        Live* live = scratch.live.data() + stride * std::size_t(level);
        if (count == 0 || (count == 1 && !live[0].needs && live[0].value == member.items[live[0].item].most)) {
            std::fill_n(out + p, std::size_t{1} << level, count ? live[0].value : unreachable);
            return;
        }
        if (level == 0) {
            std::int64_t best = unreachable;
            for (std::size_t k = 0; k < count; ++k) best = std::min(best, live[k].value);
            out[p] = best;
            return;
        }
        const int bit = level - 1;
        run(bit, leave_out(live, count, bit), p | std::uint32_t{1} << bit);
        if (bit == own) return;
        scratch.spent.assign(member.words, 0);
        for (std::uint32_t c : member.touching[std::size_t(bit)])
            if (++scratch.inside[c] == member.clusters[c].k) scratch.spend(c);
        run(bit, take_in(live, count, bit), p);
        for (std::uint32_t c : member.touching[std::size_t(bit)]) --scratch.inside[c];
    }

    std::size_t leave_out(const Live* live, std::size_t count, int bit) {
        Live* next = scratch.live.data() + stride * std::size_t(bit);
        const std::uint32_t mask = std::uint32_t{1} << bit;
        std::size_t kept = 0;
        for (std::size_t k = 0; k < count; ++k)
            if (!(live[k].needs & mask)) next[kept++] = live[k];
        return kept;  // nothing rose, so nothing new is beaten
    }

    std::size_t take_in(const Live* live, std::size_t count, int bit) {
        Live* next = scratch.live.data() + stride * std::size_t(bit);
        const std::uint32_t mask = std::uint32_t{1} << bit;
        std::int64_t limit = unreachable;  // the best of those that are available whatever else
        std::size_t limiting = 0;
        for (std::size_t k = 0; k < count; ++k) {
            next[k] = live[k];
            next[k].needs &= ~mask;
            next[k].value += member.lost(live[k].item, scratch.spent.data());
            if (!next[k].needs && member.items[next[k].item].most < limit)
                limit = member.items[next[k].item].most, limiting = k;
        }
        std::size_t kept = 0;
        for (std::size_t k = 0; k < count; ++k)
            if (next[k].value < limit || k == limiting) next[kept++] = next[k];
        return kept;
    }
};

void GroupCosts::fill_by_recursion(const Member& member, std::uint32_t high, int low, Scratch& scratch,
                                   std::int64_t* out) const {
    const std::uint32_t mask = (std::uint32_t{1} << low) - 1;
    const std::size_t stride = member.candidates.size();
    scratch.live.resize(std::max(scratch.live.size(), stride * std::size_t(low + 1)));
    scratch.inside.assign(member.clusters.size(), 0);
    scratch.spent.assign(member.words, 0);
    for (std::uint32_t c = 0; c < member.clusters.size(); ++c) {
        scratch.inside[c] = std::popcount(member.clusters[c].mask & high);
        if (scratch.inside[c] >= member.clusters[c].k) scratch.spend(c);
    }
    std::size_t count = 0;
    Live* first = scratch.live.data() + stride * std::size_t(low);
    for (std::uint32_t t : member.candidates) {
        const Item& item = member.items[t];
        if (item.needs & ~mask & ~high) continue;
        first[count++] = {item.least + member.lost(t, scratch.spent.data()), item.needs & mask, t};
    }
    Descent{member, scratch, out, stride, int(&member - members_.data())}.run(low, count, 0);
}

std::int64_t GroupCosts::value(int j, std::size_t item, std::uint32_t a) const {
    const Member& member = members_[std::size_t(j)];
    std::int64_t value = member.items[item].least;
    for (std::uint32_t c = 0; c < member.clusters.size(); ++c)
        if (std::popcount(member.clusters[c].mask & a) >= member.clusters[c].k && member.credited(item, c))
            value += member.clusters[c].y;
    return value;
}

#define SABNA_INSTANTIATE(W) \
    template GroupCosts::GroupCosts(const ParentGraphView<W>&, const std::vector<Cluster<W>>&, const VarSet<W>&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
