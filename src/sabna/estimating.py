"""Estimates what a run will take: size of the parent graph, memory, time.

First the whole graph is tried for half of the time given: most tables are done by then, and nothing is guessed. Else
parent graphs of some of the variables are built, all rows at once, for growing numbers of variables drawn at random (a
graph over fewer variables is exact for those). Sizes and times grow with the number of variables somewhere between a
power and an exponential; both curves are fitted to the larger samples and drawn on to all variables. Their distance,
widened by the scatter of the samples, is the uncertainty. It is a forecast: a table may hold a surprise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna.base.errors import UsageError
from sabna.base.limits import Limits, free_memory, process_memory
from sabna.parents.build import build_partial_graph
from sabna.parents.constraints import limits_by_name
from sabna.parents.reading import check_reading, read_rows
from sabna.settings import checked, only, takes
from sabna.settings.checks import argument, positive
from sabna.settings.table import LONGEST_TIME, EstimateSettings, Known, Scoring, Threads
from sabna.table import MixedTable, NumericTable, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sabna.parents.built import BuiltGraph

AnyTable = Table | NumericTable | MixedTable

# Samples start with this many variables and grow by this factor, two of each size.
FIRST_SIZE = 6
GROWTH = 1.3
# The scatter of the samples counts this often (about 95 % if they scatter normally).
DEVIATIONS = 2.0
# Recommended limits leave this much room above the upper end of the forecast.
ROOM = 2.0
# Above this many seconds, or this share of the free memory, a limit on the number of parents is suggested.
LONG_RUN = 3600.0
MEMORY_SHARE = 0.8


@dataclass(frozen=True)
class Range:
    """A forecast between two ends; equal ends if it was measured."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The geometric middle."""
        return float(np.sqrt(max(self.low, 1e-9) * max(self.high, 1e-9)))

    def up_to(self, most: float) -> Range:
        """The same, with no end above `most`."""
        return Range(min(self.low, most), min(self.high, most))


@dataclass(frozen=True)
class Estimate:
    """What a run on a table will take. `exact` if the whole parent graph was built while estimating."""

    exact: bool
    sets: Range
    evaluated: Range
    seconds: Range
    memory: Range
    samples: tuple[tuple[int, int, int, float], ...]
    seconds_spent: float

    def advice(self) -> dict[str, Any]:
        """Limits to run with, and a limit on the parents if it looks too much without."""
        memory = min(self.memory.high * ROOM, MEMORY_SHARE * free_memory())
        advice: dict[str, Any] = {
            "time_limit": int(max(60.0, min(self.seconds.high * ROOM, 24 * LONG_RUN))),
            "memory_limit": f"{max(memory, 5e8) / 1e6:.0f}MB",
        }
        if self.seconds.middle > LONG_RUN or self.memory.middle > MEMORY_SHARE * free_memory():
            advice["max_parents"] = 3
        return advice


@dataclass(frozen=True)
class _Sample:
    variables: int
    sets: int
    evaluated: int
    seconds: float
    memory: float  # that the core asked for at its peak


@takes("estimate")
def estimate(data: Any, score: str = "bic", *, seconds: float = 6.0, **options: Unpack[EstimateSettings]) -> Estimate:
    """Forecast of the scoring of a table, made in about `seconds`; `data` and options as for `learn`.

    >>> forecast = estimate("example:asia")
    >>> forecast.exact, forecast.sets.low == forecast.sets.high
    (True, True)
    """
    settings = checked("estimate", {"score": score, **options})
    seconds = checked_seconds(seconds)
    check_reading(data, settings)
    started = time.monotonic()
    table = read_rows(data, settings, Limits())
    options_of_graph = only(settings, Scoring, Threads)
    options_of_graph["max_parents"] = limits_by_name(settings["max_parents"], table.names)
    whole, complete = _measure(table, score, options_of_graph | only(settings, Known), seconds / 2)
    if complete:
        return _exact(whole, time.monotonic() - started)
    generator = np.random.default_rng(settings["seed"])
    samples = _samples(table, score, options_of_graph, started + seconds, generator)
    possible = _possible(table.n, options_of_graph["max_parents"])
    return _forecast(samples, whole, table.n, possible, time.monotonic() - started)


def checked_seconds(seconds: Any) -> float:
    """The time to spend on an estimate."""
    seconds = argument("seconds", seconds, positive)
    if seconds > LONGEST_TIME:
        raise UsageError(f"seconds {seconds!r}: write at most {LONGEST_TIME:g}")
    return float(seconds)


