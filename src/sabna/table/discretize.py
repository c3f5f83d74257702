"""Discretisation: from numbers to a few states.

- `mean`: 1 above the mean, else 0. The protocol of the paper: numbers count by value, other columns are first coded
  0, 1, 2, ... in order of appearance (declared states: in order of declaration), so that every column becomes
  binary. It is the one place where the order of rows matters, by definition.
- `quantile:K`: at most K states of about equal weight, cut at the k/K quantiles (linear interpolation).
- `uniform:K`: at most K states of equal width between the smallest and the largest value.

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

from sabna.base.errors import DataError, UsageError
from sabna.table.columns import Column
from sabna.table.numbers import number_text

METHODS = "none, mean, quantile:K or uniform:K (K from 2 to 100)"
_MAX_BINS = 100


@dataclass(frozen=True)
class Method:
    """One way to discretise: `kind` is none, mean, quantile or uniform; `bins` counts for the last two."""

    kind: str
    bins: int = 2

    @staticmethod
    def of(text: str) -> Method:
        """Parse `quantile:3` and the like."""
        match = re.fullmatch(r"(none|mean)|(quantile|uniform):(\d{1,9})", text.strip())
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
        return Plan(overall, by_column)

    def check(self, names: Iterable[str]) -> None:
        """Refuse columns that are not there."""
        unknown = set(self.by_column) - set(names)
        if unknown:
            raise UsageError(f"discretize: there is no column {sorted(unknown)[0]!r}; check its name")

    def method(self, column: Column, numbers: list[int | float] | None, categorical: bool) -> Method:
        """The method for a column. What is meant for all spares declared categories, and intervals spare text."""
        if column.name in self.by_column:
            return self.by_column[column.name]
        if categorical:
            return Method("none")
        if self.overall.kind in ("quantile", "uniform") and (numbers is None or len(set(numbers)) <= self.overall.bins):
            return Method("none")
        return self.overall


def discretize(column: Column, numbers: list[int | float] | None, method: Method, where: str) -> Column:
    """The column with its states; missing values stay missing."""
    if method.kind == "mean":
        # Not numbers: the positions themselves are the codes by appearance, or by declaration.
        values = np.array(numbers if numbers is not None else range(len(column.values)), dtype=np.float64)
        shown = column.positions[column.positions >= 0]
        if not len(shown):
            return column
        mean = math.fsum(values[shown]) / len(shown)  # fsum: exact, whatever the order of the rows
        return _recode(column, (values > mean).astype(np.int64), ["0", "1"])
    if numbers is None:
        raise DataError(
            f"{where}, column {column.name!r}: {method.kind}:{method.bins} needs numbers, but there are values such as "
            f"{column.values[0] if column.values else ''!r}; leave the column out of --discretize, or use mean"
        )
    values = np.array(numbers, dtype=np.float64)
    cuts = _cuts(values, column.positions, method)
    ends = _end_texts(cuts)
    names = [f"[{low}, {high}{']' if k == len(ends) - 2 else ')'}" for k, (low, high) in enumerate(pairwise(ends))]
    return _recode(column, np.searchsorted(cuts[1:-1], values, side="right"), names or [number_text(numbers[0])])


def _end_texts(cuts: NDArray[np.float64]) -> list[str]:
    """The ends of the intervals for people: six digits, or all where six would make two ends the same."""
    short = [f"{cut:.6g}" for cut in cuts]
    return short if len(set(short)) == len(short) else [number_text(float(cut)) for cut in cuts]


def _cuts(values: NDArray[np.float64], positions: NDArray[np.int32], method: Method) -> NDArray[np.float64]:
    """The ends of the intervals, ascending and different; one only if all values are equal."""
    if method.kind == "uniform":
        return np.unique(np.linspace(values.min(), values.max(), method.bins + 1))
    rows = np.sort(values[positions[positions >= 0]])
    # The k/K quantile lies at the place k (m - 1) / K: whole numbers find it exactly, a rounded 1/3 may miss it.
    # miss it.
    place, beyond = np.divmod(np.arange(method.bins + 1) * (len(rows) - 1), method.bins)
    low, high = rows[place], rows[np.minimum(place + 1, len(rows) - 1)]
    return np.unique(low + (high - low) * (beyond / method.bins))


def _recode(column: Column, state: NDArray[np.int64], names: list[str]) -> Column:
    """Replace value k by `names[state[k]]`; the states that occur, in the order of `names`."""
    used = np.unique(state)
    place = np.append(np.searchsorted(used, state), -1).astype(np.int32)  # the last entry serves position -1
    return Column(column.name, [names[k] for k in used], place[column.positions])
