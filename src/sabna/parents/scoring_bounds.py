"""Bounds of the whole while the parent graph is still being built.

The builders of the core tell now and then what they have scored so far (core/parents/so_far.h): a short list of each
variable's cheapest sets, and the floor of those still to come. Their sum of the smaller of the two bounds every network
from below; a short local search over the lists gives a network, and that bounds the best one from above.

The order of that network is kept in the trace, and only what is told as settled may change it: it then is the same for
any number of threads and any clock, and so is a result that makes use of it. Taking first fits along the order in the
finished graph gives a network that costs no more than the bound told, since a graph lists every set told, or a subset
of it that costs no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop
from sabna.base.trace import Trace

# Sets looked at by the local search after a level, and its fruitless kicks: a fraction of a millisecond.
WORK, KICKS = 50_000, 2

Arrays = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]
Hear = Callable[[core.GraphArrays, NDArray[np.int64], bool], None]


class ScoringBounds:
    """Takes what builders tell, notes the bounds in a trace, and adds them to the reports of progress."""

    def __init__(self, n: int, limits: Limits, trace: Trace, progress: ProgressCallback | None = None) -> None:
        self.limits, self.trace, self.progress = limits, trace, progress
        self._lists: list[tuple[NDArray[np.int64], NDArray[np.uint64]] | None] = [None] * n
        self._least = [-INFINITE] * n
        self._waiting: dict[str, Any] | None = None

    def start(self, child: int, cost: int, parents: NDArray[np.uint64], least: int) -> None:
        """The first set of a variable that is built later than others, and what its sets cost at least."""
        self._lists[child] = np.array([cost], dtype=np.int64), parents.reshape(1, -1)
        self._least[child] = least

    def hear(self, children: Iterable[int] | None = None) -> Hear:
        """What a builder of these variables (None: all) is given to tell to."""
        chosen = list(range(len(self._lists))) if children is None else list(children)

        def take(graph: core.GraphArrays, floor: NDArray[np.int64], settled: bool) -> None:
            self.take((graph.offsets, graph.costs, graph.sets), chosen, floor, settled)

        return take

    def take(self, arrays: Arrays, children: Iterable[int], floor: NDArray[np.int64], settled: bool) -> None:
        """Short lists of all variables, of which those of `children` count, and the floor of their other sets."""
        offsets, costs, sets = arrays
        for i in children:
            at = slice(int(offsets[i]), int(offsets[i + 1]))
            self._lists[i] = costs[at], sets[at]
            self._least[i] = max(self._least[i], min(int(costs[at.start]), int(floor[i])))
        self._note(settled)

    def report(self, report: dict[str, Any]) -> None:
        """Pass a report of the core on, with the bounds of the whole; one that comes before there are any waits."""
        self._waiting = report if self.trace.upper is None else None
        if self.progress is not None and self._waiting is None:
            self.progress(self.trace.report(report, self.limits.elapsed()))

    def _note(self, settled: bool) -> None:
        lists = [entry for entry in self._lists if entry is not None]
        most = sum(int(costs[-1]) for costs, _ in lists)
        if len(lists) < len(self._lists) or most >= INFINITE:  # not all told yet, or a total that the builder refuses
            return
        offsets = np.cumsum([0, *(len(costs) for costs, _ in lists)], dtype=np.int64)
        arrays: Arrays = offsets, np.concatenate([c for c, _ in lists]), np.concatenate([s for _, s in lists])
        found = _improved(arrays, self.trace.order, restarts=1 if settled else 0)
        if found.known and (self.trace.upper is None or found.cost < self.trace.upper):
            self.trace.order = tuple(found.order)
        self.trace.note(self.limits.elapsed(), sum(self._least), found.cost if found.known else None)
        if self._waiting is not None:
            self.report(self._waiting)


def _improved(arrays: Arrays, order: tuple[int, ...], restarts: int) -> core.Outcome:
    """The network of an order (none: any); with a restart the order is improved first."""
    unlimited = core.Limits()  # milliseconds, within the margin of the memory
    starts = [order] if order else []
    found = core.local_search(
        *arrays,
        seed=0,
        restarts=restarts,
        kicks=KICKS,
        crossings=0,
        work=WORK,
        starts=starts,
        threads=1,
        limits=unlimited,
    )
    if found.stop == Stop.interrupted:  # the core has taken the signal: nobody else will hear of it
        raise KeyboardInterrupt
    return found
