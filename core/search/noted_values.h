// What the heuristic says of nodes, noted by their numbers where they are made: a cluster bound over pattern databases takes
// microseconds when it is worked out anew, and its value is known when a node is stored.
//
// 8 bytes for each of the first nodes, in chunks of a huge page, as long as there is memory to spare. Of other nodes it is
// worked out anew, so that a search's memory goes to its nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "search/pages.h"
#include "watch.h"

namespace sabna {

class NotedValues {
  public:
    using Id = std::uint32_t;

    explicit NotedValues(Watch& watch) : watch_(watch) {}
    ~NotedValues() { watch_.release(bytes()); }
    NotedValues(const NotedValues&) = delete;
    NotedValues& operator=(const NotedValues&) = delete;

    // To be called for node after node; it ends with the first that there is no room for, and with a number left out.
    void note(Id id, Cost value) {
        if (id != size_ || id == most_nodes) return;
        if (id / per_chunk == chunks_.size() && !add_chunk()) return;
        chunks_[id / per_chunk].as<std::int64_t>()[id % per_chunk] = value.quanta;
        ++size_;
    }
    std::uint64_t bytes() const { return chunks_.size() * Pages::huge_page; }
    bool has(Id id) const { return id < size_; }
    Cost operator[](Id id) const { return {chunks_[id / per_chunk].as<std::int64_t>()[id % per_chunk]}; }

  private:
    static constexpr std::size_t per_chunk = Pages::huge_page / sizeof(std::int64_t);
    static constexpr Id most_nodes = 1 << 22;  // 32 MB

    bool add_chunk() {
        if (!watch_.try_reserve(Pages::huge_page)) return false;
        Pages chunk =
            Pages::allocate(Pages::huge_page, !chunks_.empty());  // the first in small pages, as in node_table.h
        if (!chunk) {
            watch_.release(Pages::huge_page);
            return false;
        }
        chunks_.push_back(std::move(chunk));
        return true;
    }

    Watch& watch_;
    std::vector<Pages> chunks_;
    Id size_ = 0;
};

}  // namespace sabna
