"""The cluster program: the linear program whose duals are the best cluster weights, and fixing by them.

Networks are looked for meanwhile (`Effort.improve`). The program's points, rounded to orders, give networks. From the
second round on local search works beside the program where there is a second thread: among the sets that are left it is
quick, and it looks where better networks must be. What it starts from is settled beforehand, so that the outcome does
not depend on who is faster. When the program has ended, local search goes on from its last order.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sabna.base.stop import Stop
from sabna.bounds.tighten import Tightened, tighten
from sabna.bounds.weights import Clusters
from sabna.parents.orders import network_of_order
from sabna.searching import decisions
from sabna.searching.part import Known, Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Closed, Context, Narrowed, Step
from sabna.searching.steps.local_search import look

# What the program's arrays over all parent sets take while it is made: a byte for each bit of a set, and numbers.
NUMBERS_PER_SET = 160


class _Program:
    """One run of the step; `part` is the part with what is known by now."""

    def __init__(self, part: Part, context: Context) -> None:
        self.part, self.context = part, context

    def watch(self, bound: int, clusters: Clusters) -> bool:
        """Between rounds of the program: bounds out, limits in."""
        self.part = self.context.bounded(self.part, bound, clusters)
        return self.context.limits.struck() != Stop.none

    def offer_order(self, order: list[int]) -> int:
        """The network of an order rounded from the program; the target from then on."""
        self.part = replace(self.part, order=tuple(order))
        found = network_of_order(self.part.graph, order)
        if found is not None:
            known = Known(found[0], self.part.origin[found[1]])
            self.part = self.context.improved(self.part, known, "rounding")
        return self.part.target

    def struck(self, clusters: Clusters, struck: NDArray[np.bool_]) -> None:
        """Sets that a round of the program strikes out."""
        striking.tell(self.part, struck, self.context, clusters)

    @contextmanager
    def improving(self) -> Iterator[None]:
        """Local search beside what is done meanwhile; its network is offered at the end."""
        part, context = self.part, self.context
        seed, work = context.options.seed + part.progress.round, decisions.work_beside_program(part)

        def search() -> Known | None:
            return look(part, context, seed, work)

        if context.options.threads > 1:
            context = replace(context, options=replace(context.options, threads=context.options.threads - 1))
            with ThreadPoolExecutor(1) as worker:
                pending = worker.submit(search)
                yield
            found = pending.result()
        else:
            yield
            found = search()
        self.offer(found, "local search")

    def polish(self) -> None:
        """Local search from the order that the program ended with, crossed with that of the network known."""
        part, context = self.part, self.context
        if part.order:
            work = decisions.work_beside_program(part)
            found = look(part, context, context.options.seed + part.progress.round, work, restarts=2)
            self.offer(found, "local search from the program's order")

    def offer(self, found: Known | None, source: str) -> None:
        """A network of the part, if there is one."""
        if found is not None:
            self.part = self.context.improved(self.part, found, source)

    def tighten(self) -> Tightened:
        """Solve the program."""
        part, context = self.part, self.context
        return tighten(
            part.graph,
            part.clusters,
            part.target,
            context.limits,
            self.watch,
            decisions.program_rounds(part),
            self.offer_order if context.effort.improve else None,
            self.struck if context.ledger and context.effort.strike else None,
            context.options.threads,
            all_sets=not context.effort.strike,
        )


def run(part: Part, context: Context) -> Narrowed | Closed:
    """Tighten the weights by the linear program; strike out what they allow."""
    if context.effort.strike:
        context.check(context.limits.struck())  # with a million sets the first look at them takes a second
        if context.limits.bytes_left() < (64 * part.graph.sets.shape[1] + NUMBERS_PER_SET) * len(part.graph):
            context.check(Stop.memory_limit)
    program = _Program(part, context)
    with program.improving() if context.effort.improve and part.progress.round > 0 else nullcontext():
        found = program.tighten()
    part = context.bounded(replace(program.part, clusters=found.clusters), found.bound, found.clusters)
    counts = {"program_rounds": found.rounds, "pivots": found.pivots, "clusters": len(found.clusters)}
    context.done(part, decisions.CLUSTER_PROGRAM, **counts)
    if not context.effort.strike:
        return Narrowed(part)
    context.check(context.limits.struck())
    program.part = part
    if context.effort.improve and part.lower < part.target:
        program.polish()
    return striking.left_of(program.part, found.alive)


STEP = Step(decisions.CLUSTER_PROGRAM, run)
