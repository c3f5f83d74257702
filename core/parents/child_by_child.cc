#include "parents/child_by_child.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

#include "counting/partition.h"
#include "counting/scan.h"
#include "parallel.h"
#include "parents/build.h"

namespace sabna {

namespace {

// h(x | b) for all pairs, h(x) on the diagonal: m times the conditional entropy, in quanta.
std::vector<Quanta> pair_entropies(const DistinctRows& table, Score& score, Watch& watch) {
    std::vector<Quanta> h(std::size_t(table.n) * table.n, 0);
    if (score.pruning() != Pruning::entropy) return h;
    Refiner refiner(table, true);
    ScanCounter counter(table);
    Partition whole, by_b;
    refiner.whole(whole);
    for (int b = 0; b < table.n; ++b) {
        refiner.refine(whole, b, by_b);
        for (int x = 0; x < table.n && watch.poll({.station = "parent graph"}); ++x) {
            const TablePair tables{&score.parent_table(1, 1), &score.family_table(1, 1)};
            h[std::size_t(x) * table.n + b] = counter.count(x == b ? whole : by_b, x, tables).difference;
        }
    }
    return h;
}

// Partitions by growing lists of variables; a list that begins like the one before it is continued from there.
class PartitionPath {
  public:
    PartitionPath(const DistinctRows& table, const std::vector<int>& base) : refiner_(table, true) {
        levels_.emplace_back();
        refiner_.whole(levels_[0]);
        for (const int v : base) {
            Partition finer;
            refiner_.refine(levels_[0], v, finer);
            std::swap(levels_[0], finer);
        }
    }
    const Partition& by(const std::vector<int>& variables) {
        std::size_t same = 0;
        while (same < variables.size() && same < path_.size() && path_[same] == variables[same]) ++same;
        path_.resize(same);
        for (std::size_t k = same; k < variables.size(); ++k) {
            if (levels_.size() <= k + 1) levels_.emplace_back();
            refiner_.refine(levels_[k], variables[k], levels_[k + 1]);
            path_.push_back(variables[k]);
        }
        return levels_[variables.size()];
    }

  private:
    Refiner refiner_;
    std::vector<Partition> levels_;
    std::vector<int> path_;
};

// Parent sets are lists of variables here, ascending, and one class serves graphs of any width: what a set costs to look
// at is the counting of its table.
using Members = std::vector<int>;

class ChildSearch {
  public:
    // `limit`: how many parents, required ones included.
    ChildSearch(const DistinctRows& table, Score& score, const std::vector<Quanta>& pairs, int child, Members required,
                Members open, int limit, std::int64_t slack, Watch& watch, std::atomic<std::int64_t>& evaluated)
        : table_(table), score_(score), pairs_(pairs), child_(child), slack_(slack), watch_(watch),
          evaluated_(evaluated), required_(std::move(required)), open_(std::move(open)),
          words_(std::size_t(words_for(table.n))),
          levels_(std::min<int>(limit - int(required_.size()), int(open_.size()))),
          arity_(table.arity[std::size_t(child)]), margin_(4 * Quanta(table.distinct()) + 16), counter_(table) {}

    bool started() const { return !costs_.empty(); }
    // The required set alone, whatever the watch says.
    void start() {
        path_.emplace(table_, required_);
        look_at({}, saturated, level_);
        floor_ = level_.floor;
        path_.reset();  // partitions of all children together would be too much to hold
    }
    // Sets of up to `size` members beyond the required ones.
    void grow_to(int size) {
        path_.emplace(table_, required_);
        if (size_ == 0 && !level_.order.empty() && score_.adds_likelihood()) set_least_likelihood();
        for (; size_ < std::min(size, levels_) && !level_.order.empty(); ++size_) {
            Level next = grow(level_);
            if (watch_.stopped()) break;  // the level may not be complete: the floor of the last one stays
            level_ = std::move(next);
            floor_ = level_.floor;
        }
        path_.reset();
    }
    // The sets kept so far, the required set first.
    template <int W>
    ScoredSet<W> kept(std::size_t k) const {
        ScoredSet<W> out{costs_[k], {}};
        std::copy_n(kept_.data() + k * words_, W, out.set.word);
        return out;
    }
    std::size_t kept() const { return costs_.size(); }
    // Of the sets not scored; infinite if there are none of use.
    Cost floor() const { return floor_ >= saturated ? Cost::infinite() : Cost{std::max<Quanta>(floor_ - margin_, 0)}; }

