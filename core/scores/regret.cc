#include "scores/regret.h"

#include <cmath>

namespace sabna {

namespace {

long double binomial_regret(std::int64_t N) {
    long double sum = 0, term = 1;
    for (std::int64_t k = 0; k <= N && term > sum * 1e-22L; ++k) {
        sum += term;
        term *= (long double)(N - k) / (long double)N;
    }
    return sum;
}

}  // namespace

std::vector<long double> log_regrets(std::int64_t N, std::int64_t largest) {
    std::vector<long double> out(std::size_t(largest) + 1, 0);
    if (N == 0 || largest < 2) return out;
    long double ratio = binomial_regret(N);  // C(N, 2) / C(N, 1)
    for (std::int64_t K = 2; K <= largest; ++K) {
        out[std::size_t(K)] = out[std::size_t(K) - 1] + std::log(ratio);
        ratio = 1 + (long double)N / (long double)(K - 1) / ratio;
    }
    return out;
}

}  // namespace sabna
