"""Sheets of workbooks: the same table as from a CSV file, and errors that name sheet, row and column."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.cli.app import run

openpyxl = pytest.importorskip("openpyxl")

ROWS = [("a", 1, True), ("b", 2, False), ("a", 2, True), (None, 1, False)]


def workbook(path: Path, **sheets: list[Any]) -> str:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


@pytest.fixture
def book(tmp_path: Path) -> str:
    names = ("kind", "count", "ok")
    return workbook(
        tmp_path / "survey.xlsx",
        Data=[names, *ROWS],
        March=[(), ("what", "when"), *(("x" if k % 3 else "y", k % 2) for k in range(20))],
    )


def test_a_sheet_reads_as_the_same_table_as_csv(book: str, tmp_path: Path) -> None:
    csv = tmp_path / "survey.csv"
    csv.write_text("kind,count,ok\na,1,True\nb,2,False\na,2,True\nNA,1,False\n")
    here = sabna.read_table(book, missing="category", sheet="Data")
    there = sabna.read_table(csv, missing="category")
    assert here.names == there.names
    assert here.states == there.states
    assert here.codes.tolist() == there.codes.tolist()


def test_a_sheet_is_chosen_by_name_or_number(book: str) -> None:
    for sheet in ("March", 2, "2"):
        assert sabna.read_table(book, sheet=sheet).names == ("what", "when")
    with pytest.warns(DataWarning, match=r"sheet 'Data' is read, the first of 2 \(also: 'March'\)"):
        sabna.read_table(book, missing="drop")
    with pytest.raises(UsageError, match=r"no sheet 'April' in .*survey.xlsx; it has 'Data', 'March'"):
        sabna.read_table(book, sheet="April")
    with pytest.raises(UsageError, match="no sheet 3"):
        sabna.read_table(book, sheet=3)


def test_only_workbooks_have_sheets(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"sheet: .* is a text file; only workbooks"):
        sabna.read_table("example:asia", sheet="Data")
    with pytest.raises(UsageError, match="sheet: the data is an array; only workbooks"):
        sabna.read_table([["a"], ["b"]], sheet=1)
    with pytest.raises(UsageError, match="name of a sheet"):
        sabna.learn("x.xlsx", sheet=0)


def test_a_name_that_is_a_number_is_a_name_first(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", **{"2": [("a",), ("u",), ("v",)], "other": [("b",), ("u",), ("v",)]})
    assert sabna.read_table(path, sheet="2").names == ("a",)
    assert sabna.read_table(path, sheet=2).names == ("b",)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "b"), ("x", "#DIV/0!")], r"sheet 'S', row 2, column 'b': the cell holds the error #DIV/0!"),
        ([("a", None, "c"), ("x", "y", "z")], r"sheet 'S', row 1, column B: no name"),
        ([("a", "b"), ("x", "y"), ("x", "y", "z")], r"sheet 'S', row 3, column C: 'z' stands beside the table"),
        ([("a", "a"), ("x", "y")], r"sheet 'S': columns 1 and 2 are both named 'a'"),
        ([("a", "b")], r"sheet 'S': there is a header but no row of data"),
        ([], r"sheet 'S': there is nothing in it"),
        ([("a", "b"), ("x", "=1+1"), ("y", "=1+2")], r"sheet 'S', column 'b': its formulas have no stored values"),
    ],
)
def test_errors_name_sheet_row_and_column(tmp_path: Path, rows: list[Any], message: str) -> None:
    path = workbook(tmp_path / "x.xlsx", S=rows)
    with pytest.raises(DataError, match=message):
        sabna.read_table(path, missing="category")


def test_dates_of_cells_are_dates(tmp_path: Path) -> None:
    days = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=k) for k in range(90)]
    path = workbook(tmp_path / "x.xlsx", S=[("day", "a"), *((day, k % 2) for k, day in enumerate(days))])
    table = sabna.read_table(path, discretize={"day": "month"})
    assert table.states[0] == ("Jan", "Feb", "Mar")
    assert table.codes[0].tolist() == [day.month - 1 for day in days]


def test_a_broken_workbook_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    for content in (b"no workbook", b"PK\x03\x04 half", b""):
        path.write_bytes(content)
        with pytest.raises(DataError, match="not a workbook that can be read"):
            sabna.read_table(path)
    whole = Path(workbook(tmp_path / "y.xlsx", S=[("a",), ("x",)])).read_bytes()
    for cut in range(100, len(whole), 700):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError):
            sabna.read_table(path)


def test_without_openpyxl_the_message_names_the_extra(book: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(UsageError, match=r"pip install 'sabna\[excel\]'"):
        sabna.read_table(book)


def test_the_command_line_reads_sheets(book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = str(tmp_path / "r.json")
    assert run(["learn", book, "--sheet", "March", "-o", result, "-q"]) == 0
    assert run(["predict", result, book, "--sheet", "March", "--target", "what", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 20
    assert run(["look", book, "--sheet", "2"]) == 0
    assert f"goes through: sabna learn {book} --sheet 2" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["x.xls", "x.pkl", "x.rds", "x.sav"])
def test_files_of_other_kinds_are_refused_with_a_way_out(name: str) -> None:
    """Once they were tried as CSV, and the message spoke of delimiters."""
    with pytest.raises(DataError, match=rf"kind \{Path(name).suffix} are not read \(those read are .csv, .*xlsx"):
        sabna.read_table(name)
