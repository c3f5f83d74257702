// The matrix of coefficients of cuts, row after row, when parent sets have been struck out: its other columns move together,
// within the memory that it has. A copy of them took five times as long (numpy's take; accidents.valid, 2 parents).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sabna {

// Columns `which`, ascending, of a matrix of so many rows and columns stand at its beginning afterwards, row after row.
inline void keep_columns(std::int16_t* matrix, std::size_t rows, std::size_t columns,
                         std::span<const std::int64_t> which) {
    std::int16_t* to = matrix;  // never ahead of what is read
    for (std::size_t r = 0; r < rows; ++r) {
        const std::int16_t* row = matrix + r * columns;
        for (const std::int64_t column : which) *to++ = row[column];
    }
}

}  // namespace sabna