    // Give up all that is not the result.
    void finish() {
        level_ = {};
        watch_.release(reserved_);
    }
    // What was kept, as in a parent graph; nothing is left here.
    template <int W>
    std::vector<ScoredSet<W>> list() {
        std::vector<ScoredSet<W>> out;
        out.reserve(kept());
        for (std::size_t k = 0; k < kept(); ++k) out.push_back(kept<W>(k));
        std::vector<Cost>().swap(costs_);
        std::vector<std::uint64_t>().swap(kept_);
        std::sort(out.begin(), out.end(),
                  [](const auto& a, const auto& b) { return std::tie(a.cost, a.set) < std::tie(b.cost, b.set); });
        return out;
    }

  private:
    struct Known {
        Quanta best;     // least cost of a subset, itself included
        Quanta entropy;  // h(i | Q), likelihood scores only
    };
    struct Hash {
        std::size_t operator()(const Members& set) const {
            std::uint64_t h = set.size();
            for (const int v : set) h = (h ^ std::uint64_t(v)) * 0x9E3779B97F4A7C15ull, h ^= h >> 32;
            return h;
        }
    };
    using KnownSets = std::unordered_map<Members, Known, Hash>;
    // The sets of one size that may be extended: members beyond the required ones, in lexicographic order.
    struct Level {
        std::vector<const Members*> order;  // keys of `known`
        KnownSets known;
        Quanta floor = saturated;  // no set around any of them costs less
    };

    Members with_required(const Members& extra) const {
        Members all(required_);
        all.insert(all.end(), extra.begin(), extra.end());
        return all;
    }

    Level grow(const Level& last) {
        Level next;
        for (const Members* stem : last.order) {
            if (watch_.stopped()) return {};
            Members longer = *stem;
            longer.push_back(0);
            for (const int v : open_) {
                if ((!stem->empty() && v <= stem->back()) || watch_.stopped()) continue;
                longer.back() = v;
                const Quanta best = best_subset(longer, last);
                if (best > -saturated) look_at(longer, best, next);
            }
        }
        return next;
    }

    // The least cost of a proper subset; -saturated if Q and all around it are known to be useless.
    Quanta best_subset(const Members& extra, const Level& last) const {
        Quanta best = saturated;
        const Quanta own = price(extra);
        Members rest;
        for (const int a : extra) {
            rest.clear();
            for (const int v : extra)
                if (v != a) rest.push_back(v);
            const auto found = last.known.find(rest);
            if (found == last.known.end()) return -saturated;
            best = std::min(best, found->second.best);
            if (score_.pruning() == Pruning::entropy) {
                const Quanta gain = std::min(found->second.entropy, least_entropy(a, rest));
                if (own - price(rest) - gain > slack_ + margin_) return -saturated;
            }
        }
        return score_.pruning() == Pruning::entropy && own - best > slack_ ? -saturated : best;
    }

    // Given these and the required ones.
    Quanta least_entropy(int a, const Members& given) const {
        Quanta least = pairs_[std::size_t(a) * table_.n + a];
        for (const int b : given) least = std::min(least, pairs_[std::size_t(a) * table_.n + b]);
        for (const int b : required_) least = std::min(least, pairs_[std::size_t(a) * table_.n + b]);
        return least;
    }

    Quanta price(const Members& extra) const {
        return score_.penalty_of(configurations(table_, with_required(extra)), arity_);
    }

