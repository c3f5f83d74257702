// The nodes of the order lattice that a search has met: an append-only array with an open-addressing index.
//
// A node is its set of variables and one word with g and a "closed" bit: 16 bytes for up to 64 variables. There is no
// pointer to the node it was reached from; backtrack.h finds the way again once, at the end, where pointers would cost
// 4 bytes a node throughout.
//
// The array grows in chunks of 2 MB (one huge page) that never move. The index holds 32-bit numbers: the low bits are the
// node's position plus one, and what is left above is a tag from the hash, so that a slot of another node is mostly told
// apart without touching that node. The index is cut into 64 segments by the upper bits of the hash. Each grows by itself,
// by 30 %, at 85 % load, and at a time of its own, so that growing never takes more than a sixtieth of the index at once
// and the load stays around three quarters: some 5.3 bytes a node. All memory is reserved with the Watch first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cost.h"
#include "search/pages.h"
#include "varset.h"
#include "watch.h"

namespace sabna {

template <int W>
class NodeTable {
  public:
    using Id = std::uint32_t;
    static constexpr Id none = ~Id{0};

    explicit NodeTable(Watch& watch) : watch_(watch), segments_(segment_count) {}
    ~NodeTable() { watch_.release(reserved_); }
    NodeTable(const NodeTable&) = delete;
    NodeTable& operator=(const NodeTable&) = delete;

    Id size() const { return size_; }
    const VarSet<W>& set(Id id) const { return node(id).set; }
    Cost g(Id id) const { return {std::int64_t(node(id).state) >> 1}; }
    bool closed(Id id) const { return node(id).state & 1; }
    void close(Id id) { node(id).state |= 1; }
    // A cheaper way to a node; it is open (again).
    void improve(Id id, Cost g) { node(id).state = std::uint64_t(g.quanta) << 1; }
    // Bytes reserved by now, and the bytes of the nodes and the index in use (the last chunk only as far as it is filled).
    std::uint64_t reserved() const { return reserved_; }
    std::uint64_t bytes() const { return std::uint64_t(size_) * sizeof(Node) + index_bytes_; }

    static std::uint64_t hash(const VarSet<W>& set) {
        std::uint64_t h = set.hash();  // mixed once more: segment, slot and tag are cut from different ends
        h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9ull;
        return h ^ h >> 32;
    }
    // Call some time before `find`, so that memory has answered by then.
    void prefetch(std::uint64_t hash) const {
        const Segment& segment = segments_[hash >> segment_shift];
        if (segment.capacity) __builtin_prefetch(&segment.slots[home(segment, hash)]);
    }
    // The same for the node that `find` will compare with, once the slots are there.
    void prefetch_match(std::uint64_t hash) const {
        const Segment& segment = segments_[hash >> segment_shift];
        if (!segment.capacity) return;
        const std::uint32_t tag = tag_of(segment, hash);
        for (std::uint32_t slot = home(segment, hash);; slot = slot + 1 == segment.capacity ? 0 : slot + 1) {
            const std::uint32_t entry = segment.slots[slot];
            if (entry == 0) return;
            if ((entry & ~segment.id_mask) == tag) return prefetch_node((entry & segment.id_mask) - 1);
        }
    }
    void prefetch_node(Id id) const { __builtin_prefetch(&node(id)); }

    Id find(const VarSet<W>& set, std::uint64_t hash) const {
        const Segment& segment = segments_[hash >> segment_shift];
        if (!segment.capacity) return none;
        const std::uint32_t tag = tag_of(segment, hash);
        for (std::uint32_t slot = home(segment, hash);; slot = slot + 1 == segment.capacity ? 0 : slot + 1) {
            const std::uint32_t entry = segment.slots[slot];
            if (entry == 0) return none;
            if ((entry & ~segment.id_mask) != tag) continue;
            const Id id = (entry & segment.id_mask) - 1;
            if (node(id).set == set) return id;
        }
    }
    // Add a node that `find` has not found. None: the memory limit.
    Id insert(const VarSet<W>& set, std::uint64_t hash, Cost g) {
        Segment& segment = segments_[hash >> segment_shift];
        if (size_ == none - 1 || !room_for_node() || !room_for_entry(segment, hash >> segment_shift)) return none;
        node(size_) = {set, std::uint64_t(g.quanta) << 1};
        place(segment, hash, size_);
        ++segment.used;
        return size_++;
    }

    // The nodes as they stand in memory, in their order: what `restore`, block by block, makes a table of again.
    std::vector<std::span<const std::uint64_t>> blocks() const {
        std::vector<std::span<const std::uint64_t>> blocks;
        for (Id begin = 0; begin < size_; begin += chunk_mask + 1) {
            const std::size_t count = std::min<std::size_t>(chunk_mask + 1, size_ - begin);
            blocks.push_back({reinterpret_cast<const std::uint64_t*>(&node(begin)), count * node_words});
        }
        return blocks;
    }
    // False: the memory limit.
    bool restore(std::span<const std::uint64_t> block) {
        for (; block.size() >= node_words; block = block.subspan(node_words)) {
            VarSet<W> set;
            std::copy_n(block.data(), W, set.word);
            const Id id = insert(set, hash(set), {});
            if (id == none) return false;
            node(id).state = block[W];
        }
        return true;
    }

