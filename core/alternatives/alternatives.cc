#include "alternatives/alternatives.h"

#include <algorithm>
#include <tuple>

#include "alternatives/combine.h"
#include "alternatives/enumerate.h"
#include "search/components.h"

namespace sabna {

namespace {

// The sets of `members` cut down to them, whatever can still be dropped having been dropped from `sets`.
SmallGraph cut_down(const std::vector<int>& members, const SmallGraph& from) {
    SmallGraph part;
    for (const int i : members) part.members.push_back(from.members[std::size_t(i)]);
    for (const int i : members) {
        part.sets.emplace_back();
        for (SmallSet s : from.sets[std::size_t(i)]) {
            std::uint32_t inside = 0;
            for (std::size_t k = 0; k < members.size(); ++k) inside |= (s.set >> members[k] & 1u) << k;
            s.set = inside;
            part.sets.back().push_back(s);
        }
    }
    return part;
}

ParentGraphData<1> as_parent_graph(const SmallGraph& graph) {
    ParentGraphData<1> data;
    for (const auto& sets : graph.sets) {
        for (const SmallSet& s : sets) {
            VarSet<1> set;
            set.word[0] = s.set;
            data.costs.push_back(s.cost), data.sets.push_back(set);
        }
        data.offsets.push_back(std::int64_t(data.sets.size()));
    }
    return data;
}

class Finder {
  public:
    Finder(int n, Wanted wanted, Watch& watch) : wanted_(wanted), watch_(watch), combiner_(n, wanted, watch) {}

    // Reduce, split and enumerate; the solutions join the combiner. False: stopped, or no network.
    bool solve(SmallGraph graph) {
        LatticeTables tables;
        const std::uint64_t bytes = LatticeTables::bytes(graph.n());
        if (!watch_.reserve(bytes)) return false;
        const bool done = solve_with(tables, graph);
        tables = {};
        watch_.release(bytes);
        if (!done) return false;
        // Split off by `solve_with`; their tables come after ours are gone.
        std::vector<SmallGraph> parts;
        parts.swap(parts_);
        for (SmallGraph& part : parts)
            if (!solve(std::move(part))) return false;
        return true;
    }

    template <int W>
    Alternatives result(const ParentGraphView<W>& graph) {
        Alternatives out;
        out.visited = visited_;
        out.complete = complete_ && !combiner_.cut();
        out.costs = combiner_.costs();
        out.choices.assign(out.costs.size() * std::size_t(graph.n), 0);
        const auto positions = combiner_.positions();
        for (std::size_t k = 0; k < positions.size(); ++k)
            for (std::size_t c = 0; c < solved_.size(); ++c) {
                const auto& [part, choices] = solved_[c];
                for (int i = 0; i < part.n(); ++i) {
                    const std::uint32_t at = choices[positions[k][c] * std::size_t(part.n()) + std::size_t(i)];
                    out.choices[k * std::size_t(graph.n) + std::size_t(part.members[std::size_t(i)])] =
                        part.sets[std::size_t(i)][at].origin;
                }
            }
        return out;
    }

    bool no_network() const { return no_network_; }

  private:
    bool solve_with(LatticeTables& tables, SmallGraph& graph) {
        if (!tables.compute(graph, watch_)) return false;
        if (tables.best().is_infinite()) {
            no_network_ = true;
            return false;
        }
        const bool smaller = drop_useless(tables, graph);
        if (watch_.stopped()) return false;
        if (smaller) {
            const auto data = as_parent_graph(graph);
            const auto components = find_components(data.view());
            if (components.size() > 1) {
                for (const auto& members : components) parts_.push_back(cut_down(members, graph));
                return true;
            }
        }
        Solutions found = enumerate_networks(graph, tables, wanted_, watch_, visited_);
        if (watch_.stopped()) return false;
        complete_ &= found.complete;
        if (!combiner_.add(found.costs)) return false;
        solved_.emplace_back(std::move(graph), std::move(found.choices));
        return true;
    }

    // Drop sets of which no network within the slack is made. True: something went.
    bool drop_useless(const LatticeTables& tables, SmallGraph& graph) {
        std::vector<std::vector<Cost>> through;
        if (!tables.through(graph, through, watch_)) return false;
        const Cost limit = tables.best() + wanted_.slack;
        bool dropped = false;
        for (std::size_t i = 0; i < through.size(); ++i) {
            std::vector<SmallSet> kept;
            for (std::size_t k = 0; k < through[i].size(); ++k)
                if (through[i][k] <= limit) kept.push_back(graph.sets[i][k]);
            dropped |= kept.size() < graph.sets[i].size();
            graph.sets[i] = std::move(kept);
        }
        return dropped;
    }

    Wanted wanted_;
    Watch& watch_;
    Combiner combiner_;
    std::vector<SmallGraph> parts_;
    std::vector<std::pair<SmallGraph, std::vector<std::uint32_t>>> solved_;
    bool complete_ = true, no_network_ = false;
    std::int64_t visited_ = 0;
};

template <int W>
SmallGraph small_graph(const ParentGraphView<W>& graph, const std::vector<int>& members) {
    SmallGraph small;
    small.members = members;
    for (const int i : members) {
        std::vector<SmallSet> sets;
        for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
            std::uint32_t inside = 0;
            for (std::size_t k = 0; k < members.size(); ++k)
                if (graph.sets_begin[p].contains(members[k])) inside |= 1u << k;
            sets.push_back({graph.costs_begin[p], inside, p});
        }
        small.sets.push_back(std::move(sets));
    }
    return small;
}

}  // namespace

template <int W>
Alternatives find_alternatives(const ParentGraphView<W>& graph, Wanted wanted, Watch& watch) {
    Alternatives failed;
    const auto components = find_components(graph);
    for (const auto& members : components) failed.too_large = std::max(failed.too_large, int(members.size()));
    if (failed.too_large > largest_dense_component) return failed;
    failed.too_large = 0;
    Finder finder(graph.n, wanted, watch);
    for (const auto& members : components)
        if (!finder.solve(small_graph(graph, members))) {
            failed.stop = watch.stop();
            failed.complete = finder.no_network();
            return failed;
        }
    return finder.result(graph);
}

#define SABNA_INSTANTIATE(W) template Alternatives find_alternatives(const ParentGraphView<W>&, Wanted, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
