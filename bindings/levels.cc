// Building a parent graph slice by slice (core/parents/level_builder.h): slices go to Python as arrays and come back so.
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bindings.h"
#include "parents/level_builder.h"
#include "results.h"

namespace sabna::bindings {

namespace {

// A slice of a level, without its width; `scored_*` are the families that may belong into the graph.
struct SliceArrays {
    SetRows child_mask, alive, scored_sets;
    std::vector<std::uint16_t> narrow;
    std::vector<std::uint32_t> best;
    std::vector<std::int64_t> scored_costs, scored_children;
    std::vector<std::uint8_t> scored_unsure;
    std::vector<Cost> floor;
    std::int64_t evaluated = 0, counted = 0;
    Stop stop = Stop::none;

    SliceArrays() = default;
    template <int W>
    SliceArrays(Slice<W>&& slice, Stop why)
        : narrow(std::move(slice.narrow)), best(std::move(slice.best)), floor(std::move(slice.floor)),
          evaluated(slice.evaluated), counted(slice.counted), stop(why) {
        child_mask.width = alive.width = scored_sets.width = W;
        for (const VarSet<W>& set : slice.child_mask) child_mask.add(set);
        for (const VarSet<W>& set : slice.alive) alive.add(set);
        for (const Scored<W>& s : slice.scored) {
            scored_sets.add(s.set);
            scored_costs.push_back(s.cost.quanta);
            scored_children.push_back(s.child);
            scored_unsure.push_back(s.unsure);
        }
    }
};

using Masks = std::vector<Words>;
using Narrow = std::vector<Array1<std::uint16_t>>;
using Best = std::vector<Array1<std::uint32_t>>;

struct Families {
    Words sets;
    Ints costs, children;
    Array1<std::uint8_t> unsure;
};

// A builder of some width.
class AnyBuilder {
  public:
    virtual ~AnyBuilder() = default;
    virtual int level() const = 0;
    virtual std::size_t sets() const = 0;
    virtual std::vector<std::int64_t> empty_costs() const = 0;
    virtual std::vector<Cost> floor() const = 0;
    virtual SliceArrays walk(std::uint32_t begin, std::uint32_t end, int threads, Watch& watch) = 0;
    virtual void advance(const Masks& masks, const Masks& alive, const Narrow& narrow, const Best& best) = 0;
    virtual void take(const Families& families, const Ints& floor, bool complete, std::int64_t evaluated,
                      std::int64_t counted) = 0;
    virtual Built finish(bool complete) = 0;
};

template <int W>
class Builder final : public AnyBuilder {
  public:
    Builder(DistinctRows table, std::unique_ptr<Score> score, Candidates<W> candidates, Watch& watch)
        : n_(table.n), builder_(std::move(table), std::move(score), std::move(candidates), watch) {}

    int level() const override { return builder_.level(); }
    std::size_t sets() const override { return builder_.sets(); }
    std::vector<std::int64_t> empty_costs() const override { return builder_.state().empty_cost; }
    std::vector<Cost> floor() const override { return builder_.state().floor; }

    SliceArrays walk(std::uint32_t begin, std::uint32_t end, int threads, Watch& watch) override {
        if (begin > end || end > builder_.sets()) throw std::invalid_argument("walk: there are no such sets");
        Slice<W> slice = builder_.walk(begin, end, threads, watch);
        return SliceArrays(std::move(slice), watch.stop());
    }

