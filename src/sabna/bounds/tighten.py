"""Rounds of the cluster program: solve, bound in integers, fix, price, cut, until closed or stalled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.bounds.cluster_lp import LEAST_VIOLATION, ClusterProgram
from sabna.bounds.weights import Clusters, Reduced, dual_ascent, reduced_costs
from sabna.parents.graph import ParentGraph

Floats = NDArray[np.float64]
Sets = NDArray[np.uint64]

# Rounds are given up when the last STALL_ROUNDS together closed less than STALL_SHARE of the gap.
# On many variables the other bounds see little, and the program is worth more patience.
STALL_ROUNDS = 10
STALL_SHARE = 0.1
MANY_VARIABLES = 66
STALL_SHARE_OF_MANY = 0.02
# Cuts with k = 2 are looked for where few with k = 1 are broken, and after a round that closed less than this share of
# the gap: on accidents.valid with 3 parents there were enough others for 26 rounds, which brought 16 of a gap of 961;
# those with k = 2 then brought 320 in 15. Not where no set has more than two members.
PAIRS_SHARE = 0.02
# From so many variables on, with short lists, dual ascent is asked for clusters too after a round that closed less than
# this share of the gap.
ASCENT_FROM = 120
# From so many variables on, with at most so many parent sets each, clusters are looked for by walks too after such a
# round: on fewer all clusters are small, and on long lists other bounds take over before the program has converged.
WALKS_FROM = 50
WALKS_SETS = 100
SLOW_SHARE = 0.1
# Work of a dual ascent between rounds, in parent sets looked at, for each parent set: a third of a round's time.
ASCENT_WORK_PER_SET = 2500


@dataclass(frozen=True, eq=False)
class Tightened:
    """The best weights found, their bound, and the parent sets they leave (a mask over the graph's)."""

    clusters: Clusters
    bound: int
    alive: NDArray[np.bool_]
    rounds: int
    pivots: int


# Takes the weights of one round, and marks of the parent sets that they strike out.
Strikes = Callable[[Clusters, NDArray[np.bool_]], None]


class Best:
    """The best weights so far, and what has been fixed by any.

    Weights are evaluated on the sets that are left; with `all_sets`, where none is to be struck out, on all of them.
    """

    def __init__(self, graph: ParentGraph, target: int, struck: Strikes | None, all_sets: bool = False) -> None:
        self.graph, self.target, self.struck, self.all_sets = graph, target, struck, all_sets
        self.alive = np.ones(len(graph), bool)
        self.left, self.places = graph, np.arange(len(graph))  # the graph of the sets left, and their positions
        self.clusters = Clusters.none(graph.sets.shape[1])
        self.bound = -INFINITE
        self.variable = np.repeat(np.arange(graph.n), np.diff(graph.offsets))

    def offer(self, clusters: Clusters) -> Reduced:
        """Evaluate weights in integers; keep them if they are the best, fix by them in any case."""
        reduced = self.reduced(clusters)
        if reduced.bound > self.bound:
            self.bound, self.clusters = reduced.bound, clusters
        others = reduced.bound - reduced.least
        possible = others[self.variable] + reduced.cost < self.target
        gone = self.alive & ~possible
        if gone.any():
            if self.struck is not None:
                self.struck(clusters, gone)
            self.alive &= possible
            if not (self.all_sets or self.closed()):
                self._narrow()
        return reduced

    def reduced(self, clusters: Clusters) -> Reduced:
        """Reduced costs of what is left; sets that are gone have their costs."""
        found = reduced_costs(self.left, clusters)
        cost = self.graph.costs.copy()
        cost[self.places] = found.cost
        return Reduced(found.bound, cost, found.least)

    def _narrow(self) -> None:
        graph, alive = self.graph, self.alive
        left = np.add.reduceat(alive.astype(np.int64), graph.offsets[:-1])
        offsets = np.concatenate([[0], np.cumsum(left)]).astype(np.int64)
        self.left = ParentGraph(graph.names, offsets, graph.costs[alive], np.ascontiguousarray(graph.sets[alive]))
        self.places = np.flatnonzero(alive)

    def closed(self) -> bool:
        """Nothing below the target is left: the bound is there, or some variable has no set any more."""
        if self.bound >= self.target:
            return True
        return not bool(np.all(np.add.reduceat(self.alive, self.graph.offsets[:-1])))


class _Separation:
    """Where cuts come from: small clusters first, and as soon as few of those are broken, clusters of any size."""

    def __init__(self, graph: ParentGraph) -> None:
        self.walks = graph.n >= WALKS_FROM and len(graph) <= WALKS_SETS * graph.n
        self.few, self.small_ones_left = graph.n // 4, True
        self.large_sets = bool(np.any(np.unpackbits(graph.sets.view(np.uint8), axis=1).sum(axis=1) > 2))

    def broken(
        self, program: ClusterProgram, point: Floats, duals: Floats, number: int, closed: float
    ) -> tuple[Sets, Sets]:
        """Clusters whose cuts with k = 1 and with k = 2 the point breaks; `closed`: share of the gap, by the round."""
        slow = closed < SLOW_SHARE
        walked = program.walked_cuts(point, duals, number) if slow and self.walks else program.sets[:0]
        if len(walked) >= self.few and not self.small_ones_left:
            return walked, walked[:0]
        cuts = program.broken_cuts(point, 1)
        self.small_ones_left &= len(cuts) >= self.few
        wanted = len(cuts) < self.few or (self.large_sets and closed < PAIRS_SHARE)
        pairs = program.broken_cuts(point, 2) if wanted else cuts[:0]
        return np.unique(np.concatenate([cuts, walked]), axis=0) if len(walked) else cuts, pairs


def tighten(
    graph: ParentGraph,
    start: Clusters,
    target: int,
    limits: Limits,
    stop: Callable[[int, Clusters], bool],
    most_rounds: int,
    offer: Callable[[list[int]], int] | None = None,
    struck: Strikes | None = None,
    threads: int = 1,
    all_sets: bool = False,
) -> Tightened:
    """Raise the cluster bound of `graph` by the linear program, from the weights `start`.

    Ends when nothing below `target` is left, when no cut is broken, when rounds no longer pay, or when
    `stop(bound, weights)` says so. Parent sets that no network below `target` can use are struck out on the way, and
    `struck` is told which by which weights; with `all_sets` the bound holds for all sets all the same. Orders rounded
    from its points go to `offer`, which returns the target, perhaps a lower one.
    """
    best = Best(graph, target, struck, all_sets)
    best.offer(start)
    rounds = 0
    program: ClusterProgram | None = None
    separation: _Separation | None = None
    history = [best.bound]
    while rounds < most_rounds and not best.closed() and not stop(best.bound, best.clusters):
        if program is None or separation is None:
            program, separation = ClusterProgram(graph, start, best.alive, threads), _Separation(graph)
        solved = program.solve(limits)
        if solved is None:
            break
        rounds += 1
        point, duals = solved
        if offer is not None:
            best.target = offer(program.rounded_order(point))
        weights = program.weights(duals)
        reduced = best.offer(weights)
        if best.closed():
            break
        program.alive &= best.alive
        program.average.remember(program.columns, point, program.alive)
        new = program.entering(reduced, duals)
        closed = (best.bound - history[-1]) / (best.target - best.bound)
        cuts, pairs = separation.broken(program, point, duals, rounds, closed)
        if closed < SLOW_SHARE and graph.n >= ASCENT_FROM and not program.long:
            cuts = np.unique(np.concatenate([cuts, _ascended(program, best, weights, point, limits)]), axis=0)
        if best.closed():
            break
        if not len(new) and not len(cuts) and not len(pairs):
            refined = program.refine(limits)
            if refined is not None:
                best.offer(refined)
            break
        history.append(best.bound)
        if len(history) > STALL_ROUNDS and _stalled(history, best.target, graph.n):
            break
        program.drop_fixed_columns()
        program.drop_idle_cuts(duals)
        program.add_columns(new)
        program.add_cuts(cuts, 1)
        program.add_cuts(pairs, 2)
    return Tightened(best.clusters, best.bound, best.alive, rounds, program.pivots if program else 0)


def _ascended(program: ClusterProgram, best: Best, weights: Clusters, point: Floats, limits: Limits) -> Sets:
    """Clusters that dual ascent from the program's weights comes upon, and whose cut the point breaks.

    Where weights are the best for the rows there are, a cluster that raises the bound further is one that every point
    of least value breaks. So dual ascent is separation as well, by tight sets instead of shares. It finds clusters of
    all sizes: those of a hundred members say that somebody comes first, which no small ones do.
    """
    work = ASCENT_WORK_PER_SET * len(best.graph)
    clusters = dual_ascent(best.graph, weights, best.target, limits, work)[1]
    best.offer(clusters)
    sets = np.ascontiguousarray(clusters.sets[clusters.k == 1])
    columns = program.columns
    which = (program.variable[columns], program.graph.sets[columns], program.graph.n)
    rows = core.cluster_rows(*which, sets, np.ones(len(sets), np.int64))
    shares = np.concatenate([[0.0], np.cumsum(point[rows.column])])
    left = shares[rows.start[1:]] - shares[rows.start[:-1]]
    return np.ascontiguousarray(sets[left < 1 - LEAST_VIOLATION])


def _stalled(history: list[int], target: int, n: int) -> bool:
    before, now = history[-1 - STALL_ROUNDS], history[-1]
    share = STALL_SHARE if n <= MANY_VARIABLES else STALL_SHARE_OF_MANY
    # Without an upper bound there is no gap; what has been gained so far stands in for it.
    gap = target - before if target < INFINITE else before - history[0]
    return now - before < share * gap
