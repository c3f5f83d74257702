// Breadth-first search over the whole order lattice, layer by layer: the paper's BFS, dynamic programming from the top.
//
// Layer k holds the sets of k variables in the order of their rank (the combinatorial number system; ascending as binary
// numbers). So a layer is an array of costs and nothing else: no sets, no hashing. Q(U) is pulled from the k sets that
// lack one variable, whose ranks follow from sums of binomials, and every set of a layer can be computed by itself: threads
// share a layer without locks, and the result does not depend on them.
//
// In memory are the costs of two layers, 8 bytes a set, and for the way back one byte for every set: the variable
// placed last. For the 26 variables of Autos that is 2 x 83 MB and 67 MB.
//
// A predecessor is skipped if even with the best parents of all, Q(U - i) + d(i, V - i), it cannot win.
#pragma once

#include <algorithm>
#include <bit>

#include "bounds/heuristic.h"
#include "parallel.h"
#include "parents/first_fit.h"
#include "search/outcome.h"
#include "search/successors.h"

namespace sabna {

// Beyond this the byte per set alone takes more than a terabyte.
inline constexpr int whole_bfs_limit = 40;

template <int W, class H>
requires Heuristic<H, W>
class WholeBfs {
  public:
    WholeBfs(const ParentGraphView<W>& graph, const H& heuristic, const SearchOptions& options, Assignment known,
             Watch& watch)
        : graph_(graph), h_(heuristic), options_(options), known_(std::move(known)), watch_(watch), fits_(graph),
          n_(graph.n) {
        prune_at_ = options.prune && known_.known() ? known_.cost - options.tolerance : Cost::infinite();
        binomial_.assign(std::size_t(n_ + 1), std::vector<std::uint64_t>(std::size_t(n_ + 2), 0));
        for (std::size_t a = 0; a <= std::size_t(n_); ++a) {
            binomial_[a][0] = 1;
            for (std::size_t b = 1; b <= a; ++b) binomial_[a][b] = binomial_[a - 1][b - 1] + binomial_[a - 1][b];
        }
    }
    ~WholeBfs() { watch_.release(reserved_); }

    Outcome run() {
        lower_ = h_({});
        costs_.assign(1, Cost{});
        last_.assign(std::size_t(n_ + 1), {});
        counts_.stored = 1;
        std::int64_t alive = 1;
        for (int k = 1; k <= n_ && alive > 0; ++k)
            if ((alive = make_layer(k, alive)) < 0) return finish(false);
        reached_end_ = alive > 0;
        return finish(true);
    }

  private:
    static constexpr std::int64_t block_size = 4096;  // sets; some 0.5 ms

    std::uint64_t binomial(int a, int b) const { return binomial_[std::size_t(a)][std::size_t(b)]; }

    // Sets of layer k that are kept, of which there were `alive` in the layer before; -1: a limit.
    std::int64_t make_layer(int k, std::int64_t alive) {
        const auto size = std::int64_t(binomial(n_, k));
        if (!reserve(std::uint64_t(size) * (sizeof(Cost) + 1))) return -1;
        std::vector<Cost> layer(std::size_t(size), Cost::infinite());
        last_[std::size_t(k)].assign(std::size_t(size), 0);
        next_ = layer.data();
        std::vector<Tally> tallies(std::size_t(std::max(options_.threads, 1)));
        const bool done = for_each_block(
            options_.threads, (size + block_size - 1) / block_size, watch_,
            [&](int thread, std::int64_t block) {
                make_block(k, block * block_size, std::min(size, (block + 1) * block_size),
                           tallies[std::size_t(thread)]);
            },
            [&] { return poll(tallies[0]); });
        Tally sum;
        for (const Tally& tally : tallies) sum.add(tally);
        counts_.generated += sum.generated;
        counts_.pruned += sum.pruned;
        if (!done) return -1;
        counts_.expanded += alive;
        counts_.stored += sum.stored;
        pruned_ = std::min(pruned_, sum.smallest_pruned);
        lower_ = std::max(lower_, std::min(sum.smallest, pruned_));
        release(costs_.size() * sizeof(Cost));
        costs_ = std::move(layer);
        return sum.stored;
    }

    struct Tally {
        std::int64_t generated = 0, stored = 0, pruned = 0;
        Cost smallest = Cost::infinite(), smallest_pruned = Cost::infinite();
        void add(const Tally& other) {
            generated += other.generated, stored += other.stored, pruned += other.pruned;
            smallest = std::min(smallest, other.smallest);
            smallest_pruned = std::min(smallest_pruned, other.smallest_pruned);
        }
    };

