// Scores of continuous data under linear Gaussian networks: bic-g and bge.
//
// Both depend on the data through one matrix R over the standardised columns only, and both are the difference of a
// function of sets: cost(i, P) = A(P + i) - A(P). With k = |P|, r(i|P) the Schur complement of R_PP in R_(P+i)(P+i) (for
// bic-g: the residual variance of the regression of i on P), the difference reads
//     cost(i, P) = offset(k) + weight(k) / 2 ln r(i|P) + share / 2 ln det R_PP
//
//   bic-g   R: correlation matrix. -log-likelihood of the regression with intercept at its maximum, plus ln(m) / 2 for
//           each of k + 2 parameters (coefficients, intercept, variance). weight = m, share = 0.
//   bge     R = T + S, the posterior matrix of the normal-Wishart prior (Geiger, Heckerman 1994, 2002), in the corrected
//           form of Kuipers, Moffa, Heckerman (2014): prior precision alpha_mu of the mean, which is put at the sample
//           mean; alpha_w degrees of freedom; T = t I with t = alpha_mu (alpha_w - n - 1) / (alpha_mu + 1) on columns of
//           unit variance. weight(k) = m + alpha_w - n + k + 1, share = 1.
//
// Standardising makes both independent of shift and scale: for bic-g that changes the cost of a variable by m times
// the log of its scale and nothing else; for bge it defines the prior (T = t diag(s^2) in the original units).
//
// A is rounded once per set, computed in long double over the set's members in ascending order. So the cost of a
// network is a sum of integers that telescopes, and Markov equivalent networks cost the same integer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost.h"

namespace sabna {

struct Bge {
    double alpha_mu = 1;
    double alpha_w = 0;  // must exceed n + 1
};

class GaussianScore {
  public:
    // `columns`: n columns of m entries, column by column.
    static GaussianScore bic(std::span<const double> columns, int n, std::int64_t m);
    static GaussianScore bge(std::span<const double> columns, int n, std::int64_t m, Bge prior);

    int n() const { return n_; }
    const std::vector<double>& matrix() const { return matrix_; }  // R, n x n
    double offset(int k) const { return offset_[std::size_t(k)]; }
    double weight(int k) const { return weight_ + share_ * k; }
    double share() const { return share_; }
    double log_scale(int i) const { return double(log_scale_[std::size_t(i)]); }  // what i costs more than standardised

    // The integer cost; `parents` ascending, without `child`.
    Cost cost(int child, std::span<const int> parents) const;
    // A, in quanta; members ascending.
    std::int64_t set_cost(std::span<const int> members) const;

  private:
    GaussianScore(int n) : n_(n) {}
    void standardise(std::span<const double> columns, std::int64_t m, bool sample_variance);

    int n_;
    std::vector<double> matrix_;
    std::vector<long double> exact_;       // R once more, in long double
    std::vector<long double> log_scale_;   // m ln s per variable
    std::vector<long double> set_offset_;  // A of a set of l variables with det R = 1, without scales
    std::vector<double> offset_;           // set_offset_[k + 1] - set_offset_[k]
    double weight_ = 0;                    // weight(0)
    double share_ = 0;
};

}  // namespace sabna
