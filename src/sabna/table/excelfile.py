"""Sheets of Excel workbooks (.xlsx, .xlsm), read by openpyxl (extra `excel`) row by row.

A sheet is chosen by its name or by its number, counted from 1; without a choice it is the first one. The first row that
holds anything is the header. Dates come as texts (`2024-03-31`, with the time where there is one), so that they are
treated as in any other file. Cells with an error (`#DIV/0!`) are refused by sheet, row and column; `#N/A` is a missing
value. Of formulas the value counts that Excel stored; a column of formulas that no program has computed yet would look
empty, and is refused.
"""

from __future__ import annotations

import datetime
import importlib
import os
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sabna.base.errors import DataError, UsageError, quoted, warn
from sabna.table.budget import Budget
from sabna.table.builder import ColumnBuilder, NotNumbers
from sabna.table.columns import AnyColumn
from sabna.table.csvfile import MISSING_MARKS
from sabna.table.csvtext import check_names

SUFFIXES = (".xlsx", ".xlsm")
# Rows taken in at a time.
BLOCK = 1 << 12
# The texts of a workbook are held as Python strings while a sheet is read: about so many bytes for each of theirs.
TEXT_FACTOR = 6

Cells = tuple[Any, ...]


def read_excel(where: str, path: str, sheet: str | int | None, header: bool, budget: Budget) -> list[AnyColumn]:
    """The columns of a sheet."""
    budget.begin(where)
    with _workbook(where, path, budget) as book:
        name = _chosen(where, book.sheetnames, sheet)
        place = f"{where}, sheet {quoted(name)}"
        try:
            try:
                columns = _read(place, book[name], header, budget, exact=False)
            except NotNumbers:
                columns = _read(place, book[name], header, budget, exact=True)
        except (KeyError, TypeError, IndexError, AttributeError, SyntaxError, zipfile.BadZipFile) as error:
            raise _broken(where, error) from None
    for k, column in enumerate(columns):
        if column.missing().all() and _has_formulas(path, name, k):
            raise DataError(
                f"{place}, column {quoted(column.name)}: its formulas have no stored values; open the workbook in a "
                "spreadsheet program and save it, or write the values"
            )
    return columns


@contextmanager
def _workbook(where: str, path: str, budget: Budget) -> Iterator[Any]:
    try:
        openpyxl = importlib.import_module("openpyxl")
    except ImportError:
        raise UsageError(
            f"{where}: workbooks need openpyxl: pip install 'sabna[excel]'; or save the sheet as CSV"
        ) from None
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.compress_size > os.path.getsize(path):  # else as much memory would be asked for
                    raise zipfile.BadZipFile(f"{info.filename} is larger than the file")
            size = sum(info.file_size for info in archive.infolist() if info.filename.endswith("sharedStrings.xml"))
        budget.limits.require_memory(TEXT_FACTOR * size, f"reading the texts of {where}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts of workbooks that say nothing of the cells
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (OSError, MemoryError, UsageError):
        raise
    except Exception as error:  # openpyxl has no errors of its own for broken files
        raise _broken(where, error) from None
    try:
        yield book
    finally:
        book.close()


def _broken(where: str, error: Exception) -> DataError:
    reason = f"{type(error).__name__}: {str(error)[:120]}"
    return DataError(
        f"{where}: not a workbook that can be read ({reason}); is it protected by a password, or of another kind? "
        "Save it as .xlsx without one, or the sheet as CSV"
    )


def _chosen(where: str, names: list[str], sheet: str | int | None) -> str:
    """The name of the sheet asked for; a text is a name first, a number second."""
    if not names:
        raise DataError(f"{where}: the workbook has no sheet; add one")
    if sheet is None:
        if len(names) > 1:
            others = ", ".join(map(quoted, names[1:4])) + (", ..." if len(names) > 4 else "")
            warn(
                f"{where}: the sheet {quoted(names[0])} is read, the first of {len(names)} (also: {others})",
            )
        return names[0]
    if isinstance(sheet, str) and sheet in names:
        return sheet
    text = str(sheet)
    if text.isascii() and text.isdigit() and 1 <= int(text) <= len(names):
        return names[int(text) - 1]
    raise UsageError(
        f"sheet: there is no sheet {quoted(sheet)} in {where}; it has {', '.join(map(quoted, names[:10]))}"
        + (", ..." if len(names) > 10 else "")
    )


def _read(place: str, sheet: Any, header: bool, budget: Budget, exact: bool) -> list[AnyColumn]:
    rows = ((number, cells) for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1) if any_in(cells))
    first_row, first = next(rows, (0, ()))
    if not first:
        raise DataError(f"{place}: there is nothing in it; choose another sheet")
    width = max(k for k, cell in enumerate(first, start=1) if _value(cell) is not None)
    names: list[Any] = [_value(cell) for cell in first[:width]] if header else [f"V{k}" for k in range(1, width + 1)]
    for k, name in enumerate(names):
        if name is None:
            raise DataError(f"{place}, row {first_row}, column {_letter(k)}: no name; name every column in this row")
    named = check_names(place, [name.strip() if isinstance(name, str) else name for name in names])
    builders = [ColumnBuilder(name, exact) for name in named]
    block: list[Cells] = [] if header else [_cells(place, first_row, first, named)]
    total = max(int(sheet.max_row or 0), 1)
    last = first_row
    for last, cells in rows:
        block.append(_cells(place, last, cells, named))
        if len(block) == BLOCK:
            _add(builders, block)
            budget.look(place, builders, min(last / total, 1.0))
            block = []
    _add(builders, block)
    if not builders[0].rows:
        raise DataError(f"{place}: there is a header but no row of data; add rows")
    budget.look(place, builders, 1.0)
    return [builder.finish() for builder in builders]


