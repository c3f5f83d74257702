"""Discretisation: from numbers to a few states.

- `mean`: 1 above the mean, else 0. The protocol of the paper: numbers count by value, other columns are first coded
  0, 1, 2, ... in order of appearance (declared states: in order of declaration), so that every column becomes
  binary. It is the one place where the order of rows matters, by definition.
- `quantile:K`: at most K states of about equal weight, cut at the k/K quantiles (linear interpolation).
- `uniform:K`: at most K states of equal width between the smallest and the largest value.
- `year`, `quarter`, `month`, `weekday`, `day`, `hour`: that part of a date, see calendar.py; for columns by name only.

Intervals contain their lower end and not their upper one (the last contains both), as in scikit-learn's
KBinsDiscretizer. Equal cuts are merged, and intervals without any row are no states.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError, quoted
from sabna.base.texts import did_you_mean
from sabna.table.calendar import PARTS, Calendar, calendar_of
from sabna.table.columns import BLOCK, AnyColumn, Column, NumberColumn, look_up, narrowed
from sabna.table.numbers import Numbers, number_text
from sabna.table.recode import Coding, Key

METHODS = f"none, mean, quantile:K or uniform:K (K from 2 to 100), or for dates COLUMN={'|'.join(PARTS)}"
_MAX_BINS = 100


@dataclass(frozen=True)
class Method:
    """One way to discretise: `kind` is none, mean, quantile or uniform (with `bins`), or a part of dates."""

    kind: str
    bins: int = 2

    @staticmethod
    def of(text: str) -> Method:
        """Parse `quantile:3` and the like."""
        match = re.fullmatch(rf"(none|mean|{'|'.join(PARTS)})|(quantile|uniform):(\d{{1,9}})", text.strip())
        if not match or (match[3] and not 2 <= int(match[3]) <= _MAX_BINS):
            raise UsageError(f"discretize {text!r}: write {METHODS}, or COLUMN= before it")
        return Method(match[1]) if match[1] else Method(match[2], int(match[3]))


@dataclass(frozen=True)
class Plan:
    """What to do with each column: a method for all, and exceptions by name."""

    overall: Method
    by_column: Mapping[str, Method]

    @staticmethod
    def of(wish: str | Mapping[str, str] | Iterable[str]) -> Plan:
        """From `mean`, from {"price": "quantile:3"}, or from ["mean", "price=quantile:3"]."""
        if isinstance(wish, Mapping):
            return Plan(Method("none"), {column: Method.of(text) for column, text in wish.items()})
        overall, by_column = Method("none"), {}
        for text in [wish] if isinstance(wish, str) else wish:
            column, equals, method = text.rpartition("=")  # a name may hold "=", a method does not
            if equals:
                by_column[column] = Method.of(method)
            else:
                overall = Method.of(text)
        if overall.kind in PARTS:
            raise UsageError(f"discretize {overall.kind!r}: name the column of dates, as in 'day={overall.kind}'")
        return Plan(overall, by_column)

    def check(self, names: Iterable[str]) -> None:
        """Refuse columns that are not there."""
        unknown = set(self.by_column) - set(names)
        if unknown:
            name = sorted(unknown)[0]
            hint = did_you_mean(name, names) or "check its name"
            raise UsageError(f"discretize: there is no column {quoted(name)}; {hint}")

    def method(self, column: AnyColumn, numbers: Numbers | None, categorical: bool) -> Method:
        """The method for a column. What is meant for all spares declared categories, and intervals spare text."""
        if column.name in self.by_column:
            return self.by_column[column.name]
        if categorical:
            return Method("none")
        if self.overall.kind in ("quantile", "uniform") and (numbers is None or self.spares(column, numbers)):
            return Method("none")
        return self.overall

    def spares(self, column: AnyColumn, numbers: Numbers | None) -> bool:
        """Whether what is meant for all leaves a column of numbers as it is: it has no more of them than intervals."""
        return (
            numbers is not None
            and column.name not in self.by_column
            and self.overall.kind in ("quantile", "uniform")
            and _few(column, numbers, self.overall.bins)
        )


def _few(column: AnyColumn, numbers: Numbers, most: int) -> bool:
    """Whether there are at most so many different numbers."""
    if isinstance(column, NumberColumn):
        return len(np.unique(column.numbers[: 100 * most])) <= most and len(np.unique(column.shown())) <= most
    return len(set(numbers)) <= most


@dataclass(frozen=True)
class Cutting:
    """Where a column was cut, without the two ends, and which interval (or value, if it was not cut) became which code.

    See recode.py, which does the same to new rows.
    """

    numeric: bool
    code_of: Mapping[Key, int]
    cuts: tuple[float, ...] | None = None
    cut_belongs_above: bool = True
    calendar: Calendar | None = None

    def coding(self, states: tuple[str, ...], gaps: bool) -> Coding:
        """How to treat new rows alike; with `gaps` the last state stands for missing values."""
        missing = len(states) - 1 if gaps else None
        return Coding(states, self.numeric, self.code_of, missing, self.cuts, self.cut_belongs_above, self.calendar)


def discretize(column: AnyColumn, numbers: Numbers | None, method: Method, where: str) -> tuple[Column, Cutting]:
    """The column with its states, and how it was cut; missing values stay missing."""
    if method.kind in PARTS:
        return _dates(column, method.kind, where)
    if isinstance(column, NumberColumn):
        return _discretize_rows(column, method, where)
    if method.kind == "mean":
        # Not numbers: the positions themselves are the codes by appearance, or by declaration.
        values = np.array(numbers if numbers is not None else range(len(column.values)), dtype=np.float64)
        shown = _shown(values, column)
        if not len(shown):
            return column, Cutting(False, {})
        mean = _mean(shown)
        coded, used = _recode(column, (values > mean).astype(np.int64), ["0", "1"])
        if numbers is not None:
            return coded, Cutting(True, _places(used), (mean,), False)
        place = _places(used)
        return coded, Cutting(False, {str(v): place[int(x > mean)] for v, x in zip(column.values, values, strict=True)})
    if numbers is None:
        raise DataError(
            f"{where}, column {quoted(column.name)}: {method.kind}:{method.bins} needs numbers, but there are values "
            f"such as {quoted(column.values[0] if column.values else '')}; leave the column out of `discretize`, or "
            "use mean"
        )
    values = np.array(numbers, dtype=np.float64)
    cuts = _cuts(_shown(values, column), method, where, column.name)
    coded, used = _recode(column, np.searchsorted(cuts[1:-1], values, side="right"), _interval_names(cuts))
    return coded, _cutting(cuts, used)


def _dates(column: AnyColumn, part: str, where: str) -> tuple[Column, Cutting]:
    """The part of every date."""
    if isinstance(column, NumberColumn):
        raise DataError(f"{where}, column {quoted(column.name)}: numbers have no {part}; write dates as 2024-03-31")
    texts = [str(value) for value in column.values]
    calendar = calendar_of(texts, part, where, column.name)
    shown = [str(calendar.state(text)) for text in texts]
    states = calendar.ordered(shown)
    place = np.array([states.index(state) for state in shown], dtype=np.int64)
    coded, _ = _recode(column, place, states)
    return coded, Cutting(False, {state: k for k, state in enumerate(states)}, calendar=calendar)


def _cutting(cuts: NDArray[np.float64], used: NDArray[np.int64]) -> Cutting:
    """The intervals between cuts, of which some are used; a single value makes no interval."""
    if len(cuts) == 1:
        return Cutting(True, {float(cuts[0]): 0})
    return Cutting(True, _places(used), tuple(cuts[1:-1].tolist()))


def _places(used: NDArray[np.int64]) -> dict[Key, int]:
    """The codes of the intervals that are states."""
    return {interval: k for k, interval in enumerate(used.tolist())}


def _shown(values: NDArray[np.float64], column: Column) -> NDArray[np.float64]:
    """The number of every row that has one."""
    return look_up(values, column.positions[column.positions >= 0])


def _discretize_rows(column: NumberColumn, method: Method, where: str) -> tuple[Column, Cutting]:
    """The same for a column that is kept as numbers, a part of the rows at a time."""
    shown = column.shown()
    if not len(shown):
        return Column(column.name, [], np.full(column.rows, -1, dtype=np.int8)), Cutting(True, {})
    cuts = None
    if method.kind == "mean":
        inner, names, side = np.array([_mean(shown)]), ["0", "1"], "left"  # the mean itself is not above it
    else:
        cuts = _cuts(shown, method, where, column.name)
        inner, names, side = cuts[1:-1], _interval_names(cuts), "right"
    state = np.empty(column.rows, dtype=np.int8)
    for start in range(0, column.rows, BLOCK):
        part = column.numbers[start : start + BLOCK]
        found = np.searchsorted(inner, part, side=side)  # type: ignore[call-overload]
        state[start : start + BLOCK] = np.where(np.isnan(part), -1, found)
    used = np.flatnonzero([(state == k).any() for k in range(len(names))])
    place = np.full(len(names) + 1, -1, dtype=np.int8)
    place[used] = np.arange(len(used), dtype=np.int8)
    coded = Column(column.name, [names[k] for k in used], place[state])
    if cuts is None:
        return coded, Cutting(True, _places(used), tuple(inner.tolist()), False)
    return coded, _cutting(cuts, used)


def _interval_names(cuts: NDArray[np.float64]) -> list[str]:
    """The names of the intervals between the cuts, or of the only number."""
    ends = _end_texts(cuts)
    names = [f"[{low}, {high}{']' if k == len(ends) - 2 else ')'}" for k, (low, high) in enumerate(pairwise(ends))]
    return names or [number_text(float(cuts[0]))]


def _end_texts(cuts: NDArray[np.float64]) -> list[str]:
    """The ends of the intervals for people: six digits, or all where six would make two ends the same."""
    short = [f"{cut:.6g}" for cut in cuts]
    return short if len(set(short)) == len(short) else [number_text(float(cut)) for cut in cuts]


def _mean(shown: NDArray[np.float64]) -> float:
    """The mean, by exact sums: the same whatever the order of the rows."""
    try:
        return math.fsum(shown) / len(shown)
    except OverflowError:  # the sum is beyond what numbers can be, the mean is not
        return math.fsum(shown / len(shown))


def _cuts(shown: NDArray[np.float64], method: Method, where: str, name: str) -> NDArray[np.float64]:
    """The ends of the intervals of the rows' numbers, ascending and different; one only if all are equal."""
    with np.errstate(over="ignore", invalid="ignore"):
        if method.kind == "uniform":
            cuts = np.linspace(shown.min(), shown.max(), method.bins + 1)
        else:
            rows = np.sort(shown)
            # The k/K quantile lies at k (m - 1) / K: whole numbers find the place exactly, a rounded 1/3 may miss it.
            place, beyond = np.divmod(np.arange(method.bins + 1) * (len(rows) - 1), method.bins)
            low, high = rows[place], rows[np.minimum(place + 1, len(rows) - 1)]
            cuts = low + (high - low) * (beyond / method.bins)
    if not np.isfinite(cuts).all():
        raise DataError(
            f"{where}, column {quoted(name)}: its numbers are too far apart to be cut into intervals; rescale them"
        )
    return np.unique(cuts)


def _recode(column: Column, state: NDArray[np.int64], names: list[str]) -> tuple[Column, NDArray[np.int64]]:
    """Replace value k by `names[state[k]]`; the states that occur, in the order of `names`, and which these are."""
    used = np.unique(state)
    place = narrowed(np.append(np.searchsorted(used, state), -1), len(used))  # the last entry serves position -1
    return Column(column.name, [names[k] for k in used], look_up(place, column.positions)), used
