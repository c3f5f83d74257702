// Heuristic `dual-pattern`: pattern databases on costs reduced by cluster weights.
//
// A static pattern database (Yuan and Malone 2013) is exact within each group of variables and blind between groups: every
// variable may use anything outside its group at once. Cluster weights are the opposite: weak everywhere, but they see
// across. Put together, each group's table is computed on costs reduced by the clusters that cross groups:
//
//   h(U) = sum over crossing C of (k - |C cap U|)^+ y_C + sum over groups G of T_G[R cap G]
//
// where crossing C gives i in P the credit y_C while |(C cap G) - P| < k and |S cap C| < k (group_table.h). Why it is
// valid: in any completion the crossing clusters' first term is earned by members that come while fewer than k of C are
// placed, hence while fewer than k of C cap G are; so the table grants at least the credits that are due. Clusters inside a group
// are dropped: the table is exact there. Consistent by the same argument as the cluster bound, and so is the
// maximum over several such patterns, each with a partition and weights of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bounds/cluster_bound.h"
#include "bounds/group_table.h"
#include "bounds/groups.h"
#include "bounds/heuristic.h"
#include "watch.h"

namespace sabna {

// A partition and the weights its tables are made with.
template <int W>
struct Pattern {
    std::vector<Cluster<W>> clusters;
    Groups<W> groups;
};

// The tables of one pattern, group by group; nothing here depends on the width of the graph's sets.
struct PatternTables {
    struct Group {
        std::unique_ptr<GroupCosts> costs;
        std::vector<std::int64_t> table;
    };
    std::vector<Group> groups;
    std::int64_t root = 0;  // the bound at the root by this pattern alone
};

template <int W>
class DualPatternDb {
  public:
    static constexpr HeuristicTraits traits{"dual-pattern", true, true};

    // Empty (`ready()` is false) if the watch stopped the run.
    DualPatternDb(const ParentGraphView<W>& graph, const std::vector<Pattern<W>>& patterns, int threads, Watch& watch);

    bool ready() const { return ready_; }
    Cost operator()(const VarSet<W>& placed) const;
    // What the successors of a node need to know: of every pattern its value at the node, the groups' entries, which clusters
    // still count, and for each variable the weight of those that it is in.
    void note(ExpandedNode<W>& node) const;
    Cost after(const ExpandedNode<W>& node, const VarSet<W>& added) const;
    Cost root() const { return (*this)(VarSet<W>{}); }
    std::uint64_t bytes() const;

    // One per pattern.
    const std::vector<PatternTables>& tables() const { return tables_; }

  private:
    // The rest of a pattern, beside its tables.
    struct Sets {
        std::vector<Cluster<W>> crossing;
        Groups<W> groups;
        std::vector<std::uint32_t> group_of, bit;  // of each variable: its group, and its place there
    };
    struct Notes;
    static void index_variables(int n, Sets& sets);
    bool fill_tables(const ParentGraphView<W>& graph, int threads, Watch& watch);
    std::int64_t value(std::size_t pattern, const VarSet<W>& placed) const;
    std::int64_t value_after_one(std::size_t pattern, const std::int64_t* notes, int added) const;
    std::int64_t value_after(std::size_t pattern, const std::int64_t* notes, const ExpandedNode<W>& node,
                             const VarSet<W>& added) const;

    VarSet<W> all_;
    std::vector<Sets> sets_;
    std::vector<PatternTables> tables_;
    bool ready_ = false;
};

// The members of `set` inside `group`, as bits by place in the group.
template <int W>
std::uint32_t place_bits(const VarSet<W>& set, const VarSet<W>& group);

}  // namespace sabna
