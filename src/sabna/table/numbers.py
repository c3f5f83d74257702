"""Which columns hold numbers, and in which order and by which names their states stand.

The order of states must not depend on the order of rows: numbers stand by value, everything else by text. Values
that are equal as numbers (`1`, `1.0`, `01`) are one state.
"""

from __future__ import annotations

import math
import re

from sabna.base.errors import DataError
from sabna.table.columns import Column, Value

# What counts as a number in text. Python's float() would also take "1_000".
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def numbers_of(column: Column, where: str) -> list[int | float] | None:
    """The values of a column as numbers, or None if it is not a column of numbers.

    Infinite values are refused: neither a category nor a quantity can be made of them.
    """
    numbers = [_number(value) for value in column.values]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not numbers:
        return None
    for k, number in enumerate(known):
        if math.isinf(number):
            raise DataError(
                f"{where}, row {column.row_of(k)}, column {column.name!r}: the value {column.values[k]!r} is infinite; "
                "correct it, or leave the cell empty to mark it missing"
            )
    return known


def _number(value: Value) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    if _NUMBER.fullmatch(value):
        return int(value) if value.lstrip("+-").isdigit() else float(value)
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
