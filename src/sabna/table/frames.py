"""Data frames (pandas, polars, pyarrow and whatever else narwhals knows) and numpy arrays, column by column.

Whether a column declares its states: a pandas Categorical and a polars Enum do. A polars Categorical (whose texts may
belong to other columns) and an Arrow dictionary (a way of storing) do not; their states are those observed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sabna.base.errors import DataError, quoted
from sabna.base.varsets import MAX_VARIABLES
from sabna.table.budget import SCRATCH_BYTES, Budget
from sabna.table.builder import ColumnBuilder, NotNumbers, arrow_integers, typed
from sabna.table.columns import AnyColumn, declared_column
from sabna.table.csvtext import MOST_READ, Choose, check_names, too_many_columns

FRAME = "data frame"
ARRAY = "array"
# Rows of a column taken in at a time.
BLOCK = 1 << 16


def read_frame(frame: Any, budget: Budget, choose: Choose | None = None) -> list[AnyColumn] | None:
    """The columns of a data frame, or those that are chosen; None if it is no data frame."""
    import narwhals as nw

    if type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "columns"):
        check_names(FRAME, list(frame.columns))  # narwhals refuses names that repeat in its own words
    native = nw.from_native(frame, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if not isinstance(native, nw.DataFrame):
        return None
    names = check_names(FRAME, list(native.columns))
    wanted = names if choose is None else choose(FRAME, names)
    rows, keys = len(native), dict(zip(names, native.columns, strict=True))
    _require(FRAME, rows, len(wanted), budget)
    columns = []
    for name in wanted:
        series = native.get_column(keys[name])
        try:
            columns.append(_column_of_arrow(name, series.to_arrow(), _declares_states(native, series)))
        except (DataError, MemoryError):
            raise
        except Exception as error:  # pyarrow's and pandas' own, for objects of mixed kinds
            raise DataError(
                f"{FRAME}, column {quoted(name)}: values of different kinds ({str(error)[:200]}); convert them to "
                "text or numbers"
            ) from error
        budget.check_time(f"reading the {FRAME}", rows * len(columns))
    return columns


def declares_states(frame: Any) -> list[bool]:
    """Of every column of a data frame, whether its type declares its states; [] of anything else."""
    import narwhals as nw

    native = nw.from_native(frame, pass_through=True)
    if not isinstance(native, nw.DataFrame):
        return []
    return [_declares_states(native, native[:, k]) for k in range(native.shape[1])]


def _declares_states(native: Any, series: Any) -> bool:
    import narwhals as nw

    pandas = native.implementation.is_pandas_like()
    return isinstance(series.dtype, nw.Enum) or (pandas and isinstance(series.dtype, nw.Categorical))


def _column_of_arrow(name: str, array: Any, declared: bool) -> AnyColumn:
    """The column of a pyarrow (chunked) array. `declared`: an array of dictionary type lists all its states."""
    import pyarrow as pa
    import pyarrow.types as types

    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if declared and types.is_dictionary(chunked.type):
        chunks = chunked.unify_dictionaries().chunks
        states = chunks[0].dictionary.to_pylist()
        return declared_column(name, states, np.concatenate([arrow_integers(chunk.indices) for chunk in chunks]))
    for exact in (False, True):
        builder = ColumnBuilder(name, exact)
        try:
            for chunk in chunked.chunks:
                for start in range(0, len(chunk), BLOCK):
                    builder.add_arrow(chunk.slice(start, BLOCK))
            break
        except NotNumbers:
            continue
    return typed(builder.finish(), chunked.type)


def frame_of(rows: Mapping[str, Any]) -> Any:
    """A mapping of names to single values or lists, as a table of arrow."""
    import pyarrow as pa

    columns = {str(k): list(v) if isinstance(v, list | tuple | np.ndarray) else [v] for k, v in rows.items()}
    if len({len(values) for values in columns.values()}) > 1:
        raise DataError("rows: the columns have different lengths; give each the same number of values")
    try:
        return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(
            f"rows: values of different kinds in one column ({str(error)[:200]}); make them alike"
        ) from None


def read_array(array: Any, budget: Budget) -> list[AnyColumn]:
    """The columns of a two-dimensional array, named V1, V2, ..."""
    try:
        values = np.asarray(array)
    except ValueError as error:  # lists of different lengths
        raise DataError(f"{ARRAY}: {error}; every row needs the same number of cells") from None
    if values.ndim != 2:
        raise DataError(f"{ARRAY}: {values.ndim} dimensions; a table has two, rows and columns")
    rows, count = values.shape
    if count > MOST_READ:
        raise too_many_columns(ARRAY, count, f"V{MAX_VARIABLES + 1}")
    names = check_names(ARRAY, [f"V{k}" for k in range(1, count + 1)])
    _require(ARRAY, rows, count, budget)
    columns = []
    for k, name in enumerate(names):
        columns.append(_column_of_array(name, values[:, k]))
        budget.check_time(f"reading the {ARRAY}", rows * len(columns))
    return columns


def _column_of_array(name: str, values: Any) -> AnyColumn:
    for exact in (False, True):
        builder = ColumnBuilder(name, exact)
        try:
            for block in _blocks(values):
                if isinstance(block, list):
                    builder.add_values(block)
                else:
                    builder.add_arrow(block)
            break
        except NotNumbers:
            continue
    return builder.finish()


def _blocks(values: Any) -> Iterator[Any]:
    """Blocks of a column: arrow arrays of numbers, lists of other things."""
    import pyarrow as pa

    numbers = values.dtype.kind in "biuf"
    odd = values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8)
    dtype = np.dtype(np.float64) if odd else values.dtype.newbyteorder("=")
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        if not numbers:
            yield block.tolist()
        else:
            yield pa.array(np.ascontiguousarray(block, dtype=dtype))


def _require(where: str, rows: int, columns: int, budget: Budget) -> None:
    """Refuse a table without rows, and one that does not fit."""
    if rows == 0:
        raise DataError(f"{where}: there is no row of data; add rows")
    # Positions of a byte at least, later codes or numbers; one column at a time in arrow's form.
    budget.need(where, rows, columns, rows * (columns * max(1, budget.cell_bytes) + SCRATCH_BYTES))
