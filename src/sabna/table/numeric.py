"""A table of numbers, for the scores of continuous data: read as it is, neither coded nor discretised."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError
from sabna.table.numbers import numbers_of
from sabna.table.reading import _check_size, _columns, _treat_missing


@dataclass(frozen=True, eq=False)
class NumericTable:
    """Continuous columns: `values[i, r]` is the value of variable i in row r."""

    names: tuple[str, ...]
    values: NDArray[np.float64]
    statistics: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[1])


def read_numeric(
    source: Any, missing: str = "error", *, delimiter: str | None = None, header: bool = True
) -> NumericTable:
    """Read a table of numbers from a file, a data frame or an array; see `read_table` for the sources.

    >>> read_numeric(np.array([[0.5, 1.0], [0.25, 3.0]])).values
    array([[0.5 , 0.25],
           [1.  , 3.  ]])
    """
    if isinstance(source, NumericTable):
        return source
    if missing not in ("error", "drop"):
        raise UsageError(f"missing {missing!r}: for continuous data write error or drop")
    where, columns = _columns(source, delimiter, header)
    _check_size(where, columns)
    rows = len(columns[0].positions)
    columns = _treat_missing(where, columns, missing)
    values = np.empty((len(columns), len(columns[0].positions)), dtype=np.float64)
    for i, column in enumerate(columns):
        numbers = numbers_of(column, where)
        if numbers is None:
            bad = next(value for value in column.values if isinstance(value, (str, bool)))
            raise DataError(
                f"{where}: column {column.name!r} holds {bad!r}, which is no number; the scores bic-g and bge need "
                "columns of numbers: leave the column out, or discretize the others and use a discrete score"
            )
        values[i] = np.array(numbers, dtype=np.float64)[column.positions]
    names = tuple(column.name for column in columns)
    return NumericTable(names, values, {"dropped_rows": rows - values.shape[1]})
