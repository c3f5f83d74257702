"""CSV files, parsed by pyarrow: comma, semicolon, tab or bar, quoted fields, with or without a byte order mark.

Every column is read as distinct texts and positions (a dictionary array), never by guessed types: a guess made from the
first rows fails when a later row differs, and texts are what categories are. Whether a column holds numbers is
decided later, on all its distinct texts.

The file goes through pyarrow block by block, so what is held is the table and a few blocks of text. Of columns that
are not wanted nothing is made: of a file of 20,000 columns that would take nearly all of the time. pyarrow names
neither row nor column when it fails; on failure the file is gone through once more with Python's csv module to find the
place.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from sabna.base.errors import DataError, quoted
from sabna.table.budget import Budget
from sabna.table.builder import ColumnBuilder, NotNumbers
from sabna.table.columns import AnyColumn, Column
from sabna.table.csvtext import (
    CheckedFile,
    Choose,
    check_delimiter,
    check_names,
    guess_delimiter,
    header_cells,
    read_head,
)

# Cells that mean "missing" when unquoted; an empty cell does, quoted or not. "None" is not among them: it is a usual
# name of a state.
MISSING_MARKS = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
# A longer cell is no category but a sign of a quote that was never closed. It is also the limit of Python's csv module.
MAX_CELL = 131072
# Bytes parsed at a time. pyarrow holds some 60 times this; a row must fit.
BLOCK = 1 << 18
# For a file with longer rows, which is rare.
LARGE_BLOCK = 1 << 26


class _LongRow(Exception):
    """A row does not fit into a block, and nothing else is wrong."""


def read_csv(
    where: str, path: str, delimiter: str | None, header: bool, budget: Budget, choose: Choose | None = None
) -> tuple[list[AnyColumn], str]:
    """The columns of a CSV file, or those that are chosen, and its delimiter."""
    import pyarrow.csv  # noqa: F401

    budget.begin(where)
    head = read_head(where, path)
    delimiter = guess_delimiter(head) if delimiter is None else check_delimiter(delimiter)
    names = header_cells(where, head, path, delimiter)
    names = check_names(where, names if header else [f"V{k}" for k in range(1, len(names) + 1)])
    wanted = names if choose is None else choose(where, names)
    form = _Form(where, path, delimiter, tuple(names), header, tuple(wanted))
    block, exact = BLOCK, False
    while True:
        builders = [ColumnBuilder(name, exact) for name in wanted]
        try:
            _fill(builders, form, block, budget)
            break
        except NotNumbers:
            exact = True
        except _LongRow:
            if block == LARGE_BLOCK:
                raise DataError(
                    f"{where}: a row is longer than {LARGE_BLOCK:,} bytes; is a quote not closed?"
                ) from None
            block = LARGE_BLOCK
    if not builders[0].rows:
        raise _no_rows(where)
    return [_checked(where, builder.finish()) for builder in builders], delimiter


@dataclass(frozen=True)
class _Form:
    """A file, and what is known of its form."""

    where: str
    path: str
    delimiter: str
    names: tuple[str, ...]
    header: bool
    wanted: tuple[str, ...]

    def key(self, name: str) -> str:
        """What pyarrow calls a column."""
        return name if self.header else f"f{int(name[1:]) - 1}"


def _fill(builders: list[ColumnBuilder], form: _Form, block: int, budget: Budget) -> None:
    """Read all rows into the builders of the columns."""
    import pyarrow as pa

    with open(form.path, "rb", buffering=0) as file:
        checked = CheckedFile(form.where, file)
        try:
            with _reader(checked, form, block) as reader:
                if form.header and reader.schema.names != list(form.wanted):
                    raise _unclear_header(form.where)
                for number, batch in enumerate(reader, start=1):
                    for k, builder in enumerate(builders):
                        builder.add_arrow(batch.column(k), in_order=True)
                    # pyarrow reads some blocks ahead, so what is read of the file says little.
                    budget.look(form.where, builders, min(number * block / checked.size, 1.0))
        except pa.ArrowInvalid as error:
            raise _fault(form, str(error)) from None
        except pa.ArrowKeyError:  # no column of a name that is wanted
            raise _unclear_header(form.where) from None


def _reader(file: CheckedFile, form: _Form, block: int) -> Any:
    """pyarrow's reader of the file: every column a dictionary of texts."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    text = pa.dictionary(pa.int32(), pa.string())
    return pacsv.open_csv(
        file,
        read_options=pacsv.ReadOptions(use_threads=False, block_size=block, autogenerate_column_names=not form.header),
        parse_options=pacsv.ParseOptions(
            delimiter=form.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(form.names) > 1,  # in a file of one column an empty line is a missing value
        ),
        convert_options=pacsv.ConvertOptions(
            column_types={form.key(name): text for name in form.wanted},
            include_columns=None if form.wanted == form.names else [form.key(name) for name in form.wanted],
            null_values=list(MISSING_MARKS),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            check_utf8=False,
        ),
        memory_pool=pa.system_memory_pool(),  # the others keep what they were given back
    )


