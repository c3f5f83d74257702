"""Repeated measurements: transitions by a direct count, the optimal step by trying every one, gaps by name."""

from __future__ import annotations

import itertools
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.cli.app import run
from sabna.network import Network
from sabna.network.layout import layered_layout
from sabna.network.slices import drawn_layout
from sabna.scores.local import local_costs
from sabna.scores.series import read_series
from tests.all_networks import acyclic


def panel(series: int = 8, steps: int = 60, seed: int = 1) -> pd.DataFrame:
    """a follows its own past, b the past of a, c the present of b."""
    rng = np.random.default_rng(seed)
    rows = []
    for who in range(series):
        a, b = 0, 0
        for t in range(steps):
            before = a
            a = a if rng.random() < 0.8 else 1 - a
            b = before if rng.random() < 0.9 else 1 - before
            c = b if rng.random() < 0.9 else 1 - b
            rows.append((f"s{who}", t, "ny"[a], "ny"[b], "ny"[c]))
    return pd.DataFrame(rows, columns=["who", "t", "a", "b", "c"])


def by_hand(frame: pd.DataFrame, columns: str = "abc", lags: int = 1) -> set[tuple[Any, ...]]:
    """Every transition as (series, time, values of the past from the earliest, values now), by looking each up."""
    at = {(row.who, row.t): tuple(getattr(row, c) for c in columns) for row in frame.itertuples()}
    out = set()
    for (who, t), now in at.items():
        before = [at.get((who, t - k)) for k in range(lags, 0, -1)]
        if all(values is not None for values in before):
            out.add((who, t, *(x for values in before for x in values or ()), *now))
    return out


@pytest.mark.parametrize("lags", [1, 2, 3])
def test_transitions_are_those_of_a_direct_count(lags: int) -> None:
    frame = panel(steps=12)
    frame = frame.drop(index=[5, 17, 18, 40]).sample(frac=1, random_state=3)
    with pytest.warns(DataWarning, match="no transition"):
        table = read_series(frame, "bic", "t", "who", lags)
    names = [f"{c}[t-{k}]" for k in range(lags, 0, -1) for c in "abc"] + list("abc")
    assert list(table.names) == names
    rows = sorted(tuple(table.states[i][code] for i, code in enumerate(column)) for column in table.codes.T.tolist())
    assert rows == sorted(row[2:] for row in by_hand(frame, lags=lags))
    assert table.statistics["time"]["series"] == 8
    assert table.statistics["time"]["step"] == 1


def test_the_optimal_step_is_that_of_trying_every_one() -> None:
    """All choices of parents of three variables among each other and three of the past: 32,768 of them."""
    frame = panel(series=3, steps=30)
    result = sabna.learn(frame, time="t", id="who")
    assert result.status == "optimal"
    table = read_series(frame, "bic", "t", "who", 1)
    families = [
        (i, parents)
        for i in range(3, 6)
        for size in range(6)
        for parents in itertools.combinations([v for v in range(6) if v != i], size)
    ]
    costs = dict(zip(families, local_costs(table, families).tolist(), strict=True))
    best = min(
        sum(costs[i + 3, parents] for i, parents in enumerate(choice))
        for choice in itertools.product(*([p for i, p in families if i == v] for v in range(3, 6)))
        if acyclic(tuple(tuple(p - 3 for p in parents if p > 2) for parents in choice))
    )
    past = int(local_costs(table, [(i, ()) for i in range(3)]).sum())
    assert result.cost_quanta == best + past


def test_edges_lead_forward_and_the_true_ones_are_found() -> None:
    result = sabna.learn(panel(steps=200), time="t", id="who", score="bdeu")
    parents = result.network.parents
    assert all(not parents[f"{v}[t-1]"] for v in "abc")
    assert set(parents["a"]) == {"a[t-1]"}
    assert set(parents["b"]) == {"a[t-1]"}
    assert ("b" in parents["c"]) or ("c" in parents["b"])
    assert result.statistics["time"]["transitions"] == 8 * 199


def test_knowledge_comes_on_top() -> None:
    known = {"forbidden": ["a[t-1] -> b"], "required": ["c[t-1] -> a"]}
    result = sabna.learn(panel(), time="t", id="who", knowledge=known)
    assert "a[t-1]" not in result.network.parents["b"]
    assert "c[t-1]" in result.network.parents["a"]
    with pytest.raises(sabna.SabnaError, match="root"):
        sabna.learn(panel(), time="t", id="who", knowledge={"required": ["a -> b[t-1]"]})


