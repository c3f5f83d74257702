// The stored parent sets of all levels as a trie in lexicographic order.
//
// A set is the path of its members in ascending order; level k holds the stored sets of size k, those with a common
// prefix side by side. A node keeps its first child's index and the mask of its children's last members, so that the
// child with member x is found by counting bits. Every subset of a stored set is stored, hence the index of any
// "P without a" is known by walking, without hashing: when P is extended by x, so is each P - a.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "varset.h"

namespace sabna {

// Members of `set` below x.
template <int W>
int rank_of(const VarSet<W>& set, int x) {
    int rank = 0;
    for (int k = 0; k < x >> 6; ++k) rank += std::popcount(set.word[k]);
    return rank + std::popcount(set.word[x >> 6] & ((std::uint64_t{1} << (x & 63)) - 1));
}

// The member of rank r.
template <int W>
int member_of_rank(const VarSet<W>& set, int r) {
    for (int k = 0; k < W; ++k) {
        std::uint64_t word = set.word[k];
        const int size = std::popcount(word);
        if (r >= size) {
            r -= size;
            continue;
        }
        while (r-- > 0) word &= word - 1;
        return 64 * k + std::countr_zero(word);
    }
    return -1;
}

template <int W>
struct TrieLevel {
    std::vector<std::uint32_t> child_begin;  // one more than nodes: closed by the size of the next level
    std::vector<VarSet<W>> child_mask;

    std::uint32_t child(std::uint32_t node, int x) const { return child_begin[node] + rank_of(child_mask[node], x); }
};

// Where on level `depth` the sets of each smallest member begin.
template <int W>
std::vector<std::uint32_t> starts_by_first_member(const std::vector<TrieLevel<W>>& levels, int depth) {
    if (depth == 0) return {0};
    std::vector<std::uint32_t> starts;
    for (std::uint32_t first = 0; first < levels[0].child_begin.back(); ++first) {
        std::uint32_t node = first;
        for (int t = 1; t < depth; ++t) node = levels[t].child_begin[node];
        starts.push_back(node);
    }
    return starts;
}

// Walks the nodes of the deepest level in order, knowing at every depth the members, the nodes, and the indices of the
// subsets that lack one member.
template <int W>
class TriePath {
  public:
    TriePath(const std::vector<TrieLevel<W>>& levels, int depth)
        : levels_(levels), depth_(depth), node_(depth + 1, 0), member_(depth, -1), lacking_(depth + 1) {
        for (int t = 0; t <= depth; ++t) lacking_[t].resize(t);
    }

    // Move to a node of the deepest level; returns the depth down to which the path is as before.
    int move_to(std::uint32_t node) {
        std::uint32_t target = node;
        int same = 0;
        for (int t = depth_; t >= 0; --t) {
            if (placed_ && node_[t] == target) {
                same = t;
                break;
            }
            node_[t] = target;
            if (t > 0) target = parent_of(t, target);
        }
        for (int t = same + 1; t <= depth_; ++t) descend(t);
        placed_ = true;
        return same;
    }

    int member(int t) const { return member_[t]; }                      // the t-th smallest, from 0
    std::uint32_t lacking(int t) const { return lacking_[depth_][t]; }  // node one level up: the set without member t
    VarSet<W> set() const {
        VarSet<W> s;
        for (int x : member_) s.insert(x);
        return s;
    }

  private:
    std::uint32_t parent_of(int t, std::uint32_t node) const {
        const auto& begin = levels_[t - 1].child_begin;
        return std::uint32_t(std::upper_bound(begin.begin(), begin.end() - 1, node) - begin.begin()) - 1;
    }
    void descend(int t) {
        const TrieLevel<W>& above = levels_[t - 1];
        const std::uint32_t parent = node_[t - 1];
        const int x = member_of_rank(above.child_mask[parent], int(node_[t] - above.child_begin[parent]));
        member_[t - 1] = x;
        for (int j = 0; j + 1 < t; ++j) lacking_[t][j] = levels_[t - 2].child(lacking_[t - 1][j], x);
        lacking_[t][t - 1] = parent;
    }

    const std::vector<TrieLevel<W>>& levels_;
    int depth_;
    bool placed_ = false;
    std::vector<std::uint32_t> node_;
    std::vector<int> member_;
    std::vector<std::vector<std::uint32_t>> lacking_;
};

}  // namespace sabna
