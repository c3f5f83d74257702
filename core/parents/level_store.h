// What is known of each stored set P of the last level: which children it may still serve, the best cost of each child
// over the subsets of P, and (entropy rule) the entropies given P of all variables.
//
// Both kinds of numbers are stored narrower than they are computed, to halve the memory, and read with that in mind:
// entropies rounded up to 16 bits, costs down to 32 bits. `Scale` knows the units.
#pragma once

#include <cstdint>
#include <vector>

#include "scores/score.h"
#include "varset.h"

namespace sabna {

struct Scale {
    int shift = 0;                  // a stored cost is cost >> shift
    double entropy_unit = 1;        // quanta per step of a stored entropy
    double per_quantum = 1;         // its inverse

    // Costs up to `largest_cost` and entropies up to `largest_entropy` will be stored.
    static Scale of(Quanta largest_cost, Quanta largest_entropy) {
        Scale scale;
        while ((largest_cost >> scale.shift) >> 32) ++scale.shift;
        scale.entropy_unit = double(largest_entropy) / 65000 + 1;
        scale.per_quantum = 1 / scale.entropy_unit;
        return scale;
    }
    std::uint32_t store_cost(Quanta cost) const { return std::uint32_t(cost >> shift); }
    // Every cost that is stored as `stored` is below this.
    Quanta above(std::uint32_t stored) const { return (Quanta(stored) + 1) << shift; }
    // Rounded up, but for 1e-5 of a unit, which thresholds allow for.
    std::uint16_t store_entropy(Quanta h) const { return std::uint16_t(double(h) * per_quantum + 0.99999); }
};

template <int W>
struct LevelStore {
    int stride = 0;                            // stored entropies per set
    std::vector<VarSet<W>> alive;              // children whose sets may contain this one and more
    std::vector<std::uint16_t> entropy;        // [set][variable]
    std::vector<std::uint64_t> best_begin;     // where the costs of the alive children begin
    std::vector<std::uint32_t> best;

    std::size_t size() const { return alive.size(); }
    const std::uint16_t* entropies(std::uint32_t set) const { return entropy.data() + std::size_t(set) * stride; }
    std::uint64_t bytes() const {
        return alive.capacity() * (sizeof(VarSet<W>) + 8) + entropy.capacity() * 2 + best.capacity() * 4;
    }
    void append(const VarSet<W>& children, const std::uint16_t* entropies, const std::uint32_t* best_of_variable) {
        alive.push_back(children);
        entropy.insert(entropy.end(), entropies, entropies + stride);
        best_begin.push_back(best.size());
        children.for_each([&](int i) { best.push_back(best_of_variable[i]); });
    }
    // Move the sets of `other` to the end.
    void append(LevelStore&& other) {
        alive.insert(alive.end(), other.alive.begin(), other.alive.end());
        entropy.insert(entropy.end(), other.entropy.begin(), other.entropy.end());
        for (std::uint64_t begin : other.best_begin) best_begin.push_back(best.size() + begin);
        best.insert(best.end(), other.best.begin(), other.best.end());
        other = LevelStore();
    }
    void reserve(std::size_t sets, std::size_t costs) {
        alive.reserve(sets);
        entropy.reserve(sets * stride);
        best_begin.reserve(sets);
        best.reserve(costs);
    }
};

}  // namespace sabna
