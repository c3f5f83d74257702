"""How the building of a parent graph ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import Interrupted, LimitReached
from sabna.base.stop import STATUSES
from sabna.parents.graph import ParentGraph


@dataclass(frozen=True, eq=False)
class BuiltGraph:
    """A parent graph and how its building ended.

    When `status` is not "complete", `graph` holds what was scored by then, and no set of variable i that is missing
    from it (and not beaten by a subset in it) costs less than `floor[i]` quanta.
    """

    graph: ParentGraph
    status: str
    floor: NDArray[np.int64]

    def complete(self) -> ParentGraph:
        """The graph, or the exception that says why it is not complete."""
        if self.status == "complete":
            return self.graph
        counts = self.graph.statistics
        message = f"after {counts['evaluated']:,} local scores and {counts['seconds']:.1f} s"
        if self.status == "interrupted":
            raise Interrupted(f"scoring was interrupted {message}")
        limit = self.status.replace("_", " ")
        raise LimitReached(
            f"the {limit} struck while scoring, {message}; raise it, or bound the parents with max_parents",
            self.status,
            counts,
        )


def raise_if_stopped(stop: int, evaluated: int) -> None:
    """Interrupted or LimitReached if the core was stopped (a value of `Stop`) while it built."""
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
