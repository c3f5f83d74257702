"""The bounds of a run over time: upper bounds never rise, lower bounds never fall, and both are bounds of the whole.

Whoever learns a bound notes it, in quanta; a bound that is no better than the one known changes nothing. A lower bound
above the upper bound is a mistake of ours, never of the data, and is raised as one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sabna.base.cost import INFINITE, QUANTA_PER_NAT

# Points that are kept: enough for a smooth curve, small in the JSON.
MOST_POINTS = 400


@dataclass(eq=False)
class Trace:
    """Bounds of the whole run; `lower` and `upper` are None until one is known.

    `order` is that of the best network found while scoring; it costs `upper` unless the search has found a better one.

    >>> trace = Trace()
    >>> trace.note(0.1, 5 << 30, 9 << 30), trace.note(0.2, 4 << 30, 9 << 30), trace.note(0.3, 6 << 30, None)
    (True, False, True)
    >>> trace.points[-1]
    {'seconds': 0.3, 'lower_bound': 6.0, 'upper_bound': 9.0}
    """

    points: list[dict[str, Any]] = field(default_factory=list)
    lower: int | None = None
    upper: int | None = None
    order: tuple[int, ...] = ()
    before: float = 0.0  # seconds of earlier runs, where a run goes on

    def note(self, seconds: float, lower: int | None, upper: int | None) -> bool:
        """Take bounds of the whole, None or infinite where unknown; whether one of them is better than before."""
        better = False
        if lower is not None and abs(lower) < INFINITE and (self.lower is None or lower > self.lower):
            self.lower, better = lower, True
        if upper is not None and abs(upper) < INFINITE and (self.upper is None or upper < self.upper):
            self.upper, better = upper, True
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise AssertionError(f"lower bound {self.lower} above upper bound {self.upper}")
        if better:
            self._keep(seconds)
        return better

    def go_on(self, saved: Trace, seconds: float) -> None:
        """Take over the bounds of earlier runs, which took so many seconds."""
        self.points, self.lower, self.upper = list(saved.points), saved.lower, saved.upper
        self.order, self.before = saved.order, seconds

    def report(self, report: dict[str, Any], seconds: float) -> dict[str, Any]:
        """A report of the core as `progress` is given it: about the whole, with the keys of `ProgressCallback`."""
        return {**report, **self._point(seconds), "lower": self.lower, "upper": self.upper}

    def _keep(self, seconds: float) -> None:
        if len(self.points) >= MOST_POINTS:
            del self.points[1::2]
        self.points.append(self._point(seconds))

    def _point(self, seconds: float) -> dict[str, Any]:
        nats = [None if bound is None else bound / QUANTA_PER_NAT for bound in (self.lower, self.upper)]
        return {"seconds": self.before + seconds, "lower_bound": nats[0], "upper_bound": nats[1]}
