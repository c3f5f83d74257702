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
    std::uint16_t round_down(Quanta gain) const {
        return std::uint16_t(std::max(0.0, double(gain) * per_quantum - 1e-5));
    }
};

// A run of sets side by side, as one block of the walk made them.
template <int W>
struct StorePart {
    int stride = 0;                     // 16-bit numbers per set
    bool keeps_best = false;            // 32-bit costs
    std::vector<VarSet<W>> alive;       // children whose sets may contain this one and more
    std::vector<std::uint16_t> narrow;  // [set][entropy of each variable, gain of each]
    std::vector<std::uint32_t> best;    // [set][cost of each alive child]
    std::uint64_t reserved = 0;         // bytes, with the watch

    // Vector loads may reach this far beyond the last set's numbers.
    static constexpr std::size_t overread = 16;

    void append(const VarSet<W>& children, const std::uint16_t* numbers, const std::uint32_t* best_of_variable) {
        alive.push_back(children);
        narrow.insert(narrow.end(), numbers, numbers + stride);
        if (keeps_best) children.for_each([&](int i) { best.push_back(best_of_variable[i]); });
    }
    void clear() { alive.clear(), narrow.clear(), best.clear(); }
    // A copy without room to grow: all parts of a level are held together.
    StorePart packed() const {
        StorePart part = {stride, keeps_best, alive, {}, best, 0};
        if (stride == 0 || alive.empty()) return part;
        part.narrow.reserve(narrow.size() + overread);
        part.narrow = narrow;
        part.narrow.resize(narrow.size() + overread);
        return part;
    }
    std::uint64_t bytes() const {
        return alive.capacity() * (sizeof(VarSet<W>) + 8) + narrow.capacity() * 2 + best.capacity() * 4;
    }
};

// The sets of a level: the parts stay where they are, each set knows its place.
template <int W>
struct LevelStore {
    std::vector<VarSet<W>> alive;
    std::vector<const std::uint16_t*> narrow_at;  // one of these two, by the rule
    std::vector<const std::uint32_t*> best_at;
    std::vector<StorePart<W>> parts;
    std::vector<std::uint32_t> part_end;  // index of the first set after each part
    std::size_t given_up = 0;             // parts

    std::size_t size() const { return alive.size(); }
    const std::uint16_t* numbers(std::uint32_t set) const { return narrow_at[set]; }
    const std::uint32_t* costs(std::uint32_t set) const { return best_at[set]; }
    void reserve(std::size_t sets, std::size_t part_count, bool keeps_best) {
        alive.reserve(sets);
        keeps_best ? best_at.reserve(sets) : narrow_at.reserve(sets);
        parts.reserve(part_count), part_end.reserve(part_count);
    }
    // Move the sets of `part` to the end.
    void append(StorePart<W>&& part) {
        parts.push_back(std::move(part));
        StorePart<W>& held = parts.back();
        std::size_t at = 0;
        for (const VarSet<W>& children : held.alive) {
            alive.push_back(children);
            if (held.keeps_best) best_at.push_back(held.best.data() + at), at += children.size();
            else narrow_at.push_back(held.narrow.data() + at), at += held.stride;
        }
        held.alive = {};
        part_end.push_back(std::uint32_t(alive.size()));
    }
    // Free the parts all of whose sets come before `set`; returns the bytes that were reserved for them.
    std::uint64_t give_up_before(std::uint32_t set) {
        std::uint64_t bytes = 0;
        for (; given_up < parts.size() && part_end[given_up] <= set; ++given_up) {
            bytes += parts[given_up].reserved;
            parts[given_up] = {};
        }
        return bytes;
    }
};

}  // namespace sabna
