"""The front door for every kind of data: a source becomes columns, by the reader of its kind."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sabna.base.errors import DataError, UsageError, quoted
from sabna.examples import example_path
from sabna.table import frames
from sabna.table.arfffile import read_arff
from sabna.table.budget import Budget
from sabna.table.columns import AnyColumn
from sabna.table.csvfile import read_csv
from sabna.table.decimals import check_decimal
from sabna.table.parquetfile import read_parquet


@dataclass
class Read:
    """What was read: the name of the source for messages, its columns, and the delimiter if it is a CSV file."""

    where: str
    columns: list[AnyColumn]
    delimiter: str | None = None
    is_file: bool = False


def selected(read: Read, columns: Iterable[str] | None, drop: Iterable[str]) -> Read:
    """Of what was read only some columns, or all but some."""
    names = [column.name for column in read.columns]
    for option, given in (("columns", columns or ()), ("drop", drop)):
        unknown = [name for name in given if name not in names]
        if unknown:
            close = difflib.get_close_matches(unknown[0], names, n=1)
            hint = f"did you mean {quoted(close[0])}?" if close else "check its name"
            raise UsageError(f"{option}: there is no column {quoted(unknown[0])} in {read.where}; {hint}")
    wanted = set(names if columns is None else columns) - set(drop)
    kept = [column for column in read.columns if column.name in wanted]
    if not kept:
        raise UsageError(f"columns, drop: no column of {read.where} is left")
    return Read(read.where, kept, read.delimiter, read.is_file)


def columns_of(source: Any, delimiter: str | None, decimal: str | None, header: bool, budget: Budget) -> Read:
    """The columns of a source of any kind; of one that was read already those that it has."""
    if isinstance(source, Read):
        return source
    check_decimal(decimal)
    if isinstance(source, (str, os.PathLike)):
        return replace(_file_columns(source, delimiter, header, budget), is_file=True)
    if isinstance(source, np.ndarray):
        return Read(frames.ARRAY, frames.read_array(source, budget))
    if isinstance(source, Mapping):
        source = frames.frame_of(source)
    columns = frames.read_frame(source, budget)
    if columns is not None:
        return Read(frames.FRAME, columns)
    if isinstance(source, (list, tuple)):
        return Read(frames.ARRAY, frames.read_array(source, budget))
    raise UsageError(f"data of type {type(source).__name__}: give a path, a data frame or a two-dimensional array")


def _file_columns(source: str | os.PathLike[Any], delimiter: str | None, header: bool, budget: Budget) -> Read:
    if isinstance(source, str) and source.startswith("example:"):
        source = example_path(source.removeprefix("example:"))
    where = os.fsdecode(source)
    suffix = Path(where).suffix.lower()
    opened = where
    if where == "-":
        where, opened = "standard input", "/dev/stdin"
    try:
        with _seekable(opened) as path:
            if suffix in (".parquet", ".pq"):
                return Read(where, read_parquet(where, path, budget))
            if suffix == ".arff":
                return Read(where, read_arff(where, path, budget))
            if delimiter is None and suffix == ".tsv":
                delimiter = "\t"
            return Read(where, *read_csv(where, path, delimiter, header, budget))
    except OSError as error:
        raise DataError(f"{where}: cannot be read: {error.strerror or error}; check the name of the file") from None
    except ValueError as error:  # a NUL in the name
        if isinstance(error, (DataError, UsageError)):
            raise
        raise DataError(f"{where!r}: cannot be read: {error}; check the name of the file") from None


@contextmanager
def _seekable(path: str) -> Iterator[str]:
    """The path of a file that can be read more than once: itself, or a copy of what a pipe gives."""
    with open(path, "rb") as file:
        if file.seekable():
            yield path
            return
        with tempfile.NamedTemporaryFile(prefix="sabna-", delete=False) as copy:
            try:
                shutil.copyfileobj(file, copy, 1 << 20)
                copy.close()
                yield copy.name
            finally:
                copy.close()
                os.unlink(copy.name)
