"""Reading a table: a source of any kind becomes columns, and columns become a table of categories.

source -> columns -> missing values -> discretisation -> check for continuous columns -> codes
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.base.varsets import MAX_VARIABLES
from sabna.examples import example_path
from sabna.table import frames
from sabna.table.arfffile import read_arff
from sabna.table.columns import Column
from sabna.table.csvfile import read_csv
from sabna.table.discretize import Plan
from sabna.table.discretize import discretize as discretized
from sabna.table.frames import read_parquet
from sabna.table.numbers import numbers_of
from sabna.table.states import code, looks_continuous
from sabna.table.table import Table

MISSING = ("error", "drop", "category")


def read_table(
    source: Any,
    categorical: Iterable[str] = (),
    discretize: str | Mapping[str, str] | Iterable[str] = "none",
    missing: str = "error",
    *,
    delimiter: str | None = None,
    header: bool = True,
) -> Table:
    """Read a table of categories from a file, a data frame or an array.

    `source` is the path of a CSV, parquet (.parquet, .pq) or ARFF (.arff) file, `example:NAME`, a pandas, polars or
    pyarrow frame, a two-dimensional numpy array, or a Table, which is returned as it is. Columns named in
    `categorical` may have any values; other columns that look continuous are refused unless `discretize` covers
    them: "mean", "quantile:K" or "uniform:K" for all, {"price": "quantile:3"} for some. `missing` says what to do
    with missing values: "error", "drop" their rows, or make them a "category". `delimiter` and `header` are for CSV
    files that are out of the ordinary.

    >>> import numpy as np
    >>> table = read_table(np.array([[0, 1], [1, 1], [0, 3]]))
    >>> table.names, table.states
    (('V1', 'V2'), (('0', '1'), ('1', '3')))
    """
    if isinstance(source, Table):
        return source
    if missing not in MISSING:
        raise UsageError(f"missing {missing!r}: write one of {', '.join(MISSING)}")
    started = time.perf_counter()
    where, columns = _columns(source, delimiter, header)
    read = time.perf_counter()
    _check_size(where, columns)
    wanted = {categorical} if isinstance(categorical, str) else set(categorical)
    unknown = wanted - {column.name for column in columns}
    if unknown:
        raise UsageError(f"categorical: there is no column {sorted(unknown)[0]!r} in {where}; check its name")
    plan = Plan.of(discretize)
    plan.check(column.name for column in columns)
    rows = len(columns[0].positions)
    columns = _treat_missing(where, columns, missing)
    table = _code(where, columns, wanted, plan)
    table.statistics.update(
        read_seconds=read - started,
        code_seconds=time.perf_counter() - read,
        dropped_rows=rows - table.rows,
    )
    _warn_of_constants(where, table)
    return table


def _columns(source: Any, delimiter: str | None, header: bool) -> tuple[str, list[Column]]:
    """The name of the source for messages, and its columns."""
    if isinstance(source, (str, os.PathLike)):
        return _file_columns(source, delimiter, header)
    if isinstance(source, np.ndarray):
        return frames.ARRAY, frames.read_array(source)
    columns = frames.read_frame(source)
    if columns is not None:
        return frames.FRAME, columns
    if isinstance(source, (list, tuple)):
        return frames.ARRAY, frames.read_array(source)
    raise UsageError(f"data of type {type(source).__name__}: give a path, a data frame or a two-dimensional array")


def _file_columns(source: str | os.PathLike[str], delimiter: str | None, header: bool) -> tuple[str, list[Column]]:
    if isinstance(source, str) and source.startswith("example:"):
        source = example_path(source.removeprefix("example:"))
    path = Path(source)
    where, suffix = os.fspath(source), path.suffix.lower()
    try:
        if suffix in (".parquet", ".pq"):
            with path.open("rb"):  # for the system's own words if it cannot be opened
                pass

            return where, read_parquet(path)
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{where}: cannot be read: {error.strerror or error}; check the name of the file") from None
    if suffix == ".arff":
        return where, read_arff(path, content)

    return where, read_csv(path, content, delimiter or ("\t" if suffix == ".tsv" else None), header)


def _check_size(where: str, columns: list[Column]) -> None:
    if not columns:
        raise DataError(f"{where}: there is no column; a table needs at least one")
    if len(columns) > MAX_VARIABLES:
        raise DataError(
            f"{where}: {len(columns)} columns, the first too many being {columns[MAX_VARIABLES].name!r}; "
            f"at most {MAX_VARIABLES} variables are possible, so leave some out"
        )
    for k, column in enumerate(columns, start=1):
        try:
            column.name.encode("utf-8")
        except UnicodeEncodeError:
            raise DataError(f"{where}: the name of column {k} is no valid text; rename it") from None


def _treat_missing(where: str, columns: list[Column], missing: str) -> list[Column]:
    """Refuse missing values, drop their rows, or leave them for `code` to make a state of them."""
    gaps = {column.name: column.missing for column in columns if column.missing}
    if not gaps or missing == "category":
        return columns
    if missing == "error":
        first = min(int(np.argmax(column.positions < 0)) for column in columns if column.missing) + 1
        listed = ", ".join(f"{name!r} ({count})" for name, count in list(gaps.items())[:10])
        more = f" and {len(gaps) - 10} more" if len(gaps) > 10 else ""
        raise DataError(
            f"{where}: missing values in column{'s' if len(gaps) > 1 else ''} {listed}{more}, first in row {first}; "
            "use --missing drop to leave out such rows, or --missing category to make missing a state of its own"
        )
    complete = np.logical_and.reduce([column.positions >= 0 for column in columns])
    if not complete.any():
        raise DataError(f"{where}: every row has a missing value, so that none is left; use --missing category")
    return [column.keep_rows(complete) for column in columns]


def _code(where: str, columns: list[Column], categorical: set[str], plan: Plan) -> Table:
    """The table; all columns that look continuous are named in one error."""
    codes = np.empty((len(columns), len(columns[0].positions)), dtype=np.uint16)
    states: list[tuple[str, ...]] = []
    continuous: list[tuple[str, str, bool]] = []
    for i, column in enumerate(columns):
        numbers = None if column.declared else numbers_of(column, where)
        method = plan.method(column, numbers, column.name in categorical)
        if method.kind != "none":
            codes[i], these = code(discretized(column, numbers, method, where), None, where, keep_order=True)
        else:
            reason = None if column.declared or column.name in categorical else looks_continuous(column, numbers)
            if reason:
                continuous.append((column.name, reason, numbers is not None))
                continue
            codes[i], these = code(column, numbers, where)
        states.append(these)
    if continuous:
        raise _continuous_error(where, continuous)
    return Table(tuple(column.name for column in columns), codes, tuple(states))


def _continuous_error(where: str, continuous: list[tuple[str, str, bool]]) -> DataError:
    name, reason, numeric = continuous[0]
    others = ", ".join(repr(other) for other, _, _ in continuous[1:6]) + (", ..." if len(continuous) > 6 else "")
    also = f", and so do {len(continuous) - 1} more ({others})" if others else ""
    if numeric:
        remedy = (
            f"discretize (--discretize quantile:3, or '{name}=quantile:3' for one column), "
            "score all columns as quantities (--score bic-g)"
        )
    else:
        remedy = "leave the column out if it is an identifier"
    return DataError(
        f"{where}: column {name!r} looks continuous ({reason}){also}; {remedy}, "
        f"or take its values as categories (--categorical '{name}')"
    )


def _warn_of_constants(where: str, table: Table) -> None:
    constant = [name for name, codes in zip(table.names, table.codes, strict=True) if (codes == codes[0]).all()]
    if constant and table.rows > 1:
        listed = ", ".join(repr(name) for name in constant[:5]) + (", ..." if len(constant) > 5 else "")
        warnings.warn(
            f"{where}: {len(constant)} constant column{'s' if len(constant) > 1 else ''} ({listed}): "
            "kept, but nothing can be learned about them",
            DataWarning,
            stacklevel=3,
        )


def load_example(name: str) -> Table:
    """The table of an example that comes with the package.

    >>> load_example("asia").n
    8
    """
    return read_table(example_path(name))