def _measure(table: AnyTable, score: str, options: dict[str, Any], seconds: float) -> tuple[_Sample, bool]:
    """Build the graph of a table for at most so long."""
    limit = options["max_parents"]
    if isinstance(limit, Mapping):
        options = options | {"max_parents": {name: k for name, k in limit.items() if name in table.names}}
    begun = time.monotonic()
    built: BuiltGraph = build_partial_graph(table, score, limits=Limits(seconds), **options)
    counts = built.graph.statistics
    sample = _Sample(
        table.n, counts["sets"], counts["evaluated"], time.monotonic() - begun, float(counts["peak_bytes"])
    )
    return sample, built.status == "complete"


def _samples(
    table: AnyTable, score: str, options: dict[str, Any], deadline: float, generator: np.random.Generator
) -> list[_Sample]:
    """Graphs of growing parts of the variables, as long as the time allows."""
    samples: list[_Sample] = []
    size = float(FIRST_SIZE)
    while size < table.n:
        for _ in range(2):
            chosen = np.sort(generator.choice(table.n, size=int(size), replace=False))
            sample, complete = _measure(_part(table, chosen), score, options, max(deadline - time.monotonic(), 0.05))
            if not complete:
                return samples
            samples.append(sample)
        size *= GROWTH
    return samples


def _part(table: AnyTable, chosen: Any) -> AnyTable:
    if isinstance(table, MixedTable):
        return table.taken(chosen, np.arange(table.rows))
    if isinstance(table, NumericTable):
        return NumericTable(tuple(table.names[k] for k in chosen), np.ascontiguousarray(table.values[chosen]))
    return Table(tuple(table.names[k] for k in chosen), table.codes[chosen], tuple(table.states[k] for k in chosen))


def _exact(whole: _Sample, spent: float) -> Estimate:
    def point(value: float) -> Range:
        return Range(value, value)

    return Estimate(
        True,
        point(whole.sets),
        point(whole.evaluated),
        point(whole.seconds),
        point(whole.memory + process_memory()),
        ((whole.variables, whole.sets, whole.evaluated, whole.seconds),),
        spent,
    )


def _possible(n: int, limit: Any) -> float:
    """Parent sets that there can be at all.

    >>> _possible(8, None), _possible(5, 2), _possible(5, {"a": 2})
    (1024.0, 55.0, 80.0)
    """
    largest = limit if isinstance(limit, int) else n - 1  # by name: the others have none
    return float(n * sum(math.comb(n - 1, k) for k in range(min(largest, n - 1) + 1)))


def _forecast(samples: Sequence[_Sample], whole: _Sample, n: int, possible: float, spent: float) -> Estimate:
    """Draw the samples on to all variables; what the unfinished whole has seen is the least there is."""
    sizes = [s.variables for s in samples]

    def drawn(values: Sequence[float], least: float) -> Range:
        low, high = extrapolate(sizes, values, n) if len(set(sizes)) > 2 else (least, least * 1e3)
        return Range(max(low, least), max(high, least))

    core = drawn([s.memory for s in samples], whole.memory)
    package = process_memory()
    return Estimate(
        False,
        drawn([s.sets for s in samples], whole.sets).up_to(possible),
        drawn([s.evaluated for s in samples], whole.evaluated).up_to(possible),
        drawn([s.seconds for s in samples], whole.seconds),
        Range(core.low + package, core.high + package),
        tuple((s.variables, s.sets, s.evaluated, s.seconds) for s in samples),
        spent,
    )


def extrapolate(sizes: Sequence[int], values: Sequence[float], target: int) -> tuple[float, float]:
    """Low and high end for `target`: a power and an exponential through the larger samples, and their scatter.

    >>> low, high = extrapolate([4, 5, 6, 8, 10], [2**k for k in (4, 5, 6, 8, 10)], 12)
    >>> low <= 2**12 <= high * 1.000001
    True
    """
    count = max(len(sizes) // 2, min(len(sizes), 6))
    x, y = np.array(sizes[-count:], dtype=float), np.log(np.maximum(values[-count:], 1e-6))
    ends = []
    for transform in (np.log, lambda size: size):
        slope, base = np.polyfit(transform(x), y, 1)
        scatter = DEVIATIONS * float(np.std(y - slope * transform(x) - base))
        middle = base + slope * float(transform(np.array(float(target))))
        ends += [middle - scatter, middle + scatter]
    return float(np.exp(min(ends))), float(np.exp(min(max(ends), 80.0)))
