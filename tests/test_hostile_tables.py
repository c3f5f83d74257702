"""Tables that are broken or mean harm: a table comes out, or an error of ours that names the file, in little memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import sabna
from sabna.base.errors import DataError, UsageError
from sabna.network.files import NETWORK_FORMATS
from sabna.parents.files import GRAPH_FORMATS
from sabna.table.csvfile import MAX_CELL
from tests.mutation.tables import FORMATS, Refused, TableFormat, mutant
from tests.repeats import few_or_many, first_of

MANY = 1_000_000


def write_csv(path: Path, columns: int, rows: int) -> None:
    with path.open("w") as file:
        file.write(",".join(f"x{k}" for k in range(columns)) + "\n")
        for _ in range(rows):
            file.write(",".join("0" * columns) + "\n")


def write_arff(path: Path, columns: int, rows: int) -> None:
    with path.open("w") as file:
        file.write("@relation r\n" + "".join(f"@attribute x{k} numeric\n" for k in range(columns)) + "@data\n")
        for _ in range(rows):
            file.write(",".join("0" * columns) + "\n")


def write_parquet(path: Path, columns: int, rows: int) -> None:
    pa.parquet.write_table(pa.table({f"x{k}": pa.array([0] * rows) for k in range(columns)}), path)


WRITERS: dict[str, Callable[[Path, int, int], None]] = {
    ".csv": write_csv,
    ".tsv": lambda path, columns, rows: (
        path.write_text(
            "\n".join("\t".join(row) for row in [[f"x{k}" for k in range(columns)], *[["0"] * columns] * rows]) + "\n"
        )
        and None
    ),
    ".arff": write_arff,
    ".parquet": write_parquet,
}

# Reads a file and prints the error, and by how many bytes the process grew at its peak.
_MEASURED = """
import sys, sabna, sabna.learning, pyarrow.parquet, arff
from sabna.base.limits import peak_memory
sabna.read_table("example:asia")
before = peak_memory()
try:
    sabna.read_table(sys.argv[1])
except sabna.SabnaError as error:
    print(type(error).__name__, error)
print(peak_memory() - before)
"""


@pytest.mark.parametrize("suffix", first_of([".csv", ".arff"], 1))
def test_a_million_columns_are_told_by_number_in_little_memory(suffix: str, tmp_path: Path) -> None:
    """It was "straddling object straddles two block boundaries"."""
    path = tmp_path / f"wide{suffix}"
    WRITERS[suffix](path, MANY, 1 if suffix != ".arff" else 0)
    printed = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(path)], capture_output=True, text=True, timeout=120, check=True
    ).stdout.splitlines()
    assert printed[0].startswith(f"DataError {path}: 1000000 columns, the first too many being 'x2048'; at most 2048")
    assert int(printed[1]) < 40_000_000


@few_or_many("columns", 2049, 5000)
def test_too_many_columns_of_parquet_frames_and_arrays(columns: int, tmp_path: Path) -> None:
    write_parquet(tmp_path / "wide.parquet", columns, 1)
    frame = {f"x{k}": [0] for k in range(columns)}
    many = f"{columns} columns.*; at most 2048 variables are possible"
    for source in (
        tmp_path / "wide.parquet",
        pd.DataFrame(frame),
        pl.DataFrame(frame),
        pa.table(frame),
        np.zeros((2, columns)),
    ):
        with pytest.raises(DataError, match=many):
            sabna.read_table(source)


def test_a_declared_number_of_columns_is_checked_before_the_footer_is_parsed(tmp_path: Path) -> None:
    """A footer of some bytes that declares a schema of 10^6 elements."""
    footer = bytes([0x15, 0x04, 0x19, 0xFC, 0xC1, 0x84, 0x3D]) + b"\0" * 20
    path = tmp_path / "wide.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(DataError, match="1000000 columns; at most 2048"):
        sabna.read_table(path)


@pytest.mark.parametrize("suffix", WRITERS)
def test_header_only_one_column_and_one_row(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    for columns in (1, 3):
        WRITERS[suffix](path, columns, 0)
        with pytest.raises(DataError, match=r"no row of data"):
            sabna.read_table(path)
        for rows in (1, 2):
            WRITERS[suffix](path, columns, rows)
            with pytest.warns(match="constant") if rows > 1 else pytest.MonkeyPatch.context():
                table = sabna.read_table(path)
            assert (table.n, table.rows) == (columns, rows)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\r"])
def test_a_header_without_rows_whatever_its_end(ending: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(f"a,b{ending}".encode())
    with pytest.raises(DataError, match="there is a header but no row"):
        sabna.read_table(path)


@pytest.mark.parametrize("digits", [400, 4301, 100_000])
def test_numbers_of_many_digits_are_refused_by_row_and_column(digits: int, tmp_path: Path) -> None:
    """int() of more than 4,300 digits is a ValueError of Python's own."""
    (tmp_path / "t.csv").write_text(f"a,b\n1,2\n1,{'7' * digits}\n")
    (tmp_path / "t.arff").write_text(f"@relation r\n@attribute b numeric\n@data\n2\n{'7' * digits}\n")
    for name in ("t.csv", "t.arff"):
        for read in (sabna.read_table, sabna.read_numeric):
            with pytest.raises(DataError, match=r"row 2, column 'b': the value '777.* is infinite, or too large"):
                read(tmp_path / name)


