// Local scores: what one variable costs under a set of parents.
//
// Every score of sabna has the shape
//     cost(i, P) = sum over cells c of P        A_(q, r)[N_c]
//                - sum over cells c, values v   B_(q, r)[N_cv]   + penalty(q, r)
// where r is the arity of i, q the number of configurations of P (the product of its arities), and A, B are tables of
// integers in quanta of 2^-30 nat. Each table entry is rounded once, from arithmetic beyond double precision; all that
// follows is exact. So neither row order nor threads nor the order of summation can matter. For bic, aic and bdeu the
// table of a family is that of its members as a parent set (B_(q, r) = A_(q r, any)), the sum over a network telescopes,
// and Markov equivalent networks cost the same integer.
//
// Which parent sets can be left out unseen differs by score: `Pruning` names the rule, proven in the file of the score.
// A score is one file that defines a `make_` function, and one line in the table of registry.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "counting/count_table.h"
#include "counting/partition.h"

namespace sabna {

// Penalties beyond this are all the same to us: a billion nats. Two of them can be added.
inline constexpr Quanta saturated = Quanta{1} << 60;

enum class Pruning {
    entropy,         // -LL plus a penalty that grows with the parents: bic, aic (core/scores/bic.cc)
    configurations,  // a Dirichlet prior: every configuration seen costs at least ln r (core/scores/bdeu.cc)
    own,             // the score's own `floor`; built child by child (parents/child_by_child.h): fnml, qnml, bds
};

// (r - 1) q x price, saturated.
Quanta penalty(Quanta price, long double q, std::int64_t r);

// The weight a of the Dirichlet prior of a cell, between these.
struct PriorWeight {
    double least = 0, most = 1e300;
};

class Score {
  public:
    virtual ~Score() = default;
    virtual Pruning pruning() const = 0;
    // The tables A and B above; references stay valid as long as the score. Any thread may ask.
    virtual const CountTable& parent_table(long double q, std::int64_t r) = 0;
    virtual const CountTable& family_table(long double q, std::int64_t r) = 0;
    // Quanta per parameter, of which there are (r - 1) q.
    virtual Quanta parameter_price() const { return 0; }
    // Whether a parent that is constant in the data can be left out: it lowers no cost. (Of arity 1: always.)
    virtual bool constant_parents_are_useless() const { return true; }
    // The penalty above: parameters x price unless a score says otherwise.
    virtual Quanta penalty_of(long double q, std::int64_t r) const { return penalty(parameter_price(), q, r); }
    // Whether q is the number of configurations seen in the data instead of all there can be.
    virtual bool counts_observed_configurations() const { return false; }
    // For Pruning::configurations: what the prior of a cell can weigh under sets strictly around one of q configurations.
    virtual PriorWeight prior_weight(long double /*q*/, std::int64_t /*r*/) const { return {}; }
    // The most configurations q r that the score has a value for; 0: any number.
    virtual std::int64_t largest_family() const { return 0; }
    // Whether the cost is -LL plus what `floor` (or the penalty) bounds: then what -LL is at least comes on top of the floor.
    // The family table is that of c ln c.
    virtual bool adds_likelihood() const { return false; }
    // For Pruning::own: no set around this one costs less. `seen`: configurations of parents and child in the data.
    virtual Quanta floor(const Partition&, std::int64_t /*seen*/, long double /*q*/, std::int64_t /*r*/) const {
        return -saturated;
    }
};

// The score called `id` for a table of `rows` rows; `parameter` is the equivalent sample size of bdeu.
// Throws std::invalid_argument for an unknown id.
std::unique_ptr<Score> make_score(std::string_view id, std::int64_t rows, double parameter);

}  // namespace sabna
