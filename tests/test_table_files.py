"""Tables from files: what is legal comes out right, what is not is named by file, row and column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.table.csvfile import MAX_CELL, guess_delimiter


def write(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def column(table: sabna.Table, name: str) -> list[str]:
    """The values of a column, decoded."""
    i = table.names.index(name)
    return [table.states[i][code] for code in table.codes[i]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_usual_delimiters_quotes_and_byte_order_mark(tmp_path: Path, delimiter: str) -> None:
    rows = [["a", '"b,;|\tc"', "d"], ["1", '"x,;|\ty"', "no"], ["2", '"say ""hi"""', "yes"]]
    text = "\ufeff" + "".join(delimiter.join(row) + "\r\n" for row in rows)
    table = sabna.read_table(write(tmp_path, text))
    assert table.names == ("a", "b,;|\tc", "d")
    assert column(table, "b,;|\tc") == ["x,;|\ty", 'say "hi"']
    assert column(table, "a") == ["1", "2"]


def test_a_line_break_inside_a_quoted_cell(tmp_path: Path) -> None:
    table = sabna.read_table(write(tmp_path, 'a,"two\nlines"\n0,"x\ny"\n1,z\n'))
    assert column(table, "two\nlines") == ["x\ny", "z"]


def test_semicolons_with_decimal_commas_are_not_taken_for_commas() -> None:
    assert guess_delimiter(b"a;b\n1,5;2,5\n2,5;1,0\n") == ";"


def test_the_header_decides_when_rows_are_ragged() -> None:
    assert guess_delimiter(b"a,b,c\n1,2\n") == ","


def test_order_of_states_does_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    one = sabna.read_table(write(tmp_path, "a,b\n10,x\n9,y\n-1,Z\n"))
    two = sabna.read_table(write(tmp_path, "a,b\n-1,Z\n9,y\n10,x\n"))
    assert one.states == two.states == (("-1", "9", "10"), ("Z", "x", "y"))


def test_equal_numbers_are_one_state(tmp_path: Path) -> None:
    table = sabna.read_table(write(tmp_path, "a\n1\n1.0\n01\n2\n"))
    assert table.states == (("1", "2"),)
    assert table.codes.tolist() == [[0, 0, 0, 1]]


def test_whole_numbers_beyond_doubles_stay_apart(tmp_path: Path) -> None:
    table = sabna.read_table(write(tmp_path, "a\n9007199254740992\n9007199254740993\n"))
    assert table.arities == (2,)


def test_a_late_text_in_a_column_of_numbers_is_a_category(tmp_path: Path) -> None:
    """Guessing types from the first megabyte would fail here."""
    text = "a,b\n" + "1,0\n" * 600_000 + "many,1\n"
    table = sabna.read_table(write(tmp_path, text))
    assert table.states[0] == ("1", "many")
    assert table.rows == 600_001


def test_blanks_around_cells_do_not_make_states(tmp_path: Path) -> None:
    table = sabna.read_table(write(tmp_path, "a, b\nyes, 1\n yes ,2\nno,2\n"))
    assert table.states[0] == ("no", "yes")


def test_names_from_hell(tmp_path: Path) -> None:
    import csv

    names = [
        "<script>alert(1)</script>",
        'a "b" c',
        "x,y;z",
        "ünïcode",
        "META",
        "VAR",
        "new\tline",
        "=1+1",
        "#",
        "%20",
        "two\nlines",
    ]
    path = tmp_path / "hell.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, ["0"] * len(names), ["1"] * len(names)])
    assert sabna.read_table(path).names == tuple(names)


def test_one_row_one_column_constant_and_duplicate_columns_are_legal(tmp_path: Path) -> None:
    assert sabna.read_table(write(tmp_path, "a\nx\n")).rows == 1
    with pytest.warns(DataWarning, match=r"t\.csv: 2 constant columns \('a', 'b'\)"):
        table = sabna.read_table(write(tmp_path, "a,b,c,d\nx,1,0,0\nx,1,1,1\n"))
    assert table.arities == (1, 1, 2, 2)


