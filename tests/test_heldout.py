"""Log-likelihoods of new rows against counts by hand, multivariate normal densities, and tables laid out in full."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from sabna.network import Network
from sabna.network.heldout.categories import CategoryModel
from sabna.network.heldout.numbers import NumberModel
from sabna.network.parameters import Dirichlet
from sabna.table import Table, read_table
from sabna.table.preparation import Preparation
from tests.test_gaussian import linear_data
from tests.test_more_scores import random_table

pytest.importorskip("sklearn")
from sabna import ExactBayesianNetwork

NETWORK = Network("abcd", {"b": "a", "c": "ab", "d": ""})


def by_hand(network: Network, train: list[tuple[Any, ...]], row: tuple[Any, ...]) -> float:
    """The formula, one cell at a time; every column has one state more than the training rows show."""
    place = {name: k for k, name in enumerate(network.variables)}
    states = [len({r[k] for r in train}) + 1 for k in range(len(place))]
    total = 0.0
    for name, k in place.items():
        above = [place[p] for p in network.parents[name]]
        q = math.prod(states[p] for p in above)
        cell = [r for r in train if all(r[p] == row[p] for p in above)]
        hits = sum(r[k] == row[k] for r in cell)
        total += math.log((hits + 1 / (q * states[k])) / (len(cell) + 1 / q))
    return total


def rows_of(table: Table) -> list[tuple[int, ...]]:
    return [tuple(row) for row in table.codes.T.tolist()]


def model_of(table: Table, network: Network) -> tuple[CategoryModel, list[int]]:
    states = [len(set(codes.tolist())) + 1 for codes in table.codes]
    return CategoryModel.of(network, table.codes.astype(np.int64), states), states


@pytest.mark.parametrize("seed", range(4))
def test_categories_by_hand(seed: int) -> None:
    """Rows with unseen values (the last code) and unseen combinations included."""
    table = random_table(seed, n=4, rows=25)
    model, states = model_of(table, NETWORK)
    rows = list(itertools.product(*(range(r) for r in states)))
    mine = model.log_likelihoods(np.array(rows).T)
    assert mine == pytest.approx([by_hand(NETWORK, rows_of(table), row) for row in rows])


@pytest.mark.parametrize("seed", range(4))
def test_the_probabilities_of_all_rows_add_up_to_one(seed: int) -> None:
    model, states = model_of(random_table(seed, n=4, rows=25), NETWORK)
    rows = np.array(list(itertools.product(*(range(r) for r in states)))).T
    assert np.exp(model.log_likelihoods(rows)).sum() == pytest.approx(1)


def test_categories_are_those_of_a_network_fitted_under_the_same_prior() -> None:
    table, new = random_table(1, n=4, rows=60), random_table(2, n=4, rows=30)
    model, states = model_of(table, NETWORK)
    wider = Table(table.names, table.codes, tuple(tuple(str(k) for k in range(r)) for r in states))
    codes = np.minimum(new.codes, np.array(states)[:, None] - 1).astype(np.uint16)
    fitted = NETWORK.fit(wider, Dirichlet(equivalent_sample_size=1))
    other = Table(table.names, codes, wider.states)
    assert model.log_likelihoods(codes.astype(np.int64)).sum() == pytest.approx(fitted.log_likelihood(other))


def test_equivalent_networks_give_new_rows_the_same_probability() -> None:
    table = random_table(3, n=3, rows=40)
    chains = [
        Network("abc", {"b": "a", "c": "b"}),
        Network("abc", {"b": "c", "a": "b"}),
        Network("abc", {"a": "b", "c": "b"}),
    ]
    rows = np.array(list(itertools.product(range(3), repeat=3))).T
    one, *others = (model_of(table, chain)[0].log_likelihoods(rows) for chain in chains)
    for other in others:
        assert other == pytest.approx(one)


def test_many_parents_leave_no_row_impossible() -> None:
    """64 parents of 2,000 states: the prior of a cell is 10^-211, its tables could not be laid out."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 1999, (65, 50))
    names = [f"v{k}" for k in range(65)]
    model = CategoryModel.of(Network(names, {"v64": names[:64]}), codes, [2000] * 65)
    changed = codes.copy()
    changed[64] = (changed[64] + 1) % 1999
    for rows in (codes, changed, rng.integers(0, 2000, (65, 50))):
        assert np.isfinite(model.log_likelihoods(rows)).all()
    assert (model.log_likelihoods(codes) > model.log_likelihoods(changed)).all()


