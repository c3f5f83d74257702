"""Columns as they arrive: distinct values, and for every row the position of its value.

All sources (files, frames, arrays) are brought into this one shape, so that what comes after, from missing values to
discretisation, is written once and works on the few distinct values instead of the many rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A distinct value: text, whole number, other number or truth value.
Value = str | int | float | bool


@dataclass
class Column:
    """One column: `values[positions[r]]` is the value of row r; position -1 is a missing value.

    `values` stand in order of first appearance; if `declared`, they are all states of the variable in the order of
    their declaration, whether a row shows them or not.
    """

    name: str
    values: list[Value]
    positions: NDArray[np.int32]
    declared: bool = False

    @property
    def missing(self) -> int:
        """Number of missing values."""
        return int(np.count_nonzero(self.positions < 0))

    def row_of(self, position: int) -> int:
        """The first row that shows a value, counted from 1."""
        return int(np.argmax(self.positions == position)) + 1

    def keep_rows(self, rows: NDArray[np.bool_]) -> Column:
        """The column without some rows; values that no row shows any more are dropped unless declared."""
        positions = self.positions[rows]
        if self.declared:
            return Column(self.name, self.values, positions, True)
        used, positions = first_appearance(positions, len(self.values))
        return Column(self.name, [self.values[k] for k in used], positions)


def first_appearance(positions: NDArray[np.int32], count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Which of `count` positions are in use, in order of first appearance, and every row's place in that list."""
    first = np.full(count + 1, len(positions), dtype=np.int64)  # the last entry serves position -1
    first[positions[::-1]] = np.arange(len(positions) - 1, -1, -1)  # of repeated positions the last one counts
    used = np.flatnonzero(first[:-1] < len(positions))
    used = used[np.argsort(first[used])]
    place = np.full(count + 1, -1, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return used, positions if np.array_equal(used, np.arange(count)) else place[positions]


def column_of_arrow(name: str, array: Any, declared: bool = False) -> Column:
    """The column of a pyarrow (chunked) array. `declared`: an array of dictionary type lists all its states."""
    import pyarrow as pa
    import pyarrow.types as types

    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if not types.is_dictionary(chunked.type):
        declared = False
        if types.is_nested(chunked.type):
            chunked = pa.chunked_array([pa.array([str(v) for v in chunked.to_pylist()], pa.string())])
        chunked = chunked.dictionary_encode()
    chunked = chunked.unify_dictionaries()
    values = chunked.chunk(0).dictionary.to_pylist() if chunked.num_chunks else []
    parts = [_numbers(chunk.indices) for chunk in chunked.chunks]
    positions = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    return tidy(name, values, positions, declared)


def tidy(name: str, values: list[Any], positions: NDArray[np.int32], declared: bool = False) -> Column:
    """A column of values of any kind: None and NaN become missing, other objects their text."""
    plain: list[Value | None] = [_plain(value) for value in values]
    merged: dict[tuple[type, Value], int] = {}
    place = np.full(len(values) + 1, -1, dtype=np.int32)  # the last entry serves position -1
    for k, value in enumerate(plain):
        if value is not None:
            place[k] = merged.setdefault((type(value), value), len(merged))
    if not np.array_equal(place[:-1], np.arange(len(values), dtype=np.int32)):
        positions = place[positions]
    column = Column(name, [value for _, value in merged], positions, declared)
    return column if declared else column.keep_rows(np.ones(len(positions), dtype=bool))


def _plain(value: Any) -> Value | None:
    """A value as text, number or truth value; None where it is missing."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace").strip() or None
    return str(value)


def column_of_list(name: str, values: list[Any], states: list[str] | None = None) -> Column:
    """The column of a list of Python values; `states`, if given, declares them all."""
    if states is not None:
        place = {state: k for k, state in enumerate(states)}
        positions = np.fromiter((-1 if v is None else place[v] for v in values), np.int32, len(values))
        return Column(name, list(states), positions, True)
    seen: dict[tuple[type, Any], int] = {}
    positions = np.fromiter((seen.setdefault((type(v), v), len(seen)) for v in values), np.int32, len(values))
    return tidy(name, [value for _, value in seen], positions)


def _numbers(array: Any) -> NDArray[np.int32]:
    """An arrow array of integers, -1 where null. By its buffers: pyarrow's own ways import pandas if it is there."""
    import pyarrow as pa

    if not len(array):
        return np.empty(0, dtype=np.int32)
    if array.type != pa.int32():
        array = array.cast(pa.int32())
    validity, content = array.buffers()
    end = array.offset + len(array)
    numbers = np.frombuffer(content, dtype=np.int32, count=end)[array.offset :]
    if validity is None:
        return numbers
    valid = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")[array.offset : end]
    return np.where(valid, numbers, np.int32(-1))