def test_no_header(tmp_path: Path) -> None:
    table = sabna.read_table(write(tmp_path, "0,1\n1,1\n0,0\n"), header=False)
    assert table.names == ("V1", "V2")
    assert table.rows == 3


REFUSED = {
    "empty": ("", r"t\.csv: the file is empty"),
    "blank": ("\n \n", r"t\.csv: the file is empty"),
    "header only": ("a,b\n", r"t\.csv: there is a header but no row"),
    "short row": ("a,b,c\n1,2,3\n1,2\n", r"t\.csv, row 2 \(line 3\): 2 cells where the header has 3"),
    "long row": ("a,b\n1,2\n\n1,2\n1,2,3\n", r"t\.csv, row 3 \(line 5\): 3 cells where the header has 2"),
    "duplicate name": ("a,b,a\n1,2,3\n", r"t\.csv: columns 1 and 3 are both named 'a'; rename one"),
    "empty name": ("a,,c\n1,2,3\n", r"t\.csv: column 2 has no name"),
    "missing": ("a,b\n1,\n,NA\n?,3\n", r"columns 'a' \(2\), 'b' \(2\), first in row 1; use missing=\"drop\""),
    "missing in one column": ("a\n1\n\n2\n", r"column 'a' \(1\), first in row 2"),
    "not UTF-8": (b"a,b\n1,2\n1,caf\xe9\n", r"t\.csv, line 3: byte 6 of the line is not UTF-8; save the file in UTF-8"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), r"t\.csv, line 1: "),
    "NUL": (b"a,b\n1,2\n1,\x00\n", r"t\.csv, line 3: there is a NUL byte"),
    "10 MB cell": (
        "a,b\n1,2\n1," + "x" * 10_000_000 + "\n",
        r"t\.csv, row 2, column 'b': a cell of more than \d+ char",
    ),
    "open quote": ('a,b\n1,2\n1,"x\n' + "0,0\n" * 100_000, r"t\.csv, row 2, column 'b': a cell of more than \d+ char"),
    "long cell": (f"a,b\n1,2\n1,{'x' * (MAX_CELL + 1)}\n", r"t\.csv, row 2, column 'b': a cell of more than \d+ char"),
    "2049 columns": (
        ",".join(f"x{k}" for k in range(2049)) + "\n" + ",".join("1" * 2049) + "\n",
        r"t\.csv: 2049 columns, the first too many being 'x2048'; at most 2048",
    ),
    "infinity": ("a,b\n1,2\n1,-inf\n", r"t\.csv, row 2, column 'b': the value '-inf' is infinite"),
    "NaN": ("a,b\n1,2\n1,nan\n", r"column 'b' \(1\), first in row 2"),
    "fractions": ("a,b\n1,0.5\n1,1.5\n", r"column 'b' looks continuous \(numbers such as 0\.5\); discretize"),
    "many values": (
        "n,m\n" + "".join(f"{k},0\n" for k in range(65)),
        r"column 'n' looks continuous \(65 distinct values, more than 64\).*categorical=\[\"n\"\]",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path: Path, case: str) -> None:
    content, message = REFUSED[case]
    with pytest.raises(DataError, match=message):
        sabna.read_table(write(tmp_path, content))


def test_2048_columns_are_possible(tmp_path: Path) -> None:
    text = ",".join(f"x{k}" for k in range(2048)) + "\n" + ",".join("01" * 1024) + "\n"
    assert sabna.read_table(write(tmp_path, text)).n == 2048


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: cannot be read: No such file"):
        sabna.read_table(tmp_path / "none.csv")
    for suffix in ("", ".csv", ".parquet", ".arff"):
        folder = tmp_path / f"folder{suffix}"
        folder.mkdir()
        with pytest.raises(DataError, match=r"folder.*: cannot be read: Is a directory"):
            sabna.read_table(folder)


