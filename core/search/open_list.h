// The open list of A*: nodes to expand, smallest f first, newest first among equals.
//
// It holds numbers of nodes only, 4 bytes each, in buckets of similar f; the bucket at the front is ordered exactly, in a
// heap. Nodes beyond a horizon are not listed at all: they stand in the node table anyway. When the listed ones are used up,
// one pass over the table lists the next quarter of the open nodes. Each pass is paid for by the expansion of
// what it lists, so it costs little, and the memory of the list stays a fraction of the nodes'.
//
// A node that is reached more cheaply is listed again; its old entry is skipped when it comes up, the node being closed.
// Deterministic: no clocks, no addresses, and samples are taken at fixed strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "cost.h"
#include "watch.h"

namespace sabna {

class OpenList {
  public:
    using Id = std::uint32_t;
    struct Entry {
        Cost f;
        Id id;
    };

    explicit OpenList(Watch& watch) : watch_(watch), buckets_(bucket_count, nil) {}
    ~OpenList() { watch_.release(reserved_); }
    OpenList(const OpenList&) = delete;
    OpenList& operator=(const OpenList&) = delete;

    // False: the memory limit.
    bool push(Cost f, Id id) {
        if (f > horizon_) return true;
        const std::int64_t bucket = (f - base_).quanta / width_;
        return bucket <= front_ ? push_front({f, id}) : push_bucket(std::size_t(bucket), id);
    }

    // The next node into `entry`; false if there is none, or if the watch has stopped.
    // `nodes`: size(), open_count(), is_open(id), f(id), prefetch(id), and poll(), false when the run must stop.
    template <class Nodes>
    bool pop(const Nodes& nodes, Entry& entry) {
        for (;;) {
            while (!heap_.empty()) {
                std::pop_heap(heap_.begin(), heap_.end(), later);
                entry = heap_.back();
                heap_.pop_back();
                if (!heap_.empty()) nodes.prefetch(heap_.front().id);  // mostly the next one
                if (nodes.is_open(entry.id)) return true;
            }
            if (front_ + 1 < bucket_count) {
                if (!open_bucket(std::size_t(++front_), nodes)) return false;
            } else if (!refill(nodes)) {
                return false;
            }
        }
    }
    std::uint64_t peak_bytes() const { return peak_; }

  private:
    static constexpr std::int64_t bucket_count = 2048;
    static constexpr std::uint32_t nil = ~std::uint32_t{0};
    static constexpr std::size_t block_chunks = 1024;  // 256 KB at a time
    static constexpr std::size_t sample_size = 1 << 16;
    static constexpr Id poll_every = 1 << 20;
    static constexpr std::size_t small_list = 1 << 14;  // up to here everything is listed
    struct Chunk {
        Id ids[62];
        std::uint32_t count, next;
    };

    static bool later(const Entry& a, const Entry& b) { return a.f != b.f ? a.f > b.f : a.id < b.id; }

    bool reserve(std::uint64_t bytes) {
        if (!watch_.reserve(bytes)) return false;
        reserved_ += bytes;
        peak_ = std::max(peak_, reserved_);
        return true;
    }
    bool push_front(const Entry& entry) {
        if (heap_.size() == heap_.capacity()) {
            const std::size_t capacity = std::max<std::size_t>(1024, heap_.capacity() * 3 / 2);
            if (!reserve(capacity * sizeof(Entry))) return false;
            const std::size_t old = heap_.capacity();
            heap_.reserve(capacity);
            watch_.release(old * sizeof(Entry));
            reserved_ -= old * sizeof(Entry);
        }
        heap_.push_back(entry);
        std::push_heap(heap_.begin(), heap_.end(), later);
        return true;
    }
    bool push_bucket(std::size_t bucket, Id id) {
        std::uint32_t top = buckets_[bucket];
        if (top == nil || chunk(top).count == std::size(chunk(top).ids)) {
            const std::uint32_t fresh = take_chunk();
            if (fresh == nil) return false;
            chunk(fresh).count = 0;
            chunk(fresh).next = top;
            buckets_[bucket] = top = fresh;
        }
        chunk(top).ids[chunk(top).count++] = id;
        return true;
    }
    Chunk& chunk(std::uint32_t number) { return blocks_[number / block_chunks][number % block_chunks]; }
    std::uint32_t take_chunk() {
        if (free_ == nil) {
            if (!reserve(block_chunks * sizeof(Chunk))) return nil;
            const auto first = std::uint32_t(blocks_.size() * block_chunks);
            blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(block_chunks));
            for (std::size_t k = block_chunks; k-- > 0;)
                chunk(first + std::uint32_t(k)).next = free_, free_ = first + std::uint32_t(k);
        }
        const std::uint32_t taken = free_;
        free_ = chunk(taken).next;
        return taken;
    }

    template <class Nodes>
    bool open_bucket(std::size_t bucket, const Nodes& nodes) {
        while (buckets_[bucket] != nil) {
            const std::uint32_t top = buckets_[bucket];
            Chunk& ids = chunk(top);
            for (std::uint32_t k = 0; k < ids.count; ++k) nodes.prefetch(ids.ids[k]);
            for (std::uint32_t k = 0; k < ids.count; ++k)
                if (nodes.is_open(ids.ids[k]) && !push_front({nodes.f(ids.ids[k]), ids.ids[k]})) return false;
            buckets_[bucket] = ids.next;
            ids.next = free_;
            free_ = top;
        }
        return true;
    }

    // List the open nodes of smallest f: all if they are few, otherwise about a quarter.
    template <class Nodes>
    bool refill(const Nodes& nodes) {
        const Id size = nodes.size();
        const std::size_t open = nodes.open_count();
        if (open == 0) return false;
        const std::size_t stride = open <= small_list ? 1 : std::max<std::size_t>(1, open / sample_size);
        std::vector<Cost> sample;
        std::size_t position = 0;
        base_ = Cost::infinite();
        for (Id id = 0; id < size; ++id) {
            if (id % poll_every == 0 && !nodes.poll()) return false;
            if (!nodes.is_open(id)) continue;
            const Cost f = nodes.f(id);
            base_ = std::min(base_, f);
            if (position++ % stride == 0) sample.push_back(f);
        }
        const std::size_t rank = open <= small_list ? sample.size() - 1 : sample.size() / 4;
        std::nth_element(sample.begin(), sample.begin() + std::ptrdiff_t(rank), sample.end());
        horizon_ = std::max(sample[rank], base_);
        width_ = (horizon_ - base_).quanta / bucket_count + 1;
        front_ = -1;
        for (Id id = 0; id < size; ++id) {
            if (id % poll_every == 0 && !nodes.poll()) return false;
            if (nodes.is_open(id) && !push(nodes.f(id), id)) return false;
        }
        return true;
    }

    Watch& watch_;
    std::vector<Entry> heap_;
    std::vector<std::uint32_t> buckets_;
    std::vector<std::unique_ptr<Chunk[]>> blocks_;
    std::uint32_t free_ = nil;
    std::int64_t front_ = bucket_count;
    Cost base_, horizon_{-Cost::infinite().quanta};
    std::int64_t width_ = 1;
    std::uint64_t reserved_ = 0, peak_ = 0;
};

}  // namespace sabna
