"""Prediction against pyAgrum, pgmpy, and the sum over all rows that can be."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sabna
from sabna import Network
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.cli.app import run
from sabna.network.inference import elimination
from sabna.network.inference.normal import Normal
from sabna.network.inference.quality import of_numbers, quality, quality_text
from sabna.network.parameters import Dirichlet
from tests.network.networks import asia, random_dag
from tests.repeats import few_or_many, first_of


def random_network(n: int, seed: int, most: int = 4) -> Network:
    """A random graph with tables without zeros."""
    rng = np.random.default_rng(seed)
    names = [f"V{k}" for k in range(n)]
    bare = Network(names, random_dag(n, seed=seed))
    states = {v: tuple(f"s{k}" for k in range(rng.integers(1, most))) for v in names}
    tables = {v: rng.dirichlet(np.ones(len(states[v])), size=[len(states[p]) for p in bare.parents[v]]) for v in names}
    return Network(names, bare.parents, states, tables)


def rows_with_gaps(network: Network, rows: int, seed: int, share: float = 0.5) -> pa.Table:
    drawn = network.sample(rows, seed=seed)
    rng = np.random.default_rng(seed)
    columns = [
        [None if gone else value for gone, value in zip(rng.random(rows) < share, column.to_pylist(), strict=True)]
        for column in drawn.columns
    ]
    return pa.table(dict(zip(drawn.column_names, columns, strict=True)))


def by_summing(network: Network, target: str, shown: dict[str, str]) -> list[float]:
    """The definition: the sum over all rows that agree with what is shown."""
    assert network.states is not None
    assert network.tables is not None
    weights = dict.fromkeys(network.states[target], 0.0)
    for values in itertools.product(*(network.states[v] for v in network.variables)):
        row = dict(zip(network.variables, values, strict=True))
        if any(row[v] != s for v, s in shown.items() if v != target):
            continue
        place = {v: network.states[v].index(s) for v, s in row.items()}
        weights[row[target]] += math.prod(
            network.tables[v][tuple(place[u] for u in (*network.parents[v], v))] for v in network.variables
        )
    total = sum(weights.values())
    return [w / total for w in weights.values()]


@pytest.mark.parametrize("seed", range(6))
def test_prediction_is_the_sum_over_all_rows_that_can_be(seed: int) -> None:
    network = random_network(6, seed)
    rows = rows_with_gaps(network, 25, seed)
    for target in network.variables[:3]:
        mine = network.predict_proba(rows, target)
        for k, row in enumerate(rows.to_pylist()):
            truth = by_summing(network, target, {v: s for v, s in row.items() if s is not None})
            assert mine[k] == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("which", ["asia", "random 15"])
def test_prediction_is_that_of_pyagrum(which: str) -> None:
    gum = pytest.importorskip("pyagrum")
    network = asia() if which == "asia" else random_network(int(which.split()[1]), 5, most=4)
    rows = rows_with_gaps(network, 300, seed=7)
    target = network.variables[len(network.variables) // 2]
    mine, lazy = network.predict_proba(rows, target), gum.LazyPropagation(network.to_pyagrum())
    assert network.states is not None
    for k, row in enumerate(rows.to_pylist()):
        shown = {v: s for v, s in row.items() if s is not None and v != target}
        lazy.setEvidence({v: network.states[v].index(s) for v, s in shown.items()})
        assert np.abs(mine[k] - lazy.posterior(target).toarray().ravel()).max() < 1e-9  # axes of one state stay


@pytest.mark.docs
@few_or_many("count", 10, 1000)  # pgmpy takes some 30 ms a row
@pytest.mark.parametrize("which", first_of(["asia", "random 15", "random 25"], 2))
def test_prediction_is_that_of_pgmpy(which: str, count: int) -> None:
    inference = pytest.importorskip("pgmpy.inference")
    network = asia() if which == "asia" else random_network(int(which.split()[1]), 5, most=4)
    rows = rows_with_gaps(network, count, seed=8)
    target = network.variables[len(network.variables) // 2]
    mine, theirs = network.predict_proba(rows, target), inference.VariableElimination(network.to_pgmpy())
    assert network.states is not None
    for k, row in enumerate(rows.to_pylist()):
        shown = {v: s for v, s in row.items() if s is not None and v != target}
        found = theirs.query([target], evidence=shown, show_progress=False)
        order = [found.state_names[target].index(s) for s in network.states[target]]
        assert np.abs(mine[k] - found.values[order]).max() < 1e-9


def test_what_is_too_large_for_elimination_goes_to_pyagrum(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyagrum")
    network = random_network(8, 3)
    rows = rows_with_gaps(network, 20, 1)
    own, sums = network.predict_proba(rows, "V4"), network.log_likelihood(rows)
    monkeypatch.setattr(elimination, "MAX_CELLS", 0)
    assert network.predict_proba(rows, "V4") == pytest.approx(own, abs=1e-12)
    assert network.log_likelihood(rows) == pytest.approx(sums)


def test_what_is_too_large_without_pyagrum_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    network = random_network(8, 3)
    rows = rows_with_gaps(network, 20, 1)
    monkeypatch.setattr(elimination, "MAX_CELLS", 0)
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    with pytest.raises(UsageError, match=r"sabna\[inference\]"):
        network.predict_proba(rows, "V4")


def test_a_column_that_the_rows_lack_is_summed_over() -> None:
    """Once a KeyError when the column belonged to the Markov blanket."""
    network = random_network(5, 4)
    rows = network.sample(10, 1).to_pandas()
    for name in network.variables[1:]:
        gap = rows.assign(**{name: None})
        assert (network.predict_proba(rows.drop(columns=name), "V0") == network.predict_proba(gap, "V0")).all()


def test_the_command_predicts_and_compares_with_the_truth(tmp_path: Path) -> None:
    result = sabna.learn(messy(), **OPTIONS)
    result.save(tmp_path / "net.json")
    messy().to_csv(tmp_path / "rows.csv", index=False)
    out = tmp_path / "out.csv"
    where = [str(tmp_path / "net.json"), str(tmp_path / "rows.csv"), "--target", "ill"]
    assert run(["predict", *where, "-o", str(out), "-q"]) == 0
    written = pd.read_csv(out)
    chances = result.network.predict_proba(messy(), "ill")
    assert written[["P(ill)", "P(well)"]].to_numpy() == pytest.approx(chances, abs=1e-15)
    assert written["ill"].tolist() == result.network.predict(messy(), "ill").tolist()
    measured = quality(result.network, messy(), "ill", chances)
    assert measured is not None
    truth = (messy()["ill"] == "well").to_numpy().astype(int)
    assert measured["accuracy"] == (written["ill"] == messy()["ill"]).mean()
    assert measured["log_loss"] == pytest.approx(-np.log(chances[np.arange(300), truth]).mean())
    assert measured["base"]["accuracy"] == max(truth.mean(), 1 - truth.mean())
    assert sum(b["rows"] for b in measured["calibration"]) == 300
    assert run(["predict", *where[:3], "nobody"]) == 2
    assert run(["predict", *where, "-o", where[1]]) == 2


def test_the_likelihood_of_rows_with_gaps_sums_over_them() -> None:
    network = random_network(5, 2)
    rows = rows_with_gaps(network, 12, 3)
    assert network.states is not None
    assert network.tables is not None
    total = 0.0
    for row in rows.to_pylist():
        weight = 0.0
        for values in itertools.product(*(network.states[v] for v in network.variables)):
            full = dict(zip(network.variables, values, strict=True))
            if any(s is not None and full[v] != s for v, s in row.items()):
                continue
            place = {v: network.states[v].index(s) for v, s in full.items()}
            weight += math.prod(network.tables[v][tuple(place[u] for u in (*network.parents[v], v))] for v in place)
        total += math.log(weight)
    assert network.log_likelihood(rows) == pytest.approx(total)


# --- what was done to the data stays with the network ----------------------------------------------------------------


def messy() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.normal(50, 12, 300).round(1)
    smoke = rng.choice(["yes", "no", None], 300, p=[0.3, 0.6, 0.1])
    ill = np.where(rng.random(300) < np.where(age > 55, 0.8, 0.15), "ill", "well")
    return pd.DataFrame({"age": age, "smoke": smoke, "ill": ill, "number": rng.integers(0, 3, 300)})


OPTIONS: dict[str, Any] = {"discretize": {"age": "quantile:3"}, "missing": "category"}


def test_new_rows_are_cut_and_coded_as_the_old_ones(tmp_path: Path) -> None:
    """Once new rows were cut at their own quantiles, or refused."""
    frame = messy()
    result = sabna.learn(frame, **OPTIONS)
    path = tmp_path / "net.json"
    result.save(path)
    for network in (result.network, sabna.read_network(path), sabna.read_result(path).network):
        assert network.preparation == result.network.preparation
        whole = network.predict_proba(frame, "ill")
        parts = np.vstack([network.predict_proba(frame[k : k + 1], "ill") for k in range(0, 300, 37)])
        assert (whole[::37] == parts).all()
        assert network.log_likelihood(frame[:1]) == pytest.approx(result.network.log_likelihood(frame[:1]))
    old, young = result.network.predict({"age": [80.0, 20.0]}, "ill")
    assert (old, young) == ("ill", "well")
    csv = tmp_path / "new.csv"
    csv.write_text("age,smoke,number\n80,?,1.0\n20.5,no,2\n")
    assert result.network.predict(str(csv), "ill").tolist() == ["ill", "well"]


def test_unseen_values_and_combinations_are_never_impossible() -> None:
    result = sabna.learn(messy(), **OPTIONS)
    new = pd.DataFrame({"age": [-1e9, 1e9], "smoke": ["yes", "sometimes"], "ill": ["well", "ill"], "number": [2, 7]})
    with pytest.warns(DataWarning, match=r"'smoke' \(1\), 'number' \(1\)"):
        assert np.isfinite(result.network.log_likelihood(new))
    for values in itertools.product(*(result.network.states[v] for v in ("smoke", "number"))):  # type: ignore[index]
        row = dict(zip(("smoke", "number"), values, strict=True)) | {"age": 50.0, "ill": "ill"}
        row["smoke"] = None if row["smoke"] == "missing" else row["smoke"]
        assert np.isfinite(result.network.log_likelihood(row))
    assert result.run["parameters"] == "posterior mean under a prior of equivalent sample size 1"
    fitted = result.network.fit(messy(), Dirichlet(equivalent_sample_size=1))
    for name, table in (result.network.tables or {}).items():
        assert fitted.tables is not None
        assert (fitted.tables[name] == table).all()


def test_an_impossible_row_has_no_prediction_under_maximum_likelihood() -> None:
    states = {"a": ("x", "y"), "b": ("x", "y")}
    network = Network("ab", {"b": "a"}, states, {"a": [1.0, 0.0], "b": [[1.0, 0.0], [0.5, 0.5]]})
    with pytest.warns(DataWarning, match="impossible"):
        assert network.predict({"b": ["x", "y"]}, "a").tolist() == ["x", None]


def test_mistakes_are_told() -> None:
    network = random_network(4, 1)
    with pytest.raises(UsageError, match="no variable 'nobody'"):
        network.predict({"V1": "s0"}, "nobody")
    with pytest.raises(DataError, match="check the names"):
        network.predict({"other": "s0"}, "V1")
    with pytest.raises(UsageError, match="fit it first"):
        Network("ab", {}).predict({"a": "1"}, "b")
    with pytest.raises(DataError, match="different lengths"):
        network.predict({"V0": ["s0"], "V2": ["s0", "s0"]}, "V1")


# --- quantities ------------------------------------------------------------------------------------------------------


def test_new_rows_may_be_mappings_and_have_the_other_decimal_sign() -> None:
    """Once numbers with a comma were not known to a network learned from numbers with a point."""
    values = np.random.default_rng(1).gamma(2, 300, 120).round(2)
    network = sabna.learn(
        {"x": values, "y": np.where(values > 500, "high", "low")}, discretize={"x": "quantile:3"}
    ).network
    plain = network.predict_proba({"x": values}, "y")
    with_comma = [str(value).replace(".", ",") for value in values]
    assert network.predict_proba({"x": with_comma}, "y").tolist() == plain.tolist()
    assert network.predict_proba([{"x": value} for value in values], "y").tolist() == plain.tolist()
    lines = sabna.learn({"x": values, "z": 2 * values + np.sin(values)}, "bic-g").network
    assert lines.predict({"x": with_comma}, "z").tolist() == lines.predict({"x": values}, "z").tolist()
    with pytest.raises(UsageError, match="no variable 'yy'; did you mean 'y'"):
        network.predict({"x": [1.0]}, "yy")


def test_an_impossible_row_was_counted_as_a_hit() -> None:
    """Without a prediction the first state was taken for it, right by chance."""
    causes = pd.DataFrame({"C": list("ab") * 5, "A": list("ab") * 5, "B": list("ab") * 5})
    network = Network(["C", "A", "B"], {"A": ["C"], "B": ["C"]}).fit(causes)
    rows = pd.DataFrame({"A": list("aab"), "B": list("bab"), "C": list("aab")})  # the first one cannot be
    found = network.predict_proba(rows, "C")
    assert np.isnan(found[0]).all()
    measured = quality(network, rows, "C", found)
    assert measured is not None
    assert measured["accuracy"] == pytest.approx(2 / 3)
    assert measured["log_loss"] is None


def test_errors_whose_squares_overflow_are_told_as_numbers() -> None:
    """Once `predict --json` printed Infinity, which is no JSON, for a target of 1e300."""
    far = Normal(np.array([-1e300, 3.0]), np.array([1.0, 1.0]))
    near = Normal(np.array([0.0, 0.0]), np.array([1.0, 1.0]))
    told = of_numbers(np.array([1e300, -1.0]), far, near)
    assert told["rmse"] == pytest.approx(math.sqrt(2) * 1e300)
    assert told["base"]["rmse"] == pytest.approx(math.sqrt(0.5) * 1e300)
    assert told["log_loss"] is None
    beyond = of_numbers(np.array([1.5e308]), Normal(np.array([-1.5e308]), np.array([1.0])), near)
    assert beyond["rmse"] is None
    assert "beyond all numbers" in quality_text(beyond)
    assert of_numbers(np.array([3.0, 1.0]), Normal(np.array([0.0, 1.0]), np.ones(2)), near)["rmse"] == pytest.approx(
        4.5**0.5
    )
    assert of_numbers(np.array([1.0]), Normal(np.array([1.0]), np.ones(1)), near)["rmse"] == 0


def test_rows_are_read_once_with_or_without_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Standard input can be read once only; a file without a header names its columns as `learn --no-header` did."""
    monkeypatch.chdir(tmp_path)
    rows = asia().sample(200, 3).to_pandas()
    rows.to_csv("rows.csv", index=False)
    rows.to_csv("bare.csv", index=False, header=False, sep=":")
    answers = []
    for net, table, target, how in (
        ("net.json", "rows.csv", rows.columns[0], []),
        ("bare.json", "bare.csv", "V1", ["--no-header", "--delimiter", ":"]),
    ):
        assert run(["learn", table, "-o", net, "-q", *how]) == 0
        assert run(["predict", net, table, "--target", target, "--json", *how]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]["quality"]["accuracy"] > 0.5
    assert answers[0]["quality"] == answers[1]["quality"]
    assert [list(row.values()) for row in answers[0]["predictions"]] == [
        list(row.values()) for row in answers[1]["predictions"]
    ]
    command = [sys.executable, "-m", "sabna", "predict", "net.json", "-", "--target", rows.columns[0], "--json"]
    with open("rows.csv", "rb") as stream:
        piped = subprocess.run(command, stdin=stream, capture_output=True, check=True)
    assert json.loads(piped.stdout) == answers[0]
