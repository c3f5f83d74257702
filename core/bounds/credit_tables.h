// Reduced costs of long lists: what a parent set's clusters give it, looked up instead of asked of every cluster.
//
// The reduced cost of a set S of variable i is s(i,S) less the weights of i's clusters that credit S (bounds/cluster_bound.h).
// Asking every cluster for every set takes (sets) x (clusters) tests; with tens of thousands of sets and hundreds of
// clusters a variable that was most of the volume algorithm's time. Instead, by inclusion and exclusion, with |S| at most 3,
//
//   [|S cap C| >= 1] = (singles of S inside C) - (pairs inside C) + (triples inside C)
//   [|S cap C| >= 2] =                           (pairs inside C) - 2 (triples inside C)
//
// So a cluster notes its weight at its own members, pairs and triples, some hundreds of numbers; one pass over all pairs and triples
// of candidate parents, a few vector operations for eight of them, adds up what belongs to each; and a set takes one look.
// A cluster with k = 1 and few candidates outside notes its weight at what lies outside instead, where it is credited.
//
// Sets of more than three members, variables with very many candidate parents and clusters that would note more than
// the list has sets are tested one by one as ever. All numbers are quanta: the results are exact, and the same either way.
// They have room: the weights add up to at most T / 2 (cost.h; a cluster has two members or more), so what is noted at
// a place lies within T and a sum of seven of them within 7 T.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/cluster_bound.h"

namespace sabna {

template <int W>
class CreditTables {
  public:
    explicit CreditTables(const ParentGraphView<W>& graph);

    // What a thread needs beside its results; kept between calls, so that memory is asked for once.
    struct Space {
        std::vector<std::int64_t> noted, outside;  // by place: for inclusion and exclusion, and as it is
        std::vector<const Cluster<W>*> tested;     // clusters that are asked for every set
        std::vector<int> members;
        std::vector<std::int64_t> reduced;  // the result: of every set of the variable, in its order
        std::int64_t operations = 0;        // of the last call
    };
    // The reduced costs of the sets of variable i, into space.reduced. `clusters`: those that i is a member of.
    void reduce(int i, const std::vector<Cluster<W>>& clusters, Space& space) const;

    // What it takes, with a space for each of so many threads, generously.
    static std::uint64_t bytes(const ParentGraphView<W>& graph, int threads);

  private:
    struct Candidates {
        std::vector<int>
            number;  // of each variable among the candidate parents, or -1; empty where there are no tables
        VarSet<W> all;
        int count = 0;
        bool triples = false;  // whether a set has three members; if none has, tables end with pairs
        std::int64_t places() const;
    };
    static std::int64_t places_noted(const Candidates& candidates, const Cluster<W>& cluster);
    static void note(const Candidates& candidates, const Cluster<W>& cluster, Space& space);
    static void add_up(const Candidates& candidates, Space& space);

    const ParentGraphView<W>& graph_;
    std::vector<Candidates> candidates_;
    std::vector<std::uint32_t> places_;  // of each set in the tables of its variable
};

}  // namespace sabna
