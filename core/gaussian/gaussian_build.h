// The parent graph of a Gaussian score, exactly, without an in-degree limit.
//
// For each child i a depth-first search over parent sets in which every variable is in (P), out, or open (F). A node
// stands for all sets S with P <= S <= P + F. Two matrices give what the bounds need at every node, each updated in n^2
// steps, never computed anew: R swept on P (residual variances given P) and the inverse of R over P + F + i (residual
// variances given all that may still come). Writing r(x|S) for the residual variance of x given S:
//
//   Gain.   A member a of S lowers ln r(i|.) by 2 G with G = I(i; a | S - a), the partial mutual information. It is symmetric,
//           and residual variances fall with the conditioning set, so for all S of the node
//               2 G <= ln r(i|P-a) - ln r(i|P+F)   and   2 G <= ln r(a|P-a) - ln r(a|P+F+i-a).
//           If even the smaller of the two does not pay for one parent more, S - a is at least as good as S: a variable
//           of F is put out, and for a in P the node is left. (With a = the variable to be added, P - a reads P.)
//           Putting variables out raises r(.|P+F), so this repeats until nothing changes. It is the continuous twin of
//           the entropy rule for discrete data.
//   Floor.  S costs at least offset(|S|) + weight/2 ln r(i|P+F) + share/2 ln det R_SS, and ln det R_SS >= ln det R_PP
//           + (|S| - |P|) min over F of ln r(q|P+F+i-q). Not below the best subset of P met: the node is left.
//
// Both are taken with the `slack` wanted and a margin far above the rounding errors of these matrices; the sets
// that remain get their integer costs from GaussianScore and dominance is decided on those. Required parents are swept in
// first and never removed: the search starts at them, so a set is only ever compared with sets that obey.
//
// Stopped early. The search goes to the end child by child, but takes a first look at all of them: some sets of each,
// the most promising first. The sets a stopped search leaves out belong to the nodes on its stack: the least of their
// floors bounds them. A child that was not even begun has its required set P, and the floor of the root with variances
// given all other variables, which one inverse of R gives for all children: with rho(x) = ln r(x | all others),
//     cost(S) >= offset(|S|) + weight/2 rho(i) + share/2 (sum of rho over P + (|S| - |P|) min over F of rho),
// as det R_SS is the product of r(x | the members before x), each at least r(x | all others). Costs of
// densities may be negative, and so may these bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "gaussian/gaussian_score.h"
#include "parents/knowledge.h"
#include "parents/parent_graph.h"
#include "parents/so_far.h"
#include "watch.h"

namespace sabna {

struct GaussianBuilt {
    Stop stop = Stop::none;      // not `none`: lists may lack sets, but each has the required set
    std::vector<Cost> floor;     // per variable: no set that was not scored costs less; infinite when none is left
    std::int64_t evaluated = 0;  // nodes of the search: sets whose cost was looked at
};

// `slack`: see keep_within in parents/slack.h. `threads` >= 1; the result does not depend on it. `hear` is told of the
// required sets, of the first look, and of each child that is done.
template <int W>
GaussianBuilt build_gaussian(const GaussianScore& score, const KnowledgeView<W>& knowledge, std::int64_t slack,
                             int threads, Watch& watch, ParentGraphData<W>& out, typename SoFar<W>::Hear hear = {});

}  // namespace sabna
