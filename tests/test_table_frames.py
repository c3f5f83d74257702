"""Tables from data frames and arrays, discretisation and missing values."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sabna
from sabna.base.errors import DataError, DataWarning

VALUES = {"text": ["x", "y", "x"], "number": [2, 10, 2], "truth": [True, False, True]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_frames_of_all_kinds_give_the_same_table(make: type) -> None:
    table = sabna.read_table(make(VALUES))
    assert table.names == ("text", "number", "truth")
    assert table.states == (("x", "y"), ("2", "10"), ("False", "True"))
    assert table.codes.tolist() == [[0, 1, 0], [0, 1, 0], [1, 0, 1]]


def test_a_pandas_categorical_and_a_polars_enum_declare_their_states() -> None:
    states = ["low", "high", "never seen"]
    pandas = sabna.read_table(pd.DataFrame({"a": pd.Categorical(["high", "low"], categories=states)}))
    polars = sabna.read_table(pl.DataFrame({"a": pl.Series(["high", "low"], dtype=pl.Enum(states))}))
    assert pandas.states == polars.states == (tuple(states),)
    assert pandas.codes.tolist() == polars.codes.tolist() == [[1, 0]]


def test_a_polars_categorical_does_not() -> None:
    """Its texts may come from other columns altogether."""
    frame = pl.DataFrame({"a": ["x", "y"], "b": ["z", "y"]}, schema={"a": pl.Categorical, "b": pl.Categorical})
    assert sabna.read_table(frame).states == (("x", "y"), ("y", "z"))


def test_missing_values_of_frames() -> None:
    frame = pd.DataFrame({"a": ["x", None, "y"], "b": [1.0, 2.0, np.nan]})
    with pytest.raises(DataError, match=r"data frame: missing values in columns 'a' \(1\), 'b' \(1\), first in row 2"):
        sabna.read_table(frame)
    assert sabna.read_table(frame, missing="drop").states == (("x",), ("1",))
    assert sabna.read_table(frame, missing="category").states == (("x", "y", "missing"), ("1", "2", "missing"))
    assert sabna.read_table(pl.DataFrame({"a": [1.0, float("nan")]}), missing="category").arities == (2,)


def test_a_state_called_missing_stays_apart_from_missing_values() -> None:
    table = sabna.read_table(pd.DataFrame({"a": ["missing", None, "x"]}), missing="category")
    assert table.states == (("missing", "x", "(missing)"),)


def test_frames_that_cannot_be() -> None:
    with pytest.raises(DataError, match="columns 1 and 2 are both named 'a'"):
        sabna.read_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match="no row of data"):
        sabna.read_table(pd.DataFrame({"a": []}))
    with pytest.raises(DataError, match="there is no column"):
        sabna.read_table(pd.DataFrame(index=[0, 1]))
    with pytest.raises(DataError, match="every row has a missing value"):
        sabna.read_table(pd.DataFrame({"a": [None, 1], "b": [1, None]}), missing="drop")
    with pytest.raises(sabna.SabnaError, match="data of type object"):
        sabna.read_table(object())


def test_frames_with_numbers_for_names() -> None:
    assert sabna.read_table(pd.DataFrame([[1, 2], [0, 1]])).names == ("0", "1")


def test_arrays() -> None:
    table = sabna.read_table(np.array([[1, 0], [3, 0], [1, 1]]))
    assert table.states == (("1", "3"), ("0", "1"))
    assert table.codes.tolist() == [[0, 1, 0], [0, 0, 1]]
    assert sabna.read_table([["x", "1"], ["y", "2"]]).states == (("x", "y"), ("1", "2"))
    assert sabna.read_table(np.array([["x", 1], [None, 2]], dtype=object), missing="category").arities == (2, 2)
    with pytest.raises(DataError, match="1 dimensions"):
        sabna.read_table(np.array([1, 2]))
    with pytest.raises(DataError, match=r"array, row 1, column 'V1': the value inf is infinite"):
        sabna.read_table(np.array([[np.inf], [1.0]]))


def test_categorical_overrides() -> None:
    frame = pd.DataFrame({"a": [0.5, 1.5, 0.5]})
    assert sabna.read_table(frame, categorical=["a"]).states == (("0.5", "1.5"),)
    assert sabna.read_table(frame, categorical="a").states == (("0.5", "1.5"),)


def test_discretize_per_column_and_for_all() -> None:
    frame = pd.DataFrame({"a": [0.5, 1.5, 2.5, 9.5], "b": ["x", "y", "x", "y"], "c=d": [1, 2, 3, 4]})
    table = sabna.read_table(frame, discretize={"a": "uniform:3"})
    assert table.states == (("[0.5, 3.5)", "[6.5, 9.5]"), ("x", "y"), ("1", "2", "3", "4"))
    table = sabna.read_table(frame, discretize=["quantile:2", "c=d=mean"])
    assert table.states == (("[0.5, 2)", "[2, 9.5]"), ("x", "y"), ("0", "1"))
    assert table.codes.tolist() == [[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    table = sabna.read_table(frame, discretize=["mean", "b=none"])
    assert table.states == (("0", "1"), ("x", "y"), ("0", "1"))
    with pytest.raises(DataError, match="column 'b': quantile:2 needs numbers"):
        sabna.read_table(frame, discretize={"b": "quantile:2"})


def test_mean_codes_by_appearance_or_by_declaration() -> None:
    frame = pd.DataFrame({"a": ["z", "z", "z", "b", "m"]})  # codes 0 0 0 1 2, mean 0.6
    assert sabna.read_table(frame, discretize="mean").codes.tolist() == [[0, 0, 0, 1, 1]]
    declared = pd.DataFrame({"a": pd.Categorical(["z", "z", "z", "b", "m"], categories=["b", "m", "z"])})  # 2 2 2 0 1
    assert sabna.read_table(declared, discretize="mean").codes.tolist() == [[1, 1, 1, 0, 0]]


def test_a_column_of_few_broken_numbers_is_not_told_to_be_discretized_when_it_is() -> None:
    """Once 0.5 and 1.5, or 2.5 alone, under quantile:3 for all were refused with the advice to give quantile:3."""
    frame = pd.DataFrame({"a": [0.5, 1.5, 0.5, 1.5], "b": [2.5] * 4, "c": [1.5, 2.5, 3.5, 4.5]})
    with pytest.warns(DataWarning, match="constant column"):
        table = sabna.read_table(frame, discretize="quantile:2")
    assert table.states == (("0.5", "1.5"), ("2.5",), ("[1.5, 3)", "[3, 4.5]"))
    with pytest.raises(DataError, match="'b' looks continuous"):
        sabna.read_table(frame, discretize=["quantile:2", "b=none"])


def test_missing_values_keep_a_state_of_their_own_when_discretised() -> None:
    table = sabna.read_table(pd.DataFrame({"a": [0.0, 1.5, None]}), discretize="mean", missing="category")
    assert table.states == (("0", "1", "missing"),)
    assert table.codes.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@settings(max_examples=40)
@given(values=st.lists(st.integers(-50, 50), min_size=2, max_size=60), bins=st.integers(2, 5))
@pytest.mark.filterwarnings("ignore")
def test_intervals_are_those_of_scikit_learn(strategy: str, values: list[int], bins: int) -> None:
    from sklearn.preprocessing import KBinsDiscretizer

    assume(len(set(values)) > bins)
    # Where a quantile is a value itself, scikit-learn may miss it by a rounding error, and with it the bin.
    assume(all(k * (len(values) - 1) % bins for k in range(1, bins)))
    data = np.array(values, dtype=np.float64)[:, None] / 4
    ours = sabna.read_table(data, discretize=f"{strategy}:{bins}").codes[0]
    quantiles = {"quantile_method": "linear"} if strategy == "quantile" else {}
    theirs = KBinsDiscretizer(bins, encode="ordinal", strategy=strategy, subsample=None, **quantiles).fit_transform(
        data
    )
    # Bins without a row are no states here, so compare which rows share a bin, and the order of the bins.
    assert np.array_equal(np.unique(theirs[:, 0], return_inverse=True)[1].ravel(), ours)


@given(st.lists(st.tuples(st.sampled_from("pqr"), st.integers(0, 4)), min_size=1, max_size=30), st.randoms())
def test_row_order_changes_nothing_but_the_rows(rows: list[tuple[str, int]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = (sabna.read_table(pd.DataFrame(r, columns=["a", "b"])) for r in (rows, shuffled))
    assert one.states == two.states
    assert sorted(map(tuple, one.codes.T.tolist())) == sorted(map(tuple, two.codes.T.tolist()))


def test_an_identifier_is_not_told_to_be_discretized() -> None:
    """Quantiles of text cannot be; the message must offer what works."""
    frame = pd.DataFrame({"patient": [f"p{k}" for k in range(100)], "sick": [0, 1] * 50})
    with pytest.raises(DataError, match="leave the column out if it is an identifier"):
        sabna.read_table(frame)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_were_read_as_texts(unit: str) -> None:
    hours = [1, 30, 2, None]
    seconds = [None if h is None else 3600 * h for h in hours]
    for frame in (
        pd.DataFrame({"stay": pd.to_timedelta(pd.Series(hours), unit="h").astype(f"timedelta64[{unit}]")}),
        pa.table({"stay": pa.array([None if s is None else timedelta(seconds=s) for s in seconds], pa.duration(unit))}),
    ):
        table = sabna.read_mixed(frame, missing="drop")
        assert table.kinds == {"stay": "continuous"}
        assert table.columns[0].tolist() == [3600.0, 108000.0, 7200.0]
