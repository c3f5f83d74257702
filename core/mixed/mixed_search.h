// All parent sets of one child that no rule excludes; see mixed_build.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mixed/mixed_score.h"
#include "parents/slack.h"
#include "watch.h"

namespace sabna {

// The least cost of a set and its subsets, for sets given by positions among the open variables.
class BestBelow {
  public:
    // Up to this many open variables, and without a limit of parents, a table over all subsets; otherwise a hash table.
    static constexpr int most_dense = 22;

    BestBelow(int open, int limit) : dense_(open <= most_dense && limit >= open) {
        if (dense_) table_.assign(std::size_t{1} << open, unknown);
    }
    static std::uint64_t bytes_for(int open, int limit) {
        return open <= most_dense && limit >= open ? std::uint64_t{8} << open : 0;
    }
    // What one more set takes.
    std::uint64_t bytes_per_set(std::size_t members) const { return dense_ ? 0 : 96 + 2 * members; }

    Quanta of(const std::vector<std::uint16_t>& set) const {
        if (dense_) return table_[mask(set)];
        const auto found = known_.find(set);
        return found == known_.end() ? unknown : found->second;
    }
    void put(const std::vector<std::uint16_t>& set, Quanta best) {
        if (dense_) table_[mask(set)] = best;
        else known_.emplace(set, best);
    }
    static constexpr Quanta unknown = saturated;

  private:
    struct Hash {
        std::size_t operator()(const std::vector<std::uint16_t>& set) const {
            std::uint64_t h = set.size();
            for (const std::uint16_t v : set) h = (h ^ v) * 0x9E3779B97F4A7C15ull, h ^= h >> 32;
            return h;
        }
    };
    static std::size_t mask(const std::vector<std::uint16_t>& set) {
        std::size_t bits = 0;
        for (const std::uint16_t v : set) bits |= std::size_t{1} << v;
        return bits;
    }

    bool dense_;
    std::vector<Quanta> table_;
    std::unordered_map<std::vector<std::uint16_t>, Quanta, Hash> known_;
};

// The parents that one child may have; both ascending.
struct MixedParents {
    int child = 0;
    std::vector<int> required, open;
    int limit = 0;  // how many, required ones included
};

class MixedSearch {
  public:
    MixedSearch(const MixedScore& score, const MixedParents& parents, std::int64_t slack, Watch& watch,
                std::atomic<std::int64_t>& evaluated);
    ~MixedSearch() { watch_.release(reserved_); }
    MixedSearch(const MixedSearch&) = delete;
    MixedSearch& operator=(const MixedSearch&) = delete;

    // Scores the sets; false if the watch stopped it.
    bool run();
    // What was kept: a superset of what dominance will leave. A set is `words_for(n)` words.
    std::size_t kept() const { return costs_.size(); }
    template <int W>
    ScoredSet<W> kept(std::size_t k) const {
        ScoredSet<W> out{{costs_[k]}, {}};
        std::copy_n(sets_.data() + k * words_, W, out.set.word);
        return out;
    }
    // Whether a rule left sets out: dominance must then be decided once more.
    bool left_out() const { return left_out_; }

  private:
    using Positions = std::vector<std::uint16_t>;  // among the open variables, ascending

    void visit_discrete(std::size_t depth, int below, long double configurations);
    void visit_continuous(std::size_t depth, int below, const std::vector<double>& floors);
    // Scores the set at hand, whose subsets cost `below` at least; whether sets around it may be looked at.
    bool look_at(const Cells& cells, Quanta below);
    // Whether the set at hand and all around it are known to be useless, from its subsets and the penalty alone.
    bool is_useless(Quanta below, bool all_known, long double configurations) const;
    const Cells& split(std::size_t depth, int variable);
    std::vector<double> floors(const Cells& cells);
    // The least cost of a proper subset, and whether all sets of one member less were looked at.
    std::pair<Quanta, bool> best_subset() const;

    const MixedScore& score_;
    MixedParents parents_;
    std::int64_t slack_;
    Watch& watch_;
    std::atomic<std::int64_t>& evaluated_;
    std::size_t words_;
    int discrete_ = 0;            // the first so many of the open variables are discrete
    std::vector<int> variables_;  // the open ones: discrete, then continuous, each ascending
    std::size_t most_ = 0;        // beyond the required ones
    BestBelow best_;
    CellSplitter splitter_;
    MixedRoom room_;
    std::vector<Cells> levels_;           // by depth
    std::vector<const Cells*> at_depth_;  // the cells of each depth: its own, or those above it
    Positions members_;
    Quanta best_here_ = 0;  // least cost of the set at hand and its subsets
    std::vector<int> discrete_parents_, continuous_parents_;
    std::vector<Quanta> costs_;
    std::vector<std::uint64_t> sets_;
    bool left_out_ = false;
    std::uint64_t reserved_ = 0;
};

}  // namespace sabna
