"""Branching on sources: the cluster program of a part, then a variable that comes first, or does not (choices.py).

Somebody comes first in every network, and where the cluster program ends that is spread thinly over many variables, at
next to no cost. Once one of them is made a source the program has to do without the others: on dna.valid with 2 parents
(180 variables) that raises the bound by half of the gap or more, a hundred times what branching on an arc or on the
order of two variables does. That a variable is no source raises it by next to nothing; but after a few dozen of these
nobody is left.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sabna.base.stop import Stop
from sabna.bounds.source_rounds import source_rounds
from sabna.bounds.weights import Clusters
from sabna.parents.orders import network_of_order
from sabna.searching import decisions
from sabna.searching.choices import Source, alternatives
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
        found = network_of_order(self.part.graph, order)
        if found is not None:
            known = Known(found[0], self.part.origin[found[1]])
            self.part = self.context.improved(self.part, known, "rounding")
        return self.part.target


def run_program(part: Part, context: Context) -> Narrowed | Closed:
    """Rounds while they pay; the part with the source to branch on."""
    listener = _Listener(part, context)
    found = source_rounds(
        part.graph,
        part.clusters,
        np.isin(part.origin, part.basic),
        part.target,
        context.limits,
        decisions.source_rounds(part),
        listener.struck if context.ledger else None,
        listener.watch,
        listener.offer_order if context.effort.improve else None,
        context.options.threads,
    )
    part = context.bounded(replace(listener.part, clusters=found.clusters), found.bound, found.clusters)
    counts = {"program_rounds": found.rounds, "pivots": found.pivots, "clusters": len(found.clusters)}
    context.done(part, decisions.SOURCE_PROGRAM, **counts)
    context.check(context.limits.struck())
    if found.closed:
        return Closed(part.target)
    source = -1 if found.source < 0 else int(part.members[found.source])
    progress = replace(part.progress, source=source)
    part = replace(part, by_sources=True, basic=part.origin[found.basic], cuts=None, progress=progress)
    return striking.left_of(part, found.alive)


def run_branching(part: Part, context: Context) -> Branch | Closed:
    """A source, or none."""
    how = Source(part.progress.source)
    parts = alternatives(how, part)
    context.done(part, decisions.SOURCE_BRANCHING, branchings=1)
    return Branch(parts, how) if parts else Closed(part.target)


PROGRAM = Step(decisions.SOURCE_PROGRAM, run_program)
BRANCHING = Step(decisions.SOURCE_BRANCHING, run_branching)