def test_numbers_over_time() -> None:
    rng = np.random.default_rng(4)
    x = np.zeros((2, 400))
    for t in range(1, 400):
        x[0, t] = 0.7 * x[0, t - 1] + rng.normal()
        x[1, t] = -0.8 * x[0, t - 1] + 0.3 * rng.normal()
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=400).strftime("%Y-%m-%d"), "x": x[0], "y": x[1]})
    result = sabna.learn(frame, "bge", time="day")
    assert result.statistics["time"]["step"] == 86400
    assert set(result.network.parents["y"]) == {"x[t-1]"}


def test_mixed_columns_and_holes_over_time() -> None:
    frame = panel(series=4, steps=50)
    frame["z"] = np.random.default_rng(2).normal(size=len(frame)) + (frame["a"].shift(1) == "y") * 3.0
    result = sabna.learn(frame, "bcg", time="t", id="who")
    assert "a[t-1]" in result.network.parents["z"]
    frame.loc[[3, 60, 61], "b"] = None
    holes = sabna.learn(frame.drop(columns="z"), missing="available", time="t", id="who")
    assert holes.statistics["time"]["transitions"] == 4 * 49
    assert all(not holes.network.parents[f"{v}[t-1]"] for v in "abc")


def test_gaps_and_irregular_steps_are_named() -> None:
    frame = pd.DataFrame({"t": [0, 1, 2, 5, 6, 6.5, 7.5], "x": list("ababbab")})
    with pytest.warns(DataWarning, match=r"2 distances .* step of 1 \(2 to 5; 6 to 6.5\)"):
        table = read_series(frame, "bic", "t", None, 1)
    assert table.rows == 4
    assert [gap["after"] for gap in table.statistics["time"]["gaps"]] == [2, 6]


def test_rows_dropped_for_missing_values_leave_gaps() -> None:
    frame = pd.DataFrame({"t": range(6), "x": ["a", "b", None, "b", "a", "b"]})
    with pytest.warns(DataWarning, match="1 to 3"):
        assert read_series(frame, "bic", "t", None, 1, missing="drop").rows == 3


@pytest.mark.parametrize(
    ("change", "options", "error", "words"),
    [
        ({}, {"time": "when"}, UsageError, "no column 'when'"),
        ({}, {"time": "t", "id": "whom"}, UsageError, "no column 'whom'"),
        ({}, {"time": "t", "id": "t"}, UsageError, "two columns"),
        ({}, {"time": "t"}, DataError, "`id`"),
        ({}, {"id": "who"}, UsageError, "belongs to `time`"),
        ({}, {"lags": 2}, UsageError, "belongs to `time`"),
        ({}, {"time": "t", "id": "who", "lags": 99}, DataError, "fewer lags"),
        ({}, {"time": "a", "id": "who"}, DataError, "is no time"),
        ({"b[t-1]": 1}, {"time": "t", "id": "who"}, DataError, "rename"),
    ],
)
def test_what_cannot_be_is_said(change: Any, options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("[", r"\[")):
        sabna.learn(panel(2, 5).assign(**change), **options)


