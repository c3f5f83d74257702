"""The parent graph of expected counts under bic: the M-step's candidates, exactly, without scoring every set.

Expected counts are those of a distribution as any other, so the rules that bic has for counts of rows hold. With
h(x | S) = F(S) - F(S + x), m times the conditional entropy (completions.py), for a child i:

- a set whose penalty alone exceeds what a subset costs is useless with all around it, as h is never negative;
- P + j is useless with all around it if min(h(i | P), h(j | P)) is below what j adds to the penalty: nothing that j
  tells of i, whatever else is known, is more than that (de Campos, Scanagatta, Corani and Zaffalon 2018).

Sets grow by one member at a time, and only from sets all of whose subsets are alive. F is rounded, so that rules are
held to some quanta more than they say.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from sabna.base.errors import DataError
from sabna.base.limits import Limits
from sabna.base.varsets import members, set_words
from sabna.expectation.completions import ExpectedCounts
from sabna.parents.checks import check_total
from sabna.parents.constraints import ParentLimits, constraints_of
from sabna.parents.graph import ParentGraph

# F of three or four sets is rounded to half a quantum each.
MARGIN = 4
Members = tuple[int, ...]


def graph_of_counts(
    counts: ExpectedCounts, limits: Limits, max_parents: ParentLimits = None, knowledge: Any = None
) -> ParentGraph:
    """All parent sets that no subset beats, with their costs by `counts`."""
    names = counts.completions.names
    known, constraints = constraints_of(knowledge, names, max_parents)
    costs, sets, offsets = list[int](), list[Members](), [0]
    for child in range(len(names)):
        required = tuple(members(constraints.required[child]))
        free = [v for v in members(constraints.allowed[child]) if v not in required]
        most = min(int(constraints.limits[child]) - len(required), len(free))
        kept = _undominated(counts, child, required, free, most, limits)
        kept.sort(key=lambda item: (item[0], sum(1 << v for v in item[1])))  # ties by the set as a number
        costs += [cost for cost, _ in kept]
        sets += [parents for _, parents in kept]
        offsets.append(len(costs))
    parameters: dict[str, Any] = {} if max_parents is None else {"max_parents": max_parents}
    if known:
        parameters["knowledge"] = known.to_dict()
    arrays = (np.array(offsets, dtype=np.int64), np.array(costs, dtype=np.int64), set_words(sets, len(names)))
    graph = ParentGraph(names, *arrays, "own", None, None, parameters, {"sets": len(costs)}, exhaustive=True)
    check_total(graph, DataError, "this table", "use fewer rows or columns")
    return graph


def _undominated(
    counts: ExpectedCounts, child: int, required: Members, free: list[int], most: int, limits: Limits
) -> list[tuple[int, Members]]:
    """The sets of one child that no subset beats."""
    whole = counts.cost(child, required)
    kept = [(whole, required)]
    alive: dict[Members, int] = {(): whole}  # members beyond the required ones -> least cost of the set and its subsets
    for size in range(1, most + 1):
        grown: dict[Members, int] = {}
        for extra in _grown_from(alive, free, size):
            limits.check_time("scoring a round of EM")
            below = min(alive[rest] for rest in combinations(extra, size - 1))
            if _is_useless(counts, child, required, extra, below):
                continue
            parents = tuple(sorted((*required, *extra)))
            cost = counts.cost(child, parents)
            if cost < below:
                kept.append((cost, parents))
            grown[extra] = min(cost, below)
        if not grown:
            break
        alive = grown
    return kept


def _grown_from(alive: dict[Members, int], free: list[int], size: int) -> list[Members]:
    """Sets of this size, all of whose subsets of one member less are alive."""
    out = []
    for stem in alive:
        for v in free:
            if not stem or v > stem[-1]:
                extra = (*stem, v)
                if all(rest in alive for rest in combinations(extra, size - 1)):
                    out.append(extra)
    return out


def _is_useless(counts: ExpectedCounts, child: int, required: Members, extra: Members, below: int) -> bool:
    """Whether a rule excludes the set and all around it; `below` is the least cost of a proper subset."""
    price, arity = counts.price, counts.completions.arities
    parents = tuple(sorted((*required, *extra)))
    penalty = (arity[child] - 1) * math.prod(arity[p] for p in parents) * price
    if penalty - below > MARGIN:
        return True
    for j in extra:
        rest = tuple(p for p in parents if p != j)
        added = penalty - penalty // arity[j]
        if added - counts.entropy(child, rest) > MARGIN or added - counts.entropy(j, rest) > MARGIN:
            return True
    return False
