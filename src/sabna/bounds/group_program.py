"""Weights made for a partition: the best that a dual pattern database can reach at the root.

The bound of a pattern (core/bounds/dual_pattern_db.h) as a function of the weights y of the clusters that cross groups,

    B(y) = sum of k y_C + sum over groups G of  min over orders of G of [cost - credits]

is concave: every order of a group with its parent sets is one linear function of y. The weights of the cluster program
(cluster_lp.py) are the best for groups of single variables; for larger groups they are only a start. Raising B further
is a linear program with one column for every network of a group (Dantzig and Wolfe 1960):

    minimise    sum of costs of the networks chosen
    subject to  one network for every group, in parts
                for every crossing cluster, credits of the networks chosen >= k

Columns come from the tables (core/bounds/group_best.h), rows from separation of the point that the columns make up. The
weights tried next lie between the best so far and the program's duals, which jump about at first (Wentges 1997). So the
bound sees inside groups what no cluster cut can, and across them what no table can. Each B(y) is evaluated in integers
by the core: no number of the solver is trusted.

Partitions differ widely in what they reach. The best of many by their bound before is a good guess at the best after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters, to_quanta
from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Share of the best weights so far in those tried next.
SMOOTHING = 0.8
# Cuts are looked for, every second round, once value of the columns and best bound are this share of the gap apart:
# before, the point means little.
CLOSE_ENOUGH = 0.3
# Given up when these two are so close that columns bring no more, or when the last STALL_ROUNDS together closed less
# than STALL_SHARE of the gap; not before FIRST_ROUNDS, for the first columns say little.
CONVERGED = 0.01
FIRST_ROUNDS = 40
STALL_ROUNDS = 20
STALL_SHARE = 0.02
# Cuts broken by less, and shares smaller, are noise.
LEAST_VIOLATION = 1e-3
LEAST_SHARE = 1e-7
# New rows at a time, for k = 1 and for k = 2.
MOST_CUTS = 10


@dataclass(frozen=True, eq=False)
class Raised:
    """The pattern with the best weights found, their bound, the rounds it took, and why it stopped."""

    pattern: Pattern
    bound: int
    rounds: int
    stop: Stop


class _Column:
    """A network of one group: its members in order, and their parent sets."""

    def __init__(self, graph: ParentGraph, order: NDArray[np.int32], choice: Ints) -> None:
        self.order = np.ascontiguousarray(order)
        self.positions = choice[order]
        self.parents = np.ascontiguousarray(graph.sets[self.positions])
        self.cost = int(graph.costs[self.positions].sum())

    def credits(self, n: int, clusters: Clusters) -> Floats:
        """How often it earns the credit of each cluster."""
        return np.asarray(core.count_credits(self.order, self.parents, n, clusters.sets, clusters.k)).astype(float)


class GroupProgram:
    """The linear program over networks of groups."""

    def __init__(self, graph: ParentGraph, pattern: Pattern, largest_rise: int) -> None:
        """`largest_rise` of the bound; more would prove that nothing below the target is left."""
        import highspy

        self.graph, self.groups = graph, pattern.groups
        self.clusters = self._crossing(pattern.clusters)
        self.group_of = np.zeros(graph.n, np.int64)
        for g, words in enumerate(self.groups):
            self.group_of[_members(words)] = g
        self.columns: list[_Column] = []  # in the program after one artificial column for every group
        self.known: set[tuple[bytes, bytes]] = set()
        self.largest_rise = largest_rise / QUANTA_PER_NAT
        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        options: dict[str, Any] = {"output_flag": False, "threads": 1, "presolve": "off"}
        for option, value in options.items():
            self.highs.setOptionValue(option, value)
        self.infinity = self.highs.getInfinity()
        self._add_rows(np.ones(len(self.groups)), np.ones(len(self.groups)))
        self._add_rows(self.clusters.k.astype(float), np.full(len(self.clusters), self.infinity))

    def _crossing(self, clusters: Clusters) -> Clusters:
        """The clusters that no group contains: the others' weights do nothing here."""
        outside = np.all((clusters.sets[:, None, :] & ~self.groups[None, :, :]).any(axis=2), axis=1)
        return Clusters(np.ascontiguousarray(clusters.sets[outside]), clusters.k[outside], clusters.y[outside])

    def _add_rows(self, lower: Floats, upper: Floats) -> None:
        nothing = np.zeros(0, np.int32)
        if len(lower):
            self.highs.addRows(len(lower), lower, upper, 0, np.zeros(len(lower), np.int32), nothing, np.zeros(0))

    def add_networks(self, order: NDArray[np.int32], choice: Ints) -> int:
        """The networks of all groups enter; how many are new."""
        networks = [_Column(self.graph, order[self.group_of[order] == g], choice) for g in range(len(self.groups))]
        if not self.columns:
            self._add_artificial_columns(networks)
        new = 0
        for g, column in enumerate(networks):
            key = (column.order.tobytes(), column.positions.tobytes())
            if key not in self.known:
                self.known.add(key)
                self._add_column(g, column.cost / QUANTA_PER_NAT, column.credits(self.graph.n, self.clusters))
                self.columns.append(column)
                new += 1
        return new

    def _add_artificial_columns(self, networks: list[_Column]) -> None:
        """A column for every group that earns all credits: keeps the program feasible, and costs too much to stay."""
        k, y = self.clusters.k, self.clusters.y
        for g, column in enumerate(networks):
            earned = int((y * (k - column.credits(self.graph.n, self.clusters))).sum())
            self._add_column(g, (column.cost + earned) / QUANTA_PER_NAT + 2 * self.largest_rise, k.astype(float))

    def _add_column(self, group: int, cost: float, credits: Floats) -> None:
        used = np.flatnonzero(credits)
        index = np.concatenate([[group], used + len(self.groups)]).astype(np.int32)
        value = np.concatenate([[1.0], credits[used]])
        self.highs.addCol(cost, 0.0, self.infinity, len(index), index, value)

    def add_cuts(self, sets: NDArray[np.uint64], k: int) -> int:
        """Clusters that cross groups enter as rows; how many."""
        count = len(sets)
        new = self._crossing(Clusters(sets, np.full(count, k, np.int64), np.zeros(count, np.int64)))
        if not len(new):
            return 0
        artificial = np.full((len(self.groups), len(new)), float(k))
        credits = np.array([column.credits(self.graph.n, new) for column in self.columns])
        for row in np.concatenate([artificial, credits]).T:
            used = np.flatnonzero(row).astype(np.int32)
            self.highs.addRow(float(k), self.infinity, len(used), used, row[used])
        old = self.clusters
        self.clusters = Clusters(
            np.concatenate([old.sets, new.sets]), np.concatenate([old.k, new.k]), np.concatenate([old.y, new.y])
        )
        return len(new)

    def solve(self) -> tuple[int, Floats, Ints] | None:
        """Value in quanta, shares of the networks, and weights; None if the solver did not finish."""
        self.highs.run()
        solution = self.highs.getSolution()
        if self.highs.modelStatusToString(self.highs.getModelStatus()) != "Optimal" or not solution.dual_valid:
            return None
        value = int(self.highs.getInfo().objective_function_value * QUANTA_PER_NAT)
        duals = np.array(solution.row_dual)[len(self.groups) :]
        return (
            value,
            np.array(solution.col_value)[len(self.groups) :],
            to_quanta(duals * QUANTA_PER_NAT, 0),
        )

    def broken_cuts(self, shares: Floats, k: int) -> NDArray[np.uint64]:
        """Clusters whose cut the point of the columns breaks."""
        point: dict[int, float] = {}
        for j in np.flatnonzero(shares > LEAST_SHARE):
            for position in self.columns[j].positions:
                point[int(position)] = point.get(int(position), 0.0) + float(shares[j])
        positions = np.array(sorted(point), np.int64)
        variable = (np.searchsorted(self.graph.offsets, positions, side="right") - 1).astype(np.int32)
        x = np.array([point[int(p)] for p in positions])
        parents = np.ascontiguousarray(self.graph.sets[positions])
        return core.separate_clusters(variable, parents, x, self.graph.n, k, LEAST_VIOLATION, MOST_CUTS, 1).sets


