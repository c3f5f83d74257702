"""Your own score: a function of a child and its parents, or a ready table of local scores.

A function is slow, as every set is asked for one by one, and exact, as every set is asked for: nothing is known that
would allow to leave one out. Of a table only the sets that it holds are looked at, as the others do not exist. Sets
that a subset beats are dropped afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    table = None if callable(score) else _sets_of(names, score)
    costs, sets, offsets = list[int](), list[tuple[int, ...]](), [0]
    for i, child in enumerate(names):
        required = members(constraints.required[i])
        free = [v for v in members(constraints.allowed[i]) if v not in required]
        most = min(int(constraints.limits[i]) - len(required), len(free))
        if table is None:
            values = _asked(score, child, names, required, free, most)
        else:
            values = _listed(table.get(child, {}), required, free, most)
        scored = {parents: cost for parents, value in values if (cost := _cost(value, child, parents)) is not None}
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


def _asked(
    score: Any, child: str, names: tuple[str, ...], required: Sequence[int], free: Sequence[int], most: int
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Every set that is allowed, with what the function says of it."""
    if sum(math.comb(len(free), k) for k in range(most + 1)) * len(names) > MOST_CALLS:
        raise UsageError(f"own score: {child!r} has too many parent sets to ask for each; use max_parents")
    for size in range(most + 1):
        for extra in combinations(free, size):
            parents = tuple(sorted((*required, *extra)))
            yield parents, score(child, tuple(names[p] for p in parents))


def _listed(
    sets: Mapping[tuple[int, ...], Any], required: Sequence[int], free: Sequence[int], most: int
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The sets of a table that are allowed."""
    needed, possible = set(required), {*required, *free}
    for parents, value in sets.items():
        if needed <= set(parents) <= possible and len(parents) <= len(needed) + most:
            yield parents, value


def _sets_of(names: tuple[str, ...], table: Any) -> dict[str, dict[tuple[int, ...], Any]]:
    """The table with the places of the parents, in order, instead of their names."""
    if not isinstance(table, Mapping) or not all(isinstance(scores, Mapping) for scores in table.values()):
        raise UsageError("own score: give a function, or a mapping from each child to a mapping from parents to scores")
    place = {name: v for v, name in enumerate(names)}
    found = dict[str, dict[tuple[int, ...], Any]]()
    for child, scores in table.items():
        sets = found[child] = {}
        for parents, value in scores.items():
            given = {parents} if isinstance(parents, str) or not isinstance(parents, Iterable) else set(parents)
            unknown = (given | {child}) - place.keys()
            if unknown:
                raise UsageError(f"own score: there is no variable {min(unknown, key=str)!r}")
            if child in given:
                raise UsageError(f"own score: the table lists {child!r} among its own parents")
            key = tuple(sorted(place[name] for name in given))
            if key in sets and sets[key] != value:
                raise UsageError(f"own score: the table gives two scores for {child!r} with the same parents")
            sets[key] = value
    return found


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
    few = sum(2 ** len(parents) for parents in scored) <= len(scored) ** 2
    least_below = _least_of_all_subsets(scored) if few else _least_of_those_listed(scored)
    kept = [(cost, parents) for parents, cost in scored.items() if cost - least_below(parents) <= margin]
    kept.sort(key=lambda item: (item[0], sum(1 << v for v in item[1])))
    return kept


def _least_of_all_subsets(scored: Mapping[tuple[int, ...], int]) -> Callable[[tuple[int, ...]], float]:
    best: dict[tuple[int, ...], float] = {}  # least cost of a set and its subsets, whether the set exists or not

    def least(parents: tuple[int, ...]) -> float:
        if parents not in best:
            best[parents] = min(scored.get(parents, math.inf), least_below(parents))
        return best[parents]

    def least_below(parents: tuple[int, ...]) -> float:
        return min((least(parents[:k] + parents[k + 1 :]) for k in range(len(parents))), default=math.inf)

    return least_below


def _least_of_those_listed(scored: Mapping[tuple[int, ...], int]) -> Callable[[tuple[int, ...]], float]:
    by_cost = sorted(((cost, frozenset(parents)) for parents, cost in scored.items()), key=lambda item: item[0])

    def least_below(parents: tuple[int, ...]) -> float:
        members = frozenset(parents)
        return next((cost for cost, subset in by_cost if subset < members), math.inf)

    return least_below
