"""The linear program over parent sets with clusters, local cuts and derived cuts (cuts.py) as rows.

It goes on where the cluster program (cluster_lp.py) ends: fixing has left fewer parent sets by then, so that the
coefficients of all rows are kept as one matrix over all of them, and a derived cut is one line of arithmetic. Columns
enter when their reduced cost turns negative. A row that has been slack for a while leaves the program but not the
matrix: others may be derived from it, and it comes back when a point breaks it.

Row duals, rounded down to whole quanta, are weights like any others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.bounds.average_point import AveragePoint
from sabna.bounds.cluster_lp import LEAST_SHARE, LEAST_VIOLATION, PIVOTS_PER_SLICE
from sabna.bounds.cuts import (
    Coefficients,
    Cuts,
    Ints,
    cluster_coefficients,
    halved,
    reduced_by,
    row_sizes,
    rows_of,
    weighted,
)
from sabna.bounds.deriving import Columns, Floats, Halving, halvings
from sabna.bounds.local_cuts import LocalCuts, broken_local_cuts, local_coefficients
from sabna.bounds.rounding import rounded_order
from sabna.bounds.weights import Clusters, Reduced, to_quanta
from sabna.parents.graph import ParentGraph

if TYPE_CHECKING:
    from sabna.base.limits import Limits

# Columns per variable to begin with, and entering per round for each variable of the problem.
FIRST_COLUMNS = 12
NEW_COLUMNS = 10
# Pivots of one solve at most: the solver may go round in circles where very many points are equally good. (It made
# 200,000 pivots in four solves of a program of 600 rows, where 1,000 each are usual.)
PIVOTS_PER_SOLVE = 20_000
# Pivots of one side of a trial of branching.
PIVOTS_PER_TRIAL = 60
# A row leaves after so many rounds with slack.
PATIENCE = 3
# Share of the newest point in the average, which local cuts are looked for at first.
NEWEST_SHARE = 0.3
# Memory kept for coefficients, as a multiple of what they take.
ROOM = 8
# What a row is.
CLUSTER, LOCAL, DERIVED = range(3)


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved program: the columns' shares, the rows' values and duals (equations first), the objective in nats."""

    share: Floats
    value: Floats
    duals: Floats
    objective: float


