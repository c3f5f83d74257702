"""The parent sets that networks near the best are made of, without building all sets that a subset beats by little.

Sets that a subset beats occur in networks near the best, and building the graph with slack (core/parents/slack.h) finds
them all, child by child: ten times the work of the graph without them. Most of that is for nothing. Let S be the
parents of i in a network N that costs at most the best plus the slack, and S' = d(i, S), its cheapest subset. S' is in
the graph without slack. Replace the parents of all variables in N by their cheapest subsets: the network N' is acyclic,
is made of that graph, and

    cost(N) - cost(N') >= cost(i, S) - cost(i, S').

If every network of that graph with S' costs at least L(i, S'), then cost(i, S) - cost(i, S') is at most the room
best + slack - L(i, S'). Bounds and fixing give L (`Listing.rooms`), and leave a few sets S' of each variable with any
room at all. What is needed are supersets S of these, no dearer than the room allows. The builder for required parents
(core/parents/child_by_child.h) lists them: with S' required it starts there, where every parent more costs most. A
variable j with some listed set inside S' + j that is cheaper than S' is in no such S, or S' were not the cheapest.

What is listed may hold more than needed, and never less: the enumeration strikes out the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.alternatives.listing import Listing
from sabna.base.errors import DataError
from sabna.base.limits import Limits
from sabna.base.stop import Stopped
from sabna.base.threads import threads_for
from sabna.engine.engine import Engine
from sabna.parents.build import build_parent_graph
from sabna.parents.built import raise_if_stopped
from sabna.parents.checks import check_total
from sabna.parents.constraints import constraints_of, slack_quanta
from sabna.parents.graph import ParentGraph
from sabna.scores.local import core_table
from sabna.scores.registry import core_parameter, score_parameters, score_type
from sabna.settings import score_options
from sabna.workdir.folder import WorkDir

Progress = Callable[[dict[str, Any]], None]


@dataclass(eq=False)
class NearBest:
    """Builds parent graphs for alternatives of one table; the graph without slack is built once."""

    table: Any
    score: str
    options: dict[str, Any]  # how families are scored, and what is known beforehand
    limits: Limits
    n_jobs: int = -1
    progress: Progress | None = None
    work: WorkDir | None = None
    engine: Engine | None = None
    plain: ParentGraph | None = None
    best: NDArray[np.int64] | None = None  # positions in `plain`, once proven
    evaluated: int = 0

    @staticmethod
    def fits(score: str) -> bool:
        """Whether the score has a fast builder for the graph without slack, and one for required parents."""
        kind = score_type(score)
        return not kind.continuous and not kind.child_by_child and kind.mixed is None

    def graph(self, slack: float) -> ParentGraph:
        """All sets that networks within `slack` nats of the best are made of."""
        if self.plain is None:
            how: dict[str, Any] = {
                "n_jobs": self.n_jobs,
                "progress": self.progress,
                "limits": self.limits,
                "work": self.work,
                "engine": self.engine,
            }
            self.plain = build_parent_graph(self.table, self.score, **self.options, **how)
        rooms = self.rooms(self.plain, slack)
        found: list[dict[bytes, int]] = [{} for _ in range(self.plain.n)]
        waiting = [
            [int(p) for p in range(begin, end) if rooms[p] >= 0]
            for begin, end in zip(self.plain.offsets, self.plain.offsets[1:], strict=False)
        ]
        while any(waiting):  # one set of every variable at a time
            self.add_supersets([positions.pop() for positions in waiting if positions], rooms, found)
        statistics = {**self.plain.statistics, "evaluated": self.plain.statistics["evaluated"] + self.evaluated}
        graph = _graph_of(self.plain, found, {**self.plain.parameters, "slack": slack}, statistics)
        check_total(graph, DataError, "this table", "ask for fewer networks, or bound the parents with max_parents")
        return graph

    def rooms(self, graph: ParentGraph, slack: float) -> NDArray[np.int64]:
        """`Listing.rooms`; the best network is noted on the way."""
        listing = Listing(graph, 1, slack_quanta(slack), self.limits, self.progress, threads_for(self.n_jobs))
        try:
            return listing.rooms()
        except Stopped as stopped:
            raise_if_stopped(stopped.stop, graph.statistics["evaluated"])
            raise
        finally:
            self.best = listing.best if len(listing.best) else None

    def report(self, report: dict[str, Any]) -> None:
        """Pass a report on that tells of some sets, and nothing of the best network."""
        assert self.progress is not None
        self.progress({key: value for key, value in report.items() if key not in ("lower", "upper")})

    def add_supersets(self, positions: list[int], rooms: NDArray[np.int64], found: list[dict[bytes, int]]) -> None:
        """The sets around those at `positions`, of different variables, within their rooms."""
        graph = self.plain
        assert graph is not None
        kind = score_type(self.score)
        parameter = core_parameter(score_parameters(kind, score_options(self.options)))
        _, constraints = constraints_of(self.options.get("knowledge"), graph.names, self.options.get("max_parents"))
        required, allowed = constraints.required.copy(), constraints.allowed.copy()
        by_room: dict[int, list[int]] = {}
        for p in positions:
            i = int(np.searchsorted(graph.offsets, p, side="right")) - 1
            required[i] = graph.sets[p]
            allowed[i] &= ~_excluded(graph, i, p)
            by_room.setdefault(int(rooms[p]), []).append(i)
        codes, arities = core_table(self.table)
        for room, children in by_room.items():
            built = core.build_child_by_child(
                codes,
                arities,
                kind.id,
                parameter,
                required,
                allowed,
                constraints.limits,
                children,
                room,
                threads_for(self.n_jobs),
                self.limits.left(),
                self.report if self.progress else None,
            )
            self.evaluated += built.evaluated
            raise_if_stopped(built.stop, self.evaluated)
            for i in children:
                at = slice(built.offsets[i], built.offsets[i + 1])
                for cost, members in zip(built.costs[at], built.sets[at], strict=True):
                    found[i][members.tobytes()] = int(cost)


def _excluded(graph: ParentGraph, i: int, p: int) -> NDArray[np.uint64]:
    """The variables j outside set p of i with a cheaper set inside p + j."""
    begin = int(graph.offsets[i])
    cheaper = graph.sets[begin:p][graph.costs[begin:p] < graph.costs[p]]
    extra = cheaper & ~graph.sets[p]
    single = np.unpackbits(extra.view(np.uint8), axis=1).sum(axis=1) == 1
    out: NDArray[np.uint64] = np.bitwise_or.reduce(extra[single], axis=0, initial=np.uint64(0))
    return out


def _graph_of(
    plain: ParentGraph, found: list[dict[bytes, int]], parameters: dict[str, Any], statistics: dict[str, Any]
) -> ParentGraph:
    words = plain.sets.shape[1]
    costs, sets, offsets = [], [], [0]
    for entries in found:
        members = np.frombuffer(b"".join(entries), np.uint64).reshape(-1, words)
        cost = np.array(list(entries.values()), np.int64)
        order = np.lexsort([*members.T, cost])
        costs.append(cost[order])
        sets.append(members[order])
        offsets.append(offsets[-1] + len(order))
    arrays = np.array(offsets, np.int64), np.concatenate(costs), np.ascontiguousarray(np.concatenate(sets))
    return ParentGraph(
        plain.names,
        *arrays,
        plain.score,
        plain.rows,
        plain.arities,
        parameters,
        {**statistics, "sets": offsets[-1]},
    )