    // Score Q; keep it if no subset beats it. It joins the level if sets around it may be of use.
    void look_at(const Members& extra, Quanta best, Level& level) {
        ++evaluated_;
        const Partition& partition = path_->by(extra);
        const long double q = score_.counts_observed_configurations() ? (long double)partition.cells()
                                                                      : configurations(table_, with_required(extra));
        const TablePair tables{&score_.parent_table(q, arity_), &score_.family_table(q, arity_)};
        const Counted counted = counter_.count(partition, child_, tables);
        const Quanta cost = counted.difference + score_.penalty_of(q, arity_);
        if (best == saturated || cost - best <= slack_) {
            keep(extra, {cost});
            watch_.reserve(2 * (sizeof(Cost) + 8 * words_));  // the list, and the graph it is copied to
        }
        best = std::min(best, cost);
        if (int(extra.size()) >= levels_) return;
        const Quanta around = floor(partition, counted.configurations, q);
        if (around - best > slack_ + margin_) return;
        level.floor = std::min(level.floor, around);
        // An entry of the hash table, and the members in `order`.
        const std::uint64_t entry = sizeof(Known) + 8 * words_ + 96;
        if (!watch_.reserve(entry)) return;
        reserved_ += entry;
        level.order.push_back(&level.known.emplace(extra, Known{best, counted.difference}).first->first);
    }

    void keep(const Members& extra, Cost cost) {
        costs_.push_back(cost);
        kept_.resize(kept_.size() + words_, 0);
        std::uint64_t* const set = kept_.data() + kept_.size() - words_;
        for (const Members* part : {static_cast<const Members*>(&required_), &extra})
            for (const int v : *part) set[v >> 6] |= std::uint64_t{1} << (v & 63);
    }

    // -LL given all possible parents.
    void set_least_likelihood() {
        Refiner refiner(table_, true);
        Partition partition, finer;
        refiner.whole(partition);
        Members all = with_required(open_);
        std::sort(all.begin(), all.end());
        for (const int v : all) {
            refiner.refine(partition, v, finer);
            std::swap(partition, finer);
        }
        const CountTable& logs = score_.family_table(1, arity_);
        floor_ -= least_likelihood_;
        least_likelihood_ = counter_.count(partition, child_, {&logs, &logs}).difference;
        floor_ += least_likelihood_;
    }

    // No set around this one costs less.
    Quanta floor(const Partition& partition, std::int64_t seen, long double q) const {
        switch (score_.pruning()) {
            case Pruning::entropy: return least_likelihood_ + score_.penalty_of(q, arity_);
            case Pruning::configurations: return Quanta((double)seen * std::log((double)arity_) * 0x1p30 * (1 - 1e-12));
            default: return least_likelihood_ + score_.floor(partition, seen, q, arity_);
        }
    }