def test_a_file_without_permission(ordinary_folder: Path) -> None:
    path = write(ordinary_folder, "a\n1\n")
    path.chmod(0)
    with pytest.raises(DataError, match=r"t\.csv: cannot be read: Permission denied"):
        sabna.read_table(path)


def test_options_that_cannot_be(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,2\n")
    for options, message in (
        ({"missing": "ignore"}, "missing 'ignore'"),
        ({"discretize": "median"}, "discretize 'median'"),
        ({"discretize": "quantile:1"}, "discretize 'quantile:1'"),
        ({"discretize": {"c": "mean"}}, "no column 'c'"),
        ({"categorical": ["c"]}, "no column 'c'"),
        ({"delimiter": "::"}, "delimiter '::'"),
    ):
        with pytest.raises(UsageError, match=message):
            sabna.read_table(path, **options)  # type: ignore[arg-type]


ARFF = """@relation weather
@attribute outlook {rainy, sunny, 'dark clouds'}
@attribute degrees numeric
@attribute note string
@data
sunny,20,x
rainy,10,'a, b'
sunny,?,x
"""


def test_arff_declares_its_states(tmp_path: Path) -> None:
    table = sabna.read_table(write(tmp_path, ARFF, "t.arff"), missing="category")
    assert table.states == (("rainy", "sunny", "dark clouds"), ("10", "20", "missing"), ("a, b", "x"))
    assert table.codes.tolist() == [[1, 0, 1], [1, 0, 2], [1, 0, 1]]


def test_blanks_around_arff_states_are_no_part_of_them(tmp_path: Path) -> None:
    """The parser takes none before a quote: such files were refused."""
    text = "@relation r\n@attribute a { 'x' , y,\t\"z z\" }\n@attribute 'b{1}' numeric\n@data\nx,1\ny,2\n'z z',1\n"
    table = sabna.read_table(write(tmp_path, text, "t.arff"))
    assert table.names == ("a", "b{1}")
    assert table.states == (("x", "y", "z z"), ("1", "2"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.arff: not a sound ARFF file|there is no"),
        ("@relation r\n@attribute a {x}\n@data\ny\n", "t.arff: not a sound ARFF file: .*line 4"),
        ("@relation r\n@attribute a numeric\n@data\n1,2\n", "t.arff: not a sound ARFF file: .*line 4"),
        ("@relation r\n@attribute a numeric\n@data\n", "t.arff: there is no row of data"),
        (b"@relation r\n@attribute \xe9 numeric\n@data\n1\n", "t.arff, line 2: not UTF-8"),
    ],
)
def test_broken_arff(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        sabna.read_table(write(tmp_path, content, "t.arff"))


def test_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": ["x", "y", "x"], "b": [True, False, None], "c": [1.0, 2.0, 3.0]}), path)
    table = sabna.read_table(path, missing="drop")
    assert table.states == (("x", "y"), ("False", "True"), ("1", "2"))
    assert table.statistics["dropped_rows"] == 1
    with pytest.raises(DataError, match=r"u\.parquet: not a parquet file"):
        sabna.read_table(write(tmp_path, "a\n1\n", "u.parquet"))


def test_reading_and_coding_times_are_told_apart(tmp_path: Path) -> None:
    statistics = sabna.read_table(write(tmp_path, "a\n1\n")).statistics
    assert statistics["read_seconds"] > 0
    assert statistics["code_seconds"] > 0


@pytest.mark.parametrize(
    "name", ["paper/mushroom", "paper/autos", "paper/soybean", "paper/bands", "uci/flag", "uci/wine"]
)
def test_mean_is_the_protocol_of_the_benchmark_data(benchmark_data: Path, name: str) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        ours = sabna.read_table(benchmark_data / f"{name}.csv", discretize="mean")
        theirs = sabna.read_table(benchmark_data / f"{name}.bin.csv")
    assert ours.names == theirs.names
    assert ours.states == theirs.states
    assert np.array_equal(ours.codes, theirs.codes)
