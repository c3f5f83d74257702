// The nodes of one layer in a breadth-first search, in sixteen parts by hash so that threads can fill it side by side.
//
// A node is its set, its cost, and the number of the node it was best reached from: 20 bytes for up to 64 variables, with
// an index of 4-byte positions beside it, between 40 and 80 % full. `retire` lets go of costs and index.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cost.h"
#include "varset.h"
#include "watch.h"

namespace sabna {

template <int W>
class LayerTable {
  public:
    static constexpr int parts = 16;
    static constexpr std::uint32_t start = ~std::uint32_t{0};  // the number that no node has: where the first node comes from
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
        for (Part& part : parts_) watch_->release(part.reserved), part.reserved = 0;
    }

    static std::uint64_t hash(const VarSet<W>& set) {
        const std::uint64_t h = set.hash();
        return (h ^ h >> 29) * 0xBF58476D1CE4E5B9ull;
    }
    static std::size_t part_of(std::uint64_t hash) { return std::size_t(hash >> 60); }

    bool keep(const Child& child) { return keep_in(int(part_of(child.hash)), child) != Kept::no_room; }
    // Different parts may be filled by different threads.
    Kept keep_in(int number, const Child& child) {
        Part& part = parts_[std::size_t(number)];
        part.smallest = std::min(part.smallest, child.f);
        if (part.index.empty() || part.sets.size() * 5 >= part.index.size() * 4)
            if (!grow(part)) return Kept::no_room;
        std::size_t slot = home(part, child.hash);
        for (; part.index[slot]; slot = slot + 1 == part.index.size() ? 0 : slot + 1) {
            const std::size_t k = part.index[slot] - 1;
            if (part.sets[k] != child.set) continue;
            // Of equally cheap ways the one from the lower number: children may arrive in any order.
            if (child.g < part.costs[k] || (child.g == part.costs[k] && child.from < part.from[k]))
                part.costs[k] = child.g, part.from[k] = child.from;
            return Kept::known;
        }
        part.index[slot] = std::uint32_t(part.sets.size() + 1);
        part.sets.push_back(child.set);
        part.costs.push_back(child.g);
        part.from.push_back(child.from);
        return Kept::fresh;
    }

    std::size_t size() const {
        std::size_t total = 0;
        for (const Part& part : parts_) total += part.sets.size();
        return total;
    }
    Cost smallest_f() const {
        Cost smallest = Cost::infinite();
        for (const Part& part : parts_) smallest = std::min(smallest, part.smallest);
        return smallest;
    }
    // Give the nodes numbers from `first` on: part by part, in order of arrival. No more nodes after this.
    void number_from(std::uint64_t first) {
        first_ = std::uint32_t(first);
        std::size_t sum = 0;
        for (std::size_t p = 0; p < parts; ++p) begin_[p] = sum, sum += parts_[p].sets.size();
        begin_[parts] = sum;
    }
    Node at(std::size_t k) const {
        const auto [part, position] = locate(k);
        return {part->sets[position], part->costs[position], first_ + std::uint32_t(k)};
    }

    // Keep what the way back needs.
    void retire() {
        for (Part& part : parts_) {
            std::vector<Cost>().swap(part.costs);
            std::vector<std::uint32_t>().swap(part.index);
            part.sets.shrink_to_fit();
            part.from.shrink_to_fit();
            const std::uint64_t left = part.sets.size() * (sizeof(VarSet<W>) + 4);
            watch_->release(part.reserved - left);
            part.reserved = left;
            part.smallest = Cost::infinite();
        }
        retired_ = true;
    }
    bool has_number(std::uint32_t number) const {
        return retired_ && number >= first_ && number - first_ < begin_[parts];
    }
    std::pair<VarSet<W>, std::uint32_t> retired(std::uint32_t number) const {
        const auto [part, position] = locate(number - first_);
        return {part->sets[position], part->from[position]};
    }

    // The last layer has one node.
    Cost only_g() const { return only().costs[0]; }
    std::uint32_t parent_of_only() const { return only().from[0]; }

    std::uint64_t bytes() const {
        std::uint64_t total = 0;
        for (const Part& part : parts_) total += part.reserved;
        return total;
    }

  private:
    struct Part {
        std::vector<VarSet<W>> sets;
        std::vector<Cost> costs;
        std::vector<std::uint32_t> from, index;
        std::uint64_t reserved = 0;
        Cost smallest = Cost::infinite();
    };

    static std::size_t home(const Part& part, std::uint64_t hash) {
        return std::size_t((hash << 4 >> 32) * part.index.size() >> 32);
    }
    // Half as much again. The old arrays live until the new ones are filled: reserve both, then let go.
    bool grow(Part& part) {
        const std::size_t slots = part.index.empty() ? 16 : part.index.size() * 3 / 2, nodes = slots * 4 / 5 + 1;
        const std::uint64_t bytes = slots * 4 + nodes * (sizeof(VarSet<W>) + 12);
        if (!watch_->reserve(bytes)) return false;
        part.sets.reserve(nodes);
        part.costs.reserve(nodes);
        part.from.reserve(nodes);
        part.index.assign(slots, 0);
        for (std::size_t k = 0; k < part.sets.size(); ++k) {
            std::size_t slot = home(part, hash(part.sets[k]));
            while (part.index[slot]) slot = slot + 1 == slots ? 0 : slot + 1;
            part.index[slot] = std::uint32_t(k + 1);
        }
        watch_->release(part.reserved);
        part.reserved = bytes;
        return true;
    }
    std::pair<const Part*, std::size_t> locate(std::size_t k) const {
        std::size_t p = 0;
        while (k >= begin_[p + 1]) ++p;
        return {&parts_[p], k - begin_[p]};
    }
    const Part& only() const {
        for (const Part& part : parts_)
            if (!part.sets.empty()) return part;
        return parts_[0];
    }

    Watch* watch_;
    std::array<Part, std::size_t(parts)> parts_;
    std::array<std::size_t, std::size_t(parts) + 1> begin_{};
    std::uint32_t first_ = 0;
    bool retired_ = false;
};

}  // namespace sabna
