"""Protects from columns read as what they are not: kinds, holes and codes of tables of categories and numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sabna
from sabna import read_mixed
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.table.mixed import NO_CODE, MixedTable, mixed_of
from sabna.table.numeric import read_numeric
from sabna.table.reading import read_table


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "group": ["b", "a", None, "b"],
            "count": [1, 2, 2, 3],
            "level": [0.5, np.nan, 2.5, 3.5],
            "flag": [True, False, True, True],
            "grade": pd.Categorical([1, 2, 1, 2], categories=[1, 2, 3]),
        }
    )


def test_text_truth_values_and_declared_states_are_categories_and_numbers_are_numbers() -> None:
    table = read_mixed(frame().dropna())
    kinds = {"group": "discrete", "count": "continuous", "level": "continuous", "flag": "discrete", "grade": "discrete"}
    assert table.kinds == table.statistics["kinds"] == kinds
    assert table.states == (("b",), None, None, ("True",), ("1", "2", "3"))
    assert table.columns[2].tolist() == [0.5, 3.5]


def test_a_kind_can_be_overridden_by_name_or_by_cutting() -> None:
    table = read_mixed(frame().dropna(), categorical=["count"], discretize={"level": "uniform:2"})
    assert table.kinds["count"] == table.kinds["level"] == "discrete"
    assert table.states[1] == ("1", "3")


def test_available_leaves_holes_and_no_state_for_them() -> None:
    table = read_mixed(frame(), missing="available")
    assert table.states[0] == ("a", "b")
    assert table.columns[0].tolist() == [1, 0, NO_CODE, 1]
    assert np.isnan(table.columns[2]).tolist() == [False, True, False, False]
    assert not table.complete
    assert table.missing(0).tolist() == [False, False, True, False]
    assert table.statistics["missing"] == {"treatment": "available", "cells": 2, "columns": {"group": 1, "level": 1}}


@pytest.mark.parametrize(
    ("missing", "message"), [("error", "missing values in columns"), ("category", "cannot be a state of numbers")]
)
def test_holes_that_a_treatment_cannot_take_are_refused(missing: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_mixed(frame(), missing=missing)


def test_dropping_rows_with_holes_leaves_a_complete_table() -> None:
    table = read_mixed(frame(), missing="drop")
    assert table.rows == 2
    assert table.complete


def test_whole_numbers_are_categories_in_a_table_of_categories() -> None:
    data = pd.DataFrame({"a": [0, 1, 1], "b": ["x", "y", "x"]})
    assert read_mixed(data, kinds="discrete").states == (("0", "1"), ("x", "y"))
    assert read_mixed(data, kinds="any").kinds == {"a": "discrete", "b": "discrete"}
    with pytest.raises(DataError, match="looks continuous"):
        read_mixed(frame().dropna(), kinds="discrete")
    with pytest.raises(DataError, match="holds 'x', which is no number"):
        read_mixed(data, kinds="continuous")


def test_one_column_of_quantities_makes_a_table_of_any_kind_a_mixed_one() -> None:
    data = pd.DataFrame({"a": [0, 1, 1], "b": [0.5, 1.5, 2.5]})
    assert read_mixed(data, kinds="any").kinds == {"a": "continuous", "b": "continuous"}


def test_free_text_and_empty_columns_are_refused_by_name() -> None:
    with pytest.raises(DataError, match="'name' looks continuous"):
        read_mixed(pd.DataFrame({"name": [f"n{k}" for k in range(70)], "x": np.arange(70.0)}))
    with pytest.raises(DataError, match="'gone' has no value in any row"):
        read_mixed(pd.DataFrame({"gone": [np.nan, np.nan], "x": [0.5, 1.0]}), missing="available")
    with pytest.raises(UsageError, match="no column 'y'"):
        read_mixed(pd.DataFrame({"x": [0.5, 1.0]}), categorical=["y"])


def test_codes_beyond_the_states_and_columns_of_different_lengths_are_refused() -> None:
    codes = np.array([0, 1], dtype=np.uint16)
    with pytest.raises(UsageError, match="beyond its 1 states"):
        MixedTable(("a",), (codes,), (("x",),))
    with pytest.raises(UsageError, match="one float64 for every row"):
        MixedTable(("a", "b"), (codes, np.zeros(3)), (("x", "y"), None))


def test_tables_of_one_kind_are_mixed_tables_too() -> None:
    numbers = mixed_of(read_numeric(np.array([[0.5, 1.0], [0.25, 3.0]])))
    assert numbers.states == (None, None)
    categories = mixed_of(read_table(np.array([[0, 1], [1, 1]])))
    assert categories.arities == (2, 1)
    part = categories.taken([1, 0], np.array([1, 1, 0]))
    assert part.names == ("V2", "V1")
    assert part.columns[1].tolist() == [1, 1, 0]


def test_a_text_column_of_noughts_and_ones_counted_as_a_quantity(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"flag": rng.choice(["0", "1"], 100), "size": rng.normal(size=100), "n": rng.integers(0, 9, 100)}
    )
    wanted = {"flag": "discrete", "size": "continuous", "n": "continuous"}
    frame.to_parquet(tmp_path / "t.parquet")
    for source in (frame, pl.from_pandas(frame), str(tmp_path / "t.parquet")):
        assert read_mixed(source).kinds == wanted
        lines = str(sabna.look(source)).splitlines()
        assert "numbers as text" in lines[1]
        assert "taken as categories" in lines[1]
    assert read_mixed(frame.assign(flag=frame.flag.astype(int))).kinds["flag"] == "continuous"
    assert read_mixed(frame.assign(flag=frame["size"].astype(str))).kinds["flag"] == "continuous"  # 0.53...
    assert sabna.read_numeric(frame).n == 3  # asked for as numbers, they are numbers
    frame.to_csv(tmp_path / "t.csv", index=False)  # has no types
    with pytest.warns(DataWarning, match="'flag' \\(2 values\\); where the numbers are codes"):
        assert read_mixed(str(tmp_path / "t.csv")).kinds["flag"] == "continuous"
    assert read_mixed(str(tmp_path / "t.csv"), categorical=["flag"]).kinds == wanted
    network = sabna.learn(frame, "bcg").network
    assert network.log_likelihood(frame) == network.log_likelihood(frame.assign(flag=frame.flag.astype(int)))
