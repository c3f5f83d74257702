"""Numbers with decimal commas: read right where that is clear, refused by name otherwise, never taken for text."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.table import builder
from sabna.table.decimals import evidence_of

ROWS = 120


def numbers(rows: int = ROWS) -> np.ndarray:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, 4))
    x[:, 2] = x[:, 0] + 0.1 * x[:, 1]
    return x


def texts(values: np.ndarray, decimal: str, delimiter: str, form: str = ".3f") -> str:
    lines = [
        delimiter.join("abcd"),
        *(delimiter.join(f"{v:{form}}".replace(".", decimal) for v in row) for row in values),
    ]
    return "\n".join([*lines, ""])


def write(folder: Path, content: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture(params=[";", "\t", "|"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """The same table, written with points and with commas."""
    point = write(tmp_path, texts(numbers(), ".", ","), "point.csv")
    return point, write(tmp_path, texts(numbers(), ",", request.param), "comma.csv")


@pytest.mark.parametrize("discretize", ["quantile:3", "uniform:4", "mean"])
def test_a_table_with_commas_is_discretised_like_one_with_points(pair: tuple[Path, Path], discretize: str) -> None:
    """It was "proven optimal, no edges": every number had become a text of its own."""
    point, comma = pair
    with pytest.warns(DataWarning, match=r"read with a decimal comma \(column 'a': -?\d+,\d+\)"):
        read = sabna.read_table(comma, discretize=discretize)
    want = sabna.read_table(point, discretize=discretize)
    assert read.states == want.states
    assert np.array_equal(read.codes, want.codes)
    assert sabna.learn(read).cost_quanta == sabna.learn(want).cost_quanta


def test_a_table_with_commas_is_scored_as_numbers_like_one_with_points(pair: tuple[Path, Path]) -> None:
    point, comma = pair
    with pytest.warns(DataWarning, match="decimal comma"):
        read = sabna.read_numeric(comma)
    assert np.array_equal(read.values, sabna.read_numeric(point).values)
    for score in ("bic-g", "bge"):
        want = sabna.learn(point, score)
        got = sabna.learn(comma, score, decimal=",")
        assert (got.cost_quanta, got.network) == (want.cost_quanta, want.network)
        assert got.run["options"]["decimal"] == ","


def test_the_decimal_sign_is_taken_from_the_user_without_a_warning(pair: tuple[Path, Path]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sabna.read_table(pair[1], discretize="mean", decimal=",")
    with pytest.raises(UsageError, match="decimal ';'"):
        sabna.read_table(pair[1], decimal=";")


@pytest.mark.parametrize("rows", [builder.MANY // 2, 3 * builder.MANY])
def test_many_distinct_numbers_with_commas(tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond some thousand distinct values a column is kept as numbers; what is read must be the same."""
    x = numbers(rows)
    x[::7, 1] = np.round(x[::7, 1])
    point = write(tmp_path, texts(x, ".", ",", ".15g"), "point.csv")
    comma = write(tmp_path, texts(x, ",", ";", ".15g"), "comma.csv")
    with pytest.warns(DataWarning, match="decimal comma"):
        kept = sabna.read_numeric(comma)
    assert np.array_equal(kept.values, sabna.read_numeric(point).values)
    assert np.array_equal(kept.values, np.array([[float(f"{v:.15g}") for v in column] for column in x.T]))
    coded = sabna.read_table(point, discretize=["quantile:5", "a=mean", "b=uniform:3"])
    monkeypatch.setattr(builder, "MANY", 10**9)  # as distinct values instead
    again = sabna.read_table(point, discretize=["quantile:5", "a=mean", "b=uniform:3"])
    assert again.states == coded.states
    assert np.array_equal(again.codes, coded.codes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a;b\n1,5;1.5\n2,5;2.5\n", r"column 'b' has numbers with a point \(1\.5\), column 'a' with a comma \(1,5\)"),
        ("a;b\n1,234;x\n5,678;y\n", r"column 'a' holds 1,234: a decimal comma, or a comma between thousands\?"),
        ('a,b\n"1,5",x\n"2,5",y\n', r"column 'a' holds 1,5: use decimal=\",\""),
        ("a;b\n1.5;x\n1,5;y\n", r"column 'a' holds both 1\.5 and 1,5; use one decimal sign"),
        ("a;b\n1.234,5;x\n2,5;y\n", r"column 'a' holds 1\.234,5, a number with thousands separators"),
        ("a;b\n1,234,567;x\n2;y\n", r"column 'a' holds 1,234,567, a number with thousands separators"),
        ("a;b\n1 234,5;x\n2;y\n", r"column 'a' holds 1 234,5, a number with thousands separators"),
    ],
)
def test_what_is_not_clear_is_refused_by_name(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path, content)
    for discretize in ("none", "quantile:2"):
        with pytest.raises(DataError, match=message):
            sabna.read_table(path, discretize=discretize)


