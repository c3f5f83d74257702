"""Parent graphs under prior knowledge, with slack, and for scores that are built child by child.

Forbidden edges, tiers, roots, leaves and limits only narrow the candidates; the fast builder does that itself. A
variable with required parents, and every variable where near-best sets are to stay (slack) or the score has rules of
its own, goes through core/parents/child_by_child.h; where every set is to stay, through core/parents/every_set.h. A
score file is filtered by `filter_graph`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import LARGEST_SLACK
from sabna.base.errors import UsageError
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop
from sabna.base.threads import threads_for
from sabna.base.varsets import members
from sabna.parents.builders.groups import Keeping, build_in_groups
from sabna.parents.builders.levels import Problem, build_in_slices
from sabna.parents.built import Lists, spliced
from sabna.parents.knowledge import Constraints
from sabna.parents.scoring_bounds import Hear, ScoringBounds
from sabna.scores.local import core_table

if TYPE_CHECKING:
    from sabna.base.limits import Limits
    from sabna.engine.engine import Engine
    from sabna.scores.registry import ScoreType
    from sabna.table import Table


@dataclass(frozen=True, eq=False)
class ChildByChild:
    """Builds the lists of variables that the fast builder does not take (see Builder)."""

    codes: NDArray[np.uint16]
    arities: NDArray[np.int64]
    score: str
    parameter: float
    constraints: Constraints
    slack: int

    def __call__(
        self,
        children: list[int],
        threads: int,
        limits: core.Limits,
        report: ProgressCallback | None = None,
        hear: Hear | None = None,
    ) -> Lists:
        """By the core."""
        return Lists.of(
            core.build_child_by_child(
                self.codes,
                self.arities,
                self.score,
                self.parameter,
                *self.constraints.arrays,
                children,
                self.slack,
                threads,
                limits,
                report,
                hear,
            )
        )


def build_constrained_arrays(
    table: Table,
    kind: ScoreType,
    parameter: float,
    constraints: Constraints,
    slack: int,
    n_jobs: int,
    limits: Limits,
    bounds: ScoringBounds | None,
    wanted: NDArray[np.bool_] | None = None,
    keeping: Keeping | None = None,
    engine: Engine | None = None,
) -> Lists:
    """The lists of all variables, or of those `wanted`; stopped by a limit they hold what was scored by then.

    When the fast builder was stopped, the other variables get their required sets alone. Finished pieces of both are
    kept, and the engine works on both.
    """
    wanted = np.ones(table.n, dtype=np.bool_) if wanted is None else wanted
    codes, arities = core_table(table)
    threads = threads_for(n_jobs)
    slow: NDArray[np.bool_] = wanted
    if slack < 0 and not kind.child_by_child:
        slow = wanted & np.asarray(constraints.required.any(axis=1), dtype=np.bool_)
    quick = wanted & ~slow
    report = bounds.report if bounds else None
    fast: Lists | None = None
    if quick.any():
        allowed = np.where(quick[:, None], constraints.allowed, np.uint64(0))
        most = np.where(quick, np.minimum(constraints.limits, table.n), 0).astype(np.int64)
        if bounds:
            _start_slow(bounds, table, kind, parameter, constraints, slow)
        chosen = np.flatnonzero(quick).tolist()
        if keeping is not None or engine is not None:
            problem = Problem(codes, np.asarray(arities), kind.id, parameter, most, allowed)
            fast = build_in_slices(problem, threads, limits, bounds, keeping, engine, chosen)
        else:
            hear = bounds.hear(chosen) if bounds else None
            fast = Lists.of(
                core.build_parent_graph(
                    codes, arities, kind.id, parameter, most, threads, limits.left(), report, allowed, hear
                )
            )
        if not slow.any():
            return fast
    children = [int(i) for i in np.flatnonzero(slow)]
    finished = fast is None or fast.stop == Stop.none
    if slack >= LARGEST_SLACK and not kind.child_by_child and _fits_every_set(arities, constraints, children):
        left = limits.left() if finished else limits.left(seconds=0.0)
        return Lists.of(
            core.build_every_set(
                codes, arities, kind.id, parameter, *constraints.arrays, children, threads, left, report
            )
        )

    builder = ChildByChild(codes, np.asarray(arities), kind.id, parameter, constraints, slack)
    try:
        if finished:
            built = build_in_groups(builder, children, table.n, threads, limits, bounds, keeping, engine)
        else:
            hear = bounds.hear(children) if bounds else None
            built = builder(children, threads, limits.left(seconds=0.0), report, hear)
    except ValueError as error:
        raise UsageError(f"{kind.id}: {error}; use max_parents") from None
    return built if fast is None else spliced([fast, built], slow.astype(int).tolist())


def _fits_every_set(arities: NDArray[np.int64], constraints: Constraints, children: list[int]) -> bool:
    """Whether sums for all sets of variables can be held and pay, and products of arities are exact in any order.

    A sum is kept for each of the 2^n sets, whether knowledge and limits leave many families of them or few.
    """
    n: int = len(arities)
    if n > core.every_set_most_variables or math.prod(map(int, arities)) >= 2**63:
        return False
    families: int = 0
    for child in children:
        needed = len(members(constraints.required[child]))
        free = len(members(constraints.allowed[child])) - needed
        most = min(int(constraints.limits[child]) - needed, free)
        families += sum(math.comb(free, k) for k in range(most + 1))
    return 4 * families > 1 << n


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
