"""The linear program over parent sets with cluster cuts, solved lazily by HiGHS.

    minimise    sum of s(i,S) x(i,S)
    subject to  sum over S of x(i,S) = 1                               for every variable i
                sum over i in C, |S cap C| < k, of x(i,S) >= k         for clusters C with k = 1 or 2

Its value is the best that the cluster bound can reach (Jaakkola et al. 2010; Cussens 2011). Rows are added when the
current point breaks them and leave when they have been slack for a while; columns are added when their reduced cost
turns negative and leave when they are fixed. Every solve ends with its row duals floored to whole quanta, from which
the core evaluates the bound in integers: no number of the solver is trusted, and an unfinished or slightly wrong solve
costs strength, never truth.

What is different from the solvers of the literature: the upper bound is there first (local search is nearly always
right), so that reduced costs fix columns from the first round on, and the program shrinks while it grows. The last
digits, where double precision ends, come from solving once more for the residual costs, scaled up (`refine`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.bounds.average_point import AveragePoint
from sabna.bounds.rounding import rounded_order
from sabna.bounds.weights import Clusters, Reduced, reduced_costs, to_quanta
from sabna.parents.graph import ParentGraph

if TYPE_CHECKING:
    from sabna.base.limits import Limits

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Cuts broken by less are noise of the solver's tolerance.
LEAST_VIOLATION = 1e-4
# Shares below this are not part of the point.
LEAST_SHARE = 1e-6
# Row duals below this are none.
LEAST_WEIGHT = 1e-9
# Walks look for cuts broken by more than this.
BROKEN_BY_WALK = 1e-3
# The same for the average of the points, which has many small ones.
BROKEN_BY_AVERAGE = 1e-2
# Columns per variable to begin with, and entering per round for each variable of the problem.
FIRST_COLUMNS = 10
NEW_COLUMNS = 10
# Cuts entering per round for each variable of the problem, and the rounds with slack after which one leaves: it may
# come back, but most do not.
NEW_CUTS = 1.0
PATIENCE = 6
# From so many parent sets a variable on cuts are those of the average point, more of them, and kept for less long: the
# program takes most of the time there, elsewhere separation does.
LONG_LISTS = 30
NEW_CUTS_OF_LONG = 2.0
PATIENCE_OF_LONG = 3
# While cuts come from walks there are many more than the program needs.
PATIENCE_OF_WALKS = 2
# Cuts leave when they are this share of all.
WORTH_DROPPING = 0.25
# Share of the newest point in the one that cuts are looked for.
NEWEST_SHARE = 0.5
# Pivots between two looks at the limits; some tenths of a second on the largest programs.
PIVOTS_PER_SLICE = 2000
_SLICE_OVER = "Iteration limit reached"
# What the solver says when it ends beyond the objective that it was to reach, and nats that rounding may take from it.
_BEYOND = "Bound on objective reached"
CERTAINLY = 1e-5


class ClusterProgram:
    """One linear program, kept warm between rounds. `alive` marks the parent sets not yet fixed."""

    def __init__(
        self,
        graph: ParentGraph,
        clusters: Clusters,
        alive: NDArray[np.bool_],
        threads: int = 1,
        basic: NDArray[np.bool_] | None = None,
    ) -> None:
        import highspy

        self.graph, self.threads = graph, threads
        self.sizes = np.diff(graph.offsets)
        self.variable = np.repeat(np.arange(graph.n, dtype=np.int32), self.sizes)
        self.alive = alive.copy()
        self.cheapest = graph.costs[graph.offsets[:-1]]
        self.nats: Floats = (graph.costs - np.repeat(self.cheapest, self.sizes)) / QUANTA_PER_NAT
        self.sets, self.k = clusters.sets, clusters.k
        self.idle = np.zeros(len(clusters), np.int64)  # rounds with slack
        self.columns = np.zeros(0, np.int64)  # the parent set of each column
        self.inside = np.zeros(len(graph), bool)  # whether a parent set is a column
        self.long = len(graph) >= LONG_LISTS * graph.n
        self.patience = PATIENCE_OF_LONG if self.long else PATIENCE
        self.most_cuts = int((NEW_CUTS_OF_LONG if self.long else NEW_CUTS) * graph.n) + 5
        self.average = AveragePoint(graph.offsets, NEWEST_SHARE)
        self.pivots = 0
        self.beyond = self.without_point = False  # how the last solve ended: beyond `stop_beyond`, or with no point
        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        options: dict[str, Any] = {
            "output_flag": False,
            "threads": 1,
            "presolve": "off",
            "simplex_iteration_limit": PIVOTS_PER_SLICE,
        }
        for option, value in options.items():
            self.highs.setOptionValue(option, value)
        self.infinity = self.highs.getInfinity()
        nothing = np.zeros(0, np.int32)
        self._add_rows(np.ones(graph.n), np.ones(graph.n), np.zeros(graph.n, np.int32), nothing)
        lower = self.k.astype(float)
        self._add_rows(lower, np.full(len(lower), self.infinity), np.zeros(len(lower), np.int32), nothing)
        self.add_columns(self._first_columns(reduced_costs(graph, clusters)))
        if basic is not None:
            self._begin_at(basic)

    def _first_columns(self, reduced: core.ReducedCosts) -> Ints:
        """Every variable's alive sets of least reduced cost, and its smallest one, which keeps the program feasible."""
        never = np.iinfo(np.int64).max
        excess = np.where(self.alive, reduced.cost - reduced.least[self.variable], never)
        members = np.unpackbits(self.graph.sets.view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
        size = np.where(self.alive, members, never)
        # Short lists are in the program as a whole: rounds in which columns enter raise no bound.
        count = FIRST_COLUMNS if self.long else len(self.graph)
        first = self._best_of_each(excess, count) | self._best_of_each(size, 1)
        return np.flatnonzero(first & self.alive)

    def _begin_at(self, basic: NDArray[np.bool_]) -> None:
        """Begin where a program much like this one ended: with these parent sets basic, and no row."""
        import highspy

        in_basis, lower = highspy.HighsBasisStatus.kBasic, highspy.HighsBasisStatus.kLower
        basis = highspy.HighsBasis()
        basis.col_status = [in_basis if marked else lower for marked in basic[self.columns].tolist()]
        basis.row_status = [lower] * (self.graph.n + len(self.k))
        basis.valid = basis.alien = True  # alien: the solver makes it a basis, whatever is missing or too many
        self.highs.setBasis(basis)

    def basic(self) -> Ints:
        """The parent sets that are basic in the last point."""
        import highspy

        in_basis = highspy.HighsBasisStatus.kBasic
        return self.columns[[status == in_basis for status in self.highs.getBasis().col_status]]

    def stop_beyond(self, target: int) -> None:
        """A solve may end where its objective says that no network costs less than the target."""
        nats = (target - int(self.cheapest.sum())) / QUANTA_PER_NAT
        self.highs.setOptionValue("objective_bound", nats + CERTAINLY if target < INFINITE else self.infinity)

    def _best_of_each(self, value: Ints, count: int) -> NDArray[np.bool_]:
        """Marks every variable's `count` sets of least value."""
        order = np.lexsort((value, self.variable))
        rank = np.arange(len(order)) - self.graph.offsets[self.variable[order]]
        marked = np.zeros(len(order), bool)
        marked[order[rank < count]] = True
        return marked

    def _add_rows(self, lower: Floats, upper: Floats, starts: NDArray[np.int32], index: NDArray[np.int32]) -> None:
        if len(lower):
            self.highs.addRows(len(lower), lower, upper, len(index), starts, index, np.ones(len(index)))

    def add_columns(self, which: Ints) -> None:
        """Parent sets enter the program."""
        if not len(which):
            return
        own = self.variable[which]
        credited = core.cluster_rows(own, self.graph.sets[which], self.graph.n, self.sets, self.k)
        rows = np.repeat(np.arange(len(self.k)), np.diff(credited.start)) + self.graph.n
        column = np.concatenate([np.arange(len(which)), credited.column])
        row = np.concatenate([own, rows]).astype(np.int32)
        order = np.lexsort((row, column))
        begin = np.searchsorted(column[order], np.arange(len(which))).astype(np.int32)
        # No share exceeds 1 anyway. Said to the solver, new columns of negative reduced cost start there, and the dual
        # simplex method need not make itself feasible again first.
        zeros, top = np.zeros(len(which)), np.ones(len(which))
        self.highs.addCols(len(which), self.nats[which], zeros, top, len(row), begin, row[order], np.ones(len(row)))
        self.columns = np.concatenate([self.columns, which])
        self.inside[which] = True

    def add_cuts(self, sets: NDArray[np.uint64], k: int) -> None:
        """Cluster cuts enter the program."""
        if not len(sets):
            return
        ks = np.full(len(sets), k, np.int64)
        parents = self.graph.sets[self.columns]
        rows = core.cluster_rows(self.variable[self.columns], parents, self.graph.n, sets, ks)
        self._add_rows(ks.astype(float), np.full(len(sets), self.infinity), rows.start[:-1].copy(), rows.column)
        self.sets, self.k = np.concatenate([self.sets, sets]), np.concatenate([self.k, ks])
        self.idle = np.concatenate([self.idle, np.zeros(len(sets), np.int64)])

    def drop_idle_cuts(self, duals: Floats) -> None:
        """Cuts that have been slack for a while leave; the basis stays what it was."""
        self.idle = np.where(duals[self.graph.n :] > LEAST_WEIGHT, 0, self.idle + 1)
        stay = self.idle <= self.patience
        gone = np.flatnonzero(~stay).astype(np.int32)
        if len(gone) > len(self.k) * WORTH_DROPPING:
            self.highs.deleteRows(len(gone), gone + self.graph.n)
            self.sets, self.k, self.idle = self.sets[stay], self.k[stay], self.idle[stay]

    def drop_fixed_columns(self) -> None:
        """Columns of fixed parent sets leave."""
        gone = np.flatnonzero(~self.alive[self.columns]).astype(np.int32)
        if len(gone):
            self.inside[self.columns[gone]] = False
            self.highs.deleteCols(len(gone), gone)
            self.columns = np.delete(self.columns, gone)

    def solve(self, limits: Limits) -> tuple[Floats, Floats] | None:
        """The point and the row duals; None if the solver did not finish."""
        status = self._run(limits)
        if status == "Infeasible" and not self.inside[self.alive].all():
            # Too few columns for the cuts: let all in. It happens rarely, and only where smallest sets are fixed.
            self.add_columns(np.flatnonzero(self.alive & ~self.inside))
            status = self._run(limits)
        solution = self.highs.getSolution()
        self.beyond, self.without_point = status == _BEYOND, status == "Infeasible"
        if status not in ("Optimal", _BEYOND) or not solution.dual_valid:
            return None
        return np.array(solution.col_value), np.array(solution.row_dual)

    def _run(self, limits: Limits) -> str:
        """Solve; the solver's own word for how that ended."""
        # In slices of pivots, never of seconds: the path is the same everywhere, and signals are seen in between.
        status = _SLICE_OVER
        while status == _SLICE_OVER and limits.seconds_left() != 0:
            left = limits.seconds_left()
            self.highs.setOptionValue("time_limit", self.infinity if left < 0 else self.highs.getRunTime() + left)
            self.highs.run()
            status = self.highs.modelStatusToString(self.highs.getModelStatus())
            self.pivots += max(self.highs.getInfo().simplex_iteration_count, 0)
        return str(status)

    def weights(self, duals: Floats) -> Clusters:
        """The row duals as whole quanta, rounded down."""
        y = to_quanta(duals[self.graph.n :] * QUANTA_PER_NAT, 0)
        return Clusters.of(self.sets[y > 0], self.k[y > 0], y[y > 0])

    def closing_weights(self, best: Clusters, target_less_bound: int) -> Clusters | None:
        """Where the program has no point: weights in whose direction its bound grows, as far as the target."""
        if not self.without_point:
            return None
        found: tuple[Any, bool, Floats] = self.highs.getDualRay()
        if not found[1]:
            return None
        equations, ray = found[2][: self.graph.n], np.maximum(found[2][self.graph.n :], 0)
        growth = float(equations.sum() + ray @ self.k)
        if growth <= 0:
            return None
        y = ray * (2 * target_less_bound / growth)
        sets, k = np.concatenate([best.sets, self.sets]), np.concatenate([best.k, self.k])
        closing = Clusters.of(sets, k, np.concatenate([best.y.astype(float), y]))
        used = closing.y > 0
        return Clusters(sets[used], k[used], closing.y[used])

    def refine(self, limits: Limits, rounds: int = 2) -> Clusters | None:
        """Weights exact to quanta: solve again for what rounding left over, scaled up.

        With costs replaced by the integer reduced costs under the floored weights, the same basis is optimal and its
        duals are the corrections to the weights (iterative refinement: Gleixner, Steffy, Wolter 2016).
        """
        solved = self.solve(limits)
        if solved is None:
            return None
        clusters = Clusters.of(self.sets, self.k, solved[1][self.graph.n :] * QUANTA_PER_NAT)
        for _ in range(rounds):
            reduced = reduced_costs(self.graph, clusters)
            residual = (reduced.cost - reduced.least[self.variable])[self.columns].astype(float)
            scale = 2.0**10
            every = np.arange(len(self.columns), dtype=np.int32)
            self.highs.changeColsCost(len(every), every, residual * (scale / QUANTA_PER_NAT))
            solved = self.solve(limits)
            if solved is None:
                break
            correction = to_quanta(solved[1][self.graph.n :] * (QUANTA_PER_NAT / scale))
            clusters = Clusters.of(self.sets, self.k, clusters.y + correction)
        every = np.arange(len(self.columns), dtype=np.int32)
        self.highs.changeColsCost(len(every), every, self.nats[self.columns])
        used = clusters.y > 0
        return Clusters(self.sets[used], self.k[used], clusters.y[used])

    def entering(self, reduced: Reduced, duals: Floats) -> Ints:
        """Parent sets outside the program whose reduced cost is negative, the most negative first."""
        level = self.cheapest + to_quanta(duals[: self.graph.n] * QUANTA_PER_NAT)
        value = reduced.cost - level[self.variable]
        noise = 1e-7 * QUANTA_PER_NAT
        candidates = np.flatnonzero(self.alive & ~self.inside & (value < -noise))
        order = np.argsort(value[candidates], kind="stable")[: NEW_COLUMNS * self.graph.n]
        return np.sort(candidates[order])

    def rounded_order(self, point: Floats) -> list[int]:
        """An order of the variables that agrees with the point as far as it can."""
        support = np.flatnonzero(point > LEAST_SHARE)
        which = self.columns[support]
        return rounded_order(self.graph.n, self.variable[which], self.graph.sets[which], point[support])

    def broken_cuts(self, point: Floats, k: int) -> NDArray[np.uint64]:
        """Clusters whose cut is broken, by local search: on long lists by the average point, else by the last."""
        cuts = self.sets[:0]
        if self.long:
            cuts = self._separate(*self.average.support(), k, BROKEN_BY_AVERAGE)
        if len(cuts) < self.graph.n // 4:
            support = np.flatnonzero(point > LEAST_SHARE)
            more = self._separate(self.columns[support], point[support], k, LEAST_VIOLATION)
            cuts = np.unique(np.concatenate([cuts, more]), axis=0) if len(cuts) else more
        known = {(row.tobytes(), k) for row, k in zip(self.sets, self.k.tolist(), strict=True)}
        new = np.array([(row.tobytes(), k) not in known for row in cuts], bool)
        return np.ascontiguousarray(cuts[new])

    def walked_cuts(self, point: Floats, duals: Floats, number: int) -> NDArray[np.uint64]:
        """Clusters of any size whose cut is broken, by walks from those with weights; `number` varies them."""
        self.patience = PATIENCE_OF_WALKS
        starts = np.ascontiguousarray(self.sets[(self.k == 1) & (duals[self.graph.n :] > LEAST_WEIGHT)])
        support = np.flatnonzero(point > LEAST_SHARE)
        return self._walk(self.columns[support], point[support], starts, BROKEN_BY_WALK, number)

    def walked_from_blocks(
        self, point: Floats, duals: Floats, blocks: NDArray[np.uint64], unions: int, stale: int, number: int
    ) -> NDArray[np.uint64]:
        """The same, and by walks from random unions of blocks, each up to `stale` moves without a deeper cut."""
        self.patience = PATIENCE_OF_WALKS
        starts = np.ascontiguousarray(self.sets[(self.k == 1) & (duals[self.graph.n :] > LEAST_WEIGHT)])
        support = np.flatnonzero(point > LEAST_SHARE)
        which = self.columns[support]
        return core.cluster_walks(
            self.variable[which],
            self.graph.sets[which],
            point[support],
            self.graph.n,
            starts,
            1,
            BROKEN_BY_WALK,
            number,
            self.most_cuts,
            blocks=blocks,
            unions=unions,
            singles=False,
            stale=stale,
            threads=self.threads,
        ).sets

    def _walk(
        self, which: Ints, share: Floats, starts: NDArray[np.uint64], least: float, number: int
    ) -> NDArray[np.uint64]:
        own, parents = self.variable[which], self.graph.sets[which]
        return core.cluster_walks(own, parents, share, self.graph.n, starts, 1, least, number, self.most_cuts).sets

    def _separate(self, which: Ints, share: Floats, k: int, least: float) -> NDArray[np.uint64]:
        """Clusters whose cut is broken by a point that gives these shares to these parent sets."""
        return core.separate_clusters(
            self.variable[which], self.graph.sets[which], share, self.graph.n, k, least, self.most_cuts, self.threads
        ).sets
