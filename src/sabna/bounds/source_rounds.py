"""Rounds of the cluster program for parts that are branched on sources (searching/choices.py).

These programs come by the thousand, one much like the other: a source is gone, and its clusters with it, or an empty
set. So each begins with the clusters and the basis that the one before ended with, and ends as soon as its objective
says that nothing below the target is left. In between walks look for broken clusters; where columns come in groups that
every good network joins (tied.py), these are often unions of such groups, give or take a few columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.base.varsets import words_for
from sabna.bounds.cluster_lp import ClusterProgram
from sabna.bounds.cut_rounds import RoundLimits
from sabna.bounds.tied import tied_groups
from sabna.bounds.tighten import Best, Strikes
from sabna.bounds.weights import Clusters
from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]
Sets = NDArray[np.uint64]

# Cuts with k = 2 are looked for where fewer others are broken.
FEW_CUTS = 5
# Sources that are branched on before the program is solved again: so many, and those nearly as likely as the first.
AT_ONCE, NEARLY_AS_LIKELY = 3, 0.7
# Fewer sets than this share of those left are struck out at the end alone: certificates have a line for each time.
WORTH_STRIKING = 0.05
# A gap of so many nats is rounding's: the last digits are worked out.
NEARLY = 1e-4


@dataclass(frozen=True, eq=False)
class SourceRounds:
    """The best weights, their bound, and the parent sets they leave; those basic at the end.

    `sources` are the variables that may have no parents, the likeliest first; none if the part is closed. `likely` are
    the first of them, which are branched on one after the other.
    """

    bound: int
    clusters: Clusters
    alive: NDArray[np.bool_]
    closed: bool
    sources: list[int]
    likely: list[int]
    basic: Ints
    rounds: int
    pivots: int


def source_rounds(
    graph: ParentGraph,
    start: Clusters,
    basic: NDArray[np.bool_],
    target: int,
    limits: Limits,
    allowed: RoundLimits,
    struck: Strikes | None,
    watch: Callable[[int, Clusters], bool],
    offer: Callable[[list[int]], int] | None,
    threads: int,
) -> SourceRounds:
    """Raise the cluster bound of `graph` from the weights `start`, as `tighten` does."""
    best = Best(graph, target, struck, WORTH_STRIKING)
    best.offer(start)
    program = ClusterProgram(graph, start, best.alive, threads, basic if basic.any() else None)
    blocks = _blocks(graph)
    history: list[int] = []
    sources, likely, rounds = list[int](), list[int](), 0
    while not best.closed() and rounds < allowed.most:
        program.stop_beyond(best.target)
        solved = program.solve(limits)
        if solved is None:
            closing = program.closing_weights(best.clusters, best.target - best.bound) if program.without_point else None
            if closing is not None:
                best.offer(closing)
            break
        rounds += 1
        point, duals = solved
        reduced = best.offer(program.weights(duals))
        if best.closed():
            break
        if program.beyond:  # by less than what rounding takes
            program.stop_beyond(INFINITE)
            solved = program.solve(limits)
            if solved is None:
                break
            point, duals = solved
        sources, likely = _sources(program, point)
        if watch(best.bound, best.clusters):
            break
        program.alive &= best.alive
        new = program.entering(reduced, duals)
        history.append(best.bound)
        stalled = len(history) > allowed.stall and (
            history[-1] - history[-1 - allowed.stall] < allowed.share * (best.target - best.bound)
        )
        cuts = program.sets[:0] if stalled else program.walked_from_blocks(point, duals, blocks, rounds)
        pairs = program.broken_cuts(point, 2) if len(cuts) < FEW_CUTS and not stalled else cuts[:0]
        if stalled or not (len(new) or len(cuts) or len(pairs)):
            if offer is not None:
                best.target = offer(program.rounded_order(point))
            if best.target - best.bound < NEARLY * QUANTA_PER_NAT:
                refined = program.refine(limits)
                if refined is not None:
                    best.offer(refined)
            break
        program.drop_fixed_columns()
        program.drop_idle_cuts(duals)
        program.add_columns(new)
        program.add_cuts(cuts, 1)
        program.add_cuts(pairs, 2)
    best.worth = 0.0
    best.offer(best.clusters)
    closed = best.closed()
    return SourceRounds(
        best.bound,
        best.clusters,
        best.alive,
        closed,
        [] if closed else sources,
        [] if closed else likely,
        np.zeros(0, np.int64) if closed else program.basic(),
        rounds,
        program.pivots,
    )


def _sources(program: ClusterProgram, point: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """The variables that have an empty set, those with the largest shares of it first; and the first of them."""
    graph = program.graph
    empty = ~graph.sets.any(axis=1) & program.alive
    share = np.where(empty[program.columns], point, 0.0)
    of = np.round(np.bincount(program.variable[program.columns], weights=share, minlength=graph.n), 9)
    may = program.variable[empty]
    order = [int(v) for v in may[np.argsort(-of[may], kind="stable")]]
    return order, [v for v in order[:AT_ONCE] if of[v] >= NEARLY_AS_LIKELY * of[order[0]]]


def _blocks(graph: ParentGraph) -> Sets:
    """Groups of columns that every good network joins, as sets; pairs, too: a source may have been one of three."""
    groups = tied_groups(graph, 2)
    sets = np.zeros((len(groups), words_for(graph.n)), np.uint64)
    for row, group in enumerate(groups):
        for v in group:
            sets[row, v >> 6] |= np.uint64(1 << (v & 63))
    return sets
