// BIC, also called MDL: cost(i, P) = -LL(i | P) + (ln m / 2) (r - 1) q  (Schwarz 1978; natural logarithm).
//
// -LL(i | P) = m H(i | P) = sum T[N_c] - sum T[N_cv] with T[c] = c ln c.
//
// Pruning (all valid for any penalty w (r - 1) q with w >= 0, so for aic too; h(x | P) stands for m H(x | P)):
//  - -LL is never negative: when the penalty of P reaches the cost of a subset, P and all its supersets are useless.
//  - Entropy rule (de Campos, Scanagatta, Corani, Zaffalon 2018, "Entropy-based pruning for learning Bayesian networks
//    using BIC"): for a in R the likelihood gains h(i | R-a) - h(i | R), the information between i and a given
//    R-a, at most min(h(i | R-a), h(a | R-a)); conditioning on more only lowers both. If that does not exceed the
//    increase of the penalty from R-a to R, then R costs no less than R-a, and R' no less than R'-a for any R' around R.
//  - Superset rule: for R' strictly around R the penalty increase by a is larger by the arity of what R' has beyond R,
//    hence by at least the smallest arity outside R. A set may thus be worth scoring and yet not worth extending.
//  - -LL(i | R) >= h(i | R-a) - h(a | R-a) for any a, since the information is at most h(a | R-a): a bound on the cost
//    of R itself before anything is counted.
#include <cmath>

#include "scores/likelihood.h"

namespace sabna {

std::unique_ptr<Score> make_bic(std::int64_t rows, double) {
    return std::make_unique<LikelihoodScore>(rows, rows > 1 ? to_quanta(std::log((long double)rows) / 2) : 0);
}

}  // namespace sabna