def _fault(form: _Form, reason: str) -> Exception:
    """The error for a file that pyarrow refuses: the first row that is too long, too short or has a giant cell."""
    row, line = -1 if form.header else 0, 0
    with open(form.path, encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, delimiter=form.delimiter)
        try:
            for record in reader:
                begin, row, line = line + 1, row + bool(record), reader.line_num
                if record and len(record) != len(form.names):
                    return _ragged(form, row, begin, line, record)
        except csv.Error as error:
            if "field larger" not in str(error):
                return DataError(f"{form.where}, line {reader.line_num}: not a CSV file that can be read: {error}")
            return _giant_cell(form.where, row + 1, _name_of_giant(form, line))
    if row <= 0:
        return _no_rows(form.where)
    if "straddl" in reason:
        return _LongRow()
    return DataError(f"{form.where}: not a CSV file that can be read: {reason}")


def _unclear_header(where: str) -> DataError:
    return DataError(
        f"{where}, line 1: the header cannot be read clearly; quote names with quotes or line breaks in them"
    )


def _no_rows(where: str) -> DataError:
    return DataError(f"{where}: there is a header but no row of data; add rows")


def _ragged(form: _Form, row: int, begin: int, line: int, record: list[str]) -> DataError:
    hint = f"complete the row, or quote cells that hold {form.delimiter!r}"
    if line > begin:
        hint = f"a quote that is opened in line {begin} takes in all up to line {line}: close it, or remove it"
    if form.delimiter == "," and len(form.names) == 1:
        hint += '; if these are decimal commas, give delimiter=";"'
    return DataError(
        f"{form.where}, row {row} (line {line}): {len(record)} cells where the header has {len(form.names)}; {hint}"
    )


def _name_of_giant(form: _Form, lines: int) -> str:
    """The column of the first cell that is too long, in the record after so many lines."""
    usual = csv.field_size_limit(1 << 30)  # the module knows one limit for all; put back below
    try:
        with open(form.path, encoding="utf-8-sig", newline="") as text:
            for _ in range(lines):
                text.readline()
            start, size = "", 2 * MAX_CELL
            while more := text.read(size - len(start)):
                start += more
                cells = next(csv.reader(io.StringIO(start, newline=""), delimiter=form.delimiter), [])
                giant = [name for name, cell in zip(form.names, cells, strict=False) if len(cell) > MAX_CELL]
                if giant:
                    return giant[0]
                size *= 2
    finally:
        csv.field_size_limit(usual)
    return form.names[-1]


def _giant_cell(where: str, row: int, name: str) -> DataError:
    return DataError(
        f"{where}, row {row}, column {quoted(name)}: a cell of more than {MAX_CELL} characters is no category; "
        "is a quote not closed?"
    )


def _checked(where: str, column: AnyColumn) -> AnyColumn:
    """The column, without giant cells."""
    for k, value in enumerate(column.values if isinstance(column, Column) else ()):
        if len(str(value)) > MAX_CELL:
            assert isinstance(column, Column)
            raise _giant_cell(where, column.row_of(k), column.name)
    return column
