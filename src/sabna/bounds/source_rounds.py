"""Rounds of the cluster program for parts that are branched on sources (searching/choices.py).

These programs come by the thousand, one much like the other: a source is gone, and its clusters with it, or an empty
set. So each begins with the clusters and the basis that the one before ended with, and ends as soon as its objective
says that nothing below the target is left. In between walks look for broken clusters; where columns come in groups that
every good network joins (tied.py), these are often unions of such groups, give or take a few columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.base.varsets import words_for
from sabna.bounds.cluster_lp import ClusterProgram
from sabna.bounds.tied import tied_groups
from sabna.bounds.tighten import Best, Strikes
from sabna.bounds.weights import Clusters, dual_ascent
from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Sets = NDArray[np.uint64]

# Cuts with k = 2 are looked for where fewer others are broken.
FEW_CUTS = 5
# Sources that are branched on before the program is solved again: so many, and those nearly as likely as the first.
AT_ONCE, NEARLY_AS_LIKELY = 3, 0.4
# Work of the dual ascent before the program, in parent sets looked at, for each parent set left.
ASCENT_WORK_PER_SET = 3_000
# A gap of so many nats is rounding's: the last digits are worked out.
NEARLY = 1e-4


@dataclass(frozen=True)
class SourceLimits:
    """How long rounds go on: at most so many, while the last `stall` together closed this share of the gap.

    And what walks begin with: so many unions of blocks, each until so many moves in a row have brought no deeper cut.
    """

    stall: int
    share: float
    most: int
    unions: int = 60
    stale: int = 20


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


class Listener(Protocol):
    """Who is told what the rounds prove and find."""

    def watch(self, bound: int, clusters: Clusters) -> bool:
        """A bound and the weights that prove it; whether to stop."""

    def offer_order(self, order: list[int]) -> int:
        """An order rounded from the program; the target from then on."""


def source_rounds(
    graph: ParentGraph,
    start: Clusters,
    basic: NDArray[np.bool_],
    target: int,
    limits: Limits,
    allowed: SourceLimits,
    listener: Listener,
    struck: Strikes | None,
    threads: int,
) -> SourceRounds:
    """Raise the cluster bound of `graph` from the weights `start` and the basis of these sets."""
    best = Best(graph, target, struck)
    best.offer(start)
    if not best.closed():
        best.offer(dual_ascent(best.left, start, target, limits, ASCENT_WORK_PER_SET * len(best.left))[1])
    if best.closed():
        return SourceRounds(best.bound, best.clusters, best.alive, True, [], [], np.zeros(0, np.int64), 0, 0)
    program = ClusterProgram(graph, best.clusters, best.alive, threads, basic if basic.any() else None)
    rounds = _Rounds(program, best, limits, allowed, listener, _blocks(graph))
    while not best.closed() and rounds.number < allowed.most and rounds.round():
        pass
    none = np.zeros(0, np.int64)
    if best.closed():
        return SourceRounds(best.bound, best.clusters, best.alive, True, [], [], none, rounds.number, program.pivots)
    return SourceRounds(
        best.bound,
        best.clusters,
        best.alive,
        False,
        *rounds.sources,
        program.basic(),
        rounds.number,
        program.pivots,
    )


@dataclass(eq=False)
class _Rounds:
    """Rounds under way."""

    program: ClusterProgram
    best: Best
    limits: Limits
    allowed: SourceLimits
    listener: Listener
    blocks: Sets
    number: int = 0
    sources: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    history: list[int] = field(default_factory=list)  # bounds

    def round(self) -> bool:
        """One round; whether another one is worth it."""
        program, best = self.program, self.best
        solved = self._solved()
        if solved is None:
            return False
        point, duals = solved
        self.number += 1
        self.sources = _sources(program, point)
        if self.listener.watch(best.bound, best.clusters):
            return False
        program.alive &= best.alive
        self.history.append(best.bound)
        cuts = pairs = program.sets[:0]
        new = np.zeros(0, np.int64)
        if self.number < self.allowed.most and not self._stalled():
            new = program.entering(best.reduced(program.weights(duals)), duals)
            allowed, number = self.allowed, self.number
            cuts = program.walked_from_blocks(point, duals, self.blocks, allowed.unions, allowed.stale, number)
            pairs = program.broken_cuts(point, 2) if len(cuts) < FEW_CUTS else pairs
        if not (len(new) or len(cuts) or len(pairs)):
            self._round_up(point)
            return False
        program.drop_fixed_columns()
        program.drop_idle_cuts(duals)
        program.add_columns(new)
        program.add_cuts(cuts, 1)
        program.add_cuts(pairs, 2)
        return True

    def _solved(self) -> tuple[Floats, Floats] | None:
        """The point and the duals, whose weights are taken; None if they close the part, or there is no point."""
        program, best = self.program, self.best
        for beyond in (best.target, INFINITE):  # a solve may end beyond the target by less than what rounding takes
            program.stop_beyond(beyond)
            solved = program.solve(self.limits)
            weights: Clusters | None
            if solved is not None:
                weights = program.weights(solved[1])
            else:
                weights = program.closing_weights(best.clusters, best.target - best.bound)
            if weights is not None:
                best.offer(weights)
            if solved is None or best.closed() or not program.beyond:
                break
        return None if best.closed() else solved

    def _stalled(self) -> bool:
        """Whether the last rounds together closed too little."""
        best, before = self.best, self.allowed.stall
        if len(self.history) <= before:
            return False
        return self.history[-1] - self.history[-1 - before] < self.allowed.share * (best.target - best.bound)

    def _round_up(self, point: Floats) -> None:
        """The last point as a network, and the last digits of the bound where only these are missing."""
        program, best = self.program, self.best
        best.target = self.listener.offer_order(program.rounded_order(point))
        if best.target - best.bound < NEARLY * QUANTA_PER_NAT:
            refined = program.refine(self.limits)
            if refined is not None:
                best.offer(refined)


def _sources(program: ClusterProgram, point: Floats) -> tuple[list[int], list[int]]:
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