  private:
    struct Node {
        VarSet<W> set;
        std::uint64_t state;  // g in quanta, shifted; the lowest bit: closed
    };
    static constexpr std::size_t node_words = W + 1;
    static_assert(sizeof(Node) == 8 * node_words);
    struct Segment {
        std::unique_ptr<std::uint32_t[]> small;  // a page or less
        Pages large;
        std::uint32_t* slots = nullptr;
        std::uint32_t capacity = 0, used = 0, full = 0;
        std::uint32_t id_mask = 0;
    };
    static constexpr int segment_bits = 6, segment_shift = 64 - segment_bits, segment_count = 1 << segment_bits;
    static constexpr std::size_t chunk_bytes = Pages::huge_page, page_bytes = 4096;
    static constexpr int chunk_bits = std::bit_width(chunk_bytes / std::bit_ceil(sizeof(Node))) - 1;
    static constexpr Id chunk_mask = (Id{1} << chunk_bits) - 1;

    Node& node(Id id) { return chunks_[id >> chunk_bits].template as<Node>()[id & chunk_mask]; }
    const Node& node(Id id) const { return chunks_[id >> chunk_bits].template as<Node>()[id & chunk_mask]; }

    static std::uint32_t home(const Segment& segment, std::uint64_t hash) {
        return std::uint32_t((hash << segment_bits >> 32) * segment.capacity >> 32);
    }
    // Never all zero together with an id of zero: ids are stored plus one.
    static std::uint32_t tag_of(const Segment& segment, std::uint64_t hash) {
        return std::uint32_t(hash * 0x9E3779B97F4A7C15ull >> 32) & ~segment.id_mask;
    }

    bool reserve(std::uint64_t bytes) {
        if (!watch_.reserve(bytes)) return false;
        reserved_ += bytes;
        return true;
    }
    bool room_for_node() {
        if (size_ >> chunk_bits < chunks_.size()) return true;
        if (!reserve(chunk_bytes)) return false;
        Pages chunk =
            Pages::allocate(chunk_bytes, !chunks_.empty());  // the first in small pages: small searches stay small
        if (!chunk) return out_of_memory();
        chunks_.push_back(std::move(chunk));
        return true;
    }
    bool out_of_memory() {
        watch_.halt(Stop::memory_limit);
        return false;
    }
    bool room_for_entry(Segment& segment, std::uint64_t number) {
        if (segment.used < segment.full && size_ < segment.id_mask) return true;
        std::uint32_t capacity = segment.capacity;
        if (segment.used == segment.full)  // first sizes are spread over one growth step
            capacity =
                capacity ? std::uint32_t(capacity * 1.3) : std::uint32_t(16 + number * 16 * 3 / 10 / segment_count);
        return rebuild(segment, capacity);
    }
    bool rebuild(Segment& segment, std::uint32_t capacity) {
        if (!reserve(std::uint64_t(capacity) * 4)) return false;
        Segment larger;
        if (capacity * 4ull <= page_bytes) {
            larger.small = std::make_unique<std::uint32_t[]>(capacity);
            larger.slots = larger.small.get();
        } else {
            larger.large = Pages::allocate(capacity * 4ull, false);
            if (!larger.large) return out_of_memory();
            larger.slots = larger.large.template as<std::uint32_t>();
        }
        larger.capacity = capacity;
        larger.full = std::uint32_t(capacity * 0.85);
        larger.used = segment.used;
        larger.id_mask = (std::uint32_t(2) << std::bit_width(size_ + 2 * std::uint32_t(segment_count))) - 1;
        if (larger.id_mask == 1) larger.id_mask = ~std::uint32_t{0};
        move_entries(segment, larger);
        index_bytes_ += 4ull * capacity - 4ull * segment.capacity;
        watch_.release(4ull * segment.capacity);
        reserved_ -= 4ull * segment.capacity;
        segment = std::move(larger);
        return true;
    }
    void move_entries(const Segment& from, Segment& to) {
        constexpr std::uint32_t ahead = 12;
        for (std::uint32_t slot = 0; slot < from.capacity; ++slot) {
            if (slot + ahead < from.capacity && from.slots[slot + ahead])
                prefetch_node((from.slots[slot + ahead] & from.id_mask) - 1);
            if (const std::uint32_t entry = from.slots[slot]) {
                const Id id = (entry & from.id_mask) - 1;
                place(to, hash(set(id)), id);
            }
        }
    }
    static void place(Segment& segment, std::uint64_t hash, Id id) {
        std::uint32_t slot = home(segment, hash);
        while (segment.slots[slot]) slot = slot + 1 == segment.capacity ? 0 : slot + 1;
        segment.slots[slot] = tag_of(segment, hash) | (id + 1);
    }

    Watch& watch_;
    std::vector<Segment> segments_;
    std::vector<Pages> chunks_;
    Id size_ = 0;
    std::uint64_t reserved_ = 0, index_bytes_ = 0;
};

}  // namespace sabna
