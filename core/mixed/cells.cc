#include "mixed/cells.h"

#include <algorithm>
#include <cmath>

namespace sabna {

void CellSplitter::start(int child, Cells& out) const {
    const std::size_t v = std::size_t(child);
    out.rows.clear();
    for (std::uint32_t r = 0; r < columns_.rows; ++r) {
        if (!columns_.was_set.empty() && columns_.was_set[v][r]) continue;
        if (columns_.discrete(child) ? columns_.codes[v][r] == no_code : std::isnan(columns_.numbers[v][r])) continue;
        out.rows.push_back(r);
    }
    out.start.assign(1, 0);
    if (!out.rows.empty()) out.start.push_back(std::uint32_t(out.rows.size()));
}

void CellSplitter::split(const Cells& from, int variable, Cells& out) {
    const std::size_t v = std::size_t(variable);
    out.start.assign(1, 0);
    if (!columns_.discrete(variable)) {
        out.rows.clear();
        for (std::size_t c = 0; c < from.count(); ++c) {
            for (std::uint32_t k = from.start[c]; k < from.start[c + 1]; ++k)
                if (!std::isnan(columns_.numbers[v][from.rows[k]])) out.rows.push_back(from.rows[k]);
            if (out.rows.size() > out.start.back()) out.start.push_back(std::uint32_t(out.rows.size()));
        }
        return;
    }
    const auto codes = columns_.codes[v];
    const std::size_t arity = std::size_t(columns_.arity[v]);
    counts_.resize(std::max(counts_.size(), arity), 0);
    out.rows.resize(from.rows.size());
    std::uint32_t end = 0;
    for (std::size_t c = 0; c < from.count(); ++c) {
        const std::uint32_t *first = from.rows.data() + from.start[c], *last = from.rows.data() + from.start[c + 1];
        if (last - first == 1) {
            if (codes[*first] == no_code) continue;
            out.rows[end++] = *first;
            out.start.push_back(end);
            continue;
        }
        std::size_t low = arity, high = 0;  // the codes that occur lie between
        for (const std::uint32_t* r = first; r != last; ++r) {
            const std::size_t code = codes[*r];
            if (code == no_code) continue;
            ++counts_[code];
            low = std::min(low, code), high = std::max(high, code);
        }
        for (std::size_t code = low; code <= high && low < arity; ++code) {
            if (!counts_[code]) continue;
            const std::uint32_t begin = end;
            end += counts_[code];
            counts_[code] = begin;
            out.start.push_back(end);
        }
        for (const std::uint32_t* r = first; r != last; ++r)
            if (codes[*r] != no_code) out.rows[counts_[codes[*r]]++] = *r;
        for (std::size_t code = low; code <= high && low < arity; ++code) counts_[code] = 0;
    }
    out.rows.resize(end);
}

}  // namespace sabna
