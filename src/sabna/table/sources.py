"""The front door for every kind of data: a source becomes columns, by the reader of its kind."""

from __future__ import annotations

import functools
import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, TypeVar, cast

import numpy as np

from sabna.base.calls import suggesting
from sabna.base.errors import DataError, UsageError, quoted, warn
from sabna.base.limits import Limits
from sabna.base.texts import did_you_mean
from sabna.base.varsets import MAX_VARIABLES
from sabna.examples import example_path
from sabna.table import frames
from sabna.table.arfffile import read_arff
from sabna.table.budget import Budget
from sabna.table.columns import AnyColumn
from sabna.table.csvfile import read_csv
from sabna.table.csvtext import too_many_columns
from sabna.table.decimals import check_decimal
from sabna.table.excelfile import SUFFIXES as WORKBOOKS
from sabna.table.excelfile import read_excel
from sabna.table.parquetfile import read_parquet
from sabna.table.survey import LEAVE_OUT, look_at, sign_of

Function = TypeVar("Function", bound=Callable[..., Any])

# Files that are no tables, or of a kind that is not read, with the way out; none of them is tried as CSV.
_SCORES = "it holds scores of parent sets, no rows: give it to `sabna search` or `sabna kbest`"
_NETWORK = "it holds a network, no rows: `sabna info` and `sabna convert` read it"
NOT_READ = {
    **dict.fromkeys((".jkl", ".pss", ".pg"), _SCORES),
    **dict.fromkeys((".bif", ".xml", ".xmlbif", ".bifxml", ".net", ".dsc", ".uai"), _NETWORK),
    **dict.fromkeys((".dot", ".gv", ".graphml", ".gexf"), _NETWORK),
    ".json": "a result or a network in it goes to `sabna info`; rows of data save as CSV",
    **dict.fromkeys((".xls", ".xlsb", ".ods"), "save it as .xlsx, or the sheet as CSV"),
    **dict.fromkeys((".pkl", ".pickle"), "load it in Python (only if you trust it) and pass the data frame"),
    **dict.fromkeys((".rds", ".rdata", ".rda"), "write it in R with write.csv(..., row.names = FALSE)"),
    **dict.fromkeys((".sav", ".dta", ".sas7bdat"), "read it with pandas and pass the data frame, or export it as CSV"),
    **dict.fromkeys((".feather", ".arrow", ".h5", ".hdf5"), "read it with pandas and pass the data frame"),
    **dict.fromkeys((".pdf", ".doc", ".docx", ".zip"), "export or unpack the table as CSV"),
}


def refuse_other_kinds(where: str) -> None:
    """Say what to do with a file of a kind that is not read."""
    suffix = Path(where).suffix.lower()
    if suffix in NOT_READ:
        read = ", ".join((".csv", ".tsv", ".parquet", ".pq", ".arff", *WORKBOOKS))
        raise DataError(f"{where}: files of the kind {suffix} are not read (those read are {read}); {NOT_READ[suffix]}")


@dataclass
class Read:
    """What was read: the name of the source for messages, its columns, and the delimiter if it is a CSV file."""

    where: str
    columns: list[AnyColumn]
    delimiter: str | None = None
    is_file: bool = False


class HowToRead(TypedDict, total=False):
    """Options of every reader, whatever kind of table it makes; a row of settings/groups/reading.py tells of each."""

    delimiter: str | None
    decimal: str | None
    header: bool
    columns: Iterable[str] | None
    drop: Iterable[str]
    leave_out: Iterable[str]
    sheet: str | int | None
    limits: Limits | None


_HOW = tuple(HowToRead.__annotations__)
_DEFAULTS = {"header": True, "drop": (), "leave_out": ()}  # of the others None


def reader(function: Function) -> Function:
    """Show the options of HowToRead in the signature of a function that takes them as `**how`; refuse other names."""
    own = inspect.signature(function).parameters
    shown = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name)) for name in _HOW]
    first = [p for p in own.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    last = [p for p in own.values() if p.kind is p.KEYWORD_ONLY]
    signature = inspect.Signature([*first, *shown, *last])

    @functools.wraps(function)
    def read(*given: Any, **named: Any) -> Any:
        unknown = [name for name in named if name not in signature.parameters]
        if unknown:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}")
        return function(*given, **named)

    read.__signature__ = signature  # type: ignore[attr-defined]
    return cast(Function, suggesting(read))


