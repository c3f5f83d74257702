// Zero-half cuts: combinations of rows that a fractional point breaks once they are halved; and the rows' matrix.
#include "zero_half.h"

#include "bounds/columns.h"
#include "bounds/zero_half.h"
#include "results.h"

namespace sabna::bindings {
namespace {

// Combination c adds up the rows at row_start[c]:row_start[c + 1], and the equations of some variables likewise.
struct Combinations {
    std::vector<std::int64_t> row_start{0}, row, variable_start{0}, variable;

    void add(const Combination& made) {
        row.insert(row.end(), made.rows.begin(), made.rows.end());
        row_start.push_back(std::int64_t(row.size()));
        variable.insert(variable.end(), made.equations.begin(), made.equations.end());
        variable_start.push_back(std::int64_t(variable.size()));
    }
};

Combinations separate_zero_half(Array1<std::int32_t> variable, Array1<double> share, Array2<std::uint8_t> parity,
                                Array1<std::uint8_t> odd, Array1<double> slack, int orders, std::uint64_t seed,
                                std::size_t most) {
    if (variable.shape(0) != share.shape(0) || parity.shape(0) != slack.shape(0) || odd.shape(0) != slack.shape(0) ||
        parity.shape(1) != share.shape(0))
        throw std::invalid_argument("zero_half: the shapes do not fit together");
    const FractionalPoint point{{variable.data(), variable.shape(0)},
                                {share.data(), share.shape(0)},
                                {parity.data(), parity.shape(0) * parity.shape(1)},
                                {odd.data(), odd.shape(0)},
                                {slack.data(), slack.shape(0)}};
    ZeroHalfOptions options;
    options.orders = orders, options.seed = seed, options.most = most;
    Combinations all;
    nb::gil_scoped_release release;
    for (const Combination& made : zero_half(point, options)) all.add(made);
    return all;
}

void keep_columns_of(nb::ndarray<std::int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> matrix, const Ints& which) {
    const std::size_t columns = matrix.shape(1);
    for (std::size_t k = 0; k < which.size(); ++k)
        if (which.data()[k] < (k ? which.data()[k - 1] + 1 : 0) || std::size_t(which.data()[k]) >= columns)
            throw std::invalid_argument("keep_columns: no such columns, or not ascending");
    nb::gil_scoped_release release;
    keep_columns(matrix.data(), matrix.shape(0), columns, {which.data(), which.size()});
}

}  // namespace

void bind_zero_half(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Combinations>(m, "Combinations",
                             "Combination c adds up the rows at row_start[c]:row_start[c + 1], and the equations of "
                             "variables likewise.")
        .def_prop_ro("row_start", array_of(&Combinations::row_start))
        .def_prop_ro("row", array_of(&Combinations::row))
        .def_prop_ro("variable_start", array_of(&Combinations::variable_start))
        .def_prop_ro("variable", array_of(&Combinations::variable));
    m.def("zero_half", &separate_zero_half, "variable"_a, "share"_a, "parity"_a, "odd"_a, "slack"_a, "orders"_a,
          "seed"_a, "most"_a, "Combinations of rows that a point breaks once halved, the most broken first.");
    m.def("keep_columns", &keep_columns_of, "matrix"_a.noconvert(), "which"_a,
          "Move these columns, ascending, to the beginning of the matrix's memory, row after row.");
}

}  // namespace sabna::bindings
