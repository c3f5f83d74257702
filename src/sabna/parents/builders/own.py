"""Your own score: a function of a child and its parents, or a ready table of local scores.

Slow, as every set is asked for one by one, and exact, as every set is asked for: nothing is known that would allow to
leave one out. Sets that a subset beats are dropped afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from sabna.base.cost import LARGEST_TOTAL, QUANTA_PER_NAT
from sabna.base.errors import UsageError
from sabna.base.varsets import members, set_words
from sabna.parents.checks import check_total, too_large
from sabna.parents.constraints import PLAIN_DOMINANCE, ParentLimits, constraints_of, slack_quanta
from sabna.parents.graph import ParentGraph
from sabna.settings.checks import argument, column_names, parent_counts

# Above this many local scores the function would run for hours; the user should set a limit.
MOST_CALLS = 50_000_000

_REMEDY = "add a number to all scores of a variable, which changes no choice, or rescale them all"

ScoreFunction = Callable[[str, tuple[str, ...]], float]
ScoreTable = Mapping[str, Mapping[Iterable[str], float]]


def graph_from_scores(
    names: Sequence[str],
    score: ScoreFunction | ScoreTable,
    *,
    max_parents: ParentLimits = None,
    knowledge: Any = None,
    slack: float | None = None,
) -> ParentGraph:
    """The parent graph of a score of your own: higher is better, in nats.

    `score` is a function of child and parents (a tuple in the order of `names`), or a mapping from each child to a
    mapping from parents to scores; sets that the mapping lacks do not exist. `max_parents` and `knowledge` are as for
    `learn`; with `slack` sets are kept that a subset beats by no more than so many nats, for alternatives.

    >>> graph = graph_from_scores("AB", lambda child, parents: 1.0 if (child, parents) == ("B", ("A",)) else 0.0)
    >>> [parents for _, parents in graph.parent_sets(1)]
    [(0,), ()]
    """
    names = tuple(argument("own score: names", names, column_names)) if not isinstance(names, str) else tuple(names)
    if len(set(names)) != len(names):
        raise UsageError("own score: the variables must have different names")
    max_parents = argument("max_parents", max_parents, parent_counts)
    known, constraints = constraints_of(knowledge, names, max_parents)
    margin = slack_quanta(slack)
    lookup = score if callable(score) else _function_of(names, score)
    costs, sets, offsets = list[int](), list[tuple[int, ...]](), [0]
    for i, child in enumerate(names):
        required = members(constraints.required[i])
        free = [v for v in members(constraints.allowed[i]) if v not in required]
        most = min(int(constraints.limits[i]) - len(required), len(free))
        if sum(math.comb(len(free), k) for k in range(most + 1)) * len(names) > MOST_CALLS:
            raise UsageError(f"own score: {child!r} has too many parent sets to ask for each; use max_parents")
        scored = {}
        for size in range(most + 1):
            for extra in combinations(free, size):
                parents = tuple(sorted((*required, *extra)))
                cost = _cost(lookup(child, tuple(names[p] for p in parents)), child, parents)
                if cost is not None:
                    scored[parents] = cost
        if not scored:
            raise UsageError(f"own score: {child!r} has no parent set with a score; give it one, () for no parents")
        kept = _not_beaten(scored, margin)
        costs += [cost for cost, _ in kept]
        sets += [parents for _, parents in kept]
        offsets.append(len(costs))
    parameters: dict[str, Any] = {} if max_parents is None else {"max_parents": max_parents}
    if known:
        parameters["knowledge"] = known.to_dict()
    if margin != PLAIN_DOMINANCE:
        parameters["slack"] = slack
    arrays = (np.array(offsets, dtype=np.int64), np.array(costs, dtype=np.int64), set_words(sets, len(names)))
    graph = ParentGraph(names, *arrays, "own", None, None, parameters, {"sets": len(costs)}, exhaustive=True)
    check_total(graph, UsageError, "own score", _REMEDY)
    return graph


def _function_of(names: tuple[str, ...], table: ScoreTable) -> ScoreFunction:
    if not isinstance(table, Mapping) or not all(isinstance(scores, Mapping) for scores in table.values()):
        raise UsageError("own score: give a function, or a mapping from each child to a mapping from parents to scores")
    lookup = {}
    for child, scores in table.items():
        for parents, value in scores.items():
            given = {parents} if isinstance(parents, str) or not isinstance(parents, Iterable) else set(parents)
            unknown = (given | {child}) - set(names)
            if unknown:
                raise UsageError(f"own score: there is no variable {min(unknown, key=str)!r}")
            lookup[child, frozenset(given)] = value
    return lambda child, parents: lookup.get((child, frozenset(parents)), -math.inf)


def _cost(value: float, child: str, parents: tuple[int, ...]) -> int | None:
    """In quanta; None for minus infinity: the set does not exist."""
    if isinstance(value, str) or not hasattr(value, "__float__"):
        raise UsageError(f"own score: {value!r} for {child!r} with {len(parents)} parents; give a number of nats")
    if value == -math.inf:
        return None
    if not isinstance(value, int) and not math.isfinite(value):
        raise UsageError(
            f"own score: {value!r} for {child!r} with {len(parents)} parents; give a finite number of nats"
        )
    if abs(value) >= LARGEST_TOTAL / QUANTA_PER_NAT:
        too_large(UsageError, "own score", child, abs(value), _REMEDY)
    return round(-value * QUANTA_PER_NAT)


def _not_beaten(scored: Mapping[tuple[int, ...], int], margin: int) -> list[tuple[int, tuple[int, ...]]]:
    """Cheapest first, ties by set as a number; sets that a subset beats by more than the margin are left out."""
    best: dict[tuple[int, ...], float] = {}  # least cost of a set and its subsets, whether the set exists or not

    def least(parents: tuple[int, ...]) -> float:
        if parents not in best:
            best[parents] = min(scored.get(parents, math.inf), least_below(parents))
        return best[parents]

    def least_below(parents: tuple[int, ...]) -> float:
        return min((least(parents[:k] + parents[k + 1 :]) for k in range(len(parents))), default=math.inf)

    kept = [(cost, parents) for parents, cost in scored.items() if cost - least_below(parents) <= margin]
    kept.sort(key=lambda item: (item[0], sum(1 << v for v in item[1])))
    return kept
