#include "parents/every_set.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <tuple>

#include "counting/partition.h"
#include "parallel.h"
#include "parents/slack.h"

namespace sabna {

namespace {

using SetBits = std::uint32_t;

// Tasks differ in which of the last variables a set has.
constexpr int most_task_variables = 6;

Quanta sum_over(const Partition& partition, const CountTable& table) {
    Quanta sum = 0;
    for (const std::uint32_t rows : partition.weight) sum += table[rows];
    return sum;
}

// A and B of all sets of up to `largest` variables.
class SetSums {
  public:
    SetSums(const DistinctRows& table, Score& score, int largest)
        : table_(table), score_(score), largest_(largest), class_of_(std::size_t(table.n), 0) {
        const bool by_arity = &score.parent_table(2, 2) != &score.parent_table(2, 3);
        for (int v = 0; v < table.n; ++v) {
            const std::int64_t r = by_arity ? table.arity[std::size_t(v)] : 0;
            const auto found = std::find(arities_.begin(), arities_.end(), r);
            class_of_[std::size_t(v)] = int(found - arities_.begin());
            if (found == arities_.end()) arities_.push_back(r);
        }
    }
    std::uint64_t bytes() const { return (arities_.size() + 1) * (sizeof(Quanta) << table_.n); }
    void allocate() {
        parents_.assign(arities_.size(), std::vector<Quanta>(std::size_t{1} << table_.n));
        family_.resize(std::size_t{1} << table_.n);
    }

    // The sets whose members among the last `top` variables are those of `pattern`.
    void walk(int top, SetBits pattern, Watch& watch, std::atomic<std::int64_t>& counted) {
        Refiner refiner(table_, true);
        const int low = table_.n - top;
        std::vector<Partition> levels(std::size_t(std::min(low, largest_)) + 1);
        Partition finer;
        refiner.whole(levels[0]);
        long double q = 1;
        for (int v = low; v < table_.n; ++v) {
            if (!(pattern >> (v - low) & 1)) continue;
            refiner.refine(levels[0], v, finer);
            std::swap(levels[0], finer);
            q *= (long double)table_.arity[std::size_t(v)];
        }
        const SetBits set = pattern << low;
        if (std::popcount(set) > largest_) return;
        note(set, levels[0], q);
        grow(set, q, low, 0, levels, refiner, watch, counted);
    }

    Quanta cost(int child, SetBits parents, long double q) const {
        const Quanta penalty = score_.penalty_of(q, table_.arity[std::size_t(child)]);
        return parents_[std::size_t(class_of_[std::size_t(child)])][parents] - family_[parents | SetBits{1} << child] +
               penalty;
    }

  private:
    void grow(SetBits set, long double q, int below, std::size_t depth, std::vector<Partition>& levels,
              Refiner& refiner, Watch& watch, std::atomic<std::int64_t>& counted) {
        if (std::popcount(set) >= largest_) return;
        for (int v = 0; v < below && !watch.stopped(); ++v) {
            refiner.refine(levels[depth], v, levels[depth + 1]);
            const SetBits longer = set | SetBits{1} << v;
            const long double wider = q * (long double)table_.arity[std::size_t(v)];
            note(longer, levels[depth + 1], wider);
            counted.fetch_add(1, std::memory_order_relaxed);
            grow(longer, wider, v, depth + 1, levels, refiner, watch, counted);
        }
    }

    void note(SetBits set, const Partition& partition, long double q) {
        const CountTable* last = nullptr;
        Quanta sum = 0;
        const auto summed = [&](const CountTable& table) {
            if (&table != last) last = &table, sum = sum_over(partition, table);
            return sum;
        };
        if (set) {
            const std::int64_t r = table_.arity[std::size_t(std::countr_zero(set))];
            family_[set] = summed(score_.family_table(q / (long double)r, r));
        }
        for (std::size_t k = 0; k < arities_.size(); ++k)
            parents_[k][set] = summed(score_.parent_table(q, arities_[k]));
    }

