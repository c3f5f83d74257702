// The normaliser of the multinomial NML distribution: C(N, K) = sum over all sequences of N values from K of their
// maximised likelihood. ln C is the price of not knowing the parameters, in nats.
//
//   C(N, 1) = 1,  C(N, 2) = sum over k of N! / ((N - k)! N^k)  (terms fall like exp(-k^2 / 2N): about sqrt(N) of them count)
//   C(N, K + 2) = C(N, K + 1) + (N / K) C(N, K)                (Kontkanen, Myllymaki 2007)
// All terms are positive, so nothing cancels. Ratios C(N, K + 1) / C(N, K) are carried instead of C, which overflows.
#pragma once

#include <cstdint>
#include <vector>

namespace sabna {

// ln C(N, K) for K = 0 .. largest at index K; index 0 is unused.
std::vector<long double> log_regrets(std::int64_t N, std::int64_t largest);

}  // namespace sabna
