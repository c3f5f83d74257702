"""Parent graphs under prior knowledge, with slack, and for scores that are built child by child.

Forbidden edges, tiers, roots, leaves and limits only narrow the candidates; the fast builder does that itself. A
variable with required parents, and every variable where near-best sets are to stay (slack) or the score has rules of
its own, goes through core/parents/lattice_build.h. A score file is filtered by `filter_graph`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.errors import Interrupted, KnowledgeError, LimitReached, UsageError
from sabna.knowledge import Constraints, Knowledge
from sabna.parentgraph import QUANTA_PER_NAT, ParentGraph, members, parent_limits, threads_for

if TYPE_CHECKING:
    from sabna.data import Table
    from sabna.limits import Limits
    from sabna.scoring import ScoreType

PLAIN_DOMINANCE = -1  # slack in quanta: a set must beat all its subsets (core/parents/slack.h)


def slack_quanta(slack: float | None) -> int:
    """Slack in nats as the core takes it; None is plain dominance."""
    if slack is None:
        return PLAIN_DOMINANCE
    if not 0 <= slack < 1e9:
        raise UsageError(f"slack {slack!r}: write nats, 0 or more")
    return round(slack * QUANTA_PER_NAT)


def constraints_of(
    knowledge: Any, names: tuple[str, ...], max_parents: int | Mapping[str, int] | None
) -> tuple[Knowledge, Constraints]:
    """The knowledge, and what it means together with `max_parents`."""
    known = Knowledge.of(knowledge)
    if isinstance(max_parents, Mapping):
        parent_limits(max_parents, names)  # checks names and numbers
        tighter = {v: min(k, known.max_parents.get(v, k)) for v, k in max_parents.items()}
        both = Knowledge(**{**known.to_dict(), "max_parents": {**known.max_parents, **tighter}})
        return known, both.compile(names)
    return known, known.compile(names, None if max_parents is None else int(parent_limits(max_parents, names[:1])[0]))


def build_constrained_arrays(
    table: Table,
    kind: ScoreType,
    parameter: float,
    constraints: Constraints,
    slack: int,
    n_jobs: int,
    limits: Limits,
    progress: Callable[[dict[str, Any]], None] | None,
) -> dict[str, Any]:
    """As the dictionary of core.build_parent_graph: stopped by a limit it holds what was scored by then.

    When the fast builder was stopped, the other variables get their required sets alone.
    """
    from sabna._native import core
    from sabna.scoring import core_table

    codes, arities = core_table(table)
    threads = threads_for(n_jobs)
    slow: NDArray[np.bool_] = np.ones(table.n, dtype=np.bool_)
    if slack < 0 and not kind.child_by_child:
        slow = np.asarray(constraints.required.any(axis=1), dtype=np.bool_)
    out: dict[str, Any] = {
        "evaluated": 0,
        "counted": 0,
        "peak_bytes": 0,
        "stop": 0,
        "floor": np.zeros(table.n, dtype=np.int64),
    }
    fast: dict[str, Any] | None = None
    if not slow.all():
        allowed = np.where(slow[:, None], np.uint64(0), constraints.allowed)
        most = np.where(slow, 0, np.minimum(constraints.limits, table.n)).astype(np.int64)
        rest = (limits.seconds_left(), limits.bytes_left(), progress)
        fast = core.build_parent_graph(codes, arities, kind.id, parameter, most, threads, *rest, allowed)
        out.update(fast)
    if slow.any():
        children = [int(i) for i in np.flatnonzero(slow)]
        rest = (limits.seconds_left() if not out["stop"] else 0.0, limits.bytes_left(), progress)
        try:
            built = core.build_lattice(
                codes, arities, kind.id, parameter, *constraints.arrays, children, slack, threads, *rest
            )
        except ValueError as error:
            raise UsageError(f"{kind.id}: {error}; use max_parents") from None
        arrays = built if fast is None else _spliced(fast, built, slow)
        out.update(offsets=arrays["offsets"], costs=arrays["costs"], sets=arrays["sets"])
        out["floor"] = np.where(slow, built["floor"], out["floor"])
        out["stop"] = out["stop"] or built["stop"]
        out["evaluated"] += built["evaluated"]
        out["peak_bytes"] = max(out["peak_bytes"], built["peak_bytes"])
    return out


def raise_if_stopped(stop: int, evaluated: int) -> None:
    """Interrupted or LimitReached if the core was stopped (a value of `Stop`) while it built."""
    from sabna.result import STATUSES

    if stop == 0:
        return
    if STATUSES[stop] == "interrupted":
        raise Interrupted(f"scoring was interrupted after {evaluated:,} local scores")
    raise LimitReached(
        f"the {STATUSES[stop].replace('_', ' ')} struck while scoring, after {evaluated:,} local scores; raise it, or "
        "bound the parents with max_parents",
        STATUSES[stop],
        {"evaluated": evaluated},
    )


def _spliced(fast: dict[str, Any], slow: dict[str, Any], from_slow: NDArray[np.bool_]) -> dict[str, Any]:
    """The lists of `slow` where `from_slow` says so, else those of `fast`."""
    costs, sets, sizes = [], [], [0]
    for i, use in enumerate(from_slow):
        source = slow if use else fast
        at = slice(source["offsets"][i], source["offsets"][i + 1])
        costs.append(source["costs"][at])
        sets.append(source["sets"][at])
        sizes.append(len(costs[-1]))
    return {
        "offsets": np.cumsum(sizes, dtype=np.int64),
        "costs": np.concatenate(costs),
        "sets": np.concatenate(sets),
    }


def filter_graph(graph: ParentGraph, knowledge: Any) -> ParentGraph:
    """The parent sets of a graph that obey, dominance decided among them.

    What only forbids (forbidden edges and pairs, tiers, roots, leaves, limits) can be applied to any graph: a set that
    was dropped for a subset is dominated by it still, as the subset obeys whenever the set does. Required parents are
    another matter: a set that holds them may have been dropped for a subset that does not. So a variable
    with required parents needs its complete list: all sets up to some size, as in a score file that is not pruned
    (read it with `keep_dominated=True`). A graph built under the same knowledge is returned as it is.
    """
    known = Knowledge.of(knowledge)
    if not known or graph.parameters.get("knowledge") == known.to_dict():
        return graph
    constraints = known.compile(graph.names)
    costs, sets, sizes = [], [], [0]
    for i, name in enumerate(graph.names):
        at = slice(int(graph.offsets[i]), int(graph.offsets[i + 1]))
        if constraints.required[i].any() and not _is_complete(graph.sets[at], graph.n):
            parents = ", ".join(graph.names[v] for v in members(constraints.required[i]))
            raise KnowledgeError(
                f"required parents of {name} ({parents}): this parent graph does not list all of its sets up to some "
                "size, so that sets with its required parents may be missing; build the graph from the data under "
                "this knowledge instead"
            )
        keep = _obeying(graph.sets[at], constraints, i)
        if not keep.any():
            raise KnowledgeError(f"no parent set of {name} in this graph obeys the knowledge; build it from the data")
        costs.append(graph.costs[at][keep])
        sets.append(graph.sets[at][keep])
        sizes.append(int(keep.sum()))
    from sabna._native import core

    offsets, kept, left = core.prune_dominated(
        np.cumsum(sizes, dtype=np.int64), np.concatenate(costs), np.concatenate(sets)
    )
    parameters = {**graph.parameters, "knowledge": known.to_dict()}
    statistics = {**graph.statistics, "sets": len(kept)}
    return ParentGraph(graph.names, offsets, kept, left, graph.score, graph.rows, graph.arities, parameters, statistics)


def _obeying(sets: NDArray[np.uint64], constraints: Constraints, i: int) -> NDArray[np.bool_]:
    sizes = np.zeros(len(sets), dtype=np.int64)
    for word in sets.T:
        sizes += np.array([int(w).bit_count() for w in word], dtype=np.int64)
    inside = ((sets & ~constraints.allowed[i]) == 0).all(axis=1)
    around = ((sets & constraints.required[i]) == constraints.required[i]).all(axis=1)
    obeying: NDArray[np.bool_] = inside & around & (sizes <= constraints.limits[i])
    return obeying


def _is_complete(sets: NDArray[np.uint64], n: int) -> bool:
    """Whether a variable's list holds every set up to the size of its largest."""
    from math import comb

    largest = max((len(members(s)) for s in sets), default=0)
    return largest > 0 and len(np.unique(sets, axis=0)) == sum(comb(n - 1, k) for k in range(largest + 1))