def test_whole_numbers_beyond_64_bits_stay_apart_in_every_format(tmp_path: Path) -> None:
    big = [2**63, 2**63 + 1, 2**70, 2**70 + 1]
    (tmp_path / "t.csv").write_text("a\n" + "".join(f"{k}\n" for k in big))
    (tmp_path / "t.arff").write_text("@relation r\n@attribute a integer\n@data\n" + "".join(f"{k}\n" for k in big))
    for name in ("t.csv", "t.arff"):
        assert sabna.read_table(tmp_path / name).states == (tuple(map(str, sorted(big))),)
    assert sabna.read_table(np.array([big], dtype=object).T).arities == (4,)


def test_a_fraction_in_an_integer_attribute_is_not_cut(tmp_path: Path) -> None:
    """liac-arff makes 1 of 1.7 in an integer attribute, without a word."""
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute a integer\n@attribute b numeric\n@data\n1.7,nan\n1,2\n")
    with pytest.raises(DataError, match=r"column 'a' looks continuous \(numbers such as 1\.7\)"):
        sabna.read_table(path, missing="category")
    path.write_text("@relation r\n@attribute a integer\n@data\n1\nmany\n")
    with pytest.raises(DataError, match="row 2, column 'a': 'many' is no number, but the attribute is numeric"):
        sabna.read_table(path)


def test_an_arff_error_with_a_percent_sign_has_a_message(tmp_path: Path) -> None:
    """The message of the parser breaks on it."""
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute a {x,y}\n@data\n50%d\n")
    with pytest.raises(DataError, match=r"t\.arff, line 4: not a sound ARFF file"):
        sabna.read_table(path)


def test_states_that_are_not_well_formed_do_not_take_forever(tmp_path: Path) -> None:
    """The parser's own check is exponential in the number of commas."""
    path = tmp_path / "t.arff"
    for states in ("{a,b}" * 40, "{" + "a,b " * 40 + "}", "{" + "a," * 60, "{'a,b,c" + ",d" * 60 + "}"):
        path.write_text(f"@relation r\n@attribute x {states}\n@data\na\n")
        with pytest.raises(
            DataError, match=r"t\.arff: (attribute 1 \(['\"]@attribute x \{.*is not well-formed|not a sound)"
        ):
            sabna.read_table(path)
    path.write_text("@relation r\n@attribute 'x y' {'a b', \"c,d\", e}\n@data\ne\n'a b'\n")
    assert sabna.read_table(path).states == (("a b", "c,d", "e"),)


@pytest.mark.parametrize("values", [["\ud800", "x"], ["x", "a\udfffb"]])
def test_half_a_pair_of_surrogates_is_refused(values: list[str]) -> None:
    objects = np.array([values], dtype=object).T
    for source in (objects, objects.tolist(), pd.DataFrame(objects, columns=["a"], dtype=object)):
        with pytest.raises(DataError, match=r"column '(V1|a)'"):
            sabna.read_table(source)


