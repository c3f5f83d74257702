// d(i, A) for a group of variables, on costs reduced by the clusters that leave the group.
//
// A table over the subsets of a group G needs, for every member i and every part A of G that is placed before i, the cost of
// the best parents of i when everything outside G is available as well:
//   D_i[A] = min over S with S cap G inside A of [ s(i,S) - sum of y_C over C with i in C, |C cap A| < k, |S cap C| < k ].
// Without clusters this is d(i, A + (V - G)). The tables are wanted whole, in blocks: the high part of A fixed, the low bits
// running through all values.
//
// Two ways, by member:
// - no credit that can be lost: zeta transform. Write at S cap G the rank of S in i's list, take minima over
//   subsets bit by bit. Ranks fit in 16 bits for all but monstrous lists, so one instruction treats sixteen subsets.
// - credits: recursion over the bits. Leaving a bit out drops the sets that need it, taking it in spends the clusters it
//   belongs to. Sets that can no longer win are dropped on the way, so that near the leaves, where the work is, the
//   list is short.
//
// Only the making depends on the width of the graph's sets: inside a group a set is 32 bits, by place in the group.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "bounds/cluster_bound.h"

namespace sabna {

// "No parent set fits" in tables. It is added to like any number, so that the inner loops need not ask. With T =
// largest_total (cost.h) sums of reduced costs lie between -2 T and T; an entry with this mark in it between 1.5 T and 3.5 T, as
// entries are cut off at the mark. Two of them add up to at most 7 T, without overflow.
inline constexpr std::int64_t unreachable = largest_total / 2 * 7;
constexpr bool is_unreachable(std::int64_t value) { return value >= largest_total; }

class GroupCosts {
  public:
    // `clusters`: those that count; each should leave the group or miss it (the table is exact inside the group).
    template <int W>
    GroupCosts(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters, const VarSet<W>& group);

    struct Item {
        std::int64_t least;     // value while no credit is lost
        std::int64_t most;      // value when all are
        std::uint32_t needs;    // S cap G, bits by place in the group
        std::int64_t position;  // of the set in the graph
    };
    struct Live {
        std::int64_t value;
        std::uint32_t needs;
        std::uint32_t item;
    };
    // Working memory of one thread.
    struct Scratch {
        std::vector<Live> live;
        std::vector<int> inside;           // per cluster of the member: how many of it are in A
        std::vector<std::uint64_t> spent;  // clusters, as bits
        void spend(std::uint32_t c) { spent[c >> 6] |= std::uint64_t{1} << (c & 63); }
        std::vector<std::uint16_t> ranks;
        std::vector<std::uint32_t> wide_ranks;
    };

    int size() const { return int(members_.size()); }
    int variable(int j) const { return members_[std::size_t(j)].variable; }
    const std::vector<Item>& items(int j) const { return members_[std::size_t(j)].items; }

    // out[p] = D_j[A] for p = 0 .. 2^low - 1, where A is `high` plus the low bits that are *not* in p (p: what
    // remains). Entries whose p lacks j itself are without meaning.
    void fill(int j, std::uint32_t high, int low, Scratch& scratch, std::int64_t* out) const;

    // The value of one item of member j for A; the item must fit.
    std::int64_t value(int j, std::size_t item, std::uint32_t a) const;

  private:
    struct LocalCluster {
        std::uint32_t mask;  // C cap G without the member
        int k;
        std::int64_t y;
    };
    struct Member {
        int variable;
        std::vector<Item> items;                           // ascending by least
        std::vector<std::uint32_t> candidates;             // items no other item always beats
        std::vector<LocalCluster> clusters;                // those whose credit can be lost
        std::vector<std::vector<std::uint32_t>> touching;  // per bit: clusters
        std::size_t words = 0;
        std::vector<std::uint64_t> credits;  // per item: words of cluster bits

        bool credited(std::size_t item, std::uint32_t c) const {
            return credits[item * words + (c >> 6)] >> (c & 63) & 1;
        }
        // The credits of an item for clusters that are spent.
        std::int64_t lost(std::size_t item, const std::uint64_t* spent) const {
            std::int64_t sum = 0;
            for (std::size_t w = 0; w < words; ++w)
                for (std::uint64_t rest = spent[w] & credits[item * words + w]; rest; rest &= rest - 1)
                    sum += clusters[w * 64 + std::size_t(std::countr_zero(rest))].y;
            return sum;
        }
    };
    template <int W>
    void build_member(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& clusters, int j,
                      const std::vector<int>& place);
    void find_candidates(Member& member) const;
    bool always_beats(const Member& member, std::size_t a, std::size_t b) const;
    template <class Rank>
    void fill_by_zeta(const Member& member, std::uint32_t high, int low, std::vector<Rank>& ranks,
                      std::int64_t* out) const;
    void fill_by_recursion(const Member& member, std::uint32_t high, int low, Scratch& scratch,
                           std::int64_t* out) const;
    struct Descent;

    std::vector<Member> members_;
};

}  // namespace sabna