def states_of(path: Path, **options: Any) -> list[tuple[str, ...]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(sabna.read_table(path, **options).states)


def test_the_user_decides_what_is_not_clear(tmp_path: Path) -> None:
    thousands = write(tmp_path, "a;b\n1,234;x\n5,678;y\n")
    assert states_of(thousands, decimal=",", categorical=["a"])[0] == ("1.234", "5.678")
    assert states_of(thousands, categorical=["a"])[0] == ("1,234", "5,678")
    quoted = write(tmp_path, 'a,b\n"1,5",x\n"2,5",y\n', "q.csv")
    assert states_of(quoted, decimal=",", discretize={"a": "mean"})[0] == ("0", "1")
    with pytest.raises(DataError, match=r"decimal comma \(1,5\), but the decimal sign is '\.'"):
        sabna.read_table(quoted, decimal=".")
    both = write(tmp_path, "a;b\n1,5;1.5\n2,5;2.5\n", "both.csv")
    assert states_of(both, decimal=",", categorical=["b"], discretize={"a": "mean"}) == [("0", "1"), ("1.5", "2.5")]


def test_a_column_that_is_clear_settles_one_that_is_not(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b\n1,234;1,5\n5,678;2,5\n")
    with pytest.warns(DataWarning, match=r"column 'b': 1,5"):
        assert sabna.read_numeric(path).values.tolist() == [[1.234, 5.678], [1.5, 2.5]]


def test_lists_and_other_texts_with_commas_stay_categories(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b;c\n1,2,3;x,y;1,2\n1,2;z;1,2 or 3\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sabna.read_table(path).states == (("1,2", "1,2,3"), ("x,y", "z"), ("1,2", "1,2 or 3"))


def test_whole_numbers_with_an_exponent_or_a_sign_speak_for_neither() -> None:
    found = evidence_of(["7", "-3", "1e5", "+2"])
    assert (found.text, found.point, found.comma, found.one_notation) == (False, None, None, "")


def test_texts_of_frames_are_looked_at_too() -> None:
    """pandas reads decimal commas as text unless told otherwise; that must not go unseen."""
    frame = pd.DataFrame({"a": ["1,5", "2,5", "3,5"], "b": ["x", "y", "x"]})
    with pytest.raises(DataError, match=r"data frame: column 'a' holds 1,5: use decimal=\",\""):
        sabna.read_table(frame, discretize="quantile:2")
    assert sabna.read_table(frame, discretize="quantile:2", decimal=",").states[0] == ("[1.5, 2.5)", "[2.5, 3.5]")
    declared = frame.astype({"a": "category"})
    assert sabna.read_table(declared).states[0] == ("1,5", "2,5", "3,5")


def test_one_column_of_decimal_commas_without_a_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path, "a\n1,5\n2,5\n")
    with pytest.raises(DataError, match=r"row 1 \(line 2\): 2 cells where the header has 1; .*delimiter=\";\""):
        sabna.read_numeric(path)
    with pytest.warns(DataWarning, match="decimal comma"):
        assert sabna.read_numeric(path, delimiter=";").values.tolist() == [[1.5, 2.5]]


def test_the_delimiter_is_not_guessed_to_be_the_decimal_comma(tmp_path: Path) -> None:
    """Without a header every row of `1,5;2,5` has three cells by commas and two by semicolons."""
    path = write(tmp_path, "1,5;2,5\n2,5;1,5\n3,5;0,5\n")
    with pytest.warns(DataWarning, match="decimal comma"):
        assert sabna.read_numeric(path, header=False).values.tolist() == [[1.5, 2.5, 3.5], [2.5, 1.5, 0.5]]


def test_tabs_can_be_typed(tmp_path: Path) -> None:
    path = write(tmp_path, "a\tb\n1;2\t3\n0;2\t4\n")
    assert sabna.read_table(path, delimiter="tab").states == sabna.read_table(path, delimiter="\\t").states
    assert sabna.read_table(path, delimiter="tab").n == 2
    for wrong in ("é", "", "\n", '"'):
        with pytest.raises(UsageError, match="give one character"):
            sabna.read_table(path, delimiter=wrong)


def test_the_words_of_the_settings_are_those_of_the_table() -> None:
    from sabna.settings import checked
    from sabna.settings.groups import reading
    from sabna.table.csvtext import NAMED_DELIMITERS
    from sabna.table.decimals import DECIMALS
    from sabna.table.missing import TREATMENTS

    assert reading.MISSING == TREATMENTS
    assert reading.DECIMALS == DECIMALS
    for name in NAMED_DELIMITERS:
        assert checked("learn", {"delimiter": name})["delimiter"] == name


@pytest.mark.parametrize(
    ("form", "named"),
    [
        ("{:.2f} kg", "a number with a unit"),
        ("{:.1f}%", "a number with a unit"),
        ("\u2212{:.2f}", "a number with a sign that is no ASCII character"),
        ("{:.2f}", None),
    ],
)
def test_numbers_with_units_and_with_other_minus_signs_are_no_text(
    form: str, named: str | None, tmp_path: Path
) -> None:
    """Under `discretize` each of them had become a category: "proven optimal, no edges"."""
    lines = [f"{form.format(x)};{form.format(2 * x)}" for x in (abs(numbers(40)[:, 0]) + 0.01).tolist()]
    path = write(tmp_path, "\n".join(["a;b", *lines, ""]))
    if named is None:
        assert sabna.learn(path, discretize="quantile:2").network.edges
        return
    for score in ("bic", "bcg"):
        with pytest.raises(DataError, match=f"column 'a' holds .*, {named}"):
            sabna.learn(path, score, discretize="quantile:2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert sabna.learn(path, categorical=["a", "b"]).is_optimal


def test_units_of_whole_numbers_and_different_ones_are_categories() -> None:
    for values in (["10 mg", "20 mg"], ["1st", "2nd"], ["1.5 kg", "2.5 lb"], ["1.5 kg", "2"], ["0.5-1.0", "1.0-1.5"]):
        table = sabna.read_table(pd.DataFrame({"a": values * 3}))
        assert table.states[0] == tuple(sorted(values))
    found = evidence_of(["1", "2.5", "3"])
    assert (found.one_notation, found.point, found.text) == (".", "2.5", False)
