// The uniform prior: every network counts once.
//
// A network over U has at least one sink; those of its sinks that are in S can be taken away at will, so by inclusion and exclusion
// over S (Robinson 1973 counts networks so; Tian and He 2009 find all edges so)
//     H(U) = sum over nonempty S in U of (-1)^(|S|+1) H(U - S) * product over j in S of A_j(U - S)
// is the sum over the networks over U, and, with T placed first and all variables outside T free to have parents anywhere,
//     K(T) = sum over nonempty S outside T of (-1)^(|S|+1) K(T + S) * product over j in S of A_j(T),    Z = H(V) = K(0).
// K is linear in each A_j(T), and dZ / dK(T) = H(T); so dZ / dA_j(T) = H(T) * dK(T) / dA_j(T): differentiating K backwards gives all
// derivatives at the price of a few multiplications for each of the 3^n pairs (T, S). (Tian and He sum them edge by
// edge, with n as much work.) Given T, the sum over S is folded variable by variable: 2 * 2^m steps for m variables outside.
//
// Digits. Written out, every network occurs in these sums once for each way to take it apart by sets of sinks, with alternating signs
// that leave 1. There are at most F(n) ways, the number of ordered partitions of n things: 2.7e21 < 2^72 for 20, 2^81 for 22. So
// rounding errors are at most F(n) times those of a sum of positive terms, whatever the data: with 106 bits
// (wide.h) and at most some hundred roundings on each way the result is good to 1e-8 at worst for 20 variables. The worst case is
// data that say with certainty that there is no edge at all; random signs make even that far better (measured in the tests).
#pragma once

#include "posterior/family_sums.h"

namespace sabna {

// H(U) of all U; empty if the watch stopped it. The same to the bit for any number of threads.
std::vector<Wide> uniform_forward(const FamilySums& sums, int threads, Watch& watch);

// Puts the derivatives of Z in the place of the sums; false if the watch stopped it.
bool uniform_backward(FamilySums& sums, const std::vector<Wide>& forward, int threads, Watch& watch);

// What the threads need besides the tables.
std::uint64_t uniform_scratch_bytes(int n);

}  // namespace sabna
