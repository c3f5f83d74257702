#include "bounds/local_rows.h"

#include <algorithm>
#include <vector>

namespace sabna {

namespace {

// The blocks that a set has somebody of, as bits.
std::int64_t blocks_met(std::span<const std::uint64_t> set, std::span<const std::uint64_t> blocks) {
    std::int64_t met = 0;
    for (std::size_t b = 0; b * set.size() < blocks.size(); ++b)
        for (std::size_t w = 0; w < set.size(); ++w)
            if (set[w] & blocks[b * set.size() + w]) {
                met |= std::int64_t{1} << b;
                break;
            }
    return met;
}

// What a cut lists for each block, the least coefficient first: the first entry that fits is the one that counts.
std::vector<std::vector<std::size_t>> entries_by_block(const ListedCut& cut, std::size_t blocks) {
    std::vector<std::vector<std::size_t>> entries(blocks);
    for (std::size_t e = 0; e < cut.member.size(); ++e) entries[std::size_t(cut.member[e])].push_back(e);
    for (auto& own : entries)
        std::stable_sort(own.begin(), own.end(),
                         [&](std::size_t a, std::size_t b) { return cut.coefficient[a] < cut.coefficient[b]; });
    return entries;
}

}  // namespace

void write_coefficients(const ListedCut& cut, const SetsOfGraph& graph, std::span<std::int16_t> row) {
    const std::size_t blocks = cut.blocks.size() / graph.words;
    const auto entries = entries_by_block(cut, blocks);
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v) {
            if (!(cut.blocks[b * graph.words + v / 64] >> (v % 64) & 1)) continue;
            for (auto p = std::size_t(graph.offsets[v]); p < std::size_t(graph.offsets[v + 1]); ++p) {
                const std::int64_t met = blocks_met(graph.sets.subspan(p * graph.words, graph.words), cut.blocks);
                if (met >> b & 1) continue;
                const auto fits = [&](std::size_t e) { return (cut.family[e] & ~met) == 0; };
                const auto least = std::find_if(entries[b].begin(), entries[b].end(), fits);
                if (least != entries[b].end()) row[p] = std::int16_t(cut.coefficient[*least]);
            }
        }
}

}  // namespace sabna
