"""Branching on sources: the cluster program of a part, then a variable that comes first, or does not (choices.py).

Somebody comes first in every network, and where the cluster program ends that is spread thinly over many variables, at
next to no cost. Once one of them is made a source the program has to do without the others: on dna.valid with 2 parents
(180 variables) that raises the bound by half of the gap or more, a hundred times what branching on an arc or on the
order of two variables does. That a variable is no source raises it by next to nothing; but after a few dozen of these
nobody is left.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sabna.base.stop import Stop
from sabna.bounds.source_rounds import SourceLimits, SourceRounds, source_rounds
from sabna.bounds.weights import Clusters
from sabna.parents.orders import network_of_order
from sabna.searching import decisions
from sabna.searching.choices import Source, alternatives, sides
from sabna.searching.incumbent import together
from sabna.searching.part import Known, Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Branch, Closed, Context, Narrowed, Step


class _Listener:
    """Passes on what the rounds tell; `part` is the part with what is known by now."""

    def __init__(self, part: Part, context: Context) -> None:
        self.part, self.context = part, context

    def watch(self, bound: int, clusters: Clusters) -> bool:
        """Bounds out, limits in."""
        self.part = self.context.bounded(self.part, bound, clusters)
        return self.context.limits.struck() != Stop.none

    def struck(self, clusters: Clusters, struck: NDArray[np.bool_]) -> None:
        """Sets that a round strikes out."""
        striking.tell(self.part, struck, self.context, clusters)

    def offer_order(self, order: list[int]) -> int:
        """The network of an order rounded from the program; the target from then on."""
        found = network_of_order(self.part.graph, order) if self.context.effort.improve else None
        if found is not None:
            known = Known(found[0], self.part.origin[found[1]])
            self.part = self.context.improved(self.part, known, "rounding")
        return self.part.target


def run_program(part: Part, context: Context) -> Narrowed | Closed:
    """Rounds while they pay; the part with the source to branch on."""
    listener = _Listener(part, context)
    found = _rounds(part, listener, context, decisions.source_rounds(part))
    part = context.bounded(replace(listener.part, clusters=found.clusters), found.bound, found.clusters)
    counts = {"program_rounds": found.rounds, "pivots": found.pivots, "clusters": len(found.clusters)}
    context.done(part, decisions.SOURCE_PROGRAM, **counts)
    context.check(context.limits.struck())
    if found.closed:
        return Closed(part.target)
    sources = tuple(part.members[found.likely].tolist())
    progress = replace(part.progress, sources=sources)
    part = replace(part, by_sources=True, basic=part.origin[found.basic], cuts=None, progress=progress)
    if context.effort.improve and not part.branches:
        part = _with_better_network(part, [int(part.members[v]) for v in found.sources[: decisions.DIVES]], context)
    return striking.left_of(part, found.alive)


def _rounds(part: Part, listener: _Listener, context: Context, allowed: SourceLimits) -> SourceRounds:
    return source_rounds(
        part.graph,
        part.clusters,
        np.isin(part.origin, part.basic),
        part.target,
        context.limits,
        allowed,
        listener,
        listener.struck if context.ledger else None,
        context.options.threads,
    )


def _with_better_network(part: Part, sources: list[int], context: Context) -> Part:
    """What is found on the way down through some sources, side by side: every part to come depends on the target."""
    halt = context.limits.halt or threading.Event()  # an interrupt reaches this thread, and must reach the others
    limits = replace(context.limits.with_share_of_time(decisions.DIVE_TIME), halt=halt)
    options = replace(context.options, threads=1)
    silent = replace(context, emit=lambda event: None, ledger=False, options=options, limits=limits)
    better = 0
    with ThreadPoolExecutor(context.options.threads) as threads:
        try:
            for turn in range(decisions.TURNS):
                dives = [threads.submit(_dive, part, v, silent, decisions.DIVE_DEPTH, turn) for v in sources]
                for known in [dive.result() for dive in dives]:
                    if known is not None:
                        better += known.cost < part.target
                        part = context.improved(part, known, "local search")
        except BaseException:
            halt.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    context.done(part, decisions.DIVING, better_networks=better)
    return part


def _dive(part: Part, source: int, context: Context, depth: int, turn: int = 0) -> Known | None:
    """A network below the target in which a variable comes first; None if none is found.

    `turn`: which of the likeliest sources of the part without that variable comes next; the likeliest after that.
    """
    first = sides(Source(source), part)[0]
    if first is None or depth == 0 or context.limits.struck() != Stop.none:
        return None
    pieces = first.components()
    least = [int(np.minimum.reduceat(piece.graph.costs, piece.graph.offsets[:-1]).sum()) for piece in pieces]
    found: list[Part] = []
    for piece, cost in zip(pieces, least, strict=True):
        known: Known | None = Known(cost, piece.origin[piece.graph.offsets[:-1]])
        if piece.n > 1:
            below = replace(piece, target=part.target - sum(least) + cost, slack=part.slack)
            known = _down(below, context, depth - 1, turn)
        if known is None:
            return None
        found.append(replace(piece, known=known))
    whole = together(first, found)
    return whole if whole.cost < part.target else None


def _down(part: Part, context: Context, depth: int, turn: int) -> Known | None:
    """The best network on the way down through likely sources."""
    listener = _Listener(part, context)
    rounds = _rounds(part, listener, context, decisions.SOURCE_ROUNDS_OF_BRANCH)
    part = listener.part
    if not rounds.closed and len(rounds.sources) > turn:
        left = part.keeping(rounds.alive)
        if left is not None:
            left = replace(left, clusters=rounds.clusters, basic=part.origin[rounds.basic])
            deeper = _dive(left, int(part.members[rounds.sources[turn]]), context, depth)
            return deeper or part.known
    return part.known


def run_branching(part: Part, context: Context) -> Branch | Closed:
    """A source, or none."""
    how = Source(part.progress.sources[0])
    parts = alternatives(how, part)
    context.done(part, decisions.SOURCE_BRANCHING, branchings=1)
    return Branch(parts, how) if parts else Closed(part.target)


PROGRAM = Step(decisions.SOURCE_PROGRAM, run_program)
BRANCHING = Step(decisions.SOURCE_BRANCHING, run_branching)
