#include "table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sabna {

namespace {

// Number the classes of equal rows, one column at a time: class of a prefix and code of the next column together give
// the class of the longer prefix. Classes are numbered through a table where that is small, by sorting otherwise.
class RowClasses {
  public:
    explicit RowClasses(std::int64_t rows) : id_(rows, 0), classes_(rows > 0) {}

    void split_by(const std::uint16_t* codes, std::uint64_t values) {
        const std::uint64_t keys = classes_ * values;
        if (keys <= 8 * id_.size() + 65536) split_by_table(codes, values, keys);
        else split_by_sorting(codes, values);
    }
    const std::vector<std::uint32_t>& id() const { return id_; }
    std::uint64_t count() const { return classes_; }

  private:
    void split_by_table(const std::uint16_t* codes, std::uint64_t values, std::uint64_t keys) {
        number_.assign(keys, 0);
        for (std::size_t r = 0; r < id_.size(); ++r) number_[id_[r] * values + codes[r]] = 1;
        std::uint32_t next = 0;
        for (std::uint32_t& entry : number_) {
            const std::uint32_t seen = entry;
            entry = next;
            next += seen;
        }
        for (std::size_t r = 0; r < id_.size(); ++r) id_[r] = number_[id_[r] * values + codes[r]];
        classes_ = next;
    }
    void split_by_sorting(const std::uint16_t* codes, std::uint64_t values) {
        std::vector<std::uint64_t> keys(id_.size());
        for (std::size_t r = 0; r < id_.size(); ++r) keys[r] = id_[r] * values + codes[r];
        std::vector<std::uint64_t> sorted = keys;
        std::sort(sorted.begin(), sorted.end());
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        for (std::size_t r = 0; r < id_.size(); ++r)
            id_[r] = std::uint32_t(std::lower_bound(sorted.begin(), sorted.end(), keys[r]) - sorted.begin());
        classes_ = sorted.size();
    }

    std::vector<std::uint32_t> id_, number_;
    std::uint64_t classes_;
};

// Codes replaced by the rank of the value among those observed; returns how many are.
int make_dense(const std::uint16_t* codes, std::int64_t rows, std::vector<std::uint16_t>& dense) {
    std::vector<std::uint32_t> rank(65536, 0);
    for (std::int64_t r = 0; r < rows; ++r) rank[codes[r]] = 1;
    std::uint32_t next = 0;
    for (std::uint32_t& entry : rank) {
        const std::uint32_t seen = entry;
        entry = next;
        next += seen;
    }
    dense.resize(rows);
    for (std::int64_t r = 0; r < rows; ++r) dense[r] = std::uint16_t(rank[codes[r]]);
    return int(next);
}

}  // namespace

DistinctRows merge_rows(std::span<const std::uint16_t> codes, std::span<const std::int64_t> arities,
                        std::int64_t rows) {
    DistinctRows table;
    table.n = int(arities.size());
    table.rows = rows;
    table.arity.assign(arities.begin(), arities.end());
    if (codes.size() != arities.size() * std::size_t(rows) || rows < 0 || rows >= (std::int64_t{1} << 32))
        throw std::invalid_argument("merge_rows: the codes do not fit the number of rows and columns");
    std::vector<std::vector<std::uint16_t>> dense(table.n);
    RowClasses classes(rows);
    for (int v = 0; v < table.n; ++v) {
        const std::uint16_t* column = codes.data() + std::size_t(v) * std::size_t(rows);
        for (std::int64_t r = 0; r < rows; ++r)
            if (column[r] >= arities[v]) throw std::invalid_argument("merge_rows: a code is not below the arity");
        table.observed.push_back(make_dense(column, rows, dense[v]));
        classes.split_by(dense[v].data(), std::uint64_t(std::max(table.observed[v], 1)));
    }
    table.weight.assign(classes.count(), 0);
    for (std::uint32_t id : classes.id()) ++table.weight[id];
    table.column.assign(table.n, std::vector<std::uint16_t>(classes.count()));
    for (int v = 0; v < table.n; ++v)
        for (std::int64_t r = 0; r < rows; ++r) table.column[v][classes.id()[r]] = dense[v][r];
    return table;
}

}  // namespace sabna
