// The nodes of one layer in a breadth-first search, in sixteen shards by hash so that threads can fill it side by side.
//
// A node is its set, its cost, and the number of the node it was best reached from: 20 bytes for up to 64 variables, with
// an index of 4-byte positions beside it, between 40 and 80 % full. `retire` lets go of costs and index.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "cost.h"
#include "varset.h"
#include "watch.h"

namespace sabna {

template <int W>
class LayerTable {
  public:
    static constexpr int shards = 16;
    static constexpr std::uint32_t start =
        ~std::uint32_t{0};  // the number that no node has: where the first node comes from
    enum class Kept { fresh, known, no_room };

    struct Child {
        VarSet<W> set;
        std::uint64_t hash;
        Cost g, f;
        std::uint32_t from;
    };
    struct Node {
        VarSet<W> set;
        Cost g;
        std::uint32_t number;
    };

    explicit LayerTable(Watch& watch) : watch_(&watch) {}
    LayerTable(LayerTable&& other) noexcept = default;
    ~LayerTable() {
        for (Shard& shard : shards_) watch_->release(shard.reserved), shard.reserved = 0;
    }

    static std::uint64_t hash(const VarSet<W>& set) {
        const std::uint64_t h = set.hash();
        return (h ^ h >> 29) * 0xBF58476D1CE4E5B9ull;
    }
    static std::size_t shard_of(std::uint64_t hash) { return std::size_t(hash >> 60); }

    bool keep(const Child& child) { return keep_in(int(shard_of(child.hash)), child) != Kept::no_room; }
    // Different shards may be filled by different threads.
    Kept keep_in(int number, const Child& child) {
        Shard& shard = shards_[std::size_t(number)];
        shard.smallest = std::min(shard.smallest, child.f);
        if (shard.index.empty() || shard.sets.size() * 5 >= shard.index.size() * 4)
            if (!grow(shard)) return Kept::no_room;
        std::size_t slot = home(shard, child.hash);
        for (; shard.index[slot]; slot = slot + 1 == shard.index.size() ? 0 : slot + 1) {
            const std::size_t k = shard.index[slot] - 1;
            if (shard.sets[k] != child.set) continue;
            // Of equally cheap ways the one from the higher number: children may arrive in any order.
            if (child.g < shard.costs[k] || (child.g == shard.costs[k] && child.from > shard.from[k]))
                shard.costs[k] = child.g, shard.from[k] = child.from;
            return Kept::known;
        }
        shard.index[slot] = std::uint32_t(shard.sets.size() + 1);
        shard.sets.push_back(child.set);
        shard.costs.push_back(child.g);
        shard.from.push_back(child.from);
        return Kept::fresh;
    }

    std::size_t size() const {
        std::size_t total = 0;
        for (const Shard& shard : shards_) total += shard.sets.size();
        return total;
    }
    Cost smallest_f() const {
        Cost smallest = Cost::infinite();
        for (const Shard& shard : shards_) smallest = std::min(smallest, shard.smallest);
        return smallest;
    }
    // Sorts a shard by sets, so that numbers do not depend on the order of arrival. No more nodes after this; different
    // shards may be sorted by different threads. The index has room for the new places, and is given up.
    void sort_shard(int number) {
        Shard& shard = shards_[std::size_t(number)];
        const std::size_t size = shard.sets.size();
        std::vector<std::uint32_t>& place = shard.index;
        for (std::size_t k = 0; k < size; ++k) place[k] = std::uint32_t(k);
        std::sort(place.begin(), place.begin() + std::ptrdiff_t(size),
                  [&](std::uint32_t a, std::uint32_t b) { return shard.sets[a] < shard.sets[b]; });
        // place[k] is where the node of place k stands now: follow each cycle once, moving nodes home.
        for (std::size_t begin = 0; begin < size; ++begin) {
            const auto first = std::tuple(shard.sets[begin], shard.costs[begin], shard.from[begin]);
            std::size_t k = begin;
            for (std::size_t next = place[k]; next != begin; next = place[k]) {
                shard.sets[k] = shard.sets[next], shard.costs[k] = shard.costs[next], shard.from[k] = shard.from[next];
                place[k] = std::uint32_t(k);
                k = next;
            }
            std::tie(shard.sets[k], shard.costs[k], shard.from[k]) = first;
            place[k] = std::uint32_t(k);
        }
    }
    // Give the nodes numbers from `first` on: shard by shard, in their order.
    void number_from(std::uint64_t first) {
        first_ = std::uint32_t(first);
        std::size_t sum = 0;
        for (std::size_t p = 0; p < shards; ++p) begin_[p] = sum, sum += shards_[p].sets.size();
        begin_[shards] = sum;
    }
    Node at(std::size_t k) const {
        const auto [shard, position] = locate(k);
        return {shard->sets[position], shard->costs[position], first_ + std::uint32_t(k)};
    }