    const DistinctRows& table_;
    Score& score_;
    int largest_;
    std::vector<std::int64_t> arities_;  // which parents' tables there are; one 0 if they do not depend on the child
    std::vector<int> class_of_;
    std::vector<std::vector<Quanta>> parents_;  // by arity, then set
    std::vector<Quanta> family_;
};

// The required set of a child, counted by itself.
Quanta required_cost(const DistinctRows& table, Score& score, int child, const VarSet<1>& required) {
    Refiner refiner(table, true);
    Partition partition, finer;
    refiner.whole(partition);
    long double q = 1;
    const auto refine = [&](int v) {
        refiner.refine(partition, v, finer);
        std::swap(partition, finer);
    };
    required.for_each([&](int v) { refine(v), q *= (long double)table.arity[std::size_t(v)]; });
    const std::int64_t r = table.arity[std::size_t(child)];
    const Quanta parents = sum_over(partition, score.parent_table(q, r));
    refine(child);
    return parents - sum_over(partition, score.family_table(q, r)) + score.penalty_of(q, r);
}

// Each set between `required` and `allowed` of up to `limit` members, and its configurations.
template <class Visit>
void for_each_set(const DistinctRows& table, SetBits required, SetBits open, int limit, Visit visit) {
    std::vector<int> members;
    for (SetBits rest = open; rest; rest &= rest - 1) members.push_back(std::countr_zero(rest));
    long double q = 1;
    for (SetBits rest = required; rest; rest &= rest - 1)
        q *= (long double)table.arity[std::size_t(std::countr_zero(rest))];
    const auto grow = [&](auto& self, SetBits set, long double wide, std::size_t below) -> void {
        visit(set, wide);
        if (std::popcount(set) >= limit) return;
        for (std::size_t k = 0; k < below; ++k)
            self(self, set | SetBits{1} << members[k], wide * (long double)table.arity[std::size_t(members[k])], k);
    };
    grow(grow, required, q, members.size());
}

}  // namespace

EverySet build_every_set(const DistinctRows& table, Score& score, const KnowledgeView<1>& knowledge,
                         const std::vector<int>& children, int threads, Watch& watch) {
    if (table.n > every_set_most_variables || score.pruning() == Pruning::own)
        throw std::invalid_argument("every set: too many variables, or a score that needs its own builder");
    EverySet built;
    std::vector<std::vector<ScoredSet<1>>> lists(std::size_t(table.n));
    int largest = 0;
    for (const int child : children) {
        const VarSet<1>& required = knowledge.required[child];
        lists[std::size_t(child)].push_back({{required_cost(table, score, child, required)}, required});
        const int open = knowledge.allowed[child].size();
        largest = std::max(largest, std::min(knowledge.limits[child], open) + 1);
    }
    SetSums sums(table, score, largest);
    const std::uint64_t each = 16 * std::uint64_t(table.distinct()) * std::uint64_t(std::min(largest, table.n) + 2);
    const int fit = threads_that_fit(threads, each, watch);
    std::atomic<std::int64_t> counted{0}, evaluated{0};
    if (fit && watch.reserve(sums.bytes())) {
        sums.allocate();
        const int top = std::min(most_task_variables, table.n);
        parallel_tasks(
            1 << top, fit, watch, "parent graph", counted,
            [&](int pattern) { sums.walk(top, SetBits(pattern), watch, counted); }, [] {});
        const auto list = [&](int k) {
            const int child = children[std::size_t(k)];
            const SetBits required = SetBits(knowledge.required[child].word[0]);
            const SetBits open = SetBits(knowledge.allowed[child].word[0]) & ~required;
            std::int64_t size = 0;
            for_each_set(table, required, open, knowledge.limits[child], [&](SetBits, long double) { ++size; });
            if (!watch.reserve(std::uint64_t(size) * 2 * sizeof(ScoredSet<1>)))
                return;  // and the graph it is copied to
            std::vector<ScoredSet<1>> all;
            all.reserve(std::size_t(size));
            for_each_set(table, required, open, knowledge.limits[child], [&](SetBits set, long double q) {
                all.push_back({{sums.cost(child, set, q)}, VarSet<1>{{set}}});
            });
            evaluated += size;
            std::sort(all.begin(), all.end(),
                      [](const auto& a, const auto& b) { return std::tie(a.cost, a.set) < std::tie(b.cost, b.set); });
            lists[std::size_t(child)] = std::move(all);
        };
        if (!watch.stopped()) parallel_tasks(int(children.size()), fit, watch, "parent graph", counted, list, [] {});
        watch.release(sums.bytes());
    }
    watch.release(std::uint64_t(fit) * each);
    built.stop = watch.stop();
    built.evaluated = evaluated.load();
    built.counted = counted.load();
    for (auto& one : lists) {
        for (const auto& s : one) built.graph.costs.push_back(s.cost), built.graph.sets.push_back(s.set);
        built.graph.offsets.push_back(std::int64_t(built.graph.sets.size()));
        std::vector<ScoredSet<1>>().swap(one);
    }
    return built;
}

}  // namespace sabna
