"""A table of numbers, for the scores of continuous data: read as it is, neither coded nor discretised."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.data.numbers import numbers_of
from sabna.data.reading import _check_size, _columns, _treat_missing
from sabna.errors import DataError, UsageError


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


def read_for_score(source: Any, score: str, **options: Any) -> Any:
    """What the score works on: a NumericTable for bic-g and bge, otherwise a Table. Options as for `read_table`."""
    from sabna.data.reading import read_table
    from sabna.data.table import Table
    from sabna.scoring import score_type

    if not score_type(score).continuous:
        if isinstance(source, NumericTable):
            raise UsageError(f"the score {score} is for categories, the table holds numbers; discretize it first")
        return read_table(source, **options)
    if isinstance(source, NumericTable):
        return source
    if isinstance(source, Table):
        raise UsageError(f"the score {score} is for numbers, the table holds categories; read it with read_numeric")
    if options.get("discretize") not in (None, "none", (), []) or options.get("categorical"):
        raise UsageError(f"the score {score} takes the columns as numbers: leave out discretize and categorical")
    kept = {key: value for key, value in options.items() if key in ("missing", "delimiter", "header")}
    return read_numeric(source, **kept)