def any_in(cells: Cells) -> bool:
    """Whether a row holds anything."""
    return any(cell is not None and cell != "" for cell in cells)


def _add(builders: list[ColumnBuilder], block: list[Cells]) -> None:
    for k, builder in enumerate(builders):
        builder.add_values([cells[k] for cells in block])


def _cells(place: str, row: int, cells: Cells, names: list[str]) -> Cells:
    """The cells of a row as texts and numbers; refuses cells beside the table, and errors."""
    for k, cell in enumerate(cells):
        if isinstance(cell, str) and cell.startswith("#") and cell.endswith(("!", "?")) and cell[1:-1].isupper():
            name = quoted(names[k]) if k < len(names) else _letter(k)
            raise DataError(
                f"{place}, row {row}, column {name}: the cell holds the error {cell}; correct its formula, or empty it"
            )
        if k >= len(names) and _value(cell) is not None:
            raise DataError(
                f"{place}, row {row}, column {_letter(k)}: {quoted(cell, 40)} stands beside the table, which has "
                f"{len(names)} columns; name the column in the first row, or empty the cell"
            )
    return tuple(_value(cell) for cell in cells[: len(names)]) + (None,) * (len(names) - len(cells))


def _value(cell: Any) -> Any:
    """A cell as text, number or truth value; None if it is empty or marked as missing."""
    if isinstance(cell, str):
        return None if cell.strip() in MISSING_MARKS else cell
    if isinstance(cell, datetime.datetime):
        at_midnight = cell.time() == datetime.time()
        return cell.date().isoformat() if at_midnight else cell.isoformat(" ", "seconds")
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return cell.total_seconds()
    return cell


def _letter(column: int) -> str:
    """The letters that a spreadsheet has for a column, counted from 0.

    >>> _letter(0), _letter(25), _letter(26), _letter(701), _letter(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    letters, rest = "", column + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def _has_formulas(path: str, sheet: str, column: int) -> bool:
    """Whether a column, counted from 0, holds formulas."""
    openpyxl = importlib.import_module("openpyxl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(path, read_only=True)
    try:
        cells = (row[column] for row in book[sheet].iter_rows(values_only=True) if column < len(row))
        return any(isinstance(cell, str) and cell.startswith("=") for cell in cells)
    finally:
        book.close()
