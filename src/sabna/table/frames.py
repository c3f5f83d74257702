"""Data frames (pandas, polars, pyarrow and whatever else narwhals knows), parquet files and numpy arrays.

Whether a column declares its states: a pandas Categorical and a polars Enum do. A polars Categorical (whose texts may
belong to other columns) and an Arrow dictionary (a way of storing) do not; their states are those observed.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sabna.base.errors import DataError
from sabna.table.columns import Column, column_of_arrow, column_of_list
from sabna.table.csvfile import check_names

FRAME = "data frame"
ARRAY = "array"


def read_frame(frame: Any) -> list[Column] | None:
    """The columns of a data frame, or None if it is none."""
    import narwhals as nw

    if (
        type(frame).__module__.split(".")[0] == "pandas"
    ):  # where names may repeat, which narwhals refuses in its own words
        check_names(FRAME, [str(name) for name in frame.columns])
    native = nw.from_native(frame, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if not isinstance(native, nw.DataFrame):
        return None
    names = list(native.columns)
    check_names(FRAME, [str(name) for name in names])
    _require_rows(FRAME, len(native))
    pandas = native.implementation.is_pandas_like()
    columns = []
    for name in names:
        series = native.get_column(name)
        declared = isinstance(series.dtype, nw.Enum) or (pandas and isinstance(series.dtype, nw.Categorical))
        try:
            array = series.to_arrow()
        except Exception as error:  # pyarrow's and pandas' own, for objects of mixed kinds
            raise DataError(
                f"{FRAME}, column {str(name)!r}: values of different kinds ({error}); convert them to text or numbers"
            ) from error
        columns.append(column_of_arrow(str(name), array, declared))
    return columns


def read_parquet(path: str | os.PathLike[str]) -> list[Column]:
    """The columns of a parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    where = os.fspath(path)
    try:
        table = parquet.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{where}: not a parquet file that can be read: {error}") from None
    check_names(where, table.column_names)
    _require_rows(where, table.num_rows)
    return [column_of_arrow(name, table.column(k)) for k, name in enumerate(table.column_names)]


def read_array(array: Any) -> list[Column]:
    """The columns of a two-dimensional array, named V1, V2, ..."""
    values = np.asarray(array)
    if values.ndim != 2:
        raise DataError(f"{ARRAY}: {values.ndim} dimensions; a table has two, rows and columns")
    _require_rows(ARRAY, values.shape[0])
    columns = []
    for k in range(values.shape[1]):
        name = f"V{k + 1}"
        if values.dtype.kind in "biuf":
            distinct, positions = np.unique(values[:, k], return_inverse=True)
            column = column_of_list(name, distinct.tolist())
            appearance = Column(name, column.values, column.positions[positions.ravel()])
            columns.append(appearance.keep_rows(np.ones(len(values), dtype=bool)))
        else:
            columns.append(column_of_list(name, values[:, k].tolist()))
    return columns


def _require_rows(where: str, rows: int) -> None:
    if rows == 0:
        raise DataError(f"{where}: there is no row of data; add rows")
