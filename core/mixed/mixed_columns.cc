#include "mixed/mixed_columns.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gaussian/standard.h"

namespace sabna {

namespace {

// Divisor rows - 1, as bge has it: then its prior is that of bge.
void add_numbers(MixedColumns& out, std::span<const double> column) {
    std::vector<double> shown;
    for (const double x : column)
        if (!std::isnan(x)) shown.push_back(x);
    if (shown.empty()) throw std::invalid_argument("a column without any value");
    const Standard standard = standard_of(shown, std::max((long double)shown.size() - 1, 1.0L));
    std::vector<double> numbers;
    for (const double x : column) numbers.push_back(std::isnan(x) ? x : double(standard(x)));
    out.numbers.back() = std::move(numbers);
    out.log_scale.back() = double(standard.log_scale);
    out.has_gaps.back() = shown.size() < column.size();
}

}  // namespace

MixedColumns mixed_columns(std::span<const std::int64_t> arity, std::span<const std::uint16_t> codes,
                           std::span<const double> numbers, std::span<const std::uint8_t> was_set, std::int64_t rows) {
    MixedColumns out;
    out.rows = rows;
    const std::size_t m = std::size_t(rows);
    std::size_t discrete = 0, continuous = 0;
    for (const std::int64_t r : arity) ++(r > 0 ? discrete : continuous);
    if (discrete * m != codes.size() || continuous * m != numbers.size() ||
        (!was_set.empty() && was_set.size() != arity.size() * m))
        throw std::invalid_argument("mixed columns: the shapes do not fit together");
    discrete = continuous = 0;
    for (std::size_t v = 0; v < arity.size(); ++v) {
        out.arity.push_back(arity[v]);
        out.codes.emplace_back(), out.numbers.emplace_back(), out.log_scale.push_back(0), out.has_gaps.push_back(false);
        if (arity[v] == 0) {
            add_numbers(out, numbers.subspan(m * continuous++, m));
            continue;
        }
        const auto column = codes.subspan(m * discrete++, m);
        for (const std::uint16_t code : column) {
            if (code == no_code) out.has_gaps.back() = true;
            else if (code >= arity[v]) throw std::invalid_argument("a code beyond the states");
        }
        out.codes.back() = column;
    }
    for (std::size_t v = 0; !was_set.empty() && v < arity.size(); ++v) out.was_set.push_back(was_set.subspan(m * v, m));
    return out;
}

}  // namespace sabna
