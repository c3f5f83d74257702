// One level of the builder: from the stored sets of size k to those of size k + 1.
//
// The sets P of the last level are cut into blocks that threads take as they come. Within a block they are walked in
// lexicographic order with a stack of partitions, one per prefix; every extension Q = P + x (x above all of P) that the
// masks allow is judged from its subsets, counted, and judged again. Each Q depends on the last level alone, and blocks
// are joined in order: the result is the same for any number of threads.
#pragma once

#include <memory>

#include "counting/partition.h"
#include "parents/build.h"
#include "parents/level_store.h"
#include "parents/level_trie.h"
#include "parents/twins.h"

namespace sabna {

// A family that may belong into the graph. `unsure`: its cost and that of a subset are stored as the same number, so
// dominance is decided at the end.
template <int W>
struct Scored {
    VarSet<W> set;
    Cost cost;
    std::int32_t child;
    bool unsure;
};

// What the walk learns about a candidate set, filled in by the rule.
template <int W>
struct Judged {
    VarSet<W> score;                     // children whose cost under Q may matter
    VarSet<W> extend;                    // children that may want more than Q
    std::vector<std::uint32_t> best;     // stored cost of the best subset, per child (configuration rule)
    std::vector<std::uint16_t> numbers;  // to be stored with Q (entropy rule)
};

template <int W>
struct Subset {
    int lacks;            // Q = this + lacks
    std::uint32_t index;  // in the last level
};

// A way to prune, with the counting it needs; one object per thread. Implemented by the two rules.
template <int W>
class Rule {
  public:
    virtual ~Rule() = default;
    virtual int numbers_stored() const = 0;  // 16-bit numbers per set; 0: 32-bit costs instead
    // From the subsets alone: fill `score`, `extend`, `best` for the children in `children`.
    virtual void judge_before(const VarSet<W>& Q, const VarSet<W>& children, const std::vector<Subset<W>>& subsets,
                              const LevelStore<W>& last, Judged<W>& judged) = 0;
    // Count Q = P + x. Either from the partition by P, if `splits(x)`, after `prepare(P)`; or from that by Q.
    virtual bool splits(int) const { return false; }
    virtual void prepare(const Partition&, const VarSet<W>& /*P*/, std::uint32_t /*its index*/) {}
    virtual void count_split(const Partition&, int) {}
    // May find that some children are done with Q, and take them off.
    virtual void count(const VarSet<W>& Q, const Partition& partition, Judged<W>& judged) = 0;
    // Append the families worth keeping, tighten `extend`; lower `floor` to what a set around Q costs at least.
    virtual void judge_after(const VarSet<W>& Q, Judged<W>& judged, std::vector<Scored<W>>& scored,
                             std::vector<Cost>& floor) = 0;
};

template <int W>
struct BuildState {
    const DistinctRows& table;
    Score& score;
    const Candidates<W>& candidates;
    Scale scale{};
    std::vector<Quanta> empty_cost{};  // of each variable without parents
    std::vector<TrieLevel<W>> trie{};  // of sizes 0 .. k; the last has no children yet
    LevelStore<W> last{};              // sets of size k; numbers are given up when no longer needed
    std::vector<Scored<W>> scored{};
    std::int64_t evaluated = 0, counted = 0;
    std::vector<Cost> floor{};             // of the sets not scored when level k was done
    std::shared_ptr<const Twins> twins{};  // configuration rule
};

// Walk one level. Replaces `last`, extends `trie`. False: stopped by the watch; `state` then holds what was scored.
template <int W>
bool walk_level(BuildState<W>& state, std::vector<std::unique_ptr<Rule<W>>>& rule_per_thread, Watch& watch);

// What a run of sets of the last level is extended to, as flat arrays: data that can be written to a file, or sent.
template <int W>
struct Slice {
    std::vector<VarSet<W>> child_mask;  // of each P of the slice: the x for which P + x was stored
    std::vector<VarSet<W>> alive;       // of each stored set; the rest as in StorePart, `overread` numbers at the end
    std::vector<std::uint16_t> narrow;
    std::vector<std::uint32_t> best;
    std::vector<Scored<W>> scored;
    std::vector<Cost> floor;
    std::int64_t evaluated = 0, counted = 0;
    bool complete = false;
};

// Walk the sets `begin` to `end` of the last level. The slices of a level, one after the other, are the next level.
template <int W>
Slice<W> walk_slice(const BuildState<W>& state, std::vector<std::unique_ptr<Rule<W>>>& rule_per_thread,
                    std::uint32_t begin, std::uint32_t end, Watch& watch);

template <int W>
std::unique_ptr<Rule<W>> make_entropy_rule(const BuildState<W>& state);
template <int W>
std::unique_ptr<Rule<W>> make_configuration_rule(const BuildState<W>& state);

}  // namespace sabna
