"""CSV files, parsed by pyarrow: comma, semicolon, tab or bar, quoted fields, with or without a byte order mark.

Every column is read as distinct texts and positions (a dictionary array), never by guessed types: a guess made from the
first rows fails when a later row differs, and texts are what categories are. Whether a column holds numbers is
decided later, on all its distinct texts.

pyarrow parses in parallel but names neither row nor column when it fails, so on failure the file is gone through once
more with Python's csv module to find the place.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
from typing import Any

from sabna.base.errors import DataError, UsageError
from sabna.table.columns import Column, column_of_arrow

# Cells that mean "missing" when unquoted; an empty cell does, quoted or not. "None" is not among them: it is a usual
# name of a state.
MISSING_MARKS = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
# A longer cell is no category but a sign of a quote that was never closed. It is also the limit of Python's csv module.
MAX_CELL = 131072
# In the order of preference if the first lines leave a choice.
DELIMITERS = ("\t", ";", "|", ",")
_SAMPLE_BYTES = 1 << 16
_SAMPLE_RECORDS = 20


def read_csv(path: str | os.PathLike[str], content: bytes, delimiter: str | None, header: bool) -> list[Column]:
    """The columns of a CSV file's content."""
    where = os.fspath(path)
    content = content.removeprefix(codecs.BOM_UTF8)
    _refuse_what_is_no_text(where, content)
    if delimiter is None:
        delimiter = guess_delimiter(content)
    elif len(delimiter) != 1 or delimiter in '"\r\n':
        raise UsageError(f"delimiter {delimiter!r}: give one character, such as ',' or ';'")
    names = _first_record(where, content, delimiter)
    if header:
        check_names(where, names)
    else:
        names = [f"V{k}" for k in range(1, len(names) + 1)]
    table = _parse(where, content, delimiter, names, header)
    if table.num_rows == 0:
        raise DataError(f"{where}: there is a header but no row of data; add rows")
    return [_column(where, name, table.column(k)) for k, name in enumerate(names)]


def check_names(where: str, names: list[str]) -> None:
    """Refuse empty and repeated names of columns."""
    seen: dict[str, int] = {}
    for k, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"{where}: column {k} has no name; name every column in the first row")
        if name in seen:
            raise DataError(
                f"{where}: columns {seen[name]} and {k} are both named {name!r}; rename one "
                "(a file without a header row is read with --no-header)"
            )
        seen[name] = k


def guess_delimiter(content: bytes) -> str:
    """The delimiter under which the first lines agree best with the header.

    >>> guess_delimiter(b'a;"b;c"\\n1,5;2\\n')
    ';'
    """
    sample = content[:_SAMPLE_BYTES].decode("utf-8", "replace")
    if len(content) > _SAMPLE_BYTES:
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, choice = (0.0, 1, 0), ","
    for preference, delimiter in enumerate(reversed(DELIMITERS)):
        try:
            records = [r for r, _ in zip(_records(sample, delimiter), range(_SAMPLE_RECORDS + 1), strict=False)]
        except csv.Error:
            continue
        width = len(records[0]) if records else 0
        agreeing = sum(len(record) == width for record in records[1:]) / max(len(records) - 1, 1)
        if width > 1 and (agreeing, width, preference) > best:
            best, choice = (agreeing, width, preference), delimiter
    return choice


def _records(text: str, delimiter: str) -> Any:
    """The non-empty records of CSV text, as Python's csv module sees them."""
    return (record for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if record)


def _refuse_what_is_no_text(where: str, content: bytes) -> None:
    if not content or content.isspace():
        raise DataError(f"{where}: the file is empty; it must hold a header row and rows of data")
    nul = content.find(b"\0")
    if nul >= 0:
        line = content.count(b"\n", 0, nul) + 1
        raise DataError(f"{where}, line {line}: there is a NUL byte, so this is no text file; save it as CSV in UTF-8")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise DataError(
            f"{where}, line {line}: byte {column} of the line is not UTF-8; save the file in UTF-8, "
            "e.g. with iconv -f latin1 -t utf-8"
        ) from None


def _first_record(where: str, content: bytes, delimiter: str) -> list[str]:
    """The cells of the first record."""
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    try:
        return next(record for record in csv.reader(text, delimiter=delimiter) if record)
    except csv.Error as error:
        raise DataError(f"{where}, line 1: the header cannot be read ({error}); is a quote not closed?") from None
    except StopIteration:
        raise DataError(f"{where}: the file is empty; it must hold a header row and rows of data") from None


def _parse(where: str, content: bytes, delimiter: str, names: list[str], header: bool) -> Any:
    """The pyarrow table of the file, every column as dictionary of texts."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    text = pa.dictionary(pa.int32(), pa.string())
    try:
        table = pacsv.read_csv(
            pa.BufferReader(content),
            read_options=pacsv.ReadOptions(autogenerate_column_names=not header),
            parse_options=pacsv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=b'"' in content,
                ignore_empty_lines=len(names) > 1,  # in a file of one column an empty line is a missing value
            ),
            convert_options=pacsv.ConvertOptions(
                column_types={name if header else f"f{k}": text for k, name in enumerate(names)},
                null_values=list(MISSING_MARKS),
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                check_utf8=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise _find_the_place(where, content, delimiter, names, header, str(error)) from None
    if header and table.column_names != names:
        raise DataError(
            f"{where}, line 1: the header cannot be read clearly; quote names with quotes or line breaks in them"
        )
    return table


def _find_the_place(
    where: str, content: bytes, delimiter: str, names: list[str], header: bool, reason: str
) -> DataError:
    """The error for a file that pyarrow refuses: the first row that is too long, too short or has a giant cell."""
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline=""), delimiter=delimiter)
    row = -1 if header else 0
    usual = csv.field_size_limit(len(content) + 1)  # the module knows one limit for all; put back below
    try:
        for record in reader:
            row += bool(record)
            if record and len(record) != len(names):
                return DataError(
                    f"{where}, row {row} (line {reader.line_num}): {len(record)} cells where the header has "
                    f"{len(names)}; complete the row, or quote cells that hold {delimiter!r}"
                )
            giant = [name for name, cell in zip(names, record, strict=False) if len(cell) > MAX_CELL]
            if giant:
                return _giant_cell(where, row, giant[0])
    except csv.Error as error:
        reason = f"line {reader.line_num}: {error}"
    finally:
        csv.field_size_limit(usual)
    return DataError(f"{where}: not a CSV file that can be read: {reason}")


def _giant_cell(where: str, row: int, name: str) -> DataError:
    return DataError(
        f"{where}, row {row}, column {name!r}: a cell of more than {MAX_CELL} characters is no category; "
        "is a quote not closed?"
    )


def _column(where: str, name: str, array: Any) -> Column:
    column = column_of_arrow(name, array)
    for k, value in enumerate(column.values):
        if len(str(value)) > MAX_CELL:
            raise _giant_cell(where, column.row_of(k), name)
    return column
