// Local cuts: inequalities over small groups of variables, or of blocks of them, that a fractional point breaks.
#include "bounds/local_cuts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bindings.h"
#include "bounds/local_rows.h"
#include "bounds/nearest_mixture.h"
#include "results.h"

namespace sabna::bindings {
namespace {

// Cut c has the blocks block_start[c]:block_start[c + 1] and the entries start[c]:start[c + 1], each a block and a set of
// blocks, by their places in the cut, and a coefficient.
struct LocalCutRows {
    std::vector<std::int64_t> start{0}, member, family, coefficient, right, block_start{0};
    SetRows blocks;
    Stop stop = Stop::none;

    void add(const LocalCut& cut) {
        for (const LocalCut::Entry& entry : cut.entries)
            member.push_back(entry.member), family.push_back(entry.family), coefficient.push_back(entry.coefficient);
        for (const std::vector<int>& block : cut.blocks) {
            std::vector<std::uint64_t> set(blocks.width);
            for (const int v : block) set[std::size_t(v) / 64] |= std::uint64_t{1} << v % 64;
            blocks.words.insert(blocks.words.end(), set.begin(), set.end());
        }
        start.push_back(std::int64_t(member.size())), right.push_back(cut.right);
        block_start.push_back(block_start.back() + std::int64_t(cut.blocks.size()));
    }
};

LocalCutRows separate_local(Ints offsets, Words sets, Array1<double> share, int largest, int most_per_variable,
                            std::uint64_t seed, bool blocks, int threads, const Limits& limits) {
    if (share.shape(0) != sets.shape(0) || offsets.shape(0) < 2 ||
        std::size_t(offsets.data()[offsets.shape(0) - 1]) != sets.shape(0))
        throw std::invalid_argument("local_cuts: the shapes do not fit together");
    if (largest > most_in_local_group ||
        !std::all_of(share.data(), share.data() + share.shape(0), [](double x) { return std::isfinite(x); }))
        throw std::invalid_argument("local_cuts: groups of up to 12, and shares that are numbers");
    const PointOfGraph point{{offsets.data(), offsets.shape(0)},
                             {sets.data(), sets.shape(0) * sets.shape(1)},
                             sets.shape(1),
                             {share.data(), share.shape(0)}};
    LocalCutOptions options;
    options.largest = largest, options.most_per_variable = most_per_variable, options.seed = seed;
    options.threads = threads;
    PythonWatch watch(limits, nb::none());
    LocalCutRows rows;
    rows.blocks.width = sets.shape(1);
    {
        nb::gil_scoped_release release;
        const auto find = blocks ? block_cuts : local_cuts;
        for (const LocalCut& cut : find(point, options, watch.watch())) rows.add(cut);
    }
    watch.rethrow();
    rows.stop = watch.watch().stop();
    return rows;
}

using Rows = nb::ndarray<std::int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void local_rows(Ints offsets, Words sets, Ints start, Ints member, Ints family, Ints coefficient, Ints block_start,
                Words blocks, Rows rows) {
    const std::size_t words = sets.shape(1), cuts = start.shape(0) - 1, entries = member.shape(0);
    if (rows.shape(0) != cuts || block_start.shape(0) != cuts + 1 || rows.shape(1) != sets.shape(0) ||
        family.shape(0) != entries || coefficient.shape(0) != entries || blocks.shape(1) != words ||
        std::size_t(start.data()[cuts]) != entries || std::size_t(block_start.data()[cuts]) != blocks.shape(0))
        throw std::invalid_argument("local_rows: the shapes do not fit together");
    if (!std::is_sorted(start.data(), start.data() + cuts + 1) ||
        !std::is_sorted(block_start.data(), block_start.data() + cuts + 1) ||
        !std::is_sorted(offsets.data(), offsets.data() + offsets.shape(0)) ||
        std::size_t(offsets.data()[offsets.shape(0) - 1]) != sets.shape(0) || offsets.shape(0) - 1 > 64 * words)
        throw std::invalid_argument("local_rows: beginnings that do not ascend");
    const SetsOfGraph graph{{offsets.data(), offsets.shape(0)}, {sets.data(), sets.shape(0) * words}, words};
    nb::gil_scoped_release release;
    for (std::size_t c = 0; c < cuts; ++c) {
        const auto first = std::size_t(start.data()[c]), count = std::size_t(start.data()[c + 1]) - first;
        const auto block = std::size_t(block_start.data()[c]), some = std::size_t(block_start.data()[c + 1]) - block;
        for (std::size_t e = first; e < first + count; ++e)
            if (member.data()[e] < 0 || std::size_t(member.data()[e]) >= some || coefficient.data()[e] < 0 ||
                coefficient.data()[e] > std::numeric_limits<std::int16_t>::max())
                throw std::invalid_argument("local_rows: a block that is not there, or too large a coefficient");
        write_coefficients({{blocks.data() + block * words, some * words},
                            {member.data() + first, count},
                            {family.data() + first, count},
                            {coefficient.data() + first, count}},
                           graph, {rows.data() + c * rows.shape(1), rows.shape(1)});
    }
}

}  // namespace

void bind_local_cuts(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LocalCutRows>(m, "LocalCutRows",
                             "Cut c has the blocks block_start[c]:block_start[c + 1], a right side, and the entries "
                             "start[c]:start[c + 1], each a block and a set of blocks, by their places in the cut, and "
                             "a coefficient.")
        .def_prop_ro("start", array_of(&LocalCutRows::start))
        .def_prop_ro("member", array_of(&LocalCutRows::member))
        .def_prop_ro("family", array_of(&LocalCutRows::family))
        .def_prop_ro("coefficient", array_of(&LocalCutRows::coefficient))
        .def_prop_ro("right", array_of(&LocalCutRows::right))
        .def_prop_ro("block_start", array_of(&LocalCutRows::block_start))
        .def_prop_ro("blocks", array_of(&LocalCutRows::blocks))
        .def_ro("stop", &LocalCutRows::stop);
    m.def("local_cuts", &separate_local, "offsets"_a, "sets"_a, "share"_a, "largest"_a, "most_per_variable"_a, "seed"_a,
          "blocks"_a, "threads"_a, "limits"_a,
          "Local cuts that a point breaks, the deepest first: of single variables, or of blocks of some.");
    m.def("local_rows", &local_rows, "offsets"_a, "sets"_a, "start"_a, "member"_a, "family"_a, "coefficient"_a,
          "block_start"_a, "blocks"_a, "rows"_a, "Writes the coefficients of local cuts into `rows`, which hold 0.");
}

}  // namespace sabna::bindings
