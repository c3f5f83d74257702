"""Dates as categories: the parts of the calendar, kept with the network and applied to new rows."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sabna
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.table.calendar import MONTHS, PARTS, WEEKDAYS, Calendar, is_date, order_of

MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))


def truth(moment: datetime.datetime, part: str) -> str:
    return {
        "year": moment.strftime("%Y"),
        "quarter": f"Q{(moment.month - 1) // 3 + 1}",
        "month": MONTHS[moment.month - 1],
        "weekday": WEEKDAYS[moment.weekday()],
        "day": f"{moment.day:02d}",
        "hour": f"{moment.hour:02d}",
    }[part]


@settings(max_examples=25, deadline=None)
@given(MOMENTS)
def test_parts_are_those_of_the_standard_library(moment: datetime.datetime) -> None:
    for part in PARTS:
        expected = truth(moment, part)
        written = [moment.isoformat(), moment.isoformat(" ", "minutes"), moment.strftime("%Y/%m/%d %H:%M:%S")]
        written += [moment.strftime("%d.%m.%Y %H:%M"), moment.isoformat() + "+02:00", str(pd.Timestamp(moment))]
        assert {Calendar(part, "day first").state(text) for text in written} == {expected}
        slashed = moment.strftime("%m/%d/%Y %H:%M")
        assert Calendar(part, "month first").state(slashed) == expected


def test_what_is_no_date() -> None:
    for text in ("2024-02-30", "2024-13-01", "soon", "", "12", "1.2", "2024", "31/31/2024", "٢٠٢٤-٠١-٠١", "24:00"):
        assert not is_date(text), text
        assert Calendar("month").state(text) is None
    assert Calendar("hour").state("24:00") is None
    assert Calendar("hour").state("9:05") == "09"


def test_the_order_of_day_and_month_is_that_of_the_column() -> None:
    assert order_of(["3/4/2024", "13/4/2024"]) == "day first"
    assert order_of(["3/4/2024", "4/13/2024"]) == "month first"
    assert order_of(["13/4/2024", "4/13/2024"]) is None
    unclear = pd.DataFrame({"d": ["3/4/2024", "4/3/2024"] * 10, "x": ["a", "b"] * 10})
    with pytest.raises(DataError, match=r"column 'd': whether '3/4/2024' has the day or the month first"):
        sabna.read_table(unclear, discretize={"d": "month"})
    with pytest.warns(DataWarning, match="constant"):
        assert sabna.read_table(unclear, discretize={"d": "year"}).states[0] == ("2024",)


def frame(rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 730 * 24, rows), unit="h")
    cold = np.isin(day.month, (1, 2, 11, 12)) ^ (rng.random(rows) < 0.05)
    return pd.DataFrame({"day": day, "cold": np.where(cold, "yes", "no")})


def test_parts_are_kept_with_the_network_and_applied_to_new_rows(tmp_path: Path) -> None:
    """New rows by themselves would have their own months, and other codes."""
    data = frame()
    path = tmp_path / "r.json"
    result = sabna.learn(data, discretize={"day": "quarter"})
    assert result.network.edges
    result.save(path)
    again = sabna.read_result(path).network
    rows = {"day": ["2031-12-24 18:00", "2031-07-04", "31.01.2031"]}
    assert list(again.predict(rows, "cold")) == list(result.network.predict(rows, "cold")) == ["yes", "no", "yes"]
    counts = pd.crosstab(data["day"].dt.quarter, data["cold"])
    expected = counts.loc[4, "yes"] / counts.loc[4].sum()
    assert again.predict_proba(rows, "cold")[0, 1] == pytest.approx(expected, abs=0.01)  # the prior is worth one row
    assert len(again.predict({"day": ["no date", None]}, "cold")) == 2


def test_frames_files_and_polars_agree(tmp_path: Path) -> None:
    data = frame(60)
    data.to_csv(tmp_path / "d.csv", index=False)
    data.to_parquet(tmp_path / "d.parquet")
    tables = [
        sabna.read_table(source, discretize={"day": "weekday"})
        for source in (data, tmp_path / "d.csv", tmp_path / "d.parquet", pl.from_pandas(data))
    ]
    assert all(table.states == tables[0].states for table in tables)
    assert all((table.codes == tables[0].codes).all() for table in tables)
    assert [tables[0].states[0][c] for c in tables[0].codes[0]] == [WEEKDAYS[d.weekday()] for d in data["day"]]


def test_mistakes_with_dates_are_told() -> None:
    data = frame(80)
    with pytest.raises(DataError, match=r'looks continuous .*try: sabna\.learn\(data, discretize={"day": "month"}\)'):
        sabna.learn(data)
    with pytest.raises(UsageError, match="name the column of dates"):
        sabna.learn(data, discretize="month")
    with pytest.raises(DataError, match=r"column 'cold': 'no' is no date whose month can be told|'yes' is no date"):
        sabna.learn(data, discretize={"cold": "month", "day": "month"})
    with pytest.raises(DataError, match="numbers have no month"):
        sabna.learn({"t": list(np.linspace(0, 1, 5000)), "x": ["a", "b"] * 2500}, discretize={"t": "month"})
    with pytest.warns(DataWarning, match=r"left out: 'day' \(dates\)"):
        assert sabna.learn(data, leave_out="dates").network.variables == ("cold",)