    const DistinctRows& table_;
    Score& score_;
    const std::vector<Quanta>& pairs_;
    int child_;
    std::int64_t slack_;
    Watch& watch_;
    std::atomic<std::int64_t>& evaluated_;
    Members required_, open_;
    std::size_t words_;  // of a set, in the graph
    int levels_;
    std::int64_t arity_;
    Quanta margin_;  // the proofs are about real numbers; tables are rounded by half a quantum per cell
    ScanCounter counter_;
    std::optional<PartitionPath> path_;
    Level level_;
    int size_ = 0;  // of the sets in it, beyond the required members
    Quanta floor_ = saturated;
    Quanta least_likelihood_ = 0;
    std::vector<Cost> costs_;          // of the sets kept
    std::vector<std::uint64_t> kept_;  // and their words
    std::uint64_t reserved_ = 0;
};

// Refuse before any work what the score has no value for; the message says which limit helps.
template <int W>
void check_families(const DistinctRows& table, const Score& score, const KnowledgeView<W>& knowledge,
                    const std::vector<int>& children) {
    if (!score.largest_family()) return;
    for (const int i : children) {
        std::vector<std::int64_t> required, open;
        knowledge.required[i].for_each([&](int v) { required.push_back(table.arity[v]); });
        (knowledge.allowed[i] - knowledge.required[i]).for_each([&](int v) { open.push_back(table.arity[v]); });
        std::sort(open.rbegin(), open.rend());
        long double product = (long double)table.arity[i];
        for (const std::int64_t r : required) product *= (long double)r;
        std::size_t size = required.size();
        for (const std::int64_t r : open) {
            if (std::int64_t(size) >= knowledge.limits[i]) break;
            product *= (long double)r;
            if (product > (long double)score.largest_family())
                throw std::length_error(
                    "families can have more configurations than this score has values for: allow at "
                    "most " +
                    std::to_string(size) + " parents");
            ++size;
        }
    }
}

}  // namespace

template <int W>
ChildLists<W> build_child_by_child(const DistinctRows& table, Score& score, const KnowledgeView<W>& knowledge,
                                   const std::vector<int>& children, std::int64_t slack, int threads, Watch& watch,
                                   typename SoFar<W>::Hear hear) {
    check_families(table, score, knowledge, children);
    ChildLists<W> built;
    built.lists.resize(std::size_t(table.n));
    built.floor.assign(std::size_t(table.n), Cost::infinite());
    const std::vector<Quanta> pairs = pair_entropies(table, score, watch);
    std::atomic<std::int64_t> evaluated{0};
    // Each thread has a stack of partitions: of some levels, with cells of single rows.
    const std::uint64_t each = 48 * std::uint64_t(table.distinct());
    const int fit = threads_that_fit(threads, each, watch);
    std::vector<std::unique_ptr<ChildSearch>> searches;
    for (const int child : children) {
        const VarSet<W>& required = knowledge.required[child];
        searches.push_back(std::make_unique<ChildSearch>(table, score, pairs, child, required.members(),
                                                         (knowledge.allowed[child] - required).members(),
                                                         knowledge.limits[child], slack, watch, evaluated));
    }
    SoFar<W> so_far(table.n, std::move(hear));
    const auto for_all = [&](auto&& task) {
        watch.poll({.station = "parent graph", .evaluated = evaluated.load()});
        parallel_tasks(
            int(children.size()), std::max(fit, 1), watch, "parent graph", evaluated,
            [&](int k) { task(children[std::size_t(k)], *searches[std::size_t(k)]); },
            [&] { so_far.tell_meanwhile(); });
    };
    const auto note = [&](int child, const ChildSearch& search) {
        if (watch.stopped()) return;
        so_far.replace(
            child, search.kept(), [&](std::size_t k) { return search.kept<W>(k); }, search.floor());
    };
    for_all([](int, auto& search) { search.start(); });
    for (std::size_t k = 0; k < children.size(); ++k) {
        if (!searches[k]->started()) searches[k]->start();
        so_far.start(children[k], searches[k]->kept<W>(0), searches[k]->floor());
    }
    so_far.tell_settled();
    for_all([](int, auto& search) { search.grow_to(1); });
    for (std::size_t k = 0; k < children.size(); ++k) note(children[k], *searches[k]);
    if (!watch.stopped()) so_far.tell_settled();
    for_all([&](int child, auto& search) { search.grow_to(table.n), note(child, search), search.finish(); });
    so_far.tell_meanwhile();
    for (std::size_t k = 0; k < children.size(); ++k) {
        built.floor[std::size_t(children[k])] = searches[k]->floor();
        built.lists[std::size_t(children[k])] = searches[k]->list<W>();
    }
    watch.release(std::uint64_t(fit) * each);
    built.evaluated = evaluated.load();
    built.stop = watch.stop();
    return built;
}

#define SABNA_INSTANTIATE(W)                                                                          \
    template ChildLists<W> build_child_by_child(const DistinctRows&, Score&, const KnowledgeView<W>&, \
                                                const std::vector<int>&, std::int64_t, int, Watch&, SoFar<W>::Hear);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