    // Keep what the way back needs.
    void retire() {
        for (Shard& shard : shards_) {
            std::vector<Cost>().swap(shard.costs);
            std::vector<std::uint32_t>().swap(shard.index);
            shard.sets.shrink_to_fit();
            shard.from.shrink_to_fit();
            const std::uint64_t left = shard.sets.size() * (sizeof(VarSet<W>) + 4);
            watch_->release(shard.reserved - left);
            shard.reserved = left;
            shard.smallest = Cost::infinite();
        }
        retired_ = true;
    }
    bool has_number(std::uint32_t number) const {
        return retired_ && number >= first_ && number - first_ < begin_[shards];
    }
    std::pair<VarSet<W>, std::uint32_t> retired(std::uint32_t number) const {
        const auto [shard, position] = locate(number - first_);
        return {shard->sets[position], shard->from[position]};
    }

    // The last layer has one node.
    Cost only_g() const { return only().costs[0]; }
    std::uint32_t parent_of_only() const { return only().from[0]; }

    std::uint64_t bytes() const {
        std::uint64_t total = 0;
        for (const Shard& shard : shards_) total += shard.reserved;
        return total;
    }

  private:
    struct Shard {
        std::vector<VarSet<W>> sets;
        std::vector<Cost> costs;
        std::vector<std::uint32_t> from, index;
        std::uint64_t reserved = 0;
        Cost smallest = Cost::infinite();
    };

    static std::size_t home(const Shard& shard, std::uint64_t hash) {
        return std::size_t((hash << 4 >> 32) * shard.index.size() >> 32);
    }
    // Half as much again. The old arrays live until the new ones are filled: reserve both, then let go.
    bool grow(Shard& shard) {
        const std::size_t slots = shard.index.empty() ? 16 : shard.index.size() * 3 / 2, nodes = slots * 4 / 5 + 1;
        const std::uint64_t bytes = slots * 4 + nodes * (sizeof(VarSet<W>) + 12);
        if (!watch_->reserve(bytes)) return false;
        shard.sets.reserve(nodes);
        shard.costs.reserve(nodes);
        shard.from.reserve(nodes);
        shard.index.assign(slots, 0);
        for (std::size_t k = 0; k < shard.sets.size(); ++k) {
            std::size_t slot = home(shard, hash(shard.sets[k]));
            while (shard.index[slot]) slot = slot + 1 == slots ? 0 : slot + 1;
            shard.index[slot] = std::uint32_t(k + 1);
        }
        watch_->release(shard.reserved);
        shard.reserved = bytes;
        return true;
    }
    std::pair<const Shard*, std::size_t> locate(std::size_t k) const {
        std::size_t p = 0;
        while (k >= begin_[p + 1]) ++p;
        return {&shards_[p], k - begin_[p]};
    }
    const Shard& only() const {
        for (const Shard& shard : shards_)
            if (!shard.sets.empty()) return shard;
        return shards_[0];
    }

    Watch* watch_;
    std::array<Shard, std::size_t(shards)> shards_;
    std::array<std::size_t, std::size_t(shards) + 1> begin_{};
    std::uint32_t first_ = 0;
    bool retired_ = false;
};

}  // namespace sabna
