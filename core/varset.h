// Sets of variables as fixed-width bit sets of W words: W = 1, 2, 4, 32 for n <= 64, 128, 256, 2048.
//
// The width is a template parameter, chosen once per run by `with_words`; for W = 1 every operation compiles to one
// or two instructions.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sabna {

inline constexpr int max_variables = 2048;

template <int W>
struct VarSet {
    static constexpr int words = W;
    std::uint64_t word[W] = {};

    static constexpr VarSet single(int v) {
        VarSet s;
        s.insert(v);
        return s;
    }
    // The set {0, ..., n - 1}.
    static constexpr VarSet first(int n) {
        VarSet s;
        for (int k = 0; k < W; ++k) {
            const int left = n - 64 * k;
            s.word[k] = left >= 64 ? ~std::uint64_t{0} : left > 0 ? (std::uint64_t{1} << left) - 1 : 0;
        }
        return s;
    }

    constexpr bool contains(int v) const { return word[v >> 6] >> (v & 63) & 1; }
    constexpr void insert(int v) { word[v >> 6] |= std::uint64_t{1} << (v & 63); }
    constexpr void erase(int v) { word[v >> 6] &= ~(std::uint64_t{1} << (v & 63)); }
    constexpr VarSet with(int v) const {
        VarSet s = *this;
        s.insert(v);
        return s;
    }
    constexpr VarSet without(int v) const {
        VarSet s = *this;
        s.erase(v);
        return s;
    }

    constexpr bool empty() const {
        std::uint64_t any = 0;
        each_word([&](int k) { any |= word[k]; });
        return any == 0;
    }
    constexpr int size() const {
        int count = 0;
        each_word([&](int k) { count += std::popcount(word[k]); });
        return count;
    }
    constexpr int size_within(const VarSet& other) const {
        int count = 0;
        each_word([&](int k) { count += std::popcount(word[k] & other.word[k]); });
        return count;
    }
    constexpr bool subset_of(const VarSet& other) const {
        std::uint64_t outside = 0;
        each_word([&](int k) { outside |= word[k] & ~other.word[k]; });
        return outside == 0;
    }
    constexpr bool intersects(const VarSet& other) const {
        std::uint64_t common = 0;
        each_word([&](int k) { common |= word[k] & other.word[k]; });
        return common != 0;
    }

    // From one set to another, never in a copy: what was copied in halves and is read as a whole stalls the processor.
    friend constexpr VarSet operator&(const VarSet& a, const VarSet& b) {
        VarSet s;
        each_word([&](int k) { s.word[k] = a.word[k] & b.word[k]; });
        return s;
    }
    friend constexpr VarSet operator|(const VarSet& a, const VarSet& b) {
        VarSet s;
        each_word([&](int k) { s.word[k] = a.word[k] | b.word[k]; });
        return s;
    }
    friend constexpr VarSet operator-(const VarSet& a, const VarSet& b) {
        VarSet s;
        each_word([&](int k) { s.word[k] = a.word[k] & ~b.word[k]; });
        return s;
    }
    constexpr VarSet& operator|=(const VarSet& b) {
        each_word([&](int k) { word[k] |= b.word[k]; });
        return *this;
    }
    constexpr VarSet& operator&=(const VarSet& b) {
        each_word([&](int k) { word[k] &= b.word[k]; });
        return *this;
    }
    constexpr VarSet& operator-=(const VarSet& b) {
        each_word([&](int k) { word[k] &= ~b.word[k]; });
        return *this;
    }

    friend constexpr bool operator==(const VarSet&, const VarSet&) = default;
    // As binary numbers: variable 0 is the lowest digit. This is the order in which ties are listed.
    friend constexpr std::strong_ordering operator<=>(const VarSet& a, const VarSet& b) {
        for (int k = W - 1; k > 0; --k)
            if (a.word[k] != b.word[k]) return a.word[k] <=> b.word[k];
        return a.word[0] <=> b.word[0];
    }

    // The smallest member; -1 if empty.
    constexpr int lowest() const {
        for (int k = 0; k < W; ++k)
            if (word[k]) return 64 * k + std::countr_zero(word[k]);
        return -1;
    }
    // The largest member; -1 if empty.
    constexpr int highest() const {
        for (int k = W - 1; k >= 0; --k)
            if (word[k]) return 64 * k + 63 - std::countl_zero(word[k]);
        return -1;
    }

    template <class Visit>
    constexpr void for_each(Visit visit) const {
        for (int k = 0; k < W; ++k)
            for (std::uint64_t rest = word[k]; rest; rest &= rest - 1) visit(64 * k + std::countr_zero(rest));
    }

    std::vector<int> members() const {
        std::vector<int> out;
        for_each([&](int v) { out.push_back(v); });
        return out;
    }

    // Few words without a loop, whatever the optimiser makes of loops: half of a run at four words went into them.
    template <class Visit>
    static constexpr void each_word(Visit visit) {
        if constexpr (W <= 4) {
            visit(0);
            if constexpr (W > 1) visit(1);
            if constexpr (W > 2) visit(2);
            if constexpr (W > 3) visit(3);
        } else {
            for (int k = 0; k < W; ++k) visit(k);
        }
    }

    std::uint64_t hash() const {
        std::uint64_t h = 0;
        for (int k = 0; k < W; ++k) {
            h = (h ^ word[k]) * 0x9E3779B97F4A7C15ull;  // Fibonacci hashing, then fold the high half down
            h ^= h >> 32;
        }
        return h;
    }
};

// Every width once, for what is compiled in a .cc file: SABNA_EACH_WIDTH(M) is M(1) M(2) M(4) M(32). Each width costs
// about a seventh of the whole compile time.
#define SABNA_EACH_WIDTH(M) M(1) M(2) M(4) M(32)

// Words needed for n variables: 1, 2, 4 or 32.
constexpr int words_for(int n) { return n <= 64 ? 1 : n <= 128 ? 2 : n <= 256 ? 4 : 32; }

// Call `body.template operator()<W>()` with the width that n variables need.
template <class Body>
decltype(auto) with_words(int n, Body&& body) {
    if (n < 0 || n > max_variables) throw std::invalid_argument("with_words: 0 to 2048 variables");
    switch (words_for(n)) {
        case 1: return body.template operator()<1>();
        case 2: return body.template operator()<2>();
        case 4: return body.template operator()<4>();
        default: return body.template operator()<32>();
    }
}

}  // namespace sabna
