"""The cut program: the cluster program goes on with local cuts and zero-half cuts (bounds/cuts.py), and fixes by them.

The weights of clusters alone, which tables and lattice search are made of, stay as they are: the other cuts serve the
bound of the part and fixing, and what they strike out helps everything after. Sets are struck out between rounds; each
time the part is narrowed, and what follows is told of the narrower part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sabna.base.stop import Stop
from sabna.bounds.cut_rounds import cut_rounds
from sabna.bounds.cuts import Cuts
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import network_of_order
from sabna.searching import decisions
from sabna.searching.part import Known, Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Closed, Context, Narrowed, Step
from sabna.searching.steps.local_search import look


class _Listener:
    """Passes on what the rounds tell; `part` is the part with what is known by now."""

    def __init__(self, part: Part, context: Context) -> None:
        self.part, self.context = part, context
        self.orders = 0  # taken so far

    def bounded(self, bound: int, cuts: Cuts) -> bool:
        """Bounds out, limits in."""
        self.part = self.context.bounded(replace(self.part, cuts=cuts), bound, cuts=cuts)
        return self.context.limits.struck() != Stop.none

    def strike(self, cuts: Cuts, keep: NDArray[np.bool_]) -> ParentGraph | None:
        """Narrow the part."""
        striking.tell(self.part, ~keep, self.context, cuts=cuts)
        left = self.part.keeping(keep)
        if left is None:
            return None
        self.part = left
        return left.graph

    def offer_order(self, order: list[int]) -> int:
        """The network of an order rounded from the program; the target from then on."""
        self.part = replace(self.part, order=tuple(order))
        found = network_of_order(self.part.graph, order) if self.context.effort.improve else None
        if found is not None:
            known = Known(found[0], self.part.origin[found[1]])
            self.part = self.context.improved(self.part, known, "rounding")
            self.orders += 1
            if work := decisions.work_beside_cuts(self.part, self.orders):
                self.part = _polished(self.part, self.context, work, 8, self.orders)
        return self.part.target


def run(part: Part, context: Context) -> Narrowed | Closed:
    """Rounds while they pay."""
    listener = _Listener(part, context)
    start = Cuts.of(part.n, part.clusters) if part.cuts is None else part.cuts
    found = cut_rounds(
        part.graph,
        start,
        part.target,
        context.limits,
        listener,
        decisions.cut_rounds(part),
        context.options.threads,
    )
    part = listener.part
    counts = {"cut_rounds": found.rounds, "pivots": found.program.pivots, "cuts": len(found.cuts)}
    context.done(part, decisions.CUT_PROGRAM, **counts)
    context.check(context.limits.struck())
    if found.closed:
        return Closed(part.target)
    if context.effort.improve:
        part = _polished(part, context, decisions.local_search_work(part.n), 2, 0)
    return Narrowed(part)


def _polished(part: Part, context: Context, work: int, restarts: int, number: int) -> Part:
    """With what local search finds among the sets that are left, from the program's last order; `number` varies it."""
    known = look(part, context, context.options.seed + number, work, restarts) if part.order else None
    return part if known is None else context.improved(part, known, "local search from the program's order")


STEP = Step(decisions.CUT_PROGRAM, run)