def raise_best(
    graph: ParentGraph, patterns: list[Pattern], target: int, limits: Limits, threads: int, most_rounds: int
) -> Raised:
    """Take the best of some patterns and raise its bound by its weights.

    Ends at `target`, when rounds no longer pay, or at a limit.
    """
    tables = _Tables(graph, limits, threads)
    bounds = []
    for pattern in patterns:
        bounds.append(tables.best(pattern).bound)
        if tables.stop != Stop.none:
            break
    return _raise(tables, patterns[int(np.argmax(bounds))], target, most_rounds)


class _Tables:
    """The core's answers for one graph under limits; `stop` says whether one struck."""

    def __init__(self, graph: ParentGraph, limits: Limits, threads: int) -> None:
        self.graph, self.limits, self.threads, self.stop = graph, limits, threads, Stop.none

    def best(self, pattern: Pattern) -> core.GroupBest:
        """The cheapest networks of the groups, and their bound."""
        best = core.best_of_groups(*self.graph.arrays, pattern.arrays, self.threads, self.limits.left())
        self.stop = best.stop
        if self.stop == Stop.interrupted:  # the core has taken the signal
            raise KeyboardInterrupt
        return best


def _raise(tables: _Tables, pattern: Pattern, target: int, most_rounds: int) -> Raised:
    """Columns, weights, cuts, in rounds."""
    best = -INFINITE
    program: GroupProgram | None = None
    weights = best_weights = pattern.clusters
    history: list[int] = []
    while len(history) < most_rounds:
        found = tables.best(Pattern(weights, pattern.groups))
        if tables.stop != Stop.none:
            break
        if found.bound > best:
            best, best_weights = found.bound, weights
        history.append(best)
        if best >= target:
            break
        if program is None:
            program = GroupProgram(tables.graph, pattern, target - best)
            best_weights = program.clusters
        new = program.add_networks(found.order, found.choice)
        solved = program.solve()
        if solved is None:
            break
        value, shares, y = solved
        apart = (value - best) / (target - best)
        settled = not new or apart < CONVERGED
        cuts = 0
        if settled or (apart < CLOSE_ENOUGH and len(history) % 2 == 0):
            cuts = sum(program.add_cuts(program.broken_cuts(shares, k), k) for k in (1, 2))
        if (settled and not cuts) or _stalled(history, target):
            break
        weights = _between(program.clusters, best_weights, y, SMOOTHING if new else 0.0)
    return Raised(Pattern(best_weights, pattern.groups), best, len(history), tables.stop)


def _stalled(history: list[int], target: int) -> bool:
    """Whether the last rounds brought too little."""
    if len(history) <= max(STALL_ROUNDS, FIRST_ROUNDS):
        return False
    return history[-1] - history[-1 - STALL_ROUNDS] < STALL_SHARE * (target - history[-1])


def _between(clusters: Clusters, best: Clusters, y: Ints, smoothing: float) -> Clusters:
    """Weights between the best and the program's; rows that came later have weight 0 in either."""
    old, new = np.zeros(len(clusters), np.int64), np.zeros(len(clusters), np.int64)
    old[: len(best)] = best.y
    new[: len(y)] = y
    return Clusters.of(clusters.sets, clusters.k, smoothing * old + (1 - smoothing) * new)


def _members(words: NDArray[np.uint64]) -> list[int]:
    return [64 * w + b for w, word in enumerate(words) for b in range(64) if int(word) >> b & 1]
