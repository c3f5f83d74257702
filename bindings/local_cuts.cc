// Local cuts: inequalities over small groups of variables that a fractional point breaks.
#include "bounds/local_cuts.h"

#include "bindings.h"
#include "results.h"

namespace sabna::bindings {
namespace {

// Cut c has the entries start[c]:start[c + 1], each a variable, a set of others and a coefficient.
struct LocalCutRows {
    std::vector<std::int64_t> start{0}, variable, coefficient, right;
    SetRows family;
    Stop stop = Stop::none;

    void add(const LocalCut& cut) {
        for (const LocalCut::Entry& entry : cut.entries) {
            variable.push_back(cut.members[std::size_t(entry.member)]), coefficient.push_back(entry.coefficient);
            std::vector<std::uint64_t> set(family.width);
            for (std::size_t j = 0; j < cut.members.size(); ++j)
                if (entry.family >> j & 1)
                    set[std::size_t(cut.members[j]) / 64] |= std::uint64_t{1} << cut.members[j] % 64;
            family.words.insert(family.words.end(), set.begin(), set.end());
        }
        start.push_back(std::int64_t(variable.size())), right.push_back(cut.right);
    }
};

LocalCutRows separate_local(Ints offsets, Words sets, Array1<double> share, int largest, int most_per_variable,
                            std::uint64_t seed, int threads, const Limits& limits) {
    if (share.shape(0) != sets.shape(0) || offsets.shape(0) < 2 ||
        std::size_t(offsets.data()[offsets.shape(0) - 1]) != sets.shape(0))
        throw std::invalid_argument("local_cuts: the shapes do not fit together");
    const PointOfGraph point{{offsets.data(), offsets.shape(0)},
                             {sets.data(), sets.shape(0) * sets.shape(1)},
                             sets.shape(1),
                             {share.data(), share.shape(0)}};
    LocalCutOptions options;
    options.largest = largest, options.most_per_variable = most_per_variable, options.seed = seed;
    options.threads = threads;
    PythonWatch watch(limits, nb::none());
    LocalCutRows rows;
    rows.family.width = sets.shape(1);
    {
        nb::gil_scoped_release release;
        for (const LocalCut& cut : local_cuts(point, options, watch.watch())) rows.add(cut);
    }
    watch.rethrow();
    rows.stop = watch.watch().stop();
    return rows;
}

}  // namespace

void bind_local_cuts(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LocalCutRows>(m, "LocalCutRows",
                             "Cut c has the entries start[c]:start[c + 1], each a variable, a set of others and a "
                             "coefficient, and a right side.")
        .def_prop_ro("start", array_of(&LocalCutRows::start))
        .def_prop_ro("variable", array_of(&LocalCutRows::variable))
        .def_prop_ro("family", array_of(&LocalCutRows::family))
        .def_prop_ro("coefficient", array_of(&LocalCutRows::coefficient))
        .def_prop_ro("right", array_of(&LocalCutRows::right))
        .def_ro("stop", &LocalCutRows::stop);
    m.def("local_cuts", &separate_local, "offsets"_a, "sets"_a, "share"_a, "largest"_a, "most_per_variable"_a, "seed"_a,
          "threads"_a, "limits"_a, "Local cuts that a point breaks, the deepest first.");
}

}  // namespace sabna::bindings
