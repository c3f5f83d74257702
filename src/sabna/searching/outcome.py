"""What strategies take and return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.trace import Trace


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search; `heuristic` None leaves the choice to the strategy."""

    heuristic: str | None = None
    path_extension: bool = True
    upper_bound: bool = True
    scc_branching: bool = False
    tolerance: int = 0  # quanta
    threads: int = 1
    seed: int = 0
    pattern_groups: int = 0  # 0: two, or more where two would be too large
    pattern_grouping: str = "affinity"


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best network known and the proven lower bound, in quanta. `choice[i]` is a position in the graph's arrays.

    `choice` is None and `cost` INFINITE while no network is known; both bounds INFINITE say that none exists.
    """

    stop: int
    choice: NDArray[np.int64] | None
    cost: int
    lower: int
    order: tuple[int, ...] = ()
    statistics: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Run:
    """One run: its limits, who watches it, and the bounds over time.

    Where a problem is solved in parts, `shift(lower, upper)` says what the other parts contribute, so that reports are
    about the whole.
    """

    limits: Limits
    progress: ProgressCallback | None = None
    trace: Trace = field(default_factory=Trace)
    in_parts: bool = False  # what the core reports is about parts that nobody shifts: the strategy notes the bounds
    _lower: int = 0
    _upper: int = 0
    _before: dict[str, int] = field(default_factory=dict)

    def shift(self, lower: int, upper: int, **counts: int) -> None:
        """What the parts that are not being solved contribute to the bounds, and to the counts."""
        self._lower, self._upper, self._before = lower, upper, counts

    def report(self, report: dict[str, Any]) -> None:
        """Take a progress report of the core; note the bounds and pass it on."""
        whole = dict(report)
        for key in ("expanded", "generated", "stored"):
            whole[key] = report[key] + self._before.get(key, 0)
        if not self.in_parts:
            upper = report["upper"] + self._upper if max(report["upper"], self._upper) < INFINITE else None
            known = upper if self.trace.upper is None else min(self.trace.upper, INFINITE if upper is None else upper)
            lower = report["lower"] + self._lower if abs(report["lower"]) < INFINITE else None
            self.note(lower if lower is None or known is None else min(lower, known), upper)
        if self.progress is not None:
            self.progress(self.trace.report(whole, self.limits.elapsed()))

    def note(self, lower: int | None, upper: int | None) -> None:
        """Add a point to the trace if a bound has changed."""
        self.trace.note(self.limits.elapsed(), lower, upper)

    def core(self) -> dict[str, Any]:
        """What the core is given: seconds and bytes left, and whom to tell."""
        return {
            "seconds": self.limits.seconds_left(),
            "bytes": self.limits.bytes_left(),
            "progress": self.report,
        }
