"""How far a run is, for `sabna info DIR`: a small file that is written with every save, and the text made of it.

The picture draws the gap over time: a column is a moment, the height is the distance between the best network known and
the proven bound, on a logarithmic scale when it falls by more than a factor of 100.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from sabna.base.limits import Limits
from sabna.base.stop import LIMITS
from sabna.base.trace import Trace
from sabna.workdir.folder import WorkDir

RECORD = "progress"
WIDTH, HEIGHT = 60, 8
# From this ratio between the largest and the smallest gap on the picture is logarithmic.
LOGARITHMIC = 100.0
# Smaller gaps, in nats, are drawn as none: networks this close count as equal by default.
SMALLEST = 1e-6


@dataclass(frozen=True, eq=False)
class Record:
    """What a run has done: `status` is "running" until it ends, `finished` of `total` where pieces are counted."""

    station: str
    status: str = "running"
    seconds: float = 0.0  # of all runs together
    points: list[dict[str, Any]] = field(default_factory=list)
    finished: int = 0
    total: int = 0
    open_parts: int = 0
    unit: str = "pieces"  # what is counted
    bytes: int = 0  # of the files that a search works with

    def save(self, work: WorkDir) -> None:
        """Write it."""
        work.save(RECORD, self)


def seconds_so_far(trace: Trace, limits: Limits) -> float:
    """Seconds of all runs together."""
    return trace.before + limits.elapsed()


def state_of(record: Record, at_work: str | None, ended: str | None = None) -> str:
    """How the run is, given who is at work in its folder and how the last run ended.

    "running" is true only while somebody is at work. A run that had ended, and was killed when it was asked again, is
    still at its end.

    >>> state_of(Record("search"), None), state_of(Record("search"), "process 7")
    ('killed', 'running')
    """
    if at_work is not None:
        return "running"
    return ended or ("optimal" if record.status == "optimal" else "killed")


def describe(record: Record, at_work: str | None, ended: str | None = None) -> list[str]:
    """The record in words and a picture, line by line."""
    state = state_of(record, at_work, ended)
    words = {
        "running": f"running ({at_work})",
        "killed": "not running: it was killed, or its machine went down; `sabna resume` goes on",
    }
    words |= {limit: f"paused at the {limit.replace('_', ' ')}" for limit in LIMITS}
    lines = [f"  {record.station}, {words.get(state, state)}", f"  {record.seconds:.1f} s of work so far"]
    if record.total:
        lines.append(f"  {record.finished:,} of {record.total:,} {record.unit} done")
    if record.bytes:
        lines.append(f"  {record.bytes / 1e9:,.2f} GB in files")
    if record.open_parts:
        lines.append(f"  {record.open_parts:,} open part{'s' * (record.open_parts > 1)}")
    known = [p for p in record.points if p["lower_bound"] is not None and p["upper_bound"] is not None]
    if known:
        last = known[-1]
        gap = last["upper_bound"] - last["lower_bound"]
        lines.append(f"  cost {last['lower_bound']:,.6f} to {last['upper_bound']:,.6f}, gap {gap:,.6f}")
        lines += [f"  {line}" for line in picture(known, record.seconds)]
    return lines


def picture(points: list[dict[str, Any]], seconds: float) -> list[str]:
    """The gap over time, as text.

    >>> points = [{"seconds": 0.0, "lower_bound": 0.0, "upper_bound": 8.0}]
    >>> points.append({"seconds": 1.0, "lower_bound": 4.0, "upper_bound": 8.0})
    >>> print(picture(points, 2.0)[-3])
    ############################################################ 1
    """
    gaps = [max(p["upper_bound"] - p["lower_bound"], 0.0) for p in points]
    most, least = max(gaps), max(min((g for g in gaps if g > 0), default=0.0), SMALLEST)
    if most <= 0:
        return []
    logarithmic = most > LOGARITHMIC * least
    end = max(seconds, points[-1]["seconds"]) or 1.0
    heights = []
    for column in range(WIDTH):
        moment = end * (column + 0.5) / WIDTH
        gap = gaps[max(sum(p["seconds"] <= moment for p in points) - 1, 0)]
        if logarithmic:
            share = 0.0 if gap < least else (1 + math.log(gap / least)) / (1 + math.log(most / least))
        else:
            share = gap / most
        heights.append(math.ceil(HEIGHT * share - 1e-9))
    lines = []
    for row in range(HEIGHT, 0, -1):
        value = most * row / HEIGHT if not logarithmic else least * (most / least) ** ((row - 1) / (HEIGHT - 1))
        drawn = "".join("#" if h >= row else " " for h in heights)
        lines.append(f"{drawn} {value:.3g}")
    scale = ", logarithmic" if logarithmic else ""
    return [*lines, "-" * WIDTH, f"gap in nats{scale}, over {end:.1f} s"]
