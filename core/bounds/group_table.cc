#include "bounds/group_table.h"

#include <algorithm>

#include "parallel.h"

namespace sabna {
namespace {

class Filler {
  public:
    Filler(const GroupCosts& costs, int threads, Watch& watch, bool polls)
        : costs_(costs), g_(costs.size()), low_(block_bits(g_)), threads_(threads), watch_(watch), polls_(polls),
          scratch_(std::size_t(threads)), rows_(std::size_t(threads)) {}

    std::vector<std::int64_t> run() {
        table_.resize(std::size_t{1} << g_);
        const int high_bits = g_ - low_;
        for (int layer = 0; layer <= high_bits && !watch_.stopped(); ++layer) {
            std::vector<std::uint32_t> blocks;
            for (std::uint32_t high = 0; high < std::uint32_t{1} << high_bits; ++high)
                if (std::popcount(high) == layer) blocks.push_back(high);
            for_each_block(
                threads_, std::int64_t(blocks.size()), watch_,
                [&](int thread, std::int64_t k) { fill_block(blocks[std::size_t(k)], std::size_t(thread)); },
                [&] { return report(); });
        }
        if (watch_.stopped()) table_.clear();
        return std::move(table_);
    }

  private:
    bool report() {
        if (!polls_) return !watch_.stopped();
        Progress progress;
        progress.station = "tables";
        progress.finished = done_.load();
        progress.total = std::int64_t{1} << (g_ - low_);
        return watch_.poll(progress);
    }

    void fill_block(std::uint32_t high, std::size_t worker) {
        const std::size_t size = std::size_t{1} << low_;
        const std::uint32_t others = ((std::uint32_t{1} << (g_ - low_)) - 1) & ~high;
        std::vector<std::int64_t>& rows = rows_[worker];
        rows.resize(size * std::size_t(g_));
        std::int64_t* block = table_.data() + (std::size_t(high) << low_);
        std::fill_n(block, size, unreachable);
        if (high == 0) block[0] = 0;
        for (int j = 0; j < g_; ++j) {
            if (j >= low_ && !(high >> (j - low_) & 1)) continue;
            std::int64_t* row = rows.data() + size * std::size_t(j);
            costs_.fill(j, others << low_, low_, scratch_[worker], row);
            if (j < low_) continue;
            const std::int64_t* from = table_.data() + (std::size_t(high & ~(1u << (j - low_))) << low_);
            for (std::size_t p = 0; p < size; ++p) block[p] = std::min(block[p], from[p] + row[p]);
        }
        for (std::uint32_t p = 1; p < size; ++p) {
            std::int64_t best = block[p];
            for (std::uint32_t rest = p; rest; rest &= rest - 1) {
                const int j = std::countr_zero(rest);
                best = std::min(best, block[p ^ (rest & -rest)] + rows[size * std::size_t(j) + p]);
            }
            block[p] = best;
        }
        ++done_;
    }

    const GroupCosts& costs_;
    int g_, low_, threads_;
    Watch& watch_;
    bool polls_;
    std::vector<GroupCosts::Scratch> scratch_;
    std::vector<std::vector<std::int64_t>> rows_;
    std::vector<std::int64_t> table_;
    std::atomic<std::int64_t> done_{0};
};

}  // namespace

std::uint64_t group_table_bytes(int g, int threads) {
    const int low = block_bits(g);
    // T; per thread the rows of a block and some room for lists and ranks.
    return (std::uint64_t{8} << g) +
           std::uint64_t(threads) * ((std::uint64_t(g) * 8 << low) + (std::uint64_t{1} << 20));
}

std::vector<std::int64_t> group_table(const GroupCosts& costs, int threads, Watch& watch, bool polls) {
    const std::uint64_t bytes = group_table_bytes(costs.size(), threads);
    if (!watch.reserve(bytes)) return {};
    std::vector<std::int64_t> table = Filler(costs, threads, watch, polls).run();
    watch.release(bytes - table.size() * 8);
    return table;
}

}  // namespace sabna
