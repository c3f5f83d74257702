// The order-modular prior: a network counts once for every order of the variables that it agrees with.
//
// (Koivisto and Sood 2004; Koivisto 2006.) The sum over orders and the networks that agree with them goes over prefixes of
// the order: with f(U) the sum for the variables of U placed first, f(U) = sum over i in U of A_i(U - i) f(U - i), and with b(U) the
// sum for those that come after U, b(U) = sum over i outside of A_i(U) b(U + i). Then Z = f(V) = b(0) and
// dZ / dA_i(U) = f(U) b(U + i). Nothing is subtracted; n 2^n steps.
#pragma once

#include "posterior/family_sums.h"

namespace sabna {

// f(U) of all U; empty if the watch stopped it.
std::vector<Wide> order_forward(const FamilySums& sums, Watch& watch);

// Puts the derivatives of Z in the place of the sums; false if the watch stopped it.
bool order_backward(FamilySums& sums, const std::vector<Wide>& forward, Watch& watch);

}  // namespace sabna
