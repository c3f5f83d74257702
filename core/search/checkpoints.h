// Where a search of the order lattice keeps how far it is, to go on from there: who has the files implements this.
//
// A checkpoint is a list of blocks of 64-bit words that the search alone understands; the first holds its numbers. It is taken
// while the search polls, between two expansions, and says all that the rest of the search depends on: what goes on from it
// expands the same nodes in the same order as a search that was never interrupted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sabna {

class Checkpoints {
  public:
    using Block = std::span<const std::uint64_t>;
    virtual ~Checkpoints() = default;

    // `load` and `keep` return false if the search has to stop: the reason is with the watch.
    // The blocks that were kept last; none if nothing was. They are valid until the search ends.
    virtual bool load(std::vector<Block>& blocks) = 0;
    // A block has been read, and is not needed again.
    virtual void done_with(std::size_t block) = 0;
    // Whether it is time to keep a checkpoint of so many bytes.
    virtual bool due(std::uint64_t bytes) = 0;
    virtual bool keep(const std::vector<Block>& blocks) = 0;
};

}  // namespace sabna
