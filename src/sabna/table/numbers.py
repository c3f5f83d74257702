"""Which columns hold numbers, and by which names their states stand.

The order of states must not depend on the order of rows: numbers stand by value, everything else by text. Values
that are equal as numbers (`1`, `1.0`, `01`) are one state.
"""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, quoted
from sabna.table.columns import AnyColumn, Column, NumberColumn, Value
from sabna.table.decimals import COMMA, POINT

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
# Whole numbers of more digits are beyond what eight bytes can hold even as a fraction.
_MOST_DIGITS = 308

Numbers = list[int | float] | NDArray[np.float64]


def numbers_of(column: AnyColumn, where: str, decimal: str = ".") -> Numbers | None:
    """The values of a column as numbers, or None if it is not a column of numbers.

    Of a Column these are its distinct values, of a NumberColumn those of the rows. Infinite values are refused: neither
    a category nor a quantity can be made of them.
    """
    if isinstance(column, NumberColumn):
        return column.numbers
    numbers = [number_of(value, decimal) for value in column.values]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not numbers:
        return None
    for k, number in enumerate(known):
        if math.isinf(number):
            raise _infinite(column, k, where)
    return known


def _infinite(column: Column, k: int, where: str) -> DataError:
    shown = repr(column.values[k])
    shown = shown if len(shown) < 40 else f"{shown[:30]}..."
    return DataError(
        f"{where}, row {column.row_of(k)}, column {quoted(column.name)}: the value {shown} is infinite, or too large "
        "for a number; correct it, or leave the cell empty to mark it missing"
    )


def number_of(value: Value, decimal: str = ".") -> int | float | None:
    """A value as a number, or None if it is none.

    >>> number_of("01"), number_of("1,5", ","), number_of("1,5"), number_of(True)
    (1, 1.5, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 10**_MOST_DIGITS else math.inf
    if isinstance(value, float):
        return value
    if (COMMA if decimal == "," else POINT).fullmatch(value):
        digits = value.lstrip("+-")
        if digits.isdigit() and len(digits) <= _MOST_DIGITS:
            return int(value)
        return float(value.replace(",", "."))
    return math.inf if _INFINITE.fullmatch(value) else None


def whole(number: int | float) -> bool:
    """Whether a number is whole, be it written `3` or `3.0`."""
    return isinstance(number, int) or number.is_integer()


def number_text(number: int | float) -> str:
    """The name of a state that is a number: whole ones without a point.

    >>> number_text(3.0), number_text(2.5), number_text(-7)
    ('3', '2.5', '-7')
    """
    return str(int(number)) if whole(number) else repr(number)
