"""A table of numbers, for the scores of continuous data: read as it is, neither coded nor discretised."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, quoted
from sabna.table.advice import Problems
from sabna.table.budget import NUMBER_BYTES
from sabna.table.columns import AnyColumn, NumberColumn, look_up
from sabna.table.missing import OF_QUANTITIES, check_treatment
from sabna.table.numbers import Numbers, number_of, numbers_of
from sabna.table.options import HowToRead, reader, refuse_too_late
from sabna.table.preparation import Preparation
from sabna.table.reading import settled
from sabna.table.sources import read_columns

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class NumericTable:
    """Continuous columns: `values[i, r]` is the value of variable i, `names[i]`, in row r.

    `statistics`, `preparation` and `was_set` are as in Table.

    >>> table = NumericTable(("a", "b"), np.array([[0.5, 1.5], [2.0, 2.5]]))
    >>> table.n, table.rows
    (2, 2)
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    statistics: dict[str, Any] = field(default_factory=dict)
    preparation: Preparation | None = None
    was_set: NDArray[np.uint8] | None = None

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[1])


@reader
def read_numeric(
    source: Any,
    missing: str = "error",
    **how: Unpack[HowToRead],
) -> NumericTable:
    """Read a table of numbers from a file, a data frame or an array.

    See `read_table` for `source`, the options and `limits`.

    >>> read_numeric(np.array([[0.5, 1.0], [0.25, 3.0]])).values
    array([[0.5 , 0.25],
           [1.  , 3.  ]])
    """
    if isinstance(source, NumericTable):
        refuse_too_late({"missing": missing, **how})
        return source
    check_treatment(missing, ("error", "drop"))
    started = time.perf_counter()
    read, budget = read_columns(source, how, NUMBER_BYTES)
    done = time.perf_counter()
    kept, where = read.columns, read.where
    problems = Problems(where, kept, "continuous", missing=missing, decimal=how.get("decimal"))
    account, sign = settled(read, problems, "leave the column out", OF_QUANTITIES)
    for column in kept:
        try:
            if column.declared or numbers_of(column, where, sign) is None:
                raise no_number(where, column, sign)
        except DataError as error:
            raise problems.refusal(error, column.name) from None
    names = tuple(column.name for column in kept)
    values = np.empty((len(kept), kept[0].rows), dtype=np.float64)
    kept.reverse()
    for i in range(len(names)):
        _fill(values[i], kept.pop(), sign, where)  # given up at once: the table does not stand in memory twice
        budget.check_time(f"reading the numbers of {where}", values.size)
    seconds = {"read_seconds": done - started, "code_seconds": time.perf_counter() - done}
    return NumericTable(names, values, {**seconds, **account}, Preparation(dict.fromkeys(names), missing, sign))


def _fill(row: NDArray[np.float64], column: AnyColumn, decimal: str, where: str) -> None:
    """The numbers of a column."""
    if isinstance(column, NumberColumn):
        row[:] = column.numbers
        return
    numbers = numbers_of(column, where, decimal)
    if numbers is None:
        raise no_number(where, column, decimal)
    look_up(np.append(as_doubles(numbers, column, where), np.nan), column.positions, row)


def as_doubles(numbers: Numbers, column: AnyColumn, where: str) -> NDArray[np.float64]:
    """Numbers as eight-byte ones; whole numbers that these cannot hold are refused, for several would become one."""
    for number in numbers:
        if isinstance(number, int) and int(float(number)) != number:
            raise DataError(
                f"{where}: column {quoted(column.name)} holds {number}, which has more digits than a number to compute "
                "with; leave the column out if it is an identifier, or take its values as categories"
            )
    return np.array(numbers, dtype=np.float64)


def no_number(where: str, column: AnyColumn, decimal: str, mixed: str = "bcg") -> DataError:
    """The refusal of a column that is not one of numbers, with an example of what is in it; `mixed` is a score."""
    values = [] if isinstance(column, NumberColumn) else column.values
    bad = [value for value in values if number_of(value, decimal) is None]
    shown = repr(bad[0]) if bad else "no value at all"
    shown = shown if len(shown) < 60 else shown[:50] + "..."
    return DataError(
        f"{where}: column {quoted(column.name)} holds {shown}, which is no number; this score needs columns of "
        f'numbers: leave the column out, use a score of mixed data (score="{mixed}"), or discretize the others and use '
        "a discrete score"
    )
