// What is known of each stored set P of the last level: which children it may still serve, and the best cost of each child
// over the subsets of P; under the entropy rule also the entropies given P of all variables.
//
// The entropy rule works on 16-bit numbers, 16 at a time: entropies rounded up, and gains (how far the best cost is below
// that of the empty set) rounded down, in steps of `Scale::unit` quanta. The configuration rule keeps costs in 32 bits,
// rounded down, of the alive children only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scores/score.h"
#include "varset.h"

namespace sabna {

struct Scale {
    int shift = 0;           // a cost in 32 bits is cost >> shift
    double unit = 1;         // quanta per step of a 16-bit number
    double per_quantum = 1;  // its inverse

    // Costs and entropies up to `largest` will be stored.
    static Scale of(Quanta largest) {
        Scale scale;
        while ((largest >> scale.shift) >> 32) ++scale.shift;
        scale.unit = double(largest) / 65000 + 1;
        scale.per_quantum = 1 / scale.unit;
        return scale;
    }
    std::uint32_t store_cost(Quanta cost) const { return std::uint32_t(cost >> shift); }
    // Every cost that is stored as `stored` is below this.
    Quanta above(std::uint32_t stored) const { return (Quanta(stored) + 1) << shift; }
    // Rounded up, but for 1e-5 of a step, which thresholds allow for.
    std::uint16_t round_up(Quanta h) const { return std::uint16_t(double(h) * per_quantum + 0.99999); }
    // Rounded down for certain.
    std::uint16_t round_down(Quanta gain) const { return std::uint16_t(std::max(0.0, double(gain) * per_quantum - 1e-5)); }
};

template <int W>
struct LevelStore {
    int stride = 0;                            // 16-bit numbers per set
    bool keeps_best = false;                   // 32-bit costs
    std::vector<VarSet<W>> alive;              // children whose sets may contain this one and more
    std::vector<std::uint16_t> narrow;         // [set][entropy of each variable, gain of each]
    std::vector<std::uint64_t> best_begin;     // where the costs of the alive children begin
    std::vector<std::uint32_t> best;

    // Vector loads may reach this far beyond the last set's numbers.
    static constexpr std::size_t overread = 64;

    std::size_t size() const { return alive.size(); }
    const std::uint16_t* numbers(std::uint32_t set) const { return narrow.data() + std::size_t(set) * stride; }
    std::uint64_t bytes() const {
        return alive.capacity() * sizeof(VarSet<W>) + best_begin.capacity() * 8 + narrow.capacity() * 2 + best.capacity() * 4;
    }
    void append(const VarSet<W>& children, const std::uint16_t* numbers, const std::uint32_t* best_of_variable) {
        alive.push_back(children);
        narrow.insert(narrow.end(), numbers, numbers + stride);
        if (!keeps_best) return;
        best_begin.push_back(best.size());
        children.for_each([&](int i) { best.push_back(best_of_variable[i]); });
    }
    // Move the sets of `other` to the end.
    void append(LevelStore&& other) {
        alive.insert(alive.end(), other.alive.begin(), other.alive.end());
        narrow.insert(narrow.end(), other.narrow.begin(), other.narrow.end());
        for (std::uint64_t begin : other.best_begin) best_begin.push_back(best.size() + begin);
        best.insert(best.end(), other.best.begin(), other.best.end());
        other = LevelStore();
    }
    // Give back what growing took too much: all blocks of a level are held together.
    void shrink() {
        alive.shrink_to_fit(), narrow.shrink_to_fit(), best_begin.shrink_to_fit(), best.shrink_to_fit();
    }
    void reserve(std::size_t sets, std::size_t costs) {
        alive.reserve(sets);
        narrow.reserve(sets * stride + overread);
        if (keeps_best) best_begin.reserve(sets), best.reserve(costs);
    }
};

}  // namespace sabna
