// AIC: cost(i, P) = -LL(i | P) + (r - 1) q  (Akaike 1974). One nat per parameter, whatever the number of rows.
//
// The pruning rules of bic hold for any penalty proportional to (r - 1) q; see bic.cc.
#include "scores/likelihood.h"

namespace sabna {

std::unique_ptr<Score> make_aic(std::int64_t rows, double) {
    return std::make_unique<LikelihoodScore>(rows, to_quanta(1));
}

}  // namespace sabna
