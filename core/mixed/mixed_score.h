// Scores of conditional Gaussian networks: bcg, bic-cg, and the node-average scores pnal, pnal-g, pnal-cg.
//
// The model (Lauritzen, Wermuth 1989): a discrete variable has discrete parents only; a continuous one has, in every
// configuration d of its discrete parents D, a linear regression of its own on its continuous parents C. So the cost of a
// continuous variable is a sum over the cells of D, of what its regression costs in the rows of the cell.
//
// Discrete variables: bcg is bdeu, bic-cg is bic, by the tables of scores/ and so in the same integers.
//
// Continuous variables. Every cost is a difference of two values of one function of sets, cost(i | C, D) = A(C + i, D) - A(C, D),
// and A is rounded once, computed over its members in ascending order. So the costs of a network telescope, and networks
// of one class cost the same integer: turning a covered edge between two continuous variables, which have the same
// discrete parents, changes the order in which the members of one set are added. An edge between a discrete and a
// continuous variable cannot be turned inside the model. With m_d the rows of cell d, l = |S|, z standardised columns:
//
//   bcg     the log marginal likelihood, in every cell that of bge (gaussian/gaussian_score.h) with the same prior: weight alpha_mu of
//           the mean, which is put at the mean of the whole column; alpha_w degrees of freedom; T = t I,
//           t = alpha_mu (alpha_w - nc - 1) / (alpha_mu + 1), nc the continuous columns. (Boettcher 2001 divides one imaginary
//           table among the cells instead, so that the prior fades in small ones.) With
//           R_d = T + sum (z - mean)(z - mean)' + alpha_mu m_d / (alpha_mu + m_d) mean mean' over the rows of the cell:
//           A = sum over d of offset(m_d, l) + (m_d + alpha_w - nc + l) / 2 ln det R_d. Without discrete parents it is bge.
//   bic-cg  minus the log-likelihood, as bnlearn defines it: the variance of a regression on k parents is the residual sum of
//           squares over m_d - k - 1, and the density is taken at that. Plus ln(m) / 2 for (k + 2) parameters in each of the q
//           possible configurations.
//           A = sum over d of [m_d / 2 ln det SS_d + sum over j < l of (m_d / 2 ln(2 pi / (m_d - j - 1)) + (m_d - j - 1) / 2)] + penalty(l).
//   pnal    the same likelihood divided by the number of rows in which the family is complete, plus a price per parameter
//           (Bodewes, Scutari 2021, and bnlearn's scaling). Rows differ from family to family: nothing
//           telescopes, so each cost is rounded once, and equivalent networks may cost differently.
//
// The rule of small cells (bic-cg, pnal of continuous variables). A cell with m_d < k + 2 rows, or in which a member of the family,
// child or parent, varies by less than `least_variance` of its column's variance given the members before it, has no
// variance: its density has no maximum, and the smallest cell would decide. A family with such a cell has no value; it is not
// among the parent sets. Without missing values the rule grows with the set: a further discrete parent splits the cell, and one
// of the parts is as small (or leaves no more variance on average); a further continuous one asks for more rows and
// leaves less. So all sets around such a one go too.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "cost.h"
#include "mixed/cells.h"
#include "scores/score.h"

namespace sabna {

enum class MixedKind { bcg, bic, pnal };

struct MixedParameters {
    double sample_size = 1;  // bcg: equivalent sample size of the discrete variables
    double alpha_mu = 1;     // bcg
    double alpha_w = 0;      // bcg; must exceed the continuous columns + 1
    double price = 0;        // pnal: nats per parameter
};

// Of the variance of the column; below, rounding decides.
inline constexpr double least_variance = 1e-12;

// A child and its parents, both ascending; `cells` are those of all of them.
struct MixedFamily {
    int child = 0;
    std::span<const int> discrete, continuous;
    const Cells* cells = nullptr;
};

// Room to work in; one for each thread.
struct MixedRoom {
    std::vector<double> centred;      // members x rows of a cell
    std::vector<long double> matrix;  // members x members
    std::vector<int> members, positions;
    std::vector<std::uint32_t> counts;
};

class MixedScore {
  public:
    MixedScore(MixedColumns columns, MixedKind kind, MixedParameters parameters);

    const MixedColumns& columns() const { return columns_; }
    // What the parents of a family can be together.
    long double configurations(std::span<const int> discrete) const;
    MixedKind kind() const { return kind_; }
    // In quanta; nothing if the family has no value.
    std::optional<Quanta> cost(const MixedFamily& family, MixedRoom& room) const;

    // What every set around this one, itself included, costs at least (quanta); for a discrete child.
    Quanta floor_around(const MixedFamily& family, MixedRoom& room) const;
    // The same from the configurations of the parents alone, before rows are split; 0 if they say nothing (bcg).
    Quanta penalty_floor(int child, long double configurations) const;
    // No set of parents at all costs less.
    Quanta floor_of(int child) const;
    // Whether a set without a value means that none around it has one.
    bool no_value_is_final() const { return kind_ == MixedKind::bic; }
    // For continuous variables, nothing missing: out[s] is what the child costs at least under these discrete parents and any s
    // continuous ones of `open` (nats). Empty if nothing is known.
    std::vector<double> floors_by_size(const MixedFamily& family, std::span<const int> open, MixedRoom& room) const;

  private:
    std::optional<Quanta> discrete_cost(const MixedFamily& family, MixedRoom& room) const;
    std::optional<Quanta> continuous_cost(const MixedFamily& family, MixedRoom& room) const;
    // Cross products of some variables in a cell, with the prior's part (bcg); room.matrix.
    void moments(const Cells& cells, std::size_t cell, std::span<const int> members, MixedRoom& room) const;
    long double offset(std::int64_t rows, int members) const;
    long double compute_offset(std::int64_t rows, int members) const;
    Quanta rounded(long double nats) const;
    std::int64_t rows_of(const Cells& cells) const { return std::int64_t(cells.rows.size()); }

    MixedColumns columns_;
    MixedKind kind_;
    MixedParameters parameters_;
    std::unique_ptr<Score> categories_;  // bdeu, or bic: its table of c ln c serves pnal too
    int continuous_ = 0;
    long double t_ = 0;              // T = t I
    long double per_parameter_ = 0;  // ln(m) / 2
    int stored_members_ = 0;
    std::vector<long double> offsets_;  // by rows and members, for small cells
};

// The scores by their names in Python: bcg, bic-cg, and pnal, pnal-g, pnal-cg, which differ in the columns they take.
MixedKind mixed_kind(std::string_view id);

}  // namespace sabna
