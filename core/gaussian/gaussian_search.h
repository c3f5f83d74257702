// The depth-first search over the parent sets of one child; idea and proofs in gaussian_build.h.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "gaussian/gaussian_score.h"
#include "varset.h"
#include "watch.h"

namespace sabna {

// Bounds are believed only beyond this many nats: the residual variances carry relative errors up to about
// 2^-53 x condition of R (limited to 1e10 where data is checked) x a few dozen updates, times m / 2.
inline constexpr double gaussian_margin = 1e-3;

// The parent sets that one child may have.
struct GaussianParents {
    int child = 0;
    std::vector<int> required, open;  // ascending
    int limit = 0;                    // how many, required ones included
};

class GaussianSearch {
  public:
    // Searches at once, up to `most_nodes` sets; `slack` in nats. `evaluated` is added to.
    GaussianSearch(const GaussianScore& score, const GaussianParents& parents, double slack, std::int64_t most_nodes,
                   Watch& watch, std::atomic<std::int64_t>& evaluated);
    ~GaussianSearch() { watch_.release(reserved_); }
    GaussianSearch(const GaussianSearch&) = delete;
    GaussianSearch& operator=(const GaussianSearch&) = delete;

    // A superset of what dominance will leave, each set once; the required set comes first. If the search was stopped,
    // of the sets looked at. A set is `words_for(n)` words.
    std::size_t candidates() const { return candidates_.size() / words_; }
    const std::uint64_t* candidate(std::size_t k) const { return candidates_.data() + k * words_; }
    // No set that was left out costs less (nats, of the standardised child), unless a subset costs no more; infinite
    // when the search came to its end.
    double floor() const { return floor_; }

  private:
    // One frame per member added: matrices over the variables in play (a[x * width + y]), the open ones, and costs.
    struct Frame {
        std::vector<double> given;      // R swept on P
        std::vector<double> precision;  // inverse of R over P + F + i
        std::vector<int> open;          // F
        double log_det = 0;             // ln det R_PP
        double best = 0;                // least cost of a subset of P met
    };

    void visit(int depth);
    void evaluate(Frame& frame);
    bool put_out_useless(Frame& frame);
    bool some_member_useless(const Frame& frame) const;
    double floor(const Frame& frame) const;
    bool pays(double gain, double log_r_child, double log_r_other, int size) const;
    void add(const Frame& from, Frame& to, int variable);
    void put_out(Frame& frame, std::size_t position);
    int choose(const Frame& frame) const;
    double r_all(const Frame& frame, int x) const { return 1 / frame.precision[at(x, x)]; }
    std::size_t at(int x, int y) const { return std::size_t(x) * std::size_t(width_) + std::size_t(y); }

    // What a candidate takes: here and in the list made of it, both with room to grow, and its bits for dominance.
    std::uint64_t bytes_per_candidate() const { return 6 * 8 * words_ + 2 * sizeof(Cost); }
    static constexpr std::size_t at_once = 256;

    const GaussianScore& score_;
    Watch& watch_;
    std::atomic<std::int64_t>& evaluated_;
    double slack_;
    std::int64_t most_nodes_;
    std::size_t words_;  // of a set
    int width_ = 0;      // variables in play: the child (last), required and open ones
    int child_ = 0;      // its position among them
    int required_ = 0;   // how many of the members are required; they come first
    int limit_ = 0;
    std::vector<int> variables_;      // position -> variable
    std::vector<int> members_;        // P as positions
    std::vector<double> least_step_;  // min over s >= k of offset(s) - offset(s - 1)
    std::vector<Frame> frames_;
    std::vector<std::uint64_t> candidates_;
    std::int64_t nodes_ = 0;
    double floor_ = std::numeric_limits<double>::infinity();
    std::uint64_t reserved_ = 0;
};

}  // namespace sabna