def test_names_that_are_no_text_are_refused() -> None:
    with pytest.raises(DataError, match="the name of column 2 is no valid text"):
        sabna.read_table(pd.DataFrame(np.zeros((2, 2)), columns=pd.Index(["a", "\ud800"], dtype=object)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n".encode("utf-16"), "line 1: this is text in UTF-16"),
        (b"\x1f\x8b\x08\x00", "packed by gzip"),
        (b"PK\x03\x04....", "a workbook or an archive"),
        (b"PAR1....", "a parquet file; name it .parquet"),
        (b"a,b\n" + b"1,2\n" * 100_000 + b"1,caf\xe9\n", "line 100002: byte 6 of the line is not UTF-8"),
        (b"a,b\n" + b"1,2\n" * 100_000 + b"1,\0\n", "line 100002: there is a NUL byte"),
        (b"a,b\n1,2\n1,\xf0\x9f\x98", "line 3: byte 3 of the line is not UTF-8"),
        (
            b"a,b\n1,2\n3,4\n5," + b"y" * (MAX_CELL + 1) + b"\n" + b"1,2\n" * 200_000,
            r"row 3, column 'b': a cell of more",
        ),
        (
            b"a,b\n" + b"x" * 200_000 + b",1\ny,2\n",
            r"row 1, column 'a': a cell of more",
        ),  # once: the header does not end
        (b'a,b\n1,2\n"3,4\n' + b"1,2\n" * 200_000, r"row 2, column 'a': a cell of more"),
        (b"a" * 400_000 + b",b\n1,2\n", "the header does not end within"),
        (b'"a,b\n1,2\n' + b"x" * 400_000, "the header does not end within"),
        (b"a,b\n" + b"1,2\n" * 200_000 + b"1,2,3\n", r"row 200001 \(line 200002\): 3 cells where the header has 2"),
    ],
)
def test_broken_texts_are_refused_by_their_place(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"t.csv.*{message}"):
        sabna.read_table(path)


def test_rows_longer_than_a_block_are_read(tmp_path: Path) -> None:
    cell = "y" * 5000
    text = (
        ",".join(f"x{k}" for k in range(100))
        + "\n"
        + "".join(",".join(f"{cell}{r}" for _ in range(100)) + "\n" for r in (1, 2))
    )
    (tmp_path / "t.csv").write_text(text)
    assert sabna.read_table(tmp_path / "t.csv").arities == (2,) * 100


