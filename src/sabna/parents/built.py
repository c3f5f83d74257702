"""How the building of a parent graph ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.errors import Interrupted, LimitReached
from sabna.base.stop import Stop, status_of
from sabna.parents.graph import ParentGraph


@dataclass(frozen=True, eq=False)
class Lists:
    """The parent lists of all variables as one builder of the core made them, or several together."""

    offsets: NDArray[np.int64]
    costs: NDArray[np.int64]
    sets: NDArray[np.uint64]
    floor: NDArray[np.int64]
    evaluated: int
    counted: int
    peak_bytes: int
    stop: Stop

    @staticmethod
    def of(built: core.Built) -> Lists:
        """Of one builder."""
        return Lists(
            built.offsets,
            built.costs,
            built.sets,
            built.floor,
            built.evaluated,
            built.counted,
            built.peak_bytes,
            built.stop,
        )


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


def raise_if_stopped(stop: Stop, evaluated: int) -> None:
    """Interrupted or LimitReached if the core was stopped while it built."""
    if stop == Stop.none:
        return
    if stop == Stop.interrupted:
        raise Interrupted(f"scoring was interrupted after {evaluated:,} local scores")
    raise LimitReached(
        f"the {status_of(stop).replace('_', ' ')} struck while scoring, after {evaluated:,} local scores; raise it, or "
        "bound the parents with max_parents",
        status_of(stop),
        {"evaluated": evaluated},
    )