# --- numbers --------------------------------------------------------------------------------------------------------


def complete_network(names: tuple[str, ...]) -> Network:
    return Network(names, {name: names[:k] for k, name in enumerate(names)})


@pytest.mark.parametrize("seed", range(4))
def test_a_complete_gaussian_network_is_a_multivariate_normal(seed: int) -> None:
    """With its covariance shrunk by one row of independent columns."""
    table = linear_data(seed, n=5, rows=40)
    model = NumberModel.of(complete_network(table.names), table.values)
    mean, deviation = table.values.mean(axis=1), table.values.std(axis=1)
    covariance = (40 * np.cov(table.values, bias=True) + np.diag(deviation**2)) / 41
    new = linear_data(seed + 10, n=5, rows=30).values
    assert model.log_likelihoods(new) == pytest.approx(multivariate_normal(mean, covariance).logpdf(new.T), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_sparse_gaussian_network_is_a_multivariate_normal(seed: int) -> None:
    """Its covariance from the regressions by least squares on standardised rows, with rows added that stand for I."""
    table = linear_data(seed, n=4, rows=40)
    network = Network(table.names, {"b": "a", "c": "ab", "d": "b"})
    mean, deviation = table.values.mean(axis=1), table.values.std(axis=1)
    z = np.column_stack([(table.values - mean[:, None]) / deviation[:, None], np.eye(4)])
    slopes, noise = np.zeros((4, 4)), np.zeros(4)
    for i, name in enumerate(table.names):
        above = [table.names.index(p) for p in network.parents[name]]
        slopes[i, above] = np.linalg.lstsq(z[above].T, z[i], rcond=None)[0]
        residual = z[i] - slopes[i] @ z
        noise[i] = residual @ residual / 41
    through = np.linalg.inv(np.eye(4) - slopes)
    covariance = np.diag(deviation) @ through @ np.diag(noise) @ through.T @ np.diag(deviation)
    new = linear_data(seed + 10, n=4, rows=30).values
    mine = NumberModel.of(network, table.values).log_likelihoods(new)
    assert mine == pytest.approx(multivariate_normal(mean, covariance).logpdf(new.T), rel=1e-9)


def test_equivalent_gaussian_networks_give_new_rows_the_same_density() -> None:
    table, new = linear_data(1, n=3, rows=30), linear_data(2, n=3, rows=20).values
    forth, back = Network("abc", {"b": "a", "c": "b"}), Network("abc", {"b": "c", "a": "b"})
    one, other = (NumberModel.of(n, table.values).log_likelihoods(new) for n in (forth, back))
    assert one == pytest.approx(other)


@pytest.mark.parametrize("factor", [1.0, 1e-200, 1e200, 1e300])
def test_units_shift_the_density_and_nothing_else(factor: float) -> None:
    table = linear_data(1, n=3, rows=30)
    network = complete_network(table.names)
    values = table.values / np.abs(table.values).max()
    plain = NumberModel.of(network, values).log_likelihoods(values)
    scaled = NumberModel.of(network, values * factor).log_likelihoods(values * factor)
    assert scaled + 3 * math.log(factor) == pytest.approx(plain, rel=1e-6)


def test_degenerate_numbers_have_a_density() -> None:
    """Constant columns, copies, more columns than rows, and values no one expected."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(6, 4))
    values[1], values[2] = 7.0, values[0]
    model = NumberModel.of(complete_network(tuple("abcdef")), values)
    for new in (values, values + 1, np.full((6, 3), 1e308), np.full((6, 2), -1e-308)):
        assert np.isfinite(model.log_likelihoods(new)).all()
    # The constant column keeps its unit: one off is one standard deviation of the prior row.
    lone = NumberModel.of(Network("a", {}), np.full((1, 9), 5.0))
    assert lone.log_likelihoods(np.array([[5.0, 6.0]])) == pytest.approx(
        multivariate_normal(5, 1 / 10).logpdf([5.0, 6.0])
    )


# --- new rows get the codes of the training rows --------------------------------------------------------------------

COLUMNS = {
    "number": [3, 1, 2, 1, 1, 2, 3, 1],
    "fraction": [0.5, 1.5, 2.5, 3.5, 4.5, 9.5, 9.75, 10.0],
    "text": ["b", "a", "b", "c", "a", "a", "b", "b"],
    "truth": [True, False, True, True, False, True, False, True],
    "gaps": [1.0, None, 2.0, 1.0, None, 2.0, 2.0, 1.0],
}


def codes_of(table: Table, new: Any) -> list[list[int]]:
    """New rows in the states of a table."""
    assert table.preparation is not None
    return [column.tolist() for column in table.preparation.new_rows(new, table.names).values()]


@pytest.mark.parametrize("method", ["none", "mean", "quantile:3", "uniform:4"])
@pytest.mark.parametrize("missing", ["drop", "category"])
def test_the_training_rows_get_their_own_codes_again(method: str, missing: str) -> None:
    source = pa.table(COLUMNS)
    spared = ["fraction"] if method == "none" else []
    table = read_table(source, spared, method, missing)
    complete = source if missing == "category" else source.drop_null()
    assert codes_of(table, complete) == table.codes.tolist()
    again = Preparation.from_dict(json.loads(json.dumps(table.preparation.to_dict())))  # type: ignore[union-attr]
    assert again == table.preparation


def test_new_rows_are_cut_where_the_training_rows_were() -> None:
    """Once new rows would have been cut at their own quantiles."""
    train = np.arange(9.0).reshape(-1, 1)  # thirds: cut at 8/3 and 16/3
    table = read_table(train, discretize="quantile:3")
    new = np.array([[-50.0], [2.66], [2.67], [5.33], [5.34], [700.0]])
    assert codes_of(table, new) == [[0, 0, 1, 1, 2, 2]]
    mean = read_table(train, discretize="mean")
    assert codes_of(mean, np.array([[4.0], [4.01], [-1.0]])) == [[0, 1, 0]]


def test_what_no_training_row_shows_has_a_code_of_its_own() -> None:
    train = pa.table({"u": [0.0, 1.0, 10.0, 9.0], "t": ["x", "y", "x", "y"], "n": [1, 2, 3, 3]})
    plan = {"u": "uniform:5"}
    table = read_table(train, (), plan)
    new = pa.table({"u": [5.0, 0.5, 11.0], "t": ["z", "x", "y"], "n": ["2.0", "four", "4"]})
    assert codes_of(table, new) == [[2, 0, 1], [2, 0, 1], [1, 3, 3]]


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_rows_of_the_estimator_by_hand(seed: int) -> None:
    """Fit, code and score together: categories, quantiles of the training rows, values never seen."""
    rng = np.random.default_rng(seed)

    def draw(rows: int, most: int) -> pd.DataFrame:
        a = rng.integers(0, most, rows)
        return pd.DataFrame({"a": a, "b": rng.choice(["u", "v"], rows), "c": a + rng.normal(size=rows)})

    train, new = draw(60, 3), draw(20, 4)
    net = ExactBayesianNetwork("aic").fit(train)
    ends = np.quantile(train["c"], [1 / 3, 2 / 3])

    def coded(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
        return list(zip(frame["a"], frame["b"], np.searchsorted(ends, frame["c"], side="right").tolist(), strict=True))

    wanted = [by_hand(net.network_, coded(train), row) for row in coded(new)]
    assert net.score_samples(new) == pytest.approx(wanted)
    assert net.score(new) == pytest.approx(np.mean(wanted))
    assert net.score_samples(new.iloc[:1]) == pytest.approx(wanted[:1])
