"""New rows in the states of a table that was read before: the same categories, the same cuts.

Reading new rows by themselves would cut columns at their own quantiles and number their own states. A `Coding` holds
what reading did with one column, as the table it made shows it: which code a value, an interval, or a missing value
got. What no row of the table shows, an empty interval included, gets one code more, `unseen`. Values below the first
interval and above the last belong to these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.limits import Limits
from sabna.table.budget import CODE_BYTES, Budget
from sabna.table.columns import Column, NumberColumn, Value
from sabna.table.discretize import Method, Plan, inner_cuts
from sabna.table.missing import treat_missing
from sabna.table.numbers import number_of, numbers_of
from sabna.table.sources import columns_of
from sabna.table.table import Table

Key = int | float | str
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Coding:
    """How one column was coded: its values as keys, and the code of each key.

    The key of a value is its number if the column held numbers, else its text; with `cuts` the interval it falls in.
    """

    numeric: bool
    cuts: tuple[float, ...] | None
    cut_belongs_above: bool
    code_of: Mapping[Key, int]
    code_of_missing: int | None
    unseen: int

    @staticmethod
    def of(column: Column, codes: NDArray[np.uint16], states: int, method: Method, where: str) -> Coding:
        """`codes` is what reading made of the column."""
        numbers = None if column.declared else numbers_of(column, where)
        cuts = inner_cuts(column, numbers, method, where)
        bare = Coding(numbers is not None, cuts, method.kind != "mean", {}, None, states)
        code_at = np.full(len(column.values) + 1, -1, dtype=np.int64)  # the last entry serves position -1
        code_at[column.positions] = codes
        *known, missing = code_at.tolist()
        keys = [bare.key(value) for value in column.values]
        code_of = {key: code for key, code in zip(keys, known, strict=True) if code >= 0 and key is not None}
        return replace(bare, code_of=code_of, code_of_missing=missing if missing >= 0 else None)

    def key(self, value: Value) -> Key | None:
        """What values of the same code have in common; None for text in a column of numbers."""
        if not self.numeric:
            return str(value)
        number = number_of(value)
        if number is None or self.cuts is None:
            return number
        return int(np.searchsorted(self.cuts, number, side="right" if self.cut_belongs_above else "left"))

    def codes(self, column: Column) -> Ints:
        """The codes of new rows."""
        found = [
            self.unseen if (key := self.key(v)) is None else self.code_of.get(key, self.unseen) for v in column.values
        ]
        missing = self.unseen if self.code_of_missing is None else self.code_of_missing
        return np.array([*found, missing], dtype=np.int64)[column.positions]  # the last entry serves position -1


def _distinct_columns(source: Any, missing: str | None = None) -> tuple[str, list[Column]]:
    """The columns of a source as distinct values, rows with missing values treated."""
    read = columns_of(source, None, None, True, Budget(Limits(), CODE_BYTES))
    if missing is not None:
        treat_missing(read.where, read.columns, missing)
    return read.where, [c.distinct() if isinstance(c, NumberColumn) else c for c in read.columns]


@dataclass(frozen=True)
class Codings:
    """The codings of all columns of a table, in its order."""

    columns: tuple[Coding, ...]

    @staticmethod
    def of(source: Any, table: Table, categorical: Iterable[str], discretize: Any, missing: str) -> Codings:
        """How `read_table` coded `source` with these options; `table` is what it returned."""
        where, columns = _distinct_columns(source, missing)
        plan, spared = Plan.of(discretize), set(categorical)
        codings = []
        for column, codes, states in zip(columns, table.codes, table.states, strict=True):
            numbers = None if column.declared else numbers_of(column, where)
            method = plan.method(column, numbers, column.name in spared)
            codings.append(Coding.of(column, codes, len(states), method, where))
        return Codings(tuple(codings))

    @property
    def states(self) -> tuple[int, ...]:
        """Codes of each column, the one for what was not seen included."""
        return tuple(coding.unseen + 1 for coding in self.columns)

    def codes(self, source: Any) -> Ints:
        """The codes of new rows with the same columns; missing values count as unseen unless they were a state."""
        _, columns = _distinct_columns(source)
        return np.stack([coding.codes(column) for coding, column in zip(self.columns, columns, strict=True)])
