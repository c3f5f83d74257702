"""How the building of a parent graph ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.errors import DataError, Interrupted, LimitReached
from sabna.base.stop import Stop, status_of
from sabna.parents.checks import check_total
from sabna.parents.constraints import ParentLimits, limits_by_name
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Knowledge
from sabna.table import Table
from sabna.table.interventions import targets_of


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


def spliced(parts: Sequence[Lists], which: Sequence[int]) -> Lists:
    """The list of each variable i from `parts[which[i]]`."""
    costs, sets, sizes = [], [], [0]
    for i, part in enumerate(which):
        source = parts[part]
        at = slice(source.offsets[i], source.offsets[i + 1])
        costs.append(source.costs[at])
        sets.append(source.sets[at])
        sizes.append(len(costs[-1]))
    return Lists(
        np.cumsum(sizes, dtype=np.int64),
        np.concatenate(costs),
        np.concatenate(sets),
        floor=np.array([parts[part].floor[i] for i, part in enumerate(which)], dtype=np.int64),
        evaluated=sum(part.evaluated for part in parts),
        counted=sum(part.counted for part in parts),
        peak_bytes=max(part.peak_bytes for part in parts),
        stop=next((part.stop for part in parts if part.stop != Stop.none), Stop.none),
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
            f"the {limit} struck while scoring, {message}; raise it, or bound the parents with `max_parents`",
            self.status,
            counts,
        )


def graph_of_lists(
    built: Lists,
    table: Any,
    score: str,
    parameters: Mapping[str, Any],
    *,
    max_parents: ParentLimits,
    known: Knowledge | None,
    slack: float | None,
    seconds: float,
    threads: int,
    arities: Any,
    smaller: str,
) -> BuiltGraph:
    """The graph of what a builder made of a table, with what it was asked and how it ended.

    `slack` in nats; `smaller` says what to do where costs are too large to be added up.
    """
    noted = dict(parameters)
    if max_parents is not None:
        noted["max_parents"] = limits_by_name(max_parents, table.names)
    if known:
        noted["knowledge"] = known.to_dict()
    if table.was_set is not None:
        noted["interventions"] = targets_of(table)
    if slack is not None:
        noted["slack"] = slack
    statistics: dict[str, Any] = {
        "sets": len(built.costs),
        "evaluated": built.evaluated,
        "peak_bytes": built.peak_bytes,
    }
    if isinstance(table, Table):  # of categories, whose tables of counts were made
        statistics["counted"] = built.counted
    statistics |= {"seconds": seconds, "threads": threads}
    graph = ParentGraph(
        table.names,
        built.offsets,
        built.costs,
        built.sets,
        score,
        table.rows,
        arities,
        noted,
        statistics,
        exhaustive=built.stop == Stop.none,
    )
    check_total(graph, DataError, "this table", smaller)
    return BuiltGraph(graph, status_of(built.stop, ended="complete"), built.floor)


def raise_if_stopped(stop: Stop, evaluated: int) -> None:
    """Interrupted or LimitReached if the core was stopped while it built."""
    if stop == Stop.none:
        return
    if stop == Stop.interrupted:
        raise Interrupted(f"scoring was interrupted after {evaluated:,} local scores")
    raise LimitReached(
        f"the {status_of(stop).replace('_', ' ')} struck while scoring, after {evaluated:,} local scores; raise it, or "
        "bound the parents with `max_parents`",
        status_of(stop),
        {"evaluated": evaluated},
    )
