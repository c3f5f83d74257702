"""Parent graphs under prior knowledge, with slack, and for scores that are built child by child.

Forbidden edges, tiers, roots, leaves and limits only narrow the candidates; the fast builder does that itself. A
variable with required parents, and every variable where near-best sets are to stay (slack) or the score has rules of
its own, goes through core/parents/child_by_child.h. A score file is filtered by `filter_graph`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.errors import UsageError
from sabna.base.stop import Stop
from sabna.base.threads import threads_for
from sabna.parents.built import Lists
from sabna.parents.knowledge import Constraints
from sabna.parents.scoring_bounds import ScoringBounds
from sabna.scores.local import core_table

if TYPE_CHECKING:
    from sabna.base.limits import Limits
    from sabna.scores.registry import ScoreType
    from sabna.table import Table


def build_constrained_arrays(
    table: Table,
    kind: ScoreType,
    parameter: float,
    constraints: Constraints,
    slack: int,
    n_jobs: int,
    limits: Limits,
    bounds: ScoringBounds | None,
) -> Lists:
    """The lists of all variables; stopped by a limit they hold what was scored by then.

    When the fast builder was stopped, the other variables get their required sets alone.
    """
    codes, arities = core_table(table)
    threads = threads_for(n_jobs)
    slow: NDArray[np.bool_] = np.ones(table.n, dtype=np.bool_)
    if slack < 0 and not kind.child_by_child:
        slow = np.asarray(constraints.required.any(axis=1), dtype=np.bool_)
    report = bounds.report if bounds else None
    fast: Lists | None = None
    if not slow.all():
        allowed = np.where(slow[:, None], np.uint64(0), constraints.allowed)
        most = np.where(slow, 0, np.minimum(constraints.limits, table.n)).astype(np.int64)
        if bounds:
            _start_slow(bounds, table, kind, parameter, constraints, slow)
        hear = bounds.hear(np.flatnonzero(~slow).tolist()) if bounds else None
        fast = Lists.of(
            core.build_parent_graph(
                codes, arities, kind.id, parameter, most, threads, limits.left(), report, allowed, hear
            )
        )
        if not slow.any():
            return fast
    children = [int(i) for i in np.flatnonzero(slow)]
    left = limits.left() if fast is None or fast.stop == Stop.none else limits.left(seconds=0.0)
    hear = bounds.hear(children) if bounds else None
    try:
        built = Lists.of(
            core.build_child_by_child(
                codes, arities, kind.id, parameter, *constraints.arrays, children, slack, threads, left, report, hear
            )
        )
    except ValueError as error:
        raise UsageError(f"{kind.id}: {error}; use max_parents") from None
    return built if fast is None else _spliced(fast, built, slow)


def _start_slow(
    bounds: ScoringBounds,
    table: Table,
    kind: ScoreType,
    parameter: float,
    constraints: Constraints,
    slow: NDArray[np.bool_],
) -> None:
    """The required sets of the variables that are built last: with them there are bounds from the start."""
    children = np.flatnonzero(slow)
    required = np.ascontiguousarray(constraints.required[children])
    costs = core.local_costs(*core_table(table), kind.id, parameter, children, required)
    for child, cost, parents in zip(children.tolist(), costs.tolist(), required, strict=True):
        bounds.start(child, cost, parents, least=0)  # no cost of categories is negative (core/parents/child_by_child.h)


def _spliced(fast: Lists, slow: Lists, from_slow: NDArray[np.bool_]) -> Lists:
    """The lists of `slow` where `from_slow` says so, else those of `fast`."""
    costs, sets, sizes = [], [], [0]
    for i, use in enumerate(from_slow):
        source = slow if use else fast
        at = slice(source.offsets[i], source.offsets[i + 1])
        costs.append(source.costs[at])
        sets.append(source.sets[at])
        sizes.append(len(costs[-1]))
    return Lists(
        np.cumsum(sizes, dtype=np.int64),
        np.concatenate(costs),
        np.concatenate(sets),
        floor=np.where(from_slow, slow.floor, fast.floor),
        evaluated=fast.evaluated + slow.evaluated,
        counted=fast.counted,
        peak_bytes=max(fast.peak_bytes, slow.peak_bytes),
        stop=fast.stop if fast.stop != Stop.none else slow.stop,
    )
