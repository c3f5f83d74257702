// Networks drawn from the posterior, independently of each other and exactly.
//
// Order-modular: an order from its end (i comes last of U with probability A_i(U - i) f(U - i) / f(U)), then for each variable parents
// among those before it, in proportion to their weights.
//
// Uniform: sinks from the end, the largest first. Let Q_U(S) = H(U - S) * product over j in S of A_j(U - S), the weight of the networks
// over U in which all of S are sinks; then Y_U(F) = sum over S in F of (-1)^|S| Q_U(S) is that of the networks over U in which none
// of F is a sink. With all of F and of the variables above j ruled out, in R together, j is a sink with weight Y_U(R) - Y_U(R + j): this
// draws the largest sink j outside F. Given j, the network over U - j may have no sink of R but those that j now points back to:
// parents P of j have weight w_j(P) Y_(U-j)(R - P), and the rest is drawn over U - j with F = R - P. (Talvitie, Vuoksenmaa and
// Koivisto 2020 draw layer by layer; one sink at a time needs one table a step.) Y_U is a table of 2^|U| numbers; all draws that
// come by U share it, so they are made together, depth first. Each draw has its own random numbers: what it
// gives does not depend on how many are made.
#pragma once

#include <cstdint>
#include <vector>

#include "posterior/family_sums.h"

namespace sabna {

struct Sampled {
    std::vector<std::int64_t> choices;  // per draw the position of each variable's parent set in its list
    bool done = false;
};

// `sums` as the constructor of FamilySums made them, and what order_forward or uniform_forward made of them.
Sampled sample_orders(const ParentGraphView<1>& graph, const FamilySums& sums, const std::vector<Wide>& forward,
                      std::int64_t count, std::uint64_t seed, Watch& watch);
Sampled sample_uniform(const ParentGraphView<1>& graph, const FamilySums& sums, const std::vector<Wide>& forward,
                       std::int64_t count, std::uint64_t seed, Watch& watch);

// What sample_uniform needs besides the tables.
inline std::uint64_t sampling_scratch_bytes(int n) { return (std::uint64_t{2} * sizeof(Wide)) << n; }

}  // namespace sabna
