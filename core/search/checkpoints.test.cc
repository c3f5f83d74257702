#include "search/checkpoints.h"

#include "search/run.h"
#include "testing/harness.h"
#include "testing/random_graph.h"

using namespace sabna;
using namespace sabna::testing;

namespace {

// Checkpoints in memory: one at every poll. When `keeps_left` is used up the search is stopped.
class MemoryCheckpoints final : public Checkpoints {
  public:
    bool load(std::vector<Block>& blocks) override {
        blocks.assign(kept_.begin(), kept_.end());
        return true;
    }
    void done_with(std::size_t) override {}
    bool due(std::uint64_t) override { return true; }
    bool keep(const std::vector<Block>& blocks) override {
        if (keeps_left-- == 0) return watch->halt(Stop::interrupted), false;
        kept_.clear();
        for (const Block& block : blocks) kept_.emplace_back(block.begin(), block.end());
        return true;
    }

    int keeps_left = 1 << 30;
    Watch* watch = nullptr;

  private:
    std::vector<std::vector<std::uint64_t>> kept_;
};

// Stopped after every few checkpoints and taken up again, until it ends; how often it was stopped.
template <int W>
int in_pieces(const ParentGraphView<W>& graph, const std::string& strategy, SearchOptions options, Outcome& outcome) {
    MemoryCheckpoints checkpoints;
    options.checkpoints = &checkpoints;
    for (int stopped = 0;; ++stopped) {
        Watch watch;
        checkpoints.watch = &watch;
        checkpoints.keeps_left = 2 + stopped % 3;
        outcome = run_search(graph, strategy, HeuristicChoice{}, options, Assignment{}, watch);
        CHECK_EQ(watch.used(), std::uint64_t{0});
        if (outcome.stop == Stop::none) return stopped;
        CHECK(outcome.stop == Stop::interrupted);
    }
}

// Each variable wants the next of its three, which they cannot all have: a search looks at nearly every set.
template <int W>
ParentGraphData<W> triangles(int count, int ties) {
    ParentGraphData<W> graph;
    for (int i = 0; i < 3 * count; ++i) {
        graph.sets.push_back(VarSet<W>::single(i - i % 3 + (i + 1) % 3)), graph.costs.push_back(Cost{0});
        graph.sets.push_back(VarSet<W>{}), graph.costs.push_back(Cost{1000 + i * 7 % ties});
        graph.offsets.push_back(std::int64_t(graph.sets.size()));
    }
    return graph;
}

template <int W>
void same_in_pieces(int ties, const std::string& strategy, bool prune, int nodes_at_once = 1) {
    const auto graph = triangles<W>(5, ties);
    SearchOptions options;
    options.path_extension = false;
    options.prune = prune;
    options.nodes_at_once = nodes_at_once;
    Watch watch;
    const Outcome whole = run_search(graph.view(), strategy, HeuristicChoice{}, options, Assignment{}, watch);
    Outcome pieces;
    const int stopped = in_pieces(graph.view(), strategy, options, pieces);
    CHECK(stopped > 0);
    CHECK_EQ(pieces.best.cost.quanta, whole.best.cost.quanta);
    CHECK_EQ(pieces.best.cost.quanta, optimum(graph.view()).quanta);
    CHECK_EQ(pieces.lower.quanta, whole.lower.quanta);
    CHECK(pieces.best.order == whole.best.order);
    if (strategy != "astar") return;  // what branch and bound remembers of sets it has met is not kept
    CHECK_EQ(pieces.counts.expanded, whole.counts.expanded);
    CHECK_EQ(pieces.counts.generated, whole.counts.generated);
    CHECK_EQ(pieces.counts.stored, whole.counts.stored);
}

}  // namespace

TEST(a_search_goes_on_from_its_checkpoints_as_if_it_had_not_been_stopped) {
    for (const int ties : {1, 5}) {
        same_in_pieces<1>(ties, "astar", true);
        same_in_pieces<1>(ties, "astar", true, 16);
        if (thorough() || ties == 5) same_in_pieces<2>(ties, "astar", false);
        same_in_pieces<1>(ties, "branch-and-bound", true);
    }
}
