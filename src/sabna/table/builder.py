"""Columns put together block by block, so that a table never stands in memory twice.

A block of a column comes as an arrow array, or as a list of Python values. Its few distinct values are looked up among
those seen before, its rows become positions of one to four bytes. A column that shows more than `MANY` distinct values,
all of them numbers, is kept as eight-byte numbers from there on. If a later cell then turns out to be no number, what
the texts before it were is lost: `NotNumbers` is raised, and whoever reads starts again with `exact=True`, which keeps
distinct values whatever their count.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.table.columns import BLOCK, AnyColumn, Column, NumberColumn, Value, first_appearance, narrowest, plain
from sabna.table.decimals import Evidence
from sabna.table.numbers import number_of

# Beyond this many distinct values a column of numbers is kept as numbers.
MANY = 4096
# Whole numbers up to here are exact as eight-byte numbers; a larger one keeps its column as distinct values.
EXACT = 1 << 53
# What a distinct value takes: the object, its place in a dictionary and in a list.
BYTES_PER_VALUE = 200

# RE2's words for `decimals.POINT` and `decimals.COMMA`; digits of other scripts go the slow way.
_PATTERNS = {sign: rf"^[+-]?([0-9]+(\{sign}[0-9]*)?|\{sign}[0-9]+)([eE][+-]?[0-9]+)?$" for sign in (".", ",")}


class NotNumbers(Exception):
    """A column that had many distinct numbers holds something else too; read again with `exact`."""


class Growing:
    """An array that grows at its end.

    Its memory comes from the system page by page and goes back as a whole: what the allocator is given back between
    the blocks of a file it would keep.
    """

    def __init__(self, dtype: Any) -> None:
        self._array: NDArray[Any] = np.empty(0, dtype=dtype)
        self.size = 0

    def extend(self, part: NDArray[Any]) -> None:
        """Append."""
        end = self.size + len(part)
        if end > len(self._array):
            self._move(max(end, 2 * len(self._array)), self._array.dtype)
        self._array[self.size : end] = part
        self.size = end

    def widen(self, dtype: Any) -> None:
        """Change the type of the entries."""
        if self._array.dtype != dtype:
            self._move(len(self._array), dtype)

    def _move(self, room: int, dtype: Any) -> None:
        old = self._array[: self.size]
        self._array = _pages(room, np.dtype(dtype))
        self._array[: self.size] = old

    def take(self) -> NDArray[Any]:
        """The array, which belongs to the caller from here on."""
        out = self._array[: self.size]
        self._array, self.size = np.empty(0, dtype=out.dtype), 0
        return out


def _pages(count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array in memory of its own; pages that nothing is written to take none."""
    if count * dtype.itemsize < 1 << 16:
        return np.empty(count, dtype=dtype)
    return np.frombuffer(mmap.mmap(-1, count * dtype.itemsize), dtype=dtype)


