"""Rounds of the program with derived or local cuts: solve, bound in integers, fix, price, cut, until closed or stalled.

Where the cluster program ends half-integral, derived cuts close most of the gap on sparse problems of many variables;
local cuts do so where many columns say nearly the same (docs/bounds.md has figures). Elsewhere they bring little. So
rounds go on while they pay, by the gap they close, and stop early where the first ones show nothing.

Where the program is large, one thread solves it while another looks for local cuts at the average of the points before:
that takes nearly as long, and one point less makes little difference. A single thread does one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.bounds.cut_program import CutProgram, Solution
from sabna.bounds.cuts import Cuts, Ints, possible
from sabna.bounds.deriving import Floats
from sabna.bounds.local_cuts import LocalCuts
from sabna.bounds.weights import Reduced
from sabna.parents.graph import ParentGraph

# Derived cuts entering per round for each variable, and eliminations that look for them.
NEW_DERIVED = 1.0
ORDERS = 3
# Local cuts of blocks are looked for where there are fewer of variables than this for each variable; derived cuts where
# there are fewer of both, and then in every third round: on accidents.valid with 2 parents they took half of the time
# in all of them.
FEW_LOCAL = 0.25
EVERY = 3
# Blocks of a group of local cuts: tables of larger ones take longer, and see little more. Where rounds bring little and
# nothing else comes as far, larger ones are taken, one size after the other.
GROUP_SIZES = (7, 9, 10)
# Sets are struck out when they are this share of all: it costs a pass over the matrix of coefficients.
WORTH_STRIKING = 0.03
# Rows kept for each row of the program, beside a few.
MOST_ROWS = 3
FEW_ROWS = 1000


@dataclass(frozen=True)
class RoundLimits:
    """Which cuts are looked for, and how long: while the last `stall` rounds closed this share of the gap.

    With many parent sets nothing else comes as far: a smaller share is enough, and larger groups come after it. Solving
    such a program takes long, and local cuts are looked for meanwhile.
    """

    stall: int = 8
    share: float = 0.1
    many: int = 1 << 62
    share_of_many: float = 0.0
    most: int = 200
    # Derived cuts are looked for among so many parent sets at most; with more, adding up rows takes too long.
    derived_up_to: int = 15_000
    local: bool = True


class Listener(Protocol):
    """Who is told what the rounds prove and find."""

    def bounded(self, bound: int, cuts: Cuts) -> bool:
        """A bound and the weights that prove it; whether to stop."""

    def strike(self, cuts: Cuts, keep: NDArray[np.bool_]) -> ParentGraph | None:
        """These weights leave the marked sets only: the graph of those; None if some variable has none."""

    def offer_order(self, order: list[int]) -> int:
        """An order rounded from the program; the target from then on."""


@dataclass(frozen=True, eq=False)
class Cut:
    """What the rounds ended with; closed: nothing below the target is left."""

    bound: int
    cuts: Cuts
    rounds: int
    closed: bool
    program: CutProgram


def cut_rounds(
    graph: ParentGraph,
    start: Cuts,
    target: int,
    limits: Limits,
    listener: Listener,
    allowed: RoundLimits,
    threads: int,
) -> Cut:
    """Raise the bound of `graph` from the weights `start`, and strike out what no network below `target` can use."""
    rounds = _Rounds(CutProgram(graph, start), start, target, limits, listener, allowed, threads)
    rounds.beside = allowed.local and len(graph) > allowed.many
    rounds.take(start.weights, rounds.program.reduced(start.weights))
    gaps: list[int] = []
    while not rounds.over and rounds.number < allowed.most:
        rounds.round()
        gaps.append(rounds.target - rounds.bound)
        share = allowed.share if len(rounds.program.graph) <= allowed.many else allowed.share_of_many
        if len(gaps) > allowed.stall and gaps[-1] > (1 - share) * gaps[-1 - allowed.stall]:
            if not rounds.enlarge():
                break
            gaps.clear()
    if not rounds.closed and not rounds.stopped:
        rounds.refine()
    return Cut(rounds.bound, rounds.cuts, rounds.number, rounds.closed, rounds.program)


@dataclass(eq=False)
class _Rounds:
    """Rounds under way: what they work with, and how far they are."""

    program: CutProgram
    cuts: Cuts
    target: int
    limits: Limits
    listener: Listener
    allowed: RoundLimits
    threads: int
    bound: int = -INFINITE
    number: int = 0
    largest: int = GROUP_SIZES[0]
    closed: bool = False
    stopped: bool = False
    over: bool = False
    beside: bool = False  # whether the average's local cuts are looked for while the program is solved
    local: LocalCuts | None = None  # those of the round before

    def take(self, y: Ints, reduced: Reduced) -> None:
        """Bound and strike by the weights of the program's rows."""
        program = self.program
        keep = possible(program.graph, reduced, self.target)
        strikes = len(keep) - int(keep.sum()) > len(keep) * WORTH_STRIKING
        if reduced.bound <= self.bound and not strikes:
            return
        cuts = program.cuts(y)
        if reduced.bound > self.bound:
            self.bound, self.cuts = reduced.bound, cuts
            self.stopped = self.listener.bounded(reduced.bound, cuts)
        self.closed = self.bound >= self.target
        if not self.closed and strikes:
            graph = self.listener.strike(cuts, keep)
            self.closed = graph is None
            if graph is not None:
                program.restrict(graph, keep)
        self.over = self.closed or self.stopped

    def round(self) -> None:
        """One round."""
        program = self.program
        if len(program.b) > MOST_ROWS * len(program.rows) + FEW_ROWS:
            program.forget()
        with self._looking_at_average() as of_average:
            solution = program.solve(self.limits)
        if solution is None:
            self.over = True
            return
        self.number += 1
        program.average.remember(program.columns, solution.share)
        self.target = self.listener.offer_order(program.rounded_order(solution))
        y = program.weights(solution.duals)
        reduced = program.reduced(y)
        new = program.entering(reduced, solution.duals)
        clusters = program.broken_clusters(solution, 1, self.threads)
        few = len(clusters) < program.graph.n // 4
        pairs = program.broken_clusters(solution, 2, self.threads) if few else clusters[:0]
        back = program.broken_rows(solution)
        local = self._local_cuts(solution, of_average())
        most = int(NEW_DERIVED * program.graph.n) + 5
        wanted = self._derived_wanted(len(local))
        derived = program.derived_cuts(solution, most, ORDERS, self.number) if wanted else []
        program.drop_idle_rows(solution.duals)
        program.add_columns(new)
        self.take(y, reduced)
        self.over |= not (len(new) or len(clusters) or len(pairs) or len(back) or len(derived) or len(local))
        if not self.over:
            program.add_clusters(clusters, 1)
            program.add_clusters(pairs, 2)
            program.add_rows(back)
            program.add_derived(derived)
            program.add_local(local)

    def enlarge(self) -> bool:
        """Whether to go on with larger groups; then they are."""
        if not self.allowed.local or len(self.program.graph) <= self.allowed.many or self.largest == GROUP_SIZES[-1]:
            return False
        self.largest = next(size for size in GROUP_SIZES if size > self.largest)
        return True

    @contextmanager
    def _looking_at_average(self) -> Iterator[Callable[[], LocalCuts]]:
        """Local cuts that the average of the points so far breaks, looked for while something else is done."""
        none = LocalCuts.none(self.program.graph.sets.shape[1])
        if not self.beside or self.number == 0:
            yield lambda: none
            return
        support = [self.program.average.support()]
        if self.threads == 1:
            found = self._broken_at(support, 1, none)
            yield lambda: found
        else:
            with ThreadPoolExecutor(1) as worker:
                yield worker.submit(self._broken_at, support, self.threads - 1, none).result

    def _broken_at(self, points: list[tuple[Ints, Floats]], threads: int, found: LocalCuts) -> LocalCuts:
        """Local cuts of variables that points break, and where there are few, of blocks, beside those found before."""
        program = self.program
        for blocks in (False, True):
            for point in points:
                if len(found) < FEW_LOCAL * program.graph.n:
                    more = program.broken_local_cuts(point, self.largest, self.number, threads, self.limits, blocks)
                    found = found.and_more(more)
        return found

    def _local_cuts(self, solution: Solution, of_average: LocalCuts) -> LocalCuts:
        """Local cuts that the average breaks; where there are few, those of the newest point as well."""
        if not self.allowed.local:
            return of_average
        points = [self.program.support(solution)]
        if self.beside:
            # The last round's stand in the program since the average was taken.
            of_average = of_average.without(self.local) if self.local is not None else of_average
        else:
            points.insert(0, self.program.average.support())
        self.local = self._broken_at(points, self.threads, of_average)
        return self.local

    def _derived_wanted(self, local: int) -> bool:
        """Whether to look for derived cuts: where there are few local ones, and not in every round beside these."""
        if len(self.program.graph) > self.allowed.derived_up_to:
            return False
        return not local or (local < FEW_LOCAL * self.program.graph.n and self.number % EVERY == 0)

    def refine(self) -> None:
        """The last digits, where double precision ends."""
        y = self.program.refine(self.limits)
        if y is not None:
            self.take(y, self.program.reduced(y))
