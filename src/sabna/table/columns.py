"""Columns as they arrive, in one of two shapes.

- `Column`: distinct values, and for every row the position of its value. All that comes after, from missing values to
  discretisation, works on the few distinct values instead of the many rows.
- `NumberColumn`: the number of every row. A measured quantity has nearly as many values as rows; as distinct values
  they would take twenty times the memory.

All sources (files, frames, arrays) are brought into these shapes, see builder.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.table.decimals import Evidence, evidence_of

# A distinct value: text, whole number, other number or truth value.
Value = str | int | float | bool
# Positions are signed and as narrow as their number allows: 8, 16 or 32 bits.
Positions = NDArray[np.signedinteger[Any]]
# Objects of other libraries that mean "missing", by the name of their type.
_MISSING_TYPES = ("NAType", "NaTType")
# Rows worked on at a time where an intermediate takes more than the column itself.
BLOCK = 1 << 16


@dataclass
class Column:
    """One column: `values[positions[r]]` is the value of row r; position -1 is a missing value.

    `values` stand in order of first appearance; if `declared`, they are all states of the variable in the order of
    their declaration, whether a row shows them or not. `typed_text`: the source has types, and this column's is text.
    """

    name: str
    values: list[Value]
    positions: Positions
    declared: bool = False
    typed_text: bool = False

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.positions)

    def missing(self) -> NDArray[np.bool_]:
        """Of each row whether its value is missing."""
        return np.less(self.positions, 0)

    def row_of(self, position: int) -> int:
        """The first row that shows a value, counted from 1."""
        return int(np.argmax(self.positions == position)) + 1

    def keep_rows(self, rows: NDArray[np.bool_]) -> Column:
        """The column without some rows; values that no row shows any more are dropped unless declared."""
        positions = self.positions[rows]
        if self.declared:
            return Column(self.name, self.values, positions, True)
        used, positions = first_appearance(positions, len(self.values))
        return Column(self.name, [self.values[k] for k in used], positions, typed_text=self.typed_text)

    def evidence(self) -> Evidence:
        """In which notation its texts are numbers."""
        return evidence_of(value for value in self.values if isinstance(value, str))


@dataclass
class NumberColumn:
    """One column of many different numbers: `numbers[r]` is that of row r, NaN where it is missing."""

    name: str
    numbers: NDArray[np.float64]
    notation: Evidence

    declared = False
    typed_text = False

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.numbers)

    def missing(self) -> NDArray[np.bool_]:
        """Of each row whether its value is missing."""
        return np.isnan(self.numbers)

    def keep_rows(self, rows: NDArray[np.bool_]) -> NumberColumn:
        """The column without some rows."""
        return NumberColumn(self.name, self.numbers[rows], self.notation)

    def shown(self) -> NDArray[np.float64]:
        """The numbers that are not missing."""
        missing = self.missing()
        return self.numbers[~missing] if missing.any() else self.numbers

    def distinct(self) -> Column:
        """The same as distinct values and positions."""
        values, inverse = np.unique(self.numbers, return_inverse=True)  # NaN, once, comes last
        count = len(values) - int(len(values) > 0 and math.isnan(values[-1]))
        positions = narrowed(np.where(inverse < count, inverse, -1), count)
        return Column(self.name, values[:count].tolist(), positions)

    def evidence(self) -> Evidence:
        """In which notation its texts are numbers."""
        return self.notation


AnyColumn = Column | NumberColumn


def narrowest(count: int) -> Any:
    """The narrowest type that holds `count` positions and -1."""
    return np.int8 if count <= 1 << 7 else np.int16 if count <= 1 << 15 else np.int32


def narrowed(positions: NDArray[Any], count: int) -> Positions:
    """Positions in the narrowest type."""
    return positions.astype(narrowest(count), copy=False)


def look_up(table: NDArray[Any], positions: Positions, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """`table[positions]`, a block at a time: numpy makes eight bytes of every position it looks up."""
    found: NDArray[Any] = np.empty(len(positions), dtype=table.dtype) if out is None else out
    for start in range(0, len(positions), BLOCK):
        found[start : start + BLOCK] = table[positions[start : start + BLOCK]]
    return found


def first_appearance(positions: Positions, count: int) -> tuple[NDArray[np.int64], Positions]:
    """Which of `count` positions are in use, in order of first appearance, and every row's place in that list."""
    first = np.full(count + 1, len(positions), dtype=np.int64)  # the last entry serves position -1
    for start in reversed(range(0, len(positions), BLOCK)):
        part = positions[start : start + BLOCK]
        first[part[::-1]] = np.arange(start + len(part) - 1, start - 1, -1)  # of repeated positions the last one counts
    used = np.flatnonzero(first[:-1] < len(positions))
    used = used[np.argsort(first[used])]
    if np.array_equal(used, np.arange(count)):
        return used, positions
    place = np.full(count + 1, -1, dtype=narrowest(len(used)))
    place[used] = np.arange(len(used), dtype=np.int32)
    return used, look_up(place, positions)


def plain(value: Any) -> Value | None:
    """A value as text, number or truth value; None where it is missing."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace").strip() or None
    if type(value).__name__ in _MISSING_TYPES:
        return None
    return str(value)


def declared_column(name: str, states: Iterable[Any], positions: NDArray[Any]) -> Column:
    """A column whose type declares its states; `positions` count in that list, -1 is missing.

    States that are the same once blanks are off are one; an empty one stands for missing values.
    """
    given = [plain(state) for state in states]
    merged: dict[tuple[type, Value], int] = {}
    place = np.full(len(given) + 1, -1, dtype=np.int32)  # the last entry serves position -1
    for k, value in enumerate(given):
        if value is not None:
            place[k] = merged.setdefault((type(value), value), len(merged))
    if not np.array_equal(place[:-1], np.arange(len(given), dtype=np.int32)):
        positions = look_up(place, positions)
    return Column(name, [value for _, value in merged], narrowed(positions, len(merged)), True)
