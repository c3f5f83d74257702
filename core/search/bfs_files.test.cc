#include "search/bfs_files.h"

#include "bounds/local_search.h"
#include "search/run.h"
#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

// Files in memory; the search is stopped instead of keeping a piece when `keeps_left` is used up.
class MemoryFiles final : public LayerFiles {
  public:
    explicit MemoryFiles(std::size_t most) { most_children = most; }

    bool resume(LayersState& state, bool& found) override {
        found = begun_;
        if (begun_) state = state_;
        return true;
    }
    bool keep(LayerPiece&& piece, const LayersState& state) override {
        if (keeps_left-- == 0) return watch->halt(Stop::interrupted), false;
        pieces_.push_back(std::move(piece));
        state_ = state;
        begun_ = true;
        return true;
    }
    bool runs(int layer, std::vector<NodeRun>& runs) override {
        const auto k = std::size_t(layer);
        for (const LayerPiece& piece : pieces_) {
            if (piece.child_begin.empty() || piece.layer >= layer) continue;
            const auto begin = std::size_t(piece.child_begin[k]), end = std::size_t(piece.child_begin[k + 1]);
            const std::size_t width = end > begin ? piece.child_words.size() / piece.child_costs.size() : 0;
            if (end > begin)
                runs.push_back(
                    {piece.child_words.data() + begin * width, piece.child_costs.data() + begin, end - begin, width});
        }
        return true;
    }
    bool nodes(int layer, std::vector<NodeRun>& runs) override {
        for (const LayerPiece& piece : pieces_)
            if (piece.layer == layer && !piece.costs.empty())
                runs.push_back({piece.words.data(), piece.costs.data(), piece.costs.size(),
                                piece.words.size() / piece.costs.size()});
        return true;
    }

    int keeps_left = 1 << 30;
    Watch* watch = nullptr;

  private:
    std::vector<LayerPiece> pieces_;
    LayersState state_;
    bool begun_ = false;
};

struct FileCase {
    HeuristicChoice heuristic;
    SearchOptions options;
};

FileCase some_file_case(std::uint32_t seed) {
    FileCase one;
    if (seed % 3 == 1) one.heuristic = {"pattern", 2, Grouping::affinity};
    one.options = {.path_extension = seed % 4 != 3,
                   .scc_branching = seed % 5 == 2,
                   .prune = seed % 2 == 0,
                   .threads = 1 + int(seed % 2)};
    return one;
}

template <int W>
void same_as_in_memory(const ParentGraphView<W>& graph, std::uint32_t seed, bool stops) {
    FileCase one = some_file_case(seed);
    Watch quiet;
    const Assignment known = one.options.prune ? local_search(graph, {.restarts = 1, .kicks = 1}, quiet) : Assignment{};
    const Outcome here = run_search(graph, "bfs", one.heuristic, one.options, known, quiet);
    MemoryFiles files(1 + seed % 400);
    one.options.files = &files;
    for (bool ended = false; !ended;) {
        Watch watch;
        files.watch = &watch;
        if (stops) files.keeps_left = 1 + int(seed % 3);
        const Outcome there = run_search(graph, "bfs", one.heuristic, one.options, known, watch);
        CHECK_EQ(watch.used(), std::uint64_t{0});
        CHECK(there.lower <= here.best.cost);
        if (there.stop != Stop::none) continue;
        ended = true;
        CHECK_EQ(there.best.cost.quanta, here.best.cost.quanta);
        CHECK_EQ(there.lower.quanta, here.lower.quanta);
        CHECK(there.best.order == here.best.order);
        if (watch.stopped()) continue;  // proven before the last layer
        CHECK_EQ(there.counts.expanded, here.counts.expanded);
        CHECK_EQ(there.counts.generated, here.counts.generated);
        CHECK_EQ(there.counts.pruned, here.counts.pruned);
        CHECK_EQ(there.counts.stored, here.counts.stored);
    }
}

}  // namespace

// Protects from losing nodes between runs, from duplicates that survive a merge, and from another choice among equal networks.
TEST(files_hold_the_same_search_as_the_memory) {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        const RandomGraph shape{.n = 1 + int(seed % 13),
                                .sets = 1 + int(seed % 17),
                                .largest = 1 + int(seed % 4),
                                .costs = seed % 3 ? 1000 : 4,
                                .empty_sets = seed % 4 != 0};
        const auto graph = random_graph<1>(shape, seed);
        same_as_in_memory(graph.view(), seed, seed % 7 == 0);
        if (seed % 10 == 0) same_as_in_memory(random_graph<4>(shape, seed).view(), seed, false);
    }
}

// Protects from a search that goes on with nodes it lost or has twice.
TEST(files_stopped_at_every_piece_go_on) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        const RandomGraph shape{.n = 9, .sets = 14, .costs = seed % 2 ? 1000 : 3};
        same_as_in_memory(random_graph<1>(shape, seed).view(), seed, true);
    }
}

// Protects from taking more than there is: the answer is the same with room for a handful of nodes, or there is none.
TEST(files_keep_a_memory_limit) {
    const auto data = random_graph<1>({.n = 11, .sets = 20}, 5);
    const Cost best = optimum(data.view());
    for (const std::uint64_t bytes : {100, 40'000, 100'000, 1'000'000}) {
        MemoryFiles files(1 << 20);
        Watch watch({.bytes = bytes}, {});
        files.watch = &watch;
        const Outcome outcome = run_search(data.view(), "bfs", {}, {.files = &files}, {}, watch);
        CHECK(watch.peak() <= bytes);
        CHECK(outcome.lower <= best);
        CHECK(outcome.stop == (bytes < 40'000 ? Stop::memory_limit : Stop::none));
        if (outcome.stop == Stop::none) CHECK_EQ(outcome.best.cost.quanta, best.quanta);
    }
}