    void make_block(int k, std::int64_t begin, std::int64_t end, Tally& tally) {
        std::uint64_t set = unrank(k, std::uint64_t(begin));
        for (std::int64_t rank = begin; rank < end; ++rank) {
            make_node(k, set, std::size_t(rank), tally);
            const std::uint64_t lowest = set & -set, carried = set + lowest;  // the next set of as many variables
            if (carried) set = carried | ((set ^ carried) / lowest >> 2);
        }
    }

    void make_node(int k, std::uint64_t bits, std::size_t rank, Tally& tally) {
        VarSet<W> placed;
        placed.word[0] = bits;
        // rank(U - u_s) = sum over t < s of C(u_t, t + 1) + sum over t > s of C(u_t, t), members ascending
        std::uint64_t below = 0, above = 0;
        int t = 0;
        for (std::uint64_t rest = bits; rest; rest &= rest - 1) above += binomial(std::countr_zero(rest), t), ++t;
        Cost best = Cost::infinite();
        int last = t = 0;
        for (std::uint64_t rest = bits; rest; rest &= rest - 1, ++t) {
            const int i = std::countr_zero(rest);
            above -= binomial(i, t);
            const Cost before = costs_[below + above];
            below += binomial(i, t + 1);
            if (before.is_infinite()) continue;
            ++tally.generated;
            if (before + graph_.best(i) >= best) continue;
            const std::int64_t fit = fits_.find(i, placed.without(i));
            if (fit == graph_.size(i)) continue;
            if (const Cost cost = before + fits_.cost(i, fit); cost < best) best = cost, last = i;
        }
        if (best.is_infinite()) return;
        const Cost f = best + h_(placed);
        if (f >= prune_at_) {
            ++tally.pruned;
            tally.smallest_pruned = std::min(tally.smallest_pruned, f);
            return;
        }
        ++tally.stored;
        tally.smallest = std::min(tally.smallest, f);
        next_[rank] = best;
        last_[std::size_t(k)][rank] = std::uint8_t(last);
    }

    // The set of k variables with this rank, and back.
    std::uint64_t unrank(int k, std::uint64_t rank) const {
        std::uint64_t bits = 0;
        for (int v = n_ - 1; k > 0; --v)
            if (binomial(v, k) <= rank) rank -= binomial(v, k--), bits |= std::uint64_t{1} << v;
        return bits;
    }
    std::uint64_t rank(std::uint64_t bits) const {
        std::uint64_t sum = 0;
        for (int t = 1; bits; bits &= bits - 1, ++t) sum += binomial(std::countr_zero(bits), t);
        return sum;
    }

    std::vector<int> backtrack() const {
        std::vector<int> order;
        std::uint64_t bits = VarSet<W>::first(n_).word[0];
        for (int k = n_; k > 0; --k) {
            order.push_back(last_[std::size_t(k)][rank(bits)]);
            bits &= ~(std::uint64_t{1} << order.back());
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

    bool reserve(std::uint64_t bytes) {
        if (!watch_.reserve(bytes)) return false;
        reserved_ += bytes;
        peak_ = std::max(peak_, reserved_);
        return true;
    }
    void release(std::uint64_t bytes) {
        bytes = std::min(bytes, reserved_);
        watch_.release(bytes);
        reserved_ -= bytes;
    }

    bool poll(const Tally& mine) {
        Progress progress;
        progress.station = "search";
        progress.expanded = counts_.expanded;
        progress.generated = counts_.generated + mine.generated;
        progress.stored = counts_.stored + mine.stored;
        progress.lower = std::min(lower_, known_.cost);
        progress.upper = known_.cost;
        return watch_.poll(progress);
    }

    Outcome finish(bool solved) {
        Outcome outcome;
        outcome.stop = solved ? Stop::none : watch_.stop();
        outcome.best = std::move(known_);
        if (solved && reached_end_ && costs_[0] < outcome.best.cost) outcome.best = assign(graph_, backtrack());
        if (solved) lower_ = pruned_;
        outcome.lower = std::min({lower_, pruned_, outcome.best.cost});
        outcome.counts = counts_;
        outcome.peak_bytes = peak_;
        outcome.bytes_per_node = double(peak_) / double(std::max<std::int64_t>(counts_.stored, 1));
        return outcome;
    }

    ParentGraphView<W> graph_;
    const H& h_;
    SearchOptions options_;
    Assignment known_;
    Watch& watch_;
    FitIndex<W> fits_;
    int n_;
    std::vector<std::vector<std::uint64_t>> binomial_;
    std::vector<Cost> costs_;                      // the finished layer
    Cost* next_ = nullptr;                         // the layer in the making
    std::vector<std::vector<std::uint8_t>> last_;  // per layer and rank: the variable placed last
    SearchCounts counts_;
    bool reached_end_ = false;
    Cost lower_, prune_at_, pruned_ = Cost::infinite();
    std::uint64_t reserved_ = 0, peak_ = 0;
};

}  // namespace sabna