    void advance(const Masks& masks, const Masks& alive, const Narrow& narrow, const Best& best) override {
        const bool last = !alive.empty();
        if (last && (alive.size() != masks.size() || narrow.size() != masks.size() || best.size() != masks.size()))
            throw std::invalid_argument("advance: as many arrays of each kind are needed");
        std::vector<SliceView<W>> slices;
        std::size_t sets = 0, children = 0;
        for (std::size_t k = 0; k < masks.size(); ++k) {
            SliceView<W> slice;
            slice.child_mask = sets_of<W>(masks[k]);
            std::size_t stored = 0, costs = 0;
            for (const VarSet<W>& mask : slice.child_mask) stored += std::size_t(mask.size());
            sets += slice.child_mask.size(), children += stored;
            if (last) {
                slice.alive = sets_of<W>(alive[k]);
                for (const VarSet<W>& set : slice.alive) costs += std::size_t(set.size());
                const bool fits = builder_.state().score.pruning() == Pruning::entropy
                                      ? narrow[k].size() >= 2 * std::size_t(n_) * stored
                                      : best[k].size() == costs;
                if (slice.alive.size() != stored || !fits)
                    throw std::invalid_argument("advance: the arrays of a slice do not fit together");
                if (builder_.state().score.pruning() == Pruning::entropy) slice.narrow = narrow[k].data();
                else slice.best = best[k].data();
            }
            slices.push_back(slice);
        }
        if (sets != expected_) throw std::invalid_argument("advance: the slices do not make up the level");
        builder_.advance(slices);
        expected_ = children;
    }

    void take(const Families& f, const Ints& floor, bool complete, std::int64_t evaluated,
              std::int64_t counted) override {
        const auto sets = sets_of<W>(f.sets);
        if (f.costs.size() != sets.size() || f.children.size() != sets.size() || f.unsure.size() != sets.size() ||
            floor.size() != std::size_t(n_))
            throw std::invalid_argument("take: the shapes do not fit");
        std::vector<Scored<W>> scored;
        for (std::size_t k = 0; k < sets.size(); ++k) {
            if (f.children.data()[k] < 0 || f.children.data()[k] >= n_)
                throw std::invalid_argument("take: no such child");
            scored.push_back(
                {sets[k], {f.costs.data()[k]}, std::int32_t(f.children.data()[k]), f.unsure.data()[k] != 0});
        }
        std::vector<Cost> least;
        for (std::size_t i = 0; i < floor.size(); ++i) least.push_back({floor.data()[i]});
        builder_.take(std::move(scored), least, complete, evaluated, counted);
    }

    Built finish(bool complete) override {
        BuildResult<W> result = builder_.finish(complete);
        return {GraphArrays(std::move(result.graph)),
                std::move(result.floor),
                result.evaluated,
                result.counted,
                0,
                Stop::none};
    }

