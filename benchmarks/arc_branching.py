"""Branching on arcs with a warm linear program, as integer programming solvers do it: measured against `auto`.

    python benchmarks/arc_branching.py GRAPH [--time-limit 60]

Best-first branch and bound over the largest component. A node is the set of parent sets still allowed; its bound is the
cluster program's, its duals floored and evaluated in integers. A fractional arc is chosen by strong branching and
forbidden in one child, demanded in the other. It is not part of the strategies, because it lost on every
instance it was tried on: docs/bounds.md has the figures.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import time

import numpy as np
from numpy.typing import NDArray

import sabna
from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.bounds.cluster_lp import PIVOTS_PER_SLICE, ClusterProgram
from sabna.bounds.rounding import network_of_order
from sabna.bounds.weights import Clusters, dual_ascent, reduced_costs
from sabna.parents.graph import ParentGraph
from sabna.searching.part import Part

Marks = NDArray[np.bool_]
NEVER = 1 << 61
ROUNDS_AT_ROOT, ROUNDS = 30, 12
CANDIDATES, TRIAL_PIVOTS = 8, 60
RELIABLE = 3  # trials of an arc, after which their mean is taken for the next one
MOST_CUTS = 4  # for each variable, before idle ones leave


class ArcSearch:
    """Branch and bound over one component; `target` is the cost of the best network known."""

    def __init__(self, graph: ParentGraph, clusters: Clusters, target: int) -> None:
        self.graph, self.target = graph, target
        self.program = ClusterProgram(graph, clusters, np.ones(len(graph), bool))
        bits = [np.unpackbits(row.view(np.uint8), bitorder="little")[: graph.n] for row in graph.sets]
        self.member = np.array(bits, bool)  # [parent set, variable]
        self.variable, self.first = self.program.variable, graph.offsets[:-1]
        self.limits = Limits()
        self.trials: dict[tuple[int, int], list[float]] = {}

    def run(self, lower: int, seconds: float) -> tuple[int, int]:
        """Until closed or out of time: nodes and the lower bound."""
        start, count, nodes = time.process_time(), itertools.count(), 0
        every = np.ones(len(self.graph), bool)
        heap = [(lower, next(count), 0, every)]
        while heap and heap[0][0] < self.target and time.process_time() - start < seconds:
            bound, _, depth, alive = heapq.heappop(heap)
            nodes += 1
            relaxed = self.relax(alive, bound, ROUNDS if depth else ROUNDS_AT_ROOT)
            if relaxed is None:
                continue
            bound, alive, point = relaxed
            arc = self.choose_arc(alive, point)
            if arc is None:  # integral, and closed but for rounding
                continue
            i, j = arc
            with_arc = (self.variable == i) & self.member[:, j]
            without = (self.variable == i) & ~self.member[:, j]
            for child in (alive & ~with_arc, alive & ~without):
                heapq.heappush(heap, (bound, next(count), depth + 1, child))
        return nodes, min(heap[0][0], self.target) if heap else self.target

    def relax(self, alive: Marks, bound: int, rounds: int) -> tuple[int, Marks, NDArray[np.float64]] | None:
        """Rounds of the program at a node: bound, what is left, the point; None if nothing below the target is left."""
        left = self.propagate(alive)
        if left is None:
            return None
        alive, program = left, self.program
        point = np.zeros(0)
        for _ in range(rounds):
            self.restrict(alive)
            solved = program.solve(self.limits)
            if solved is None:
                return None
            point, duals = solved
            reduced = reduced_costs(self.graph, program.weights(duals))
            least = np.minimum.reduceat(np.where(alive, reduced.cost, NEVER), self.first)
            value = reduced.bound - int(reduced.least.sum()) + int(least.sum())
            bound = max(bound, value)
            network = network_of_order(self.graph, program.rounded_order(point))
            self.target = self.target if network is None else min(self.target, network[0])
            left = self.propagate(alive & (value - least[self.variable] + reduced.cost < self.target))
            if bound >= self.target or left is None:
                return None
            alive = program.alive = left
            new, cuts = program.entering(reduced, duals), [program.broken_cuts(point, k) for k in (1, 2)]
            if not len(new) and not any(len(c) for c in cuts):
                break
            if len(program.k) > MOST_CUTS * self.graph.n:
                program.drop_idle_cuts(duals)
            program.add_columns(new)
            for k, cut in zip((1, 2), cuts, strict=True):
                program.add_cuts(cut, k)
        return bound, alive, point

    def restrict(self, alive: Marks) -> None:
        """Columns of other parent sets may not be used at this node."""
        program = self.program
        program.alive = alive
        every = np.arange(len(program.columns), dtype=np.int32)
        top = np.where(alive[program.columns], program.infinity, 0.0)
        program.highs.changeColsBounds(len(every), every, np.zeros(len(every)), top)

    def propagate(self, alive: Marks) -> Marks | None:
        """Drop sets that contradict arcs all remaining sets agree on; None if a variable has none left."""
        while True:
            if not np.add.reduceat(alive, self.first).all():
                return None
            ancestors = np.logical_and.reduceat(self.member | ~alive[:, None], self.first, axis=0)
            for via in range(self.graph.n):
                ancestors[ancestors[:, via]] |= ancestors[via]
            if ancestors.diagonal().any():
                return None
            wrong = alive & (self.member & ancestors.T[self.variable]).any(axis=1)
            if not wrong.any():
                return alive
            alive = alive & ~wrong

    def choose_arc(self, alive: Marks, point: NDArray[np.float64]) -> tuple[int, int] | None:
        """The fractional arc i <- j whose two children rise most, by a few pivots each."""
        program = self.program
        columns = program.columns[: len(point)]
        arcs = np.zeros((self.graph.n, self.graph.n))
        np.add.at(arcs, self.variable[columns], point[:, None] * self.member[columns])
        halves = sorted((abs(0.5 - arcs[i, j]), i, j) for i, j in np.argwhere((arcs > 0.02) & (arcs < 0.98)))
        best, arc = -1.0, None
        highs = program.highs
        basis, value = highs.getBasis(), highs.getInfo().objective_function_value
        highs.setOptionValue("simplex_iteration_limit", TRIAL_PIVOTS)
        for _, i, j in halves[:CANDIDATES]:
            trials = self.trials.setdefault((int(i), int(j)), [])
            if len(trials) < RELIABLE:
                trials.append(self.trial(int(i), int(j), alive, value))
                highs.setBasis(basis)
            if (mean := sum(trials) / len(trials)) > best:
                best, arc = mean, (int(i), int(j))
        highs.setOptionValue("simplex_iteration_limit", PIVOTS_PER_SLICE)
        return arc

    def trial(self, i: int, j: int, alive: Marks, value: float) -> float:
        """Product of what the two children of an arc gain."""
        highs, gains = self.program.highs, 1.0
        for demanded in (False, True):
            self.restrict(alive & ~((self.variable == i) & (self.member[:, j] != demanded)))
            highs.run()
            infeasible = highs.modelStatusToString(highs.getModelStatus()) == "Infeasible"
            gains *= 1e4 if infeasible else max(highs.getInfo().objective_function_value - value, 1e-3)
        return gains


def main() -> None:
    """Both on one graph, one thread each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--time-limit", type=float, default=60.0)
    arguments = parser.parse_args()
    graph = sabna.read_parent_graph(arguments.graph)
    part = max(Part.whole(graph).components(), key=lambda p: p.n)
    graph = ParentGraph(part.graph.names, *part.graph.arrays)
    known = core.local_search(
        *graph.arrays, seed=0, restarts=24, kicks=500, work=10**9, start=[], seconds=-1.0, bytes=1 << 40, progress=None
    )
    start = time.process_time()
    lower, clusters = dual_ascent(graph, Clusters.none(graph.sets.shape[1]), known["cost"], Limits())
    search = ArcSearch(graph, clusters, known["cost"])
    nodes, lower = search.run(lower, arguments.time_limit)
    gap = (search.target - lower) / QUANTA_PER_NAT
    print(f"arcs: {nodes} nodes, gap {gap:.6g}, {time.process_time() - start:.1f} CPU s")
    start = time.process_time()
    result = sabna.search(graph, n_jobs=1, time_limit=arguments.time_limit)
    nodes = result.statistics["search"]["expanded"]
    print(f"auto: {nodes} nodes, gap {result.gap:.6g}, {time.process_time() - start:.1f} CPU s")


if __name__ == "__main__":
    main()