class CutProgram:
    """One linear program, kept warm between rounds."""

    def __init__(self, graph: ParentGraph, cuts: Cuts) -> None:
        self.graph = graph
        self.variable = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.offsets))
        self.cheapest = graph.costs[graph.offsets[:-1]]
        self.nats: Floats = (graph.costs - self.cheapest[self.variable]) / QUANTA_PER_NAT
        # Rows in the order they came: a cluster and its k, the number of a local cut, or the sources of a derived cut
        # and their factors.
        self.made: list[tuple[Any, Any]] = [*zip(cuts.clusters.sets, cuts.clusters.k.tolist(), strict=True)]
        self.made += [(c, None) for c in range(len(cuts.local))]
        self.made += [cuts.entries(d) for d in range(len(cuts.y))]
        self.local = cuts.local
        self.store, self.b = rows_of(graph, cuts)
        self.sizes = row_sizes(self.a, self.b, graph.offsets)
        self.kind = np.repeat([CLUSTER, LOCAL, DERIVED], [len(cuts.clusters), len(cuts.local), len(cuts.y)])
        self.rows = np.flatnonzero(cuts.weights > 0)  # those in the program, in its order
        self.idle = np.zeros(len(self.rows), np.int64)
        self.columns = np.zeros(0, np.int64)
        self.inside = np.zeros(len(graph), bool)
        self.average = AveragePoint(graph.offsets, NEWEST_SHARE)
        self.pivots = 0
        self._start(reduced_by(graph, self.a, self.b, cuts.weights))

    @property
    def a(self) -> Coefficients:
        """The coefficients [rows, parent sets]."""
        return self.store[: len(self.b)]

    def _start(self, reduced: Reduced) -> None:
        import highspy

        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            self.highs.setOptionValue(option, value)
        self.highs.setOptionValue("simplex_iteration_limit", PIVOTS_PER_SLICE)
        self.infinity = self.highs.getInfinity()
        n = self.graph.n
        nothing = np.zeros(0, np.int32)
        self.highs.addRows(n, np.ones(n), np.ones(n), 0, np.zeros(n, np.int32), nothing, np.zeros(0))
        self._put_rows(self.rows)
        order = np.lexsort((reduced.cost, self.variable))
        rank = np.arange(len(order)) - self.graph.offsets[self.variable[order]]
        self.add_columns(np.sort(order[rank < FIRST_COLUMNS]))

    # Rows and columns.

    def _put_rows(self, which: Ints) -> None:
        if len(which):
            row, index = np.nonzero(self.a[np.ix_(which, self.columns)])
            value = self.a[which[row], self.columns[index]].astype(float)
            starts = np.searchsorted(row, np.arange(len(which))).astype(np.int32)
            lower, upper = self.b[which].astype(float), np.full(len(which), self.infinity)
            self.highs.addRows(len(which), lower, upper, len(index), starts, index.astype(np.int32), value)

    def add_columns(self, which: Ints) -> None:
        """Parent sets enter the program."""
        if not len(which):
            return
        own = np.zeros((len(which), self.graph.n), np.int16)
        own[np.arange(len(which)), self.variable[which]] = 1
        dense = np.concatenate([own, self.a[np.ix_(self.rows, which)].T], axis=1)
        column, index = np.nonzero(dense)
        starts = np.searchsorted(column, np.arange(len(which))).astype(np.int32)
        values = dense[column, index].astype(float)
        zeros, top = np.zeros(len(which)), np.full(len(which), self.infinity)
        self.highs.addCols(len(which), self.nats[which], zeros, top, len(index), starts, index.astype(np.int32), values)
        self.columns = np.concatenate([self.columns, which])
        self.inside[which] = True

    def add_clusters(self, sets: NDArray[np.uint64], k: int) -> None:
        """Clusters enter the matrix and the program."""
        ks = np.full(len(sets), k, np.int64)
        cluster_coefficients(self.graph, sets, ks, self.variable, self._room_for(len(sets)))
        self._add(ks, [(s, k) for s in sets], CLUSTER)

    def add_local(self, cuts: LocalCuts) -> None:
        """Local cuts enter the matrix and the program."""
        if len(cuts):
            numbers = [(len(self.local) + c, None) for c in range(len(cuts))]
            self.local = self.local.and_more(cuts)
            local_coefficients(self.graph, cuts, self._room_for(len(cuts)))
            self._add(cuts.right, numbers, LOCAL)

    def add_derived(self, halvings: list[Halving]) -> None:
        """Derived cuts enter the matrix and the program. Their rows are counted as they stood in the program."""
        n, made, rows, right = self.graph.n, [], [], []
        for halving in halvings:
            own, used = np.flatnonzero(halving.equations), halving.rows
            source = np.concatenate([own, n + used])
            times = np.concatenate([halving.equations[own], np.ones(len(used), np.int64)])
            a, b = halved(self.a, self.b, source, times, self.variable, n)
            made.append((source, times))
            rows.append(a)
            right.append(b)
        if rows:
            self._room_for(len(rows))[:] = rows
            self._add(np.array(right, np.int64), made, DERIVED)

    def _room_for(self, count: int) -> Coefficients:
        """Rows of zeros behind those of the matrix, for coefficients of new ones."""
        first, last = len(self.b), len(self.b) + count
        if last > len(self.store):
            store = np.empty((2 * last, len(self.graph)), np.int16)
            store[:first] = self.a
            self.store = store
        room: Coefficients = self.store[first:last]
        room[:] = 0
        return room

    def _add(self, b: Ints, made: list[tuple[Any, Any]], kind: int) -> None:
        """Rows whose coefficients are in their room enter the matrix and the program."""
        first, last = len(self.b), len(self.b) + len(b)
        self.sizes = np.concatenate([self.sizes, row_sizes(self.store[first:last], b, self.graph.offsets)])
        self.b = np.concatenate([self.b, b])
        self.made += made
        self.kind = np.concatenate([self.kind, np.full(len(b), kind)])
        self.add_rows(np.arange(first, last))

    def add_rows(self, which: Ints) -> None:
        """Rows of the matrix enter the program."""
        self._put_rows(which)
        self.rows = np.concatenate([self.rows, which])
        self.idle = np.concatenate([self.idle, np.zeros(len(which), np.int64)])

    def drop_idle_rows(self, duals: Floats) -> None:
        """Rows that have been slack for a while leave."""
        self.idle = np.where(duals[self.graph.n :] > 1e-9, 0, self.idle + 1)
        gone = np.flatnonzero(self.idle > PATIENCE).astype(np.int32)
        if len(gone):
            self.highs.deleteRows(len(gone), gone + self.graph.n)
            self.rows, self.idle = np.delete(self.rows, gone), np.delete(self.idle, gone)

    def restrict(self, graph: ParentGraph, keep: NDArray[np.bool_]) -> None:
        """Go on with the marked parent sets only, which make up `graph`."""
        gone = np.flatnonzero(~keep[self.columns]).astype(np.int32)
        if len(gone):
            self.highs.deleteCols(len(gone), gone)
            self.columns = np.delete(self.columns, gone)
        self.columns = (np.cumsum(keep) - 1)[self.columns]
        # In place: what was room for columns is room for rows then. Where that is far too much it is given back.
        core.keep_columns(self.a, np.flatnonzero(keep))
        memory, width = self.store.reshape(-1), len(graph)
        if len(memory) > ROOM * len(self.b) * width:
            memory = memory[: len(self.b) * width].copy()
        self.store = memory[: len(memory) // width * width].reshape(-1, width)
        self.graph = graph
        self.average.restrict(graph.offsets, keep)
        self.inside, self.variable, self.nats = self.inside[keep], self.variable[keep], self.nats[keep]

    # Solving.

    def solve(self, limits: Limits) -> Solution | None:
        """Solve; None if the solver did not finish."""
        status = self._run(limits)
        if status == "Infeasible" and not self.inside.all():
            self.add_columns(np.flatnonzero(~self.inside))
            status = self._run(limits)
        found = self.highs.getSolution()
        if status != "Optimal" or not found.dual_valid:
            return None
        objective = self.highs.getInfo().objective_function_value
        return Solution(np.array(found.col_value), np.array(found.row_value), np.array(found.row_dual), objective)

    def without(self, struck: NDArray[np.bool_]) -> float:
        """The objective in nats without these parent sets, as far as a few pivots tell; the program stays as it is."""
        which = np.flatnonzero(struck[self.columns]).astype(np.int32)
        zeros, top = np.zeros(len(which)), np.full(len(which), self.infinity)
        basis = self.highs.getBasis()
        self.highs.changeColsBounds(len(which), which, zeros, zeros)
        self.highs.setOptionValue("simplex_iteration_limit", PIVOTS_PER_TRIAL)
        self.highs.run()
        self.pivots += max(self.highs.getInfo().simplex_iteration_count, 0)
        infeasible = str(self.highs.modelStatusToString(self.highs.getModelStatus())) == "Infeasible"
        objective = self.infinity if infeasible else self.highs.getInfo().objective_function_value
        self.highs.setOptionValue("simplex_iteration_limit", PIVOTS_PER_SLICE)
        self.highs.changeColsBounds(len(which), which, zeros, top)
        self.highs.setBasis(basis)
        return float(objective)

    def _run(self, limits: Limits) -> str:
        """Solve in slices of pivots; the solver's own word for how that ended."""
        status, begun = "Time limit reached", self.pivots
        while limits.seconds_left() != 0 and self.pivots < begun + PIVOTS_PER_SOLVE:
            left = limits.seconds_left()
            self.highs.setOptionValue("time_limit", self.infinity if left < 0 else self.highs.getRunTime() + left)
            self.highs.run()
            self.pivots += max(self.highs.getInfo().simplex_iteration_count, 0)
            status = str(self.highs.modelStatusToString(self.highs.getModelStatus()))
            if status != "Iteration limit reached":
                break
        return status

    def weights(self, duals: Floats) -> Ints:
        """The row duals as whole quanta, one for every row of the matrix."""
        y = np.zeros(len(self.b))
        y[self.rows] = duals[self.graph.n :] * QUANTA_PER_NAT
        return weighted(y, self.sizes)

    def reduced(self, y: Ints) -> Reduced:
        """The bound of weights, in integers."""
        return reduced_by(self.graph, self.a, self.b, y)

    def cuts(self, y: Ints) -> Cuts:
        """The rows with weight, and those they are derived from."""
        needed = self._with_sources(y > 0)
        clusters, local, derived = (np.flatnonzero(needed & (self.kind == kind)) for kind in (CLUSTER, LOCAL, DERIVED))
        number = self._renumbered(np.concatenate([clusters, local, derived]))
        sets = np.zeros((len(clusters), self.graph.sets.shape[1]), np.uint64)
        for row, r in enumerate(clusters):
            sets[row] = self.made[r][0]
        made = [(number[self.made[r][0]], self.made[r][1]) for r in derived]
        some = self.local.chosen(np.array([self.made[r][0] for r in local], np.int64)).with_weights(y[local])
        return Cuts.made_of(self.graph.n, Clusters(sets, self.b[clusters], y[clusters]), some, made, y[derived])

    def _with_sources(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The marked rows, and those they are derived from."""
        n, needed = self.graph.n, rows.copy()
        for r in np.flatnonzero(self.kind == DERIVED)[::-1]:
            if needed[r]:
                source = self.made[r][0]
                needed[source[source >= n] - n] = True
        return needed

    def _renumbered(self, rows: Ints) -> Ints:
        """For every source its number once these rows, in this order, are all there are."""
        number = np.arange(self.graph.n + len(self.b))
        number[self.graph.n + rows] = self.graph.n + np.arange(len(rows))
        return number

    def forget(self) -> None:
        """Rows that are neither in the program nor needed by those that are leave the matrix."""
        needed = np.zeros(len(self.b), bool)
        needed[self.rows] = True
        stay = np.flatnonzero(self._with_sources(needed))
        number = self._renumbered(stay)
        self.local = self.local.chosen(np.array([self.made[r][0] for r in stay if self.kind[r] == LOCAL], np.int64))
        made: list[tuple[Any, Any]] = []
        locals_so_far = 0
        for r in stay:
            source, times = self.made[r]
            if self.kind[r] == LOCAL:
                source, locals_so_far = locals_so_far, locals_so_far + 1
            made.append((number[source] if self.kind[r] == DERIVED else source, times))
        self.made, self.kind, self.b, self.store = made, self.kind[stay], self.b[stay], self.store[stay]
        self.sizes = self.sizes[stay]
        self.rows = number[self.graph.n + self.rows] - self.graph.n

    def refine(self, limits: Limits, rounds: int = 2) -> Ints | None:
        """Weights exact to quanta: solve again for what rounding left over, scaled up (as in cluster_lp.py)."""
        solution = self.solve(limits)
        every, scale = np.arange(len(self.columns), dtype=np.int32), 2.0**10
        if solution is None:
            return None
        y = self.weights(solution.duals)
        for _ in range(rounds):
            reduced = self.reduced(y)
            left = (reduced.cost - reduced.least[self.variable])[self.columns].astype(float)
            self.highs.changeColsCost(len(every), every, left * (scale / QUANTA_PER_NAT))
            solution = self.solve(limits)
            if solution is None:
                break
            more = np.zeros(len(y))
            more[self.rows] = np.floor(solution.duals[self.graph.n :] * (QUANTA_PER_NAT / scale))
            y = weighted(y + to_quanta(more), self.sizes)
        every = np.arange(len(self.columns), dtype=np.int32)
        self.highs.changeColsCost(len(every), every, self.nats[self.columns])
        return y

    # What enters next.

    def entering(self, reduced: Reduced, duals: Floats) -> Ints:
        """Parent sets outside the program whose reduced cost is negative, the most negative first."""
        level = self.cheapest + to_quanta(duals[: self.graph.n] * QUANTA_PER_NAT)
        value = reduced.cost - level[self.variable]
        candidates = np.flatnonzero(~self.inside & (value < -1e-7 * QUANTA_PER_NAT))
        order = np.argsort(value[candidates], kind="stable")[: NEW_COLUMNS * self.graph.n]
        return np.sort(candidates[order])

    def broken_clusters(self, solution: Solution, k: int, threads: int = 1) -> NDArray[np.uint64]:
        """Clusters whose cut the point breaks, by local search, deepest first."""
        which, share = self.support(solution)
        point = self.variable[which], self.graph.sets[which], share
        return core.separate_clusters(*point, self.graph.n, k, LEAST_VIOLATION, self.graph.n + 5, threads).sets

    def broken_rows(self, solution: Solution) -> Ints:
        """Rows outside the program that the point breaks."""
        outside = np.ones(len(self.b), bool)
        outside[self.rows] = False
        which = np.flatnonzero(outside)
        columns, share = self.support(solution)
        return which[self.a[np.ix_(which, columns)] @ share < self.b[which] - LEAST_VIOLATION]

    def rounded_order(self, solution: Solution) -> list[int]:
        """An order of the variables that agrees with the point as far as it can."""
        which, share = self.support(solution)
        return rounded_order(self.graph.n, self.variable[which], self.graph.sets[which], share)

    def support(self, solution: Solution) -> tuple[Ints, Floats]:
        """The parent sets of the point, and their shares."""
        support = np.flatnonzero(solution.share > LEAST_SHARE)
        return self.columns[support], solution.share[support]

    def broken_local_cuts(
        self,
        support: tuple[Ints, Floats],
        largest: int,
        seed: int,
        threads: int,
        limits: Limits,
        blocks: bool = False,
    ) -> LocalCuts:
        """Local cuts that a point breaks, given by its parent sets and their shares, the deepest first."""
        shares = np.zeros(len(self.graph))
        shares[support[0]] = support[1]
        return broken_local_cuts(self.graph, shares, largest, seed, threads, limits, blocks)

    def derived_cuts(self, solution: Solution, most: int, orders: int, seed: int) -> list[Halving]:
        """Derived cuts that the point breaks, of the program's clusters and derived cuts."""
        # Coefficients of local cuts are of all sizes: halves of them say little.
        inside = np.flatnonzero(self.kind[self.rows] != LOCAL)
        rows = self.rows[inside]
        slack = np.maximum(solution.value[self.graph.n + inside] - self.b[rows], 0)
        which, share = self.support(solution)
        point = Columns(self.graph.n, self.variable[which], share, self.a[np.ix_(rows, which)], self.b[rows], slack)
        return [replace(halving, rows=rows[halving.rows]) for halving in halvings(point, most, orders, seed)]
