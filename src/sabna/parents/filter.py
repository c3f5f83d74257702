"""A parent graph under prior knowledge: the sets that obey, dominance decided among them.

What only forbids (forbidden edges and pairs, tiers, roots, leaves, limits) can be applied to any graph: a set that was
dropped for a subset is dominated by it still, as the subset obeys whenever the set does. Required parents are another
matter: a set that holds them may have been dropped for a subset that does not. The arrays alone cannot tell: a list of
{}, {A} and {B} may be all there is, or {A, B} was dropped for {B}. So a variable with required parents Q needs a
proof that its obeying sets are all there, as far as they matter. Any of these will do:

- The graph was built under knowledge that requires Q already: then dominance was decided among sets that hold Q.
- Counting. The obeying sets on the list are as many as there can be: subsets of the allowed parents that hold Q, up to
  the limits of the knowledge and of the graph itself (its parameters `max_parents` and `knowledge`).
- Dominance. The graph is exhaustive (`ParentGraph.exhaustive`): a set that is missing is beaten by a listed subset T.
  If for every listed T without Q there is a listed obeying O inside T + Q that costs no more, nothing is lost: a
  missing set P that obeys was beaten by some T; T + Q is inside P, so O is a subset of P that costs no more than P.

Otherwise the graph is refused: no answer is better than a wrong one.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.errors import KnowledgeError, UsageError
from sabna.base.varsets import members
from sabna.parents.constraints import constraints_of
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Constraints, Knowledge

Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]


def filter_graph(graph: ParentGraph, knowledge: Any) -> ParentGraph:
    """The parent sets of a graph that obey, dominance decided among them.

    Raises KnowledgeError where sets with required parents may be missing, see above; a score file is best read with
    `keep_dominated=True`. A graph built under the same knowledge is returned as it is. One built under other knowledge
    keeps that too: its networks obey both.
    """
    known = Knowledge.of(knowledge)
    if not known or graph.parameters.get("knowledge") == known.to_dict():
        return graph
    new = known.compile(graph.names)
    old = _own_constraints(graph)
    lists = [_List(graph, i, new, old) for i in range(graph.n)]
    for one in lists:
        one.check()
    left = core.prune_dominated(
        np.cumsum([0] + [int(one.obeys.sum()) for one in lists], dtype=np.int64),
        np.concatenate([one.costs[one.obeys] for one in lists]),
        np.concatenate([one.sets[one.obeys] for one in lists]),
    )
    parameters = {**graph.parameters, "knowledge": known.to_dict()}
    parameters.pop("slack", None)  # sets kept for it are gone
    statistics = {**graph.statistics, "sets": len(left.costs)}
    return replace(
        graph, offsets=left.offsets, costs=left.costs, sets=left.sets, parameters=parameters, statistics=statistics
    )


def obeying(graph: ParentGraph, knowledge: Any) -> Mask:
    """Which of a graph's parent sets obey."""
    new, old = Knowledge.of(knowledge).compile(graph.names), _own_constraints(graph)
    return np.concatenate([_List(graph, i, new, old).obeys for i in range(graph.n)])


def _own_constraints(graph: ParentGraph) -> Constraints:
    """What the graph was built under, as far as it says; knowing less only refuses more."""
    try:
        known, limit = graph.parameters.get("knowledge"), graph.parameters.get("max_parents")
        return constraints_of(known, graph.names, limit)[1]
    except (KnowledgeError, UsageError, TypeError, ValueError):  # of a file by another program
        return constraints_of(None, graph.names, None)[1]


class _List:
    """The parent sets of one variable under new knowledge, in a graph built under old knowledge."""

    def __init__(self, graph: ParentGraph, i: int, new: Constraints, old: Constraints) -> None:
        self.graph, self.i, self.name = graph, i, graph.names[i]
        at = slice(int(graph.offsets[i]), int(graph.offsets[i + 1]))
        self.costs, self.sets = graph.costs[at], graph.sets[at]
        self.required = new.required[i]
        self.known_before = not (new.required[i] & ~old.required[i]).any()
        self.allowed = new.allowed[i] & old.allowed[i]
        self.limit = int(min(new.limits[i], old.limits[i]))
        self.inside: Mask = ((self.sets & ~new.allowed[i]) == 0).all(axis=1)
        holding: Mask = ((self.sets & self.required) == self.required).all(axis=1)
        self.obeys: Mask = self.inside & holding & (_sizes(self.sets) <= new.limits[i])

    def check(self) -> None:
        """KnowledgeError unless what obeys is there."""
        if not (self.known_before or self._all_listed() or self._others_are_beaten()):
            self._refuse()
        if not self.obeys.any():
            raise KnowledgeError(
                f"no parent set of {self.name} in this graph obeys the knowledge; build it from the data"
            )

    def _all_listed(self) -> bool:
        return self._listed_up_to() >= min(self.limit, len(members(self.allowed)))

    def _listed_up_to(self) -> int:
        """The largest k such that all obeying sets of up to k parents are listed; below the required ones: none is."""
        least, free = len(members(self.required)), len(members(self.allowed & ~self.required))
        if (self.required & ~self.allowed).any():  # the graph was built without them
            return least - 1
        listed = np.bincount(_sizes(np.unique(self.sets[self.obeys], axis=0)), minlength=least + free + 1)
        up_to = least - 1
        while up_to < min(self.limit, least + free) and listed[up_to + 1] == comb(free, up_to + 1 - least):
            up_to += 1
        return up_to

    def _others_are_beaten(self) -> bool:
        """Whether for every set without the required parents an obeying one is as good wherever both fit."""
        if not self.graph.exhaustive:
            return False
        needs = self.sets | self.required
        matters = self.inside & ~self.obeys & (_sizes(needs) <= self.limit)
        children = np.full(int(matters.sum()), self.i, dtype=np.int64)
        offsets = np.where(np.arange(self.graph.n + 1) <= self.i, 0, int(self.obeys.sum())).astype(np.int64)
        best = core.best_parents(
            offsets, self.costs[self.obeys], self.sets[self.obeys], children, needs[matters], len(children) > 1
        )
        return bool((best.costs <= self.costs[matters]).all())

    def _refuse(self) -> None:
        parents = ", ".join(self.graph.names[v] for v in members(self.required))
        up_to = self._listed_up_to()
        hint = ""
        if up_to >= len(members(self.required)):
            hint = (
                f"; or, if at most {up_to} parents of {self.name} are of interest (such sets are all listed), add "
                f"max_parents {self.name} = {up_to} to the knowledge"
            )
        raise KnowledgeError(
            f"required parents of {self.name} ({parents}): this parent graph may lack sets that hold them, dropped for "
            f"cheaper ones that do not; build the graph from the data under this knowledge instead{hint}"
        )


def _sizes(sets: Words) -> NDArray[np.int64]:
    sizes: NDArray[np.int64] = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1).sum(
        axis=1, dtype=np.int64
    )
    return sizes
