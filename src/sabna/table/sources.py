"""The front door for every kind of data: a source becomes columns, by the reader of its kind."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

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
from sabna.table.csvtext import Choose, too_many_columns
from sabna.table.decimals import Evidence, check_decimal
from sabna.table.excelfile import SUFFIXES as WORKBOOKS
from sabna.table.excelfile import read_excel
from sabna.table.options import HowToRead, is_given
from sabna.table.parquetfile import read_parquet
from sabna.table.survey import LEAVE_OUT, look_at, sign_of

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
    """What was read: the name of the source for messages, its columns, and the delimiter if it is a CSV file.

    `chosen`: the reader has left out the columns that are not wanted by name.
    """

    where: str
    columns: list[AnyColumn]
    delimiter: str | None = None
    is_file: bool = False
    chosen: bool = False


def read_columns(source: Any, how: HowToRead, cell_bytes: int) -> tuple[Read, Budget]:
    """The columns of a source that are wanted, and what is left to spend on making a table of them."""
    budget = Budget(how.get("limits") or Limits(), cell_bytes)
    return selected(columns_of(source, how, budget, partial(wanted_names, how=how)), how), budget


def wanted_names(where: str, names: Sequence[str], how: HowToRead) -> list[str]:
    """Of the names of all columns those that `columns` and `drop` leave."""
    columns, drop = how.get("columns"), how.get("drop") or ()
    known = set(names)
    for option, given in (("columns", columns or ()), ("drop", drop)):
        unknown = [name for name in given if name not in known]
        if unknown:
            parts = [part.strip() for part in unknown[0].split(",")]
            if len(parts) > 1 and set(parts) <= known:
                hint = f"for several columns write {option}={json.dumps(parts, ensure_ascii=False)}"
            else:
                hint = did_you_mean(unknown[0], names) or "check its name"
            raise UsageError(f"{option}: there is no column {quoted(unknown[0])} in {where}; {hint}")
    wanted = (known if columns is None else set(columns)) - set(drop)
    if not wanted:
        raise UsageError(f"columns, drop: no column of {where} is left")
    left = [name for name in names if name in wanted]
    if not how.get("leave_out"):
        _check_number(where, left)
    return left


def _check_number(where: str, names: Sequence[str]) -> None:
    if len(names) > MAX_VARIABLES:
        raise too_many_columns(where, len(names), names[MAX_VARIABLES])


def selected(read: Read, how: HowToRead) -> Read:
    """Of what was read only some columns, or all but some; `leave_out` names kinds of columns, see survey.py."""
    kept, leave_out = read.columns, how.get("leave_out") or ()
    if not read.chosen:
        wanted = set(wanted_names(read.where, [column.name for column in kept], how))
        kept = [column for column in kept if column.name in wanted]
    if leave_out:
        kept = _without_kinds(kept, [leave_out] if isinstance(leave_out, str) else list(leave_out), read.where)
    if not kept:
        raise UsageError(f"columns, drop: no column of {read.where} is left")
    _check_number(read.where, [column.name for column in kept])
    return replace(read, columns=kept, chosen=False)


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


@dataclass(frozen=True)
class Reader:
    """A reader of one kind of source: what that is called, and which options of its own it takes.

    `decimal` is not among them, for any source may hold numbers in text; see `_check_decimal_is_used`.
    """

    kind: str
    suffixes: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


CSV = Reader("a text file", takes=("delimiter", "header"))  # whatever its suffix
EXCEL = Reader("a workbook", WORKBOOKS, ("sheet", "header"))
PARQUET = Reader("a parquet file", (".parquet", ".pq"))
ARFF = Reader("an ARFF file", (".arff",))
FRAME = Reader("a data frame")
ARRAY = Reader("an array")
READERS = (CSV, EXCEL, PARQUET, ARFF, FRAME, ARRAY)
# What options of single readers are about.
_ABOUT = {
    "delimiter": "only CSV files have cells that something separates",
    "header": "only CSV files and workbooks may lack a row of names",
    "sheet": f"only workbooks ({', '.join(WORKBOOKS)}) have sheets",
}


def reader_of(source: Any, how: HowToRead) -> Reader:
    """Who reads a source."""
    if isinstance(source, str | os.PathLike):
        name = os.fsdecode(source)
        if name == "-":
            return CSV if how.get("sheet") is None else EXCEL
        suffix = "" if name.startswith("example:") else Path(name).suffix.lower()
        return next((reader for reader in READERS if suffix in reader.suffixes), CSV)
    rows = isinstance(source, list | tuple) and not (source and all(isinstance(row, Mapping) for row in source))
    return ARRAY if rows or isinstance(source, np.ndarray) else FRAME


def check_form(source: Any, how: HowToRead) -> None:
    """Refuse options that the reader of this source does not take; nothing is read for that."""
    check_decimal(how.get("decimal"))
    if isinstance(source, Read):
        return
    reader = reader_of(source, how)
    where = _shown_name(source) if isinstance(source, str | os.PathLike) else "the data"
    for option, about in _ABOUT.items():
        if option not in reader.takes and is_given(option, how.get(option)):
            raise UsageError(f"{option}: {where} is {reader.kind}; {about}; leave `{option}` out")


def _check_decimal_is_used(read: Read, reader: Reader, how: HowToRead) -> None:
    """A decimal sign is for numbers in text; sources that have types may hold none."""
    if reader is CSV or how.get("decimal") is None:
        return
    if all(column.declared or column.evidence() == Evidence() for column in read.columns):
        raise UsageError(
            f"decimal: no column of {read.where} that is taken is text; its numbers need no sign: leave `decimal` out"
        )


def columns_of(source: Any, how: HowToRead, budget: Budget, choose: Choose | None = None) -> Read:
    """The columns of a source of any kind; of one that was read already those that it has.

    `choose` names the columns that are wanted; where that saves work the others are not read.
    """
    if isinstance(source, Read):
        return source
    if isinstance(source, str | os.PathLike):
        refuse_other_kinds(_shown_name(source))
    check_form(source, how)
    reader = reader_of(source, how)
    if isinstance(source, str | os.PathLike):
        read = replace(_file_columns(source, reader, how, budget, choose), is_file=True)
    else:
        read = _columns_in_memory(source, reader, budget, choose)
    _check_decimal_is_used(read, reader, how)
    return read


def _columns_in_memory(source: Any, reader: Reader, budget: Budget, choose: Choose | None) -> Read:
    if isinstance(source, np.ndarray):
        return Read(frames.ARRAY, frames.read_array(source, budget))
    if isinstance(source, list | tuple) and reader is FRAME:  # a mapping for each row
        names = dict.fromkeys(name for row in source for name in row)
        source = {name: [row.get(name) for row in source] for name in names}
    if isinstance(source, Mapping):
        source = frames.frame_of(source)
    columns = frames.read_frame(source, budget, choose)
    if columns is not None:
        return Read(frames.FRAME, columns, chosen=choose is not None)
    if isinstance(source, list | tuple):
        return Read(frames.ARRAY, frames.read_array(source, budget))
    raise UsageError(f"data of type {type(source).__name__}: give a path, a data frame or a two-dimensional array")


def _shown_name(source: str | os.PathLike[Any]) -> str:
    name = os.fsdecode(source)
    return "standard input" if name == "-" else name


def _file_columns(
    source: str | os.PathLike[Any], reader: Reader, how: HowToRead, budget: Budget, choose: Choose | None
) -> Read:
    where, opened = _shown_name(source), os.fsdecode(source)
    if isinstance(source, str) and source.startswith("example:"):
        opened = os.fspath(example_path(source.removeprefix("example:")))
    elif opened == "-":
        opened = "/dev/stdin"
    delimiter, header = how.get("delimiter"), how.get("header", True)
    try:
        with _seekable(opened) as path:
            if reader is EXCEL:
                return Read(where, read_excel(where, path, how.get("sheet"), header, budget))
            if reader is PARQUET:
                return Read(where, read_parquet(where, path, budget, choose), chosen=choose is not None)
            if reader is ARFF:
                return Read(where, read_arff(where, path, budget))
            if delimiter is None and Path(opened).suffix.lower() == ".tsv":
                delimiter = "\t"
            columns, delimiter = read_csv(where, path, delimiter, header, budget, choose)
            return Read(where, columns, delimiter, chosen=choose is not None)
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
