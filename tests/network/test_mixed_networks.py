"""Parameters, samples, likelihoods and predictions of networks of categories and quantities, computed other ways."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna import Network
from sabna.base.errors import DataError, UsageError
from sabna.network.conditional import ConditionalGaussian, MixedParameters
from sabna.network.inference.mixed import MOST_CONFIGURATIONS, posterior_of_mixed
from sabna.network.inference.normal import Normal
from sabna.network.parameters import Dirichlet
from sabna.network.rows import evidence_of
from sabna.table.mixed import MixedTable, read_mixed
from tests.test_mixed_scores import mixed_table


def drawn(seed: int, parents: dict[str, list[str]], discrete: str) -> Network:
    """A network with parameters drawn at random; the variables named in `discrete` are categories."""
    rng = np.random.default_rng(seed)
    network = Network(list(parents), parents)
    states = {v: tuple(f"s{k}" for k in range(2 + (ord(v) + seed) % 2)) for v in parents if v in discrete}
    tables, regressions = {}, {}
    for v, above in network.parents.items():
        shape = tuple(len(states[p]) for p in above if p in states)
        if v in states:
            tables[v] = rng.dirichlet(np.ones(len(states[v])), size=shape)
            continue
        numbers = tuple(p for p in above if p not in states)
        regressions[v] = ConditionalGaussian(
            tuple(p for p in above if p in states),
            numbers,
            rng.normal(size=shape) * 3,
            rng.normal(size=(*shape, len(numbers))),
            rng.uniform(0.2, 2, size=shape),
        )
    return network.with_parameters(mixed=MixedParameters(states, tables, regressions))


NETWORKS = [
    drawn(1, {"a": [], "b": ["a"], "x": ["a"], "y": ["b", "x"], "z": ["x", "y"]}, "ab"),
    drawn(2, {"a": [], "x": [], "b": ["a"], "y": ["a", "b", "x"], "c": ["b"], "z": ["c", "y"]}, "abc"),
    drawn(3, {"x": [], "y": ["x"], "a": [], "z": ["y", "a"], "w": ["z"]}, "a"),
]


def grid_log_density(network: Network, row: dict[str, Any]) -> float:
    """What a row shows, by summing over categories and integrating quantities on a grid."""
    mixed = network.mixed
    assert mixed is not None
    free_codes = [v for v in network.variables if v in mixed.states and row.get(v) is None]
    free_numbers = [v for v in network.variables if v not in mixed.states and row.get(v) is None]
    grid = np.linspace(-40, 40, 321)  # half a standard deviation at most: sums of normals are then integrals
    total = 0.0
    for codes in itertools.product(*(range(len(mixed.states[v])) for v in free_codes)):
        values: dict[str, Any] = {v: mixed.states[v].index(row[v]) for v in mixed.states if row.get(v) is not None}
        values |= dict(zip(free_codes, codes, strict=True))
        mesh = np.meshgrid(*[grid] * len(free_numbers), indexing="ij") if free_numbers else []
        values |= dict(zip(free_numbers, mesh, strict=True))
        values |= {v: row[v] for v in network.variables if v not in mixed.states and row.get(v) is not None}
        density: Any = 1.0
        for v in network.variables:
            if v in mixed.states:
                density = density * mixed.tables[v][tuple(values[p] for p in (*network.parents[v], v))]
                continue
            line = mixed.regressions[v]
            cell = tuple(values[p] for p in line.discrete)
            mean = line.intercepts[cell] + sum(
                line.coefficients[cell][k] * values[p] for k, p in enumerate(line.continuous)
            )
            variance = line.variances[cell]
            density = density * np.exp(-((values[v] - mean) ** 2) / 2 / variance) / np.sqrt(2 * np.pi * variance)
        total += float(np.sum(density)) * (grid[1] - grid[0]) ** len(free_numbers)
    return math.log(total) if total > 0 else -math.inf


def rows_with_gaps(network: Network, seed: int, most_numbers: int = 2) -> list[dict[str, Any]]:
    """Rows drawn from the network with some cells gone, of quantities not more than a grid can take."""
    rng = np.random.default_rng(seed)
    rows = []
    for row in network.sample(8, seed).to_pylist():
        gone = [v for v in network.variables if rng.random() < 0.4]
        numbers = [v for v in gone if v not in (network.mixed.states if network.mixed else {})]
        gone = [v for v in gone if v not in numbers[most_numbers:]]
        rows.append({v: None if v in gone else value for v, value in row.items()})
    return rows


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {v: [row[v] for row in rows] for v in rows[0]}


@pytest.mark.parametrize("network", NETWORKS)
def test_likelihoods_of_rows_with_gaps_are_sums_and_integrals(network: Network) -> None:
    for row in rows_with_gaps(network, 5):
        if all(value is None for value in row.values()):
            continue
        found = network.log_likelihood({v: [value] for v, value in row.items()})
        assert found == pytest.approx(grid_log_density(network, row), abs=1e-6)


@pytest.mark.parametrize("network", NETWORKS)
def test_predictions_are_ratios_of_sums_and_integrals(network: Network) -> None:
    mixed = network.mixed
    assert mixed is not None
    for target in network.variables:
        rows = [{v: x for v, x in row.items() if v != target} for row in rows_with_gaps(network, 6, most_numbers=1)]
        found = network.predict_proba(columns(rows), target)
        for k, row in enumerate(rows[:4]):
            if target in mixed.states:
                logs = np.array([grid_log_density(network, {**row, target: state}) for state in mixed.states[target]])
                weights = np.exp(logs - logs.max())
                assert found[k] == pytest.approx(weights / weights.sum(), abs=1e-7)
            else:
                assert isinstance(found, Normal)
                points = found.mean[k] + found.deviation[k] * np.linspace(-8, 8, 161)
                logs = np.array([grid_log_density(network, {**row, target: x}) for x in points])
                weights = np.exp(logs - logs.max())
                mean = float((weights * points).sum() / weights.sum())
                deviation = math.sqrt(float((weights * (points - mean) ** 2).sum() / weights.sum()))
                assert (found.mean[k], found.deviation[k]) == pytest.approx((mean, deviation), abs=1e-5)


@pytest.mark.parametrize("network", NETWORKS)
def test_with_the_blanket_known_nothing_else_changes_a_prediction(network: Network) -> None:
    """Looked up by the blanket, and summed over everything, are two ways of computing the same."""
    rows = columns(network.sample(8, 3).to_pylist())
    for target in network.variables:
        blanket = network.markov_blanket(target)
        without = {v: cells if v in blanket else [None] * 8 for v, cells in rows.items() if v != target}
        by_blanket = network.predict_proba(rows, target)
        evidence = evidence_of(network, without, [v for v in network.variables if v != target])
        summed = posterior_of_mixed(network, target, evidence, frozenset(blanket))
        assert np.array(by_blanket) == pytest.approx(np.array(summed), abs=1e-9)


# --- estimation -----------------------------------------------------------------------------------------------------


def test_regressions_are_posterior_means_of_a_bayesian_regression() -> None:
    """By the normal equations of a regression with prior precisions mu (intercept) and t (slopes)."""
    table = mixed_table(3, n=6, rows=80)
    place = {v: k for k, v in enumerate(table.names)}
    network = sabna.learn(table, "bcg", max_parents=3).network
    for weight in (1.0, 4.0):
        fitted = network.fit(table, Dirichlet(equivalent_sample_size=weight)).mixed
        assert fitted is not None
        for v, line in fitted.regressions.items():
            z = {u: table.columns[place[u]] for u in (v, *line.continuous)}
            mean, scale = {u: x.mean() for u, x in z.items()}, {u: x.std() for u, x in z.items()}
            t = weight**2 / (weight + 1)
            for cell in np.ndindex(*line.intercepts.shape):
                rows = np.ones(table.rows, dtype=bool)
                for p, code in zip(line.discrete, cell, strict=True):
                    rows &= table.columns[place[p]] == code
                y = ((z[v] - mean[v]) / scale[v])[rows]
                X = np.array([np.ones(len(y)), *(((z[u] - mean[u]) / scale[u])[rows] for u in line.continuous)]).T
                precision = X.T @ X + np.diag([weight] + [t] * len(line.continuous))
                beta = np.linalg.solve(precision, X.T @ y)
                left = t + y @ y - beta @ precision @ beta
                freedom = len(y) + weight + len(line.continuous)  # shape and scale of an inverse gamma, twice, less 2
                assert line.variances[cell] / scale[v] ** 2 == pytest.approx(left / freedom)
                slopes = [b * scale[v] / scale[u] for b, u in zip(beta[1:], line.continuous, strict=True)]
                assert line.coefficients[cell] == pytest.approx(slopes, abs=1e-9)
                height = (
                    mean[v]
                    + scale[v] * beta[0]
                    - sum(s * mean[u] for s, u in zip(slopes, line.continuous, strict=True))
                )
                assert line.intercepts[cell] == pytest.approx(height)


def small_table() -> MixedTable:
    codes = np.array([0] * 10 + [1] * 2, dtype=np.uint16)
    x = np.random.default_rng(0).normal(size=12)
    return MixedTable(("d", "x", "y"), (codes, x, 2 * x + 1 + 0.1 * codes), (("0", "1", "2"), None, None))


def test_configurations_with_few_rows_fall_back_as_documented() -> None:
    network = Network(["d", "x", "y"], {"x": ["d"]})
    table = small_table()
    least = network.fit(table).mixed
    prior = network.fit(table, Dirichlet(equivalent_sample_size=1)).mixed
    assert least is not None
    assert prior is not None
    x = table.columns[1]
    assert least.regressions["x"].intercepts[0] == pytest.approx(x[:10].mean())
    assert least.regressions["x"].variances[1] == pytest.approx(x[10:].var())  # two rows: the least there may be
    assert least.regressions["x"].intercepts[2] == pytest.approx(x.mean())  # no row at all: that of all rows
    assert prior.regressions["x"].intercepts[2] == pytest.approx(x.mean())
    assert prior.regressions["x"].variances[2] == pytest.approx(x.var() / 2)
    with pytest.raises(DataError, match="fit it under a prior"):
        network.fit(MixedTable(("d", "x", "y"), (table.columns[0], np.ones(12), x), table.states))


def test_a_category_without_quantities_is_fitted_as_in_any_network() -> None:
    table = mixed_table(2, n=4, rows=60)
    d = [v for v, kind in table.kinds.items() if kind == "discrete"]
    fitted = Network(table.names, {d[1]: [d[0]]}).fit(table, Dirichlet(equivalent_sample_size=2)).mixed
    place = {v: k for k, v in enumerate(table.names)}
    assert fitted is not None
    a, b = (table.columns[place[v]] for v in d)
    counts = np.zeros((len(fitted.states[d[0]]), len(fitted.states[d[1]])))
    np.add.at(counts, (a, b), 1)
    counts += 2 / counts.size
    assert fitted.tables[d[1]] == pytest.approx(counts / counts.sum(axis=1, keepdims=True))


def test_incomplete_tables_give_each_family_its_complete_rows() -> None:
    table = mixed_table(4, n=4, rows=80, gaps=0.2)
    result = sabna.learn(table, "pnal-cg")
    assert result.network.mixed is not None
    assert math.isfinite(result.network.log_likelihood(table))
    whole = sabna.learn(mixed_table(4, n=4, rows=80, gaps=0.2, discrete=4), "pnal")
    assert whole.network.tables is not None
    lines = sabna.learn(mixed_table(4, n=4, rows=80, gaps=0.2, discrete=0), "pnal-g")
    assert lines.network.gaussian is not None


# --- whole runs -----------------------------------------------------------------------------------------------------


def test_samples_follow_the_network() -> None:
    network = NETWORKS[0]
    drawn_rows = network.sample(20_000, 1)
    again = network.fit(read_mixed(drawn_rows)).mixed
    assert again is not None
    assert network.mixed is not None
    assert again.tables["b"] == pytest.approx(network.mixed.tables["b"], abs=0.03)
    assert again.regressions["y"].coefficients == pytest.approx(network.mixed.regressions["y"].coefficients, abs=0.1)
    assert again.regressions["y"].variances == pytest.approx(network.mixed.regressions["y"].variances, rel=0.1)
    assert drawn_rows.equals(network.sample(20_000, 1))


def test_a_result_keeps_its_parameters_and_predicts_after_a_round_trip(tmp_path: Path) -> None:
    rows = NETWORKS[1].sample(300, 2)
    result = sabna.learn(rows, "bcg")
    assert result.run["parameters"].startswith("posterior mean")
    result.save(tmp_path / "net.json")
    again = sabna.read_network(tmp_path / "net.json")
    assert json.dumps(again.mixed.to_dict() if again.mixed else None) == json.dumps(result.network.mixed.to_dict())  # type: ignore[union-attr]
    for target in ("b", "y"):
        assert (
            np.array(again.predict_proba(rows, target)).tolist()
            == np.array(result.network.predict_proba(rows, target)).tolist()
        )
    assert again.log_likelihood(rows) == result.network.log_likelihood(rows)
    assert math.isfinite(again.log_likelihood(rows))
    result.save(tmp_path / "report.html")
    back = Network.from_networkx(again.to_networkx())
    assert back.mixed is not None
    assert back == again
    refitted = again.fit(rows, Dirichlet(equivalent_sample_size=1))
    assert refitted.log_likelihood(rows) == pytest.approx(again.log_likelihood(rows))
    for suffix in (".graphml", ".gexf"):
        result.save(tmp_path / f"net{suffix}")
        assert sabna.read_network(tmp_path / f"net{suffix}") == result.network
    for suffix in (".bif", ".net"):
        with pytest.raises(UsageError, match="categories and quantities together"):
            result.save(tmp_path / f"net{suffix}")
    with pytest.raises(UsageError, match="pgmpy has no model"):
        again.to_pgmpy()


def test_bnlearn_gets_a_column_of_coefficients_for_every_configuration(tmp_path: Path) -> None:
    """bnlearn counts configurations with the first discrete parent fastest."""
    intercepts = np.array([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])
    line = ConditionalGaussian(("a", "b"), ("x",), intercepts, 10 * intercepts[..., None], intercepts**2)
    alone = ConditionalGaussian((), (), np.array(0.5), np.zeros(0), np.array(4.0))
    states = {"a": ("u", "v", "w"), "b": ("no", "yes")}
    tables = {"a": np.full(3, 1 / 3), "b": np.full(2, 0.5)}
    parameters = MixedParameters(states, tables, {"x": alone, "y": line})
    network = Network(["a", "b", "x", "y"], {"y": ["a", "b", "x"]}, mixed=parameters)
    network.save(tmp_path / "net.R")
    script = (tmp_path / "net.R").read_text()
    assert 'distributions[["x"]] <- list(coef = c("(Intercept)" = 0.5), sd = 2.0)' in script
    numbers = "1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0, 5.0, 50.0, 6.0, 60.0"
    names = 'dimnames = list(c("(Intercept)", "x"), NULL)'
    wanted = f"list(coef = matrix(c({numbers}), ncol = 6, {names}), sd = c(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))"
    assert f'distributions[["y"]] <- {wanted}' in script


def test_dates_in_a_mixed_table_were_not_cut_in_new_rows() -> None:
    rng = np.random.default_rng(3)
    months = rng.integers(1, 13, 120)
    data = {"day": [f"2024-{month:02d}-15" for month in months], "t": months + rng.normal(0, 0.5, 120)}
    network = sabna.learn(data, "bcg", discretize={"day": "quarter"}).network
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        low, high = network.predict({"day": ["2031-02-01", "1.11.2031"]}, "t")
    assert low < 4 < 9 < high


def test_parameters_that_do_not_fit_are_refused() -> None:
    network = NETWORKS[0]
    mixed = network.mixed
    assert mixed is not None
    fields = mixed.to_dict()
    for change in (
        lambda f: f["states"].pop("a"),
        lambda f: f["regressions"]["x"].update(variances=[0.0, 1.0]),
        lambda f: f["regressions"]["x"].update(discrete=[]),
        lambda f: f["tables"].update(b=[[0.5, 0.5]]),
        lambda f: f["regressions"]["y"].update(intercepts="x"),
    ):
        broken = json.loads(json.dumps(fields))
        change(broken)
        with pytest.raises((UsageError, ValueError)):
            Network(network.variables, network.parents, mixed=MixedParameters.from_dict(broken))


def test_too_many_unknown_categories_are_refused_in_words() -> None:
    names = [f"d{k}" for k in range(16)]
    states = dict.fromkeys(names, ("0", "1"))
    tables = {v: np.full((2,), 0.5) for v in names}
    line = ConditionalGaussian(tuple(names), (), np.zeros((2,) * 16), np.zeros((2,) * 16 + (0,)), np.ones((2,) * 16))
    network = Network([*names, "x"], {"x": names}, mixed=MixedParameters(states, tables, {"x": line}))
    with pytest.raises(UsageError, match=f"at most {MOST_CONFIGURATIONS:,}"):
        network.log_likelihood({**{v: [None] for v in names}, "x": [0.0]})


def test_steps_of_time_unroll_with_their_regressions() -> None:
    rng = np.random.default_rng(0)
    state, x, rows = 0, 0.0, []
    for t in range(300):
        state = state if rng.random() < 0.8 else 1 - state
        x = 0.5 * x + 3 * state + rng.normal()
        rows.append((t, "on" if state else "off", x))
    data = dict(zip(("t", "s", "x"), map(list, zip(*rows, strict=True)), strict=True))
    network = sabna.learn(data, "bcg", time="t").network
    sequence = network.unrolled(3)
    assert sequence.mixed is not None
    assert sequence.sample(5, 0).num_rows == 5
    numbers = {v: data[v] for v in ("t", "x")}
    line = sabna.learn(numbers, "bge", time="t").network
    assert line.unrolled(4).gaussian is not None
    assert line.gaussian is not None
    step = line.gaussian["x"].coefficients["x[t-1]"]
    assert line.unrolled(4).gaussian["x[3]"].coefficients == {"x[2]": step}  # type: ignore[index]