def read_columns(source: Any, how: HowToRead, cell_bytes: int) -> tuple[Read, Budget]:
    """The columns of a source that are wanted, and what is left to spend on making a table of them."""
    budget = Budget(how.get("limits") or Limits(), cell_bytes)
    return selected(columns_of(source, how, budget), how), budget


def selected(read: Read, how: HowToRead) -> Read:
    """Of what was read only some columns, or all but some; `leave_out` names kinds of columns, see survey.py."""
    columns, drop, leave_out = how.get("columns"), how.get("drop") or (), how.get("leave_out") or ()
    names = [column.name for column in read.columns]
    known = set(names)
    for option, given in (("columns", columns or ()), ("drop", drop)):
        unknown = [name for name in given if name not in known]
        if unknown:
            parts = [part.strip() for part in unknown[0].split(",")]
            if len(parts) > 1 and set(parts) <= known:
                hint = f"for several columns write {option}={json.dumps(parts, ensure_ascii=False)}"
            else:
                hint = did_you_mean(unknown[0], names) or "check its name"
            raise UsageError(f"{option}: there is no column {quoted(unknown[0])} in {read.where}; {hint}")
    wanted = (known if columns is None else set(columns)) - set(drop)
    kept = [column for column in read.columns if column.name in wanted]
    if leave_out:
        kept = _without_kinds(kept, [leave_out] if isinstance(leave_out, str) else list(leave_out), read.where)
    if not kept:
        raise UsageError(f"columns, drop: no column of {read.where} is left")
    if len(kept) > MAX_VARIABLES:
        raise too_many_columns(read.where, len(kept), kept[MAX_VARIABLES].name)
    return Read(read.where, kept, read.delimiter, read.is_file)


def _without_kinds(columns: list[AnyColumn], kinds: list[str], where: str) -> list[AnyColumn]:
    """The columns that are of none of these kinds; a warning names the others."""
    unknown = [kind for kind in kinds if kind not in LEAVE_OUT]
    if unknown:
        raise UsageError(f"leave_out {unknown[0]!r}: write one of {', '.join(LEAVE_OUT)}")
    unwanted = {LEAVE_OUT[kind] for kind in kinds}
    kept, gone = [], []
    sign = sign_of(columns)
    for column in columns:
        kind = look_at(column, where, sign).kind
        if kind in unwanted:
            gone.append(f"{quoted(column.name)} ({kind})")
        else:
            kept.append(column)
    if gone:
        warn(f"{where}: left out: {', '.join(gone)}")
    return kept


def columns_of(source: Any, how: HowToRead, budget: Budget) -> Read:
    """The columns of a source of any kind; of one that was read already those that it has."""
    if isinstance(source, Read):
        return source
    check_decimal(how.get("decimal"))
    sheet = how.get("sheet")
    if isinstance(source, (str, os.PathLike)):
        read = _file_columns(source, how.get("delimiter"), how.get("header", True), budget, sheet)
        return replace(read, is_file=True)
    if sheet is not None:
        raise UsageError("sheet: only workbooks have sheets; give the path of an .xlsx file")
    if isinstance(source, np.ndarray):
        return Read(frames.ARRAY, frames.read_array(source, budget))
    if isinstance(source, (list, tuple)) and source and all(isinstance(row, Mapping) for row in source):
        names = dict.fromkeys(name for row in source for name in row)
        source = {name: [row.get(name) for row in source] for name in names}
    if isinstance(source, Mapping):
        source = frames.frame_of(source)
    columns = frames.read_frame(source, budget)
    if columns is not None:
        return Read(frames.FRAME, columns)
    if isinstance(source, (list, tuple)):
        return Read(frames.ARRAY, frames.read_array(source, budget))
    raise UsageError(f"data of type {type(source).__name__}: give a path, a data frame or a two-dimensional array")


def _file_columns(
    source: str | os.PathLike[Any], delimiter: str | None, header: bool, budget: Budget, sheet: str | int | None
) -> Read:
    where = opened = os.fsdecode(source)
    if isinstance(source, str) and source.startswith("example:"):
        opened = os.fspath(example_path(source.removeprefix("example:")))
    suffix = Path(opened).suffix.lower()
    if where == "-":
        where, opened = "standard input", "/dev/stdin"
    refuse_other_kinds(where)
    workbook = suffix in WORKBOOKS or (sheet is not None and opened == "/dev/stdin")
    if sheet is not None and not workbook:
        raise UsageError(f"sheet: {where} is no workbook; only {' and '.join(WORKBOOKS)} files have sheets")
    try:
        with _seekable(opened) as path:
            if workbook:
                return Read(where, read_excel(where, path, sheet, header, budget))
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
