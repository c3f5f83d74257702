// The static pattern database of Yuan and Malone (2012): h is the sum over groups of variables of exact costs.
//
// Cut the variables into groups. For the part P of a group G that still has to be placed, T_G[P] is the least it can cost
// when every variable outside P may be a parent: acyclicity is kept within the group and given up between groups.
//     T_G[P] = min over i in P of d(i, V - P) + T_G[P - i],   T_G[empty] = 0
// The groups share no variable, so the values add up: h(U) = sum of T_G[G - U]. Admissible, since each term relaxes
// the problem; consistent, since placing i of G costs d(i, U) >= d(i, V - P) and T_G[P] <= d(i, V - P) + T_G[P - i].
// One group of all variables would be the whole problem; single variables give the paper's heuristic.
//
// A table has 2^|G| entries. How the variables are grouped matters: what matters to each other belongs together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include "bounds/heuristic.h"
#include "parents/parent_graph.h"
#include "watch.h"

namespace sabna {

// How to cut the variables into groups.
enum class Grouping { order, interleave, affinity };
std::optional<Grouping> grouping_named(const std::string& name);

// Groups beyond this size take too long to fill: 2^22 entries are 32 MB and some seconds.
inline constexpr int largest_group = 22;
// Two groups, as in the literature, unless they would be larger than this.
inline constexpr int comfortable_group = 20;

int default_groups(int n);

// `count` groups, sizes as equal as can be. Affinity: variables that lose most without each other come together.
template <int W>
std::vector<std::vector<int>> group_variables(const ParentGraphView<W>& graph, int count, Grouping method);

template <int W>
class PatternDatabase {
  public:
    static constexpr HeuristicTraits traits{"pattern", true, true};

    // Fills the tables; check `watch.stopped()` after: then the tables are not complete and must not be used.
    PatternDatabase(const ParentGraphView<W>& graph, const std::vector<std::vector<int>>& groups, Watch& watch);
    static std::uint64_t bytes(const std::vector<std::vector<int>>& groups);

    Cost operator()(const VarSet<W>& placed) const {
        Cost total;
        for (const Group& group : groups_) {
            const Cost cost = group.table[group.pattern(placed)];
            if (cost.is_infinite()) return cost;  // cannot be placed at all; no node that a search reaches has this
            total += cost;
        }
        return total;
    }

  private:
    struct Group {
        std::vector<int> members;  // ascending
        VarSet<W> mask;
        std::vector<Cost> table;  // by pattern: bit k stands for members[k], not yet placed

        std::size_t pattern(const VarSet<W>& placed) const {
            std::size_t bits = 0;
#if defined(__BMI2__)
            int shift = 0;
            for (int w = 0; w < W; ++w) {
                bits |= std::size_t(_pext_u64(~placed.word[w], mask.word[w])) << shift;
                shift += std::popcount(mask.word[w]);
            }
#else
            for (std::size_t k = 0; k < members.size(); ++k) bits |= std::size_t(!placed.contains(members[k])) << k;
#endif
            return bits;
        }
    };

    std::vector<Group> groups_;
};

}  // namespace sabna
