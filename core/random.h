// Random numbers: the same from the same seed on every machine, unlike the distributions of <random> (SplitMix64).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sabna {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    int below(int n) { return int((next() >> 32) * std::uint64_t(n) >> 32); }
    void shuffle(std::vector<int>& values) {
        for (int k = int(values.size()); k > 1; --k)
            std::swap(values[std::size_t(k - 1)], values[std::size_t(below(k))]);
    }

    // Whole words, also to be the seed of another.
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return z ^ z >> 31;
    }

  private:
    std::uint64_t state_;
};

}  // namespace sabna