def test_sequences_of_an_unrolled_network() -> None:
    """Structure, and the likelihood of a sequence as the product of its steps by hand."""
    network = sabna.learn(panel(), time="t", id="who", score="bdeu").network
    whole = network.unrolled(4)
    assert whole.variables == tuple(f"{v}[{t}]" for t in range(4) for v in "abc")
    assert set(whole.parents["b[2]"]) == {"a[1]"}
    assert not any(whole.parents[f"{v}[0]"] for v in "abc")
    assert network.tables is not None
    assert network.states is not None
    rows = whole.sample(5, seed=1).to_pandas()
    by_steps = 0.0
    for row in rows.to_dict("records"):
        for t in range(4):
            for v in "abc":
                name = v if t else f"{v}[t-1]"
                shown = [row[f"{p}[{t}]" if p in "abc" else f"{p[0]}[{t - 1}]"] for p in network.parents[name]]
                cell = [network.states[p].index(x) for p, x in zip(network.parents[name], shown, strict=True)]
                by_steps += np.log(network.tables[name][(*cell, network.states[name].index(row[f"{v}[{t}]"]))])
    assert whole.log_likelihood(rows) == pytest.approx(by_steps)
    with pytest.raises(UsageError, match="steps"):
        network.unrolled(1)
    with pytest.raises(UsageError, match="no steps of time"):
        sabna.learn("example:asia").network.unrolled(3)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "panel.csv"
    panel().to_csv(file, index=False)
    assert run(["learn", str(file), "--time", "t", "--id", "who", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["parents"]["b"] == ["a[t-1]"]
    assert document["time"]["transitions"] == 8 * 59
    assert run(["learn", str(file), "--time", "t", "--json"]) == 3


def test_a_sequence_is_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = sabna.learn(panel(), time="t", id="who", score="bdeu")
    result.save(tmp_path / "step.json")
    out = str(tmp_path / "week.bif")
    assert run(["convert", str(tmp_path / "step.json"), out, "--steps", "3"]) == 0
    assert sabna.read_network(out) == result.network.unrolled(3)
    assert run(["convert", str(tmp_path / "step.json"), out, "--steps", "1"]) == 2
    assert "steps 1: write a whole number from 2" in capsys.readouterr().err
    sabna.build_parent_graph(panel(), time="t", id="who").save(tmp_path / "graph.pg")
    assert run(["convert", str(tmp_path / "graph.pg"), str(tmp_path / "graph.jkl"), "--steps", "3"]) == 2
    assert "learn one first" in capsys.readouterr().err


def test_rows_with_holes_in_columns_that_are_not_used_stay(tmp_path: Path) -> None:
    rows = "t,a,b,w\n" + "".join(f"{t},{t % 2},{t // 2 % 2},{'' if t % 5 == 0 else 1}\n" for t in range(40))
    path = tmp_path / "t.csv"
    path.write_text(rows)
    table = read_series(str(path), "bic", "t", None, 1, missing="drop", drop=["w"])
    assert (table.rows, table.statistics["rows_read"], table.statistics["dropped_rows"]) == (39, 40, 0)
    table = read_series(str(path), "bic", "t", None, 1, missing="drop", columns=["a", "b", "w"])
    assert (table.statistics["rows_read"], table.statistics["dropped_rows"]) == (40, 8)
    assert table.statistics["missing"] == {"treatment": "drop", "cells": 8, "columns": {"w": 8}}


@pytest.mark.parametrize("kind", ["seconds", "dates"])
def test_tenths_of_seconds_since_1970_were_irregular(kind: str) -> None:
    """Such numbers have no digits below 1e-7, and distances of 0.0999999 and 0.1000001 were two."""
    times: list[Any] = [1.7e9 + k / 10 for k in range(200)]
    if kind == "dates":
        times = [str(datetime(2024, 1, 1) + timedelta(milliseconds=100 * k)) for k in range(200)]
    data = {"t": times[:120] + times[121:], "a": (["x", "y"] * 100)[1:], "b": (["x", "x", "y", "y"] * 50)[1:]}
    with pytest.warns(DataWarning, match="1 distance between rows is not the step of (0.1|0:00:00.100000)") as told:
        about = sabna.learn(data, time="t").statistics["time"]
    assert (round(about["step"], 9), about["transitions"]) == (0.1, 197)
    assert kind == "dates" or "(1700000011.9 to 1700000012.1)" in str(told[0].message)


def test_rows_in_which_nothing_was_set_were_dropped_as_incomplete() -> None:
    """An empty cell of the column of interventions is no hole."""
    data: dict[str, Any] = {"t": list(range(40)), "a": ["x", "y"] * 20, "INT": [None, "a", None, "b"] * 10}
    data["b"] = [*["x", "x", "y", "y"] * 9, None, "x", "y", "x"]
    table = read_series(data, "bic", "t", None, 1, missing="drop", interventions="INT")
    assert (table.rows, table.statistics["dropped_rows"]) == (37, 1)  # the row before the hole and that after it
    assert table.statistics["missing"]["columns"] == {"b": 1}


def test_a_kept_run_over_time_goes_on(tmp_path: Path) -> None:
    path, work = tmp_path / "t.csv", tmp_path / "work"
    path.write_text("t,a,b\n" + "".join(f"{t},{t % 2},{t // 2 % 2}\n" for t in range(40)))
    sabna.learn(str(path), time="t", work=work, time_limit=0)
    assert run(["resume", str(work), "--quiet"]) == 0
    assert sabna.learn(str(path), time="t", work=work).is_optimal


def along(points: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    """Points of a curve of cubic pieces."""
    found = []
    for k in range(0, len(points) - 1, 3):
        piece = np.array(points[k : k + 4])
        for s in np.linspace(0, 1, 30):
            found.append(tuple(piece.T @ [(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s * s * (1 - s), s**3]))
    return found


def test_the_drawing_puts_steps_side_by_side() -> None:
    now = ["a", "b", "c"]
    past = [f"{v}[t-{k}]" for k in (2, 1) for v in now]
    network = Network([*past, *now], {"b": ["a", "a[t-1]"], "c": ["b", "c[t-2]"]})
    layout = drawn_layout(network, graphviz=False)
    assert set(layout.boxes) == set(network.variables)
    assert set(layout.curves) == set(network.edges)

    def sides(names: list[str]) -> tuple[float, float]:
        boxes = [layout.boxes[v] for v in names]
        return min(b.x - b.width / 2 for b in boxes), max(b.x + b.width / 2 for b in boxes)

    columns = [sides([f"{v}[t-2]" for v in now]), sides([f"{v}[t-1]" for v in now]), sides(now)]
    assert all(left[1] < right[0] for left, right in itertools.pairwise(columns))
    for a, b in itertools.combinations(layout.boxes.values(), 2):
        assert abs(a.x - b.x) >= (a.width + b.width) / 2 or abs(a.y - b.y) >= (a.height + b.height) / 2
    for (parent, child), points in layout.curves.items():
        for point, name in ((points[0], parent), (points[-1], child)):
            box = layout.boxes[name]
            beside = abs(abs(point[0] - box.x) - box.width / 2) < 1e-6
            assert beside or abs(abs(point[1] - box.y) - box.height / 2) < 1e-6
    rng = np.random.default_rng(0)
    for _ in range(20):  # an edge across a box looks like two edges
        now = [f"{'long ' * int(rng.integers(0, 4))}{c}" for c in "abcde"[: rng.integers(1, 6)]]
        lags = int(rng.integers(1, 4))
        parents = {
            v: [*(p for p in now[:k] if rng.random() < 0.5)]
            + [f"{p}[t-{lag}]" for lag in range(1, lags + 1) for p in now if rng.random() < 0.4]
            for k, v in enumerate(now)
        }
        steps = Network([*(f"{v}[t-{k}]" for k in range(lags, 0, -1) for v in now), *now], parents)
        drawn = drawn_layout(steps)
        for edge, points in drawn.curves.items():
            assert len(points) % 3 == 1
            for x, y in along(points):
                assert 0 <= x <= drawn.width
                assert 0 <= y <= drawn.height
                for name, box in drawn.boxes.items():
                    inside = abs(x - box.x) < box.width / 2 - 1 and abs(y - box.y) < box.height / 2 - 1
                    assert not inside, (edge, name)
    assert layout.width > 0
    assert all(box.x + box.width / 2 <= layout.width for box in layout.boxes.values())
    plain = Network(["a", "b"], {"b": ["a"]})
    assert drawn_layout(plain, graphviz=False) == layered_layout(plain, graphviz=False)


@pytest.mark.parametrize(
    "texts",
    [
        ["2023-10", "2023-11", "2023-12", "2024-01", "2024-02", "2024-03"],
        ["2023/10", "2023/11", "2023/12", "2024/1", "2024/2", "2024/3"],
        ["2023-10-31", "2023-11-30", "2023-12-31", "2024-01-31", "2024-02-29", "2024-03-31"],
        ["2023Q1", "2023Q2", "2023Q3", "2023Q4", "2024Q1", "2024Q2"],
        ["2023-Q1", "2023-Q2", "2023-Q3", "2023-Q4", "2024-Q1", "2024-Q2"],
    ],
)
def test_months_quarters_and_last_days_were_refused_or_irregular(texts: list[str]) -> None:
    rows = {"t": texts, "x": ["a", "b", "a", "a", "b", "b"]}
    table = read_series(rows, "bic", "t", None, 1)
    about = table.statistics["time"]
    assert about["gaps"] == []
    assert about["unit"] == "months"
    assert about["step"] == (3 if "Q" in texts[0] else 1)
    assert table.rows == 5
    holed = {name: [*values[:2], *values[3:]] for name, values in rows.items()}
    with pytest.warns(DataWarning, match="1 distance between rows is not the step"):
        assert read_series(holed, "bic", "t", None, 1).rows == 3


def test_months_that_are_none_are_refused() -> None:
    with pytest.raises(
        DataError, match=r"'2024-13' is no time; write numbers, or dates such as 2024-03-31, 2024-03 or"
    ):
        read_series({"t": ["2024-12", "2024-13"], "x": ["a", "b"]}, "bic", "t", None, 1)


def test_a_table_of_mostly_irregular_times_was_left_without_advice() -> None:
    days = np.cumsum([0, 30, 30, 28, 33, 30, 41, 29, 27, 35, 26])
    with pytest.warns(DataWarning, match="number the measurements of each series"):
        table = read_series({"t": days.tolist(), "x": ["a", "b"] * 5 + ["a"]}, "bic", "t", None, 1)
    assert table.rows == 3
