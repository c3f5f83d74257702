#include "table.h"

#include <algorithm>
#include <new>
#include <stdexcept>

namespace sabna {

namespace {

// Number the classes of equal rows, one column at a time: class of a prefix and code of the next column together give
// the class of the longer prefix. Classes are numbered through a table where that is small, by sorting otherwise.
class RowClasses {
  public:
    static constexpr std::uint64_t keys_per_row = 4, more_keys = 65536;  // of the table, at most
    // Bytes a row takes: its class, and an entry of the table for each key (or a key to sort).
    static std::uint64_t bytes(std::uint64_t rows) { return rows * (4 + 4 * keys_per_row) + 4 * more_keys; }

    explicit RowClasses(std::int64_t rows) : id_(rows, 0), classes_(rows > 0) {}

    void split_by(const std::uint16_t* codes, const std::vector<std::uint32_t>& rank, std::uint64_t values) {
        const std::uint64_t keys = classes_ * values;
        if (keys <= keys_per_row * id_.size() + more_keys) split_by_table(codes, rank, values, keys);
        else split_by_sorting(codes, rank, values);
    }
    const std::vector<std::uint32_t>& id() const { return id_; }
    std::uint64_t count() const { return classes_; }

  private:
    void split_by_table(const std::uint16_t* codes, const std::vector<std::uint32_t>& rank, std::uint64_t values,
                        std::uint64_t keys) {
        number_.assign(keys, 0);
        for (std::size_t r = 0; r < id_.size(); ++r) number_[id_[r] * values + rank[codes[r]]] = 1;
        std::uint32_t next = 0;
        for (std::uint32_t& entry : number_) {
            const std::uint32_t seen = entry;
            entry = next;
            next += seen;
        }
        for (std::size_t r = 0; r < id_.size(); ++r) id_[r] = number_[id_[r] * values + rank[codes[r]]];
        classes_ = next;
    }
    void split_by_sorting(const std::uint16_t* codes, const std::vector<std::uint32_t>& rank, std::uint64_t values) {
        number_ = {};
        const auto key = [&](std::size_t r) { return id_[r] * values + rank[codes[r]]; };
        std::vector<std::uint64_t> sorted(id_.size());
        for (std::size_t r = 0; r < id_.size(); ++r) sorted[r] = key(r);
        std::sort(sorted.begin(), sorted.end());
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        for (std::size_t r = 0; r < id_.size(); ++r)
            id_[r] = std::uint32_t(std::lower_bound(sorted.begin(), sorted.end(), key(r)) - sorted.begin());
        classes_ = sorted.size();
    }

    std::vector<std::uint32_t> id_, number_;
    std::uint64_t classes_;
};

// Of each value its rank among those observed; `observed` is set to how many are.
std::vector<std::uint32_t> ranks(std::span<const std::uint16_t> codes, std::int64_t arity, int& observed) {
    std::vector<std::uint32_t> rank(std::size_t(std::min<std::int64_t>(arity, 65536)), 0);
    for (const std::uint16_t code : codes) {
        if (code >= arity) throw std::invalid_argument("merge_rows: a code is not below the arity");
        rank[code] = 1;
    }
    std::uint32_t next = 0;
    for (std::uint32_t& entry : rank) {
        const std::uint32_t seen = entry;
        entry = next;
        next += seen;
    }
    observed = int(next);
    return rank;
}

// What is needed whatever the limit; a little is taken from the margin that limits keep for such things.
void require(Watch& watch, std::uint64_t bytes) {
    constexpr std::uint64_t little = 1 << 22;
    if (bytes > little && !watch.reserve(bytes)) throw std::bad_alloc();
}

// Every row by itself; columns are copied only where values are not dense.
void keep_rows(std::span<const std::uint16_t> codes, const std::vector<std::vector<std::uint32_t>>& rank, Watch& watch,
               DistinctRows& table) {
    const std::size_t rows = std::size_t(table.rows);
    std::uint64_t bytes = 4 * rows;
    for (int v = 0; v < table.n; ++v) bytes += std::size_t(table.observed[v]) < rank[v].size() ? 2 * rows : 0;
    require(watch, bytes);
    table.weight.assign(rows, 1);
    table.held.resize(std::size_t(table.n));
    for (int v = 0; v < table.n; ++v) {
        const auto column = codes.subspan(std::size_t(v) * rows, rows);
        table.column.push_back(column);
        if (std::size_t(table.observed[v]) == rank[v].size()) continue;
        table.held[v].reserve(rows);
        for (const std::uint16_t code : column) table.held[v].push_back(std::uint16_t(rank[v][code]));
        table.column.back() = table.held[v];
    }
}

void merge_classes(std::span<const std::uint16_t> codes, const std::vector<std::vector<std::uint32_t>>& rank,
                   const RowClasses& classes, DistinctRows& table) {
    const std::size_t rows = std::size_t(table.rows);
    table.weight.assign(classes.count(), 0);
    for (const std::uint32_t id : classes.id()) ++table.weight[id];
    for (int v = 0; v < table.n; ++v) {
        table.held.emplace_back(classes.count());
        const std::uint16_t* column = codes.data() + std::size_t(v) * rows;
        for (std::size_t r = 0; r < rows; ++r) table.held[v][classes.id()[r]] = std::uint16_t(rank[v][column[r]]);
    }
    table.column.assign(table.held.begin(), table.held.end());
}

DistinctRows merge(std::span<const std::uint16_t> codes, std::span<const std::int64_t> arities, std::int64_t rows,
                   Watch& watch, bool may_keep_rows) {
    DistinctRows table;
    table.n = int(arities.size());
    table.rows = rows;
    table.arity.assign(arities.begin(), arities.end());
    if (codes.size() != arities.size() * std::size_t(rows) || rows < 0 || rows >= (std::int64_t{1} << 32))
        throw std::invalid_argument("merge_rows: the codes do not fit the number of rows and columns");
    const auto column = [&](int v) { return codes.subspan(std::size_t(v) * std::size_t(rows), std::size_t(rows)); };
    std::vector<std::vector<std::uint32_t>> rank;
    for (int v = 0; v < table.n; ++v) rank.push_back(ranks(column(v), arities[v], table.observed.emplace_back()));
    const std::uint64_t scratch = RowClasses::bytes(std::uint64_t(rows));
    bool merging = watch.try_reserve(scratch);
    if (!merging) {
        keep_rows(codes, rank, watch, table);
        return table;
    }
    RowClasses classes(rows);
    for (int v = 0; v < table.n && merging; ++v) {
        classes.split_by(column(v).data(), rank[v], std::uint64_t(std::max(table.observed[v], 1)));
        const bool pays = 8 * classes.count() <= 7 * std::uint64_t(rows);  // an eighth of the rows goes
        merging = !may_keep_rows || (pays && watch.poll({.station = "parent graph"}));
    }
    merging = merging && watch.try_reserve(classes.count() * (4 + 2 * std::uint64_t(table.n)));
    if (merging) merge_classes(codes, rank, classes, table);
    else keep_rows(codes, rank, watch, table);
    watch.release(scratch);
    return table;
}

}  // namespace

DistinctRows merge_rows(std::span<const std::uint16_t> codes, std::span<const std::int64_t> arities,
                        std::int64_t rows) {
    Watch watch;
    return merge(codes, arities, rows, watch, false);
}

DistinctRows merge_rows(std::span<const std::uint16_t> codes, std::span<const std::int64_t> arities, std::int64_t rows,
                        Watch& watch) {
    return merge(codes, arities, rows, watch, true);
}

}  // namespace sabna