  private:
    int n_;
    std::size_t expected_ = 1;  // sets of the level that is extended next
    LevelBuilder<W> builder_;
};

// What Python holds: the builder, and the arrays its last level stands in.
struct SliceBuilder {
    std::unique_ptr<AnyBuilder> builder;
    Masks alive;
    Narrow narrow;
    Best best;
};

SliceBuilder make_builder(const Array2<std::uint16_t>& codes, const Ints& arities, const std::string& score_id,
                          double parameter, const Ints& max_parents, const std::optional<Words>& allowed) {
    const int n = int(arities.shape(0));
    if (codes.shape(0) != arities.shape(0) || max_parents.shape(0) != arities.shape(0) || n == 0)
        throw std::invalid_argument("SliceBuilder: the shapes of codes, arities and max_parents do not fit");
    if (allowed && (allowed->shape(0) != arities.shape(0) || int(allowed->shape(1)) != words_for(n)))
        throw std::invalid_argument("SliceBuilder: one set of allowed parents per variable is needed");
    SliceBuilder made;
    with_words(n, [&]<int W>() {
        nb::gil_scoped_release release;
        Watch watch;
        DistinctRows table = merge_rows({codes.data(), codes.size()}, {arities.data(), arities.size()},
                                        std::int64_t(codes.shape(1)), watch);
        auto score = make_score(score_id, table.rows, parameter);
        auto candidates =
            Candidates<W>::all(table, *score, {max_parents.data(), max_parents.data() + max_parents.size()});
        for (int i = 0; allowed && i < n; ++i)
            candidates.allowed[i] &= reinterpret_cast<const VarSet<W>*>(allowed->data())[i];
        made.builder = std::make_unique<Builder<W>>(std::move(table), std::move(score), std::move(candidates), watch);
    });
    return made;
}

SliceArrays walk(SliceBuilder& self, std::uint32_t begin, std::uint32_t end, int threads, const Limits& limits,
                 nb::object progress) {
    PythonWatch watch(limits, std::move(progress));
    SliceArrays slice;
    {
        nb::gil_scoped_release release;
        slice = self.builder->walk(begin, end, threads, watch.watch());
    }
    watch.rethrow();
    return slice;
}

}  // namespace

void bind_levels(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<SliceArrays>(m, "Slice", "What a run of sets of a level is extended to; see core/parents/level_walk.h.")
        .def_prop_ro("child_mask", array_of(&SliceArrays::child_mask))
        .def_prop_ro("alive", array_of(&SliceArrays::alive))
        .def_prop_ro("narrow", array_of(&SliceArrays::narrow))
        .def_prop_ro("best", array_of(&SliceArrays::best))
        .def_prop_ro("scored_sets", array_of(&SliceArrays::scored_sets))
        .def_prop_ro("scored_costs", array_of(&SliceArrays::scored_costs))
        .def_prop_ro("scored_children", array_of(&SliceArrays::scored_children))
        .def_prop_ro("scored_unsure", array_of(&SliceArrays::scored_unsure))
        .def_prop_ro("floor", array_of(&SliceArrays::floor))
        .def_ro("evaluated", &SliceArrays::evaluated)
        .def_ro("counted", &SliceArrays::counted)
        .def_ro("stop", &SliceArrays::stop);
    nb::class_<SliceBuilder>(m, "SliceBuilder", "Builds a parent graph level by level, each level in slices.")
        .def_prop_ro(
            "level", [](const SliceBuilder& self) { return self.builder->level(); }, "Size of the sets extended next.")
        .def_prop_ro("sets", [](const SliceBuilder& self) { return self.builder->sets(); })
        .def("empty_costs", [](const SliceBuilder& self) { return to_numpy(self.builder->empty_costs()); })
        .def("floor", [](const SliceBuilder& self) { return costs_to_numpy(self.builder->floor()); })
        .def("walk", &walk, "begin"_a, "end"_a, "threads"_a, "limits"_a, "progress"_a.none(),
             "Walk some sets of the level.")
        .def(
            "advance",
            [](SliceBuilder& self, Masks child_masks, Masks alive, Narrow narrow, Best best) {
                self.builder->advance(child_masks, alive, narrow, best);
                self.alive = std::move(alive), self.narrow = std::move(narrow), self.best = std::move(best);
            },
            "child_masks"_a, "alive"_a, "narrow"_a, "best"_a,
            "Go to the next level, given the arrays of all slices; of a level that is not the last one, the masks.")
        .def(
            "take",
            [](SliceBuilder& self, const Words& sets, const Ints& costs, const Ints& children,
               const Array1<std::uint8_t>& unsure, const Ints& floor, bool complete, std::int64_t evaluated,
               std::int64_t counted) {
                self.builder->take({sets, costs, children, unsure}, floor, complete, evaluated, counted);
            },
            "sets"_a, "costs"_a, "children"_a, "unsure"_a, "floor"_a, "complete"_a, "evaluated"_a, "counted"_a,
            "Take the families that a level scored.")
        .def(
            "finish", [](SliceBuilder& self, bool complete) { return self.builder->finish(complete); }, "complete"_a,
            "The parent graph of all families taken.");
    m.def("slice_builder", &make_builder, "codes"_a, "arities"_a, "score"_a, "parameter"_a, "max_parents"_a,
          "allowed"_a = nb::none(),
          "A builder of the parent graph of a coded table; `allowed`: the possible parents of each variable, as sets.");
}

}  // namespace sabna::bindings