def test_a_text_among_many_numbers_makes_a_column_of_texts(tmp_path: Path) -> None:
    """The numbers had been kept as numbers by then; they are read again as texts."""
    lines = [f"{k / 8},{k % 2}" for k in range(15_000)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b", *lines, "<0.1,1", ""]))
    with pytest.raises(DataError, match=r"column 'a' looks continuous \(15001 distinct values"):
        sabna.read_table(path)
    with pytest.raises(DataError, match=r"column 'a' holds '<0\.1', which is no number"):
        sabna.read_numeric(path)
    table = sabna.read_table(path, categorical=["a"])
    assert table.arities == (15_001, 2)
    assert table.states[0][table.codes[0, 8]] == "1.0"  # a text, not the number 1
    path.write_text("\n".join(["a,b", *lines, "<0.1,", ""]))
    assert sabna.read_table(path, discretize="mean", missing="drop").rows == 15_000  # numbers again


def test_objects_that_cannot_be_hashed_are_texts() -> None:
    cells = np.empty((2, 1), dtype=object)
    cells[0, 0], cells[1, 0] = [1, 2], {"a": 1}
    assert sabna.read_table(cells).states == (("[1, 2]", "{'a': 1}"),)


def test_numbers_at_the_end_of_their_range_are_cut_or_refused() -> None:
    values = np.array([[1.7e308], [-1.7e308], [1.0], [2.0]])
    assert sabna.read_table(values, discretize="mean").rows == 4
    with pytest.raises(DataError, match="column 'V1': its numbers are too far apart"):
        sabna.read_table(values, discretize="uniform:3")


def test_a_pipe_is_read(tmp_path: Path) -> None:
    code = "import sabna, sys; print(sabna.read_table('/dev/stdin').rows)"
    if not Path("/dev/stdin").exists():
        pytest.skip("there is no /dev/stdin")
    done = subprocess.run([sys.executable, "-c", code], input=b"a,b\n1,2\n2,1\n", capture_output=True, check=True)
    assert done.stdout == b"2\n"


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_mutated_tables_are_read_or_refused(form: TableFormat, tmp_path: Path) -> None:
    path, read = tmp_path / f"mutant{form.suffix}", 0
    for number in range({".xlsx": 40, ".parquet": 250}.get(form.suffix, 100)):  # few of parquet are read
        path.write_bytes(mutant(form, 20, number))
        try:
            form.check(path)
            read += 1
        except Refused:
            pass
    assert read > 2


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_many_mutated_tables_are_read_or_refused(form: TableFormat, tmp_path: Path) -> None:
    path = tmp_path / f"mutant{form.suffix}"
    for number in range(5000):
        path.write_bytes(mutant(form, 21, number))
        try:
            form.check(path)
        except Refused:
            continue


def test_a_name_of_thousands_of_characters_makes_no_message_of_thousands(tmp_path: Path) -> None:
    """The message was short, and the call that it suggested held the name in full."""
    path = tmp_path / "long.csv"
    path.write_text("7" * 4816 + ",c1,c2\n-2.447,NA,2\n")
    with pytest.raises(DataError, match="missing values in column 'c1'") as refused:
        sabna.read_table(path)
    assert len(str(refused.value)) < 1000


def test_a_name_longer_than_a_cell_of_csv_is_refused(tmp_path: Path) -> None:
    """A network read from .dot could not be read again when it was written as an adjacency matrix."""
    path = tmp_path / "long.dot"
    path.write_text("digraph network { " + "x" * 131_073 + "; }")
    with pytest.raises(DataError, match=r"long\.dot.*131,073 characters"):
        sabna.read_network(path)
    path.write_text("digraph network { " + "x" * 131_072 + "; }")
    network = sabna.read_network(path)
    network.save(tmp_path / "long.csv")
    assert sabna.read_network(tmp_path / "long.csv").variables == network.variables


def test_a_workbook_with_a_part_larger_than_itself_is_refused(tmp_path: Path) -> None:
    """As much memory was asked for as the directory of the archive announced: four gigabytes."""
    path = tmp_path / "broken.xlsx"
    pd.DataFrame({"a": [0, 1], "b": [1, 0]}).to_excel(path, index=False)
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"xl/workbook.xml") - 46  # in the central directory, whose entries have 46 bytes before it
    assert content[entry : entry + 4] == b"PK\x01\x02"
    content[entry + 20 : entry + 24] = (0xEE000130).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"broken\.xlsx: not a workbook.*larger than the file"):
        sabna.read_table(path)


def test_a_quote_that_is_never_closed_is_named(tmp_path: Path) -> None:
    """Was told as a row with too few cells, whose remedy was to quote cells."""
    path = tmp_path / "quote.csv"
    path.write_text('a,b\n"x,2\n3,4\n')
    with pytest.raises(DataError, match=r"quote\.csv, row 1 \(line 3\).*a quote that is opened in line 2.*close it"):
        sabna.read_table(path)


def test_files_of_scores_and_of_networks_are_no_tables(tmp_path: Path) -> None:
    """A score file read as CSV was one column of text, and its network "proven optimal"."""
    for suffix in {*GRAPH_FORMATS, *NETWORK_FORMATS} - {".csv"}:
        path = tmp_path / f"x{suffix}"
        path.write_text("2\nA 1\n-3 0\nB 1\n-4 0\n")
        for call in (sabna.learn, sabna.posterior, sabna.read_mixed, sabna.read_numeric):
            with pytest.raises(DataError, match=rf"kind \{suffix} are not read"):
                call(path)


def test_the_best_networks_of_a_score_file_are_those_of_its_graph(tmp_path: Path) -> None:
    """In Python the path of a score file was read as a table; options of tables were taken and ignored."""
    path = tmp_path / "x.jkl"
    path.write_text("2\nA 2\n-3 0\n-1 1 B\nB 1\n-4 0\n")
    found = sabna.kbest(path, k=5)
    assert [(network.edges, float(score)) for network, score in zip(found.networks, found.scores, strict=True)] == [
        ((("B", "A"),), -5.0),
        ((), -7.0),
    ]
    for options in ({"score": "bdeu"}, {"missing": "drop"}, {"max_parents": 1}, {"knowledge": {"roots": ["A"]}}):
        with pytest.raises(UsageError, match="where the parent graph is built"):
            sabna.kbest(path, **options)
