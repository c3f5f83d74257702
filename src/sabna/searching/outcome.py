"""What a search takes and returns: options, the run it belongs to, and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.limits import Limits
from sabna.base.progress import BEST, NOTHING, Parents, ProgressCallback
from sabna.base.stop import Stop
from sabna.base.trace import Trace

# Seconds between two progress reports about bounds alone; the core reports as often.
BETWEEN_REPORTS = 0.05


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search, most of them as the settings name them; `heuristic` None: the strategy chooses."""

    heuristic: str | None = None
    path_extension: bool = True
    upper_bound: bool = True
    components: bool = False
    scc_branching: bool = False
    tolerance: int = 0  # quanta
    threads: int = 1
    seed: int = 0
    pattern_groups: int | None = None  # None: two, or more where two would be too large
    pattern_grouping: str = "affinity"


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best network known and the proven lower bound, in quanta. `choice[i]` is a position in the graph's arrays."""

    stop: Stop
    choice: NDArray[np.int64]
    cost: int
    lower: int
    statistics: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Run:
    """One run: its limits, the progress callback, and the bounds over time.

    All bounds are bounds of the whole graph, in quanta. What the callback is told comes from the trace, so that both
    agree: upper bounds never rise and lower bounds never fall.
    """

    limits: Limits
    progress: ProgressCallback | None = None
    trace: Trace = field(default_factory=Trace)
    best: Callable[[], Parents] | None = None  # tells the best network found, once the search has one
    _last: dict[str, Any] = field(default_factory=lambda: {"station": "search"})
    _reported: float = -1.0

    def note(self, lower: int | None, upper: int | None) -> None:
        """Take bounds of the whole; None where nothing new is known."""
        better = self.trace.note(self.limits.elapsed(), lower, upper)
        if better and self.limits.elapsed() - self._reported >= BETWEEN_REPORTS:
            self.report(self._last)

    def report(self, report: dict[str, Any]) -> None:
        """Pass a report on to the progress callback, with the bounds of the whole."""
        if self.progress is not None:
            self._last, self._reported = report, self.limits.elapsed()
            self.progress(self.trace.report({**NOTHING, **report, BEST: self.best}, self.limits.elapsed()))

    def report_whole(self, report: dict[str, Any]) -> None:
        """As `report`, and take the bounds that it tells: they are of the whole."""
        self.trace.note(self.limits.elapsed(), report.get("lower"), report.get("upper"))
        self.report(report)