class ColumnBuilder:
    """One column on its way. `exact`: never keep numbers instead of distinct values."""

    def __init__(self, name: str, exact: bool = False) -> None:
        self.name = name
        self._values: list[Value] = []
        self._place_of_text: dict[str, int] = {}
        self._place_of_other: dict[tuple[type, Value], int] = {}
        self._positions = Growing(np.int8)
        self._numbers: Growing | None = None
        self._evidence = Evidence()
        self._never_numbers = exact

    @property
    def rows(self) -> int:
        """Rows so far."""
        return (self._positions if self._numbers is None else self._numbers).size

    def bytes_per_row(self) -> float:
        """What a further row is likely to take."""
        if self._numbers is not None:
            return 8.0
        growing = len(self._values) > max(MANY, self.rows // 2)  # nearly every row brings a value of its own
        return float(np.dtype(narrowest(len(self._values))).itemsize + (4 + BYTES_PER_VALUE if growing else 0))

    # --- blocks in -------------------------------------------------------------------------------------------------

    def add_arrow(self, array: Any, in_order: bool = False) -> None:
        """A block as an arrow array. `in_order`: the values of a dictionary array stand in order of appearance."""
        import pyarrow.types as types

        if self._numbers is not None and (types.is_floating(array.type) or types.is_integer(array.type)):
            self._numbers.extend(_exact_doubles(array))
            return
        if not types.is_dictionary(array.type):
            array, in_order = _encodable(array).dictionary_encode(), True
        indices = arrow_integers(array.indices)
        values = array.dictionary
        if not in_order:
            import pyarrow as pa

            used, ordered = first_appearance(indices, len(values))
            indices, values = ordered.astype(np.int32, copy=False), values.take(pa.array(used.tolist(), pa.int64()))
        if self._numbers is not None and (types.is_string(values.type) or types.is_large_string(values.type)):
            self._numbers.extend(np.append(self._doubles(values), np.nan)[indices])
        else:
            self._add(values.to_pylist(), indices)

    def add_values(self, values: Sequence[Any]) -> None:
        """A block as Python values."""
        place: dict[tuple[type, Value], int] = {}
        indices = np.empty(len(values), dtype=np.int32)
        for k, value in enumerate(values):
            known = plain(value)
            indices[k] = -1 if known is None else place.setdefault((type(known), known), len(place))
        self._add([value for _, value in place], indices)

    def _add(self, values: list[Any], indices: NDArray[np.int32]) -> None:
        """A block as distinct values and positions among them."""
        if self._numbers is not None:
            self._numbers.extend(np.append(self._numbers_of(values), np.nan)[indices])
            return
        place = np.full(len(values) + 1, -1, dtype=np.int32)  # the last entry serves position -1
        for k, value in enumerate(values):
            known = plain(value)
            if known is not None:
                place[k] = self._position(known)
        self._positions.widen(narrowest(len(self._values)))
        self._positions.extend(place[indices])
        if len(self._values) > MANY and not self._never_numbers:
            self._switch_to_numbers()

    def _position(self, value: Value) -> int:
        count = len(self._values)
        if isinstance(value, str):
            at = self._place_of_text.setdefault(value, count)
        else:
            at = self._place_of_other.setdefault((type(value), value), count)
        if at == count:
            self._values.append(value)
        return at

    # --- numbers ---------------------------------------------------------------------------------------------------

    def _switch_to_numbers(self) -> None:
        """Keep numbers from here on, if all values are some."""
        try:
            numbers = np.append(self._numbers_of(self._values), np.nan)
        except NotNumbers:
            self._never_numbers = True
            return
        self._numbers = Growing(np.float64)
        positions = self._positions.take()
        for start in range(0, len(positions), BLOCK):
            self._numbers.extend(numbers[positions[start : start + BLOCK]])
        self._values, self._place_of_text, self._place_of_other = [], {}, {}

    def _numbers_of(self, values: list[Any]) -> NDArray[np.float64]:
        """Distinct values as numbers, NaN for None; NotNumbers if they are none or not exact."""
        known = [plain(value) for value in values]
        for value in known:
            if isinstance(value, str):
                self._evidence.note(value)
        sign = self._evidence.one_notation
        if sign is None:
            raise NotNumbers
        out = np.empty(len(known))
        for k, value in enumerate(known):
            number = np.nan if value is None else number_of(value, sign or ".")
            if number is None or (isinstance(number, int) and abs(number) > EXACT):
                raise NotNumbers
            out[k] = number
        if np.isinf(out).any():
            raise NotNumbers  # refused later, with the row
        return out

    def _doubles(self, texts: Any) -> NDArray[np.float64]:
        """Distinct texts of a block as numbers, all at once where they are plain."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for sign in (".", ",") if not self._evidence.one_notation else (self._evidence.one_notation,):
            if not pc.all(pc.match_substring_regex(texts, _PATTERNS[sign])).as_py():
                continue
            try:
                doubles = pc.cast(pc.replace_substring(texts, ",", ".") if sign == "," else texts, pa.float64())
            except pa.ArrowInvalid:
                continue
            numbers = np.frombuffer(doubles.buffers()[1], np.float64, doubles.offset + len(doubles))[doubles.offset :]
            if not (np.abs(numbers) <= EXACT).all():
                break
            with_sign = texts.filter(pc.match_substring(texts, sign))
            if len(with_sign) and (sign == "." or not self._evidence.surely_comma):
                for text in with_sign.slice(0, 1 if sign == "." else None).to_pylist():
                    self._evidence.note(text)
            return numbers
        return self._numbers_of(texts.to_pylist())

    # --- the column out --------------------------------------------------------------------------------------------

    def finish(self) -> AnyColumn:
        """The column; the builder is empty afterwards."""
        if self._numbers is not None:
            return NumberColumn(self.name, self._numbers.take(), self._evidence)
        values, self._values = self._values, []
        self._place_of_text, self._place_of_other = {}, {}
        return Column(self.name, values, self._positions.take())


def typed(column: AnyColumn, kind: Any) -> AnyColumn:
    """A finished column of a source with types; `kind` is its type in arrow."""
    import pyarrow.types as types

    of = kind.value_type if types.is_dictionary(kind) else kind
    if isinstance(column, Column):
        column.typed_text = types.is_string(of) or types.is_large_string(of) or types.is_string_view(of)
    return column


def _encodable(array: Any) -> Any:
    """An array that arrow can make a dictionary of: nested and rare types as texts, numbers as long floats.

    Durations (a difference of two times) are numbers, of seconds.
    """
    import pyarrow as pa
    import pyarrow.types as types

    kind = array.type
    if types.is_float16(kind):
        return array.cast(pa.float64())
    if types.is_duration(kind):
        import pyarrow.compute as pc

        ticks = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit]
        return pc.divide(array.cast(pa.int64()).cast(pa.float64()), ticks)
    if types.is_nested(kind) or isinstance(kind, pa.ExtensionType):
        return pa.array([None if v is None else str(v) for v in array.to_pylist()], pa.string())
    return array


def _exact_doubles(array: Any) -> NDArray[np.float64]:
    """An arrow array of numbers as numbers, NaN where null; NotNumbers if some are infinite or not exact."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_integer(array.type) and len(array) > array.null_count:
        ends = pc.min_max(array)
        if max(abs(ends["min"].as_py()), abs(ends["max"].as_py())) > EXACT:
            raise NotNumbers
    doubles = array.cast(pa.float64(), safe=False)
    numbers = arrow_buffer(doubles, np.float64, np.nan)
    if np.isinf(numbers).any():
        raise NotNumbers
    return numbers


def arrow_integers(array: Any) -> NDArray[np.int32]:
    """An arrow array of integers, -1 where null."""
    import pyarrow as pa

    return arrow_buffer(array if array.type == pa.int32() else array.cast(pa.int32()), np.int32, -1)


def arrow_buffer(array: Any, dtype: Any, null: Any) -> NDArray[Any]:
    """The entries of an arrow array, `null` where there is none. Pyarrow's own ways import pandas if it is there."""
    if not len(array):
        return np.empty(0, dtype=dtype)
    validity, content = array.buffers()
    end = array.offset + len(array)
    numbers: NDArray[Any] = np.frombuffer(content, dtype=dtype, count=end)[array.offset :]
    if validity is None or not array.null_count:
        return numbers
    valid = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")[array.offset : end]
    return np.where(valid, numbers, dtype(null))
