"""Scores of numbers against 60 digits: any units, any mixture of them, and priors up to where their terms cancel.

What was wrong once: with alpha_w of 1e16 the terms of bge cancelled to noise, and the best network of that noise was
called optimal; columns of numbers below 1e-160 were called constant.
"""

from __future__ import annotations

import itertools
import math
import warnings
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, UsageError
from sabna.parents.builders.gaussian import MOST_PRIOR, gaussian_cost
from sabna.table import MixedTable, NumericTable
from tests.all_networks import all_networks

Costs = dict[tuple[int, tuple[int, ...]], Any]  # (child, parents) -> nats, with 60 digits

mpmath.mp.dps = 60


def mp_standardised(column: np.ndarray, divisor: int) -> tuple[list[Any], Any]:
    """The column with mean 0 and variance 1, and the scale it had; a constant one is 0, with scale 1."""
    x = [mpmath.mpf(float(v)) for v in column]
    mean = mpmath.fsum(x) / len(x)
    scale = mpmath.sqrt(mpmath.fsum((v - mean) ** 2 for v in x) / divisor)
    if scale == 0:
        return [mpmath.mpf(0)] * len(x), mpmath.mpf(1)
    return [(v - mean) / scale for v in x], scale


def mp_log_det(matrix: list[list[Any]], members: tuple[int, ...]) -> Any:
    if not members:
        return mpmath.mpf(0)
    return mpmath.log(mpmath.det(mpmath.matrix([[matrix[i][j] for j in members] for i in members])))


def exact_costs(values: np.ndarray, score: str, mu: float = 1.0, w: float | None = None) -> Costs:
    """All families, by the formulas of docs/scores.md."""
    n, m = values.shape
    columns, scales = zip(*(mp_standardised(c, m if score == "bic-g" else m - 1) for c in values), strict=True)
    product = [[mpmath.fdot(a, b) for b in columns] for a in columns]
    subsets = [s for size in range(n + 1) for s in itertools.combinations(range(n), size)]
    own = {s: m * mpmath.fsum(mpmath.log(scales[i]) for i in s) for s in subsets}
    if score == "bic-g":
        for s in subsets:
            parameters = len(s) * (len(s) - 1) // 2 + 2 * len(s)
            own[s] += mpmath.mpf(m) / 2 * (mp_log_det(product, s) - len(s) * mpmath.log(m))
            own[s] += len(s) * mpmath.mpf(m) / 2 * (mpmath.log(2 * mpmath.pi) + 1) + mpmath.log(m) / 2 * parameters
    else:
        mu, w = mpmath.mpf(mu), mpmath.mpf(n + mu + 1 if w is None else w)
        t = mu * (w - n - 1) / (mu + 1)
        posterior = [[product[i][j] + (t if i == j else 0) for j in range(n)] for i in range(n)]
        for s in subsets:
            size, weight = len(s), w - n + len(s)
            gammas = mpmath.fsum(
                mpmath.loggamma((m + weight - j) / 2) - mpmath.loggamma((weight - j) / 2) for j in range(size)
            )
            own[s] -= mpmath.mpf(size) / 2 * mpmath.log(mu / (m + mu)) + gammas
            own[s] += mpmath.mpf(size) * m / 2 * mpmath.log(mpmath.pi) - weight / 2 * size * mpmath.log(t)
            own[s] += (m + weight) / 2 * mp_log_det(posterior, s)
    return {(i, s): own[tuple(sorted((*s, i)))] - own[s] for s in subsets for i in range(n) if i not in s}


def off_by(values: np.ndarray, score: str, exact: Costs, mu: float = 0.0, w: float = 0.0) -> float:
    """Quanta between the costs of the core and the exact ones, at most."""
    families = list(exact)
    children = np.array([i for i, _ in families])
    mine = core.gaussian_costs(np.ascontiguousarray(values), score, mu, w, children, [list(s) for _, s in families])
    return max(float(abs(int(q) - exact[family] * QUANTA_PER_NAT)) for q, family in zip(mine, families, strict=True))


# Two values rounded to half a quantum each.
ROUNDING = 1.001


def linked(seed: int, n: int, rows: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, rows))
    for i in range(1, n):
        values[i] += values[int(rng.integers(i))]
    return values


def best_cost(exact: Costs, n: int) -> Any:
    return min(mpmath.fsum(exact[i, s] for i, s in enumerate(network)) for network in all_networks(n))


UNITS = [(1e200,) * 3, (1e-200,) * 3, (1e307, 1e307, 1e307), (1e-307,) * 3, (1e-318,) * 3, (1e200, 1.0, 1e-200)]


@pytest.mark.parametrize("score", ["bic-g", "bge"])
@pytest.mark.parametrize("units", UNITS, ids=str)
def test_columns_in_any_units_are_scored_right(units: tuple[float, ...], score: str) -> None:
    values = linked(1, 3, 40) / 8 * np.array(units)[:, None]
    exact = exact_costs(values, score)
    prior = (1.0, 5.0) if score == "bge" else (0.0, 0.0)
    assert off_by(values, score, exact, *prior) <= ROUNDING
    table = NumericTable(("a", "b", "c"), values)
    found = sabna.learn(table, score, gap_tolerance=0)
    assert found.status == "optimal"
    assert abs(found.cost_quanta - best_cost(exact, 3) * QUANTA_PER_NAT) <= 3 * ROUNDING
    if min(units) > 1e-310:  # below, numbers have fewer digits: another table
        plain = sabna.learn(NumericTable(("a", "b", "c"), linked(1, 3, 40) / 8), score)
        assert found.network.cpdag() == plain.network.cpdag()
        shift = sum(40 * math.log(unit) for unit in units)
        assert found.cost == pytest.approx(plain.cost + shift, abs=1e-6)


@pytest.mark.parametrize("score", ["bic-g", "bge"])
def test_a_mean_far_from_zero_costs_no_digits(score: str) -> None:
    """Means are rounded; ten thousand rows at 1e9 once moved costs by a hundred thousand quanta."""
    values = linked(2, 2, 4000) + np.array([[1e9], [-3e11]])
    prior = (1.0, 4.0) if score == "bge" else (0.0, 0.0)
    assert off_by(values, score, exact_costs(values, score), *prior) <= ROUNDING


def test_a_constant_column_is_constant_whatever_its_value() -> None:
    """The mean of 5,000 times 0.1 is not 0.1: what was left became a column of ones."""
    values = linked(3, 3, 5000)
    values[1] = 0.1
    exact = exact_costs(values, "bge")
    assert off_by(values, "bge", exact, 1.0, 5.0) <= ROUNDING
    with pytest.raises(DataError, match="'b' is constant"):
        sabna.learn(NumericTable(("a", "b", "c"), values), "bic-g")
    weak = {"alpha_mu": 1e-12}
    with pytest.raises(UsageError, match="too weak for columns that are constant"):
        sabna.learn(NumericTable(("a", "b", "c"), values), "bge", **weak)


def test_a_column_that_is_next_to_constant_is_not_called_constant() -> None:
    values = linked(4, 2, 50)
    values[1] = np.where(values[1] > 0, 1.0, np.nextafter(1.0, 2.0))
    with pytest.raises(DataError, match=r"column 'b' varies by less than 1e-12 of its mean"):
        sabna.learn(NumericTable(("a", "b"), values), "bic-g")


def test_linear_combinations_are_found_in_any_units() -> None:
    values = linked(5, 3, 50)
    values[2] = values[0] - 2 * values[1]
    for unit in (1.0, 1e-200, 1e200, 1e307 / 50):
        with pytest.raises(DataError, match="is a linear combination of"):
            sabna.learn(NumericTable(("a", "b", "c"), values * unit), "bic-g")
    assert sabna.learn(NumericTable(("a", "b", "c"), values * 1e200), "bge").status == "optimal"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("score", ["bic-g", "bge"])
def test_what_is_no_number_is_named(bad: float, score: str, tmp_path: Path) -> None:
    values = linked(6, 3, 30)
    values[1, 4] = bad
    with pytest.raises(DataError, match="column 'b', row 5"):
        sabna.learn(NumericTable(("a", "b", "c"), values), score)
    rows = "\n".join(",".join(map(repr, map(float, row))) for row in values.T)
    (tmp_path / "bad.csv").write_text(f"a,b,c\n{rows}\n")
    with pytest.raises(DataError, match="'b'"):
        sabna.learn(tmp_path / "bad.csv", score)


def test_a_number_beyond_a_double_is_named(tmp_path: Path) -> None:
    rows = "\n".join(f"{k},{k * k % 7}.5" for k in range(20))
    (tmp_path / "large.csv").write_text(f"a,b\n{rows}\n1e400,1.5\n")
    with pytest.raises(DataError, match="row 21, column 'a'"):
        sabna.learn(tmp_path / "large.csv", "bge")


# --- priors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "rows"), [(2, 30), (4, 60), (6, 20)])
@pytest.mark.parametrize("share", [1.0, 0.5, 1e-3, 1e-6])
def test_bge_is_right_up_to_the_strongest_prior_allowed(n: int, rows: int, share: float) -> None:
    values, w = linked(n, n, rows), max(MOST_PRIOR / n * share, n + 2.0)
    exact = exact_costs(values, "bge", 1.0, w)
    assert off_by(values, "bge", exact, 1.0, w) <= 1.1
    if n == 4:
        found = sabna.learn(NumericTable(tuple("abcd"), values), "bge", alpha_w=w, gap_tolerance=0)
        assert abs(found.cost_quanta - best_cost(exact, n) * QUANTA_PER_NAT) <= 2 * n


def test_bge_goes_wrong_beyond_that_prior() -> None:
    """The limit is needed: at a hundred times as much costs are off by several quanta."""
    values, w = linked(4, 4, 60), 100 * MOST_PRIOR / 4
    assert off_by(values, "bge", exact_costs(values, "bge", 1.0, w), 1.0, w) > 3


@pytest.mark.parametrize("prior", [{"alpha_w": 1e16}, {"alpha_w": 1e300}, {"alpha_mu": 1e300}, {"alpha_w": 3e7}])
def test_a_prior_that_outweighs_all_data_is_refused(prior: dict[str, float]) -> None:
    table = NumericTable(tuple("abcd"), linked(1, 4, 60))
    for use in (sabna.learn, sabna.build_parent_graph, sabna.kbest):
        with pytest.raises(UsageError, match=r"alpha_w .*: so strong a prior .* at most 2\.5e\+07"):
            use(table, score="bge", **prior)
    with pytest.raises(UsageError, match="so strong a prior"):
        gaussian_cost(table, "a", ["b"], "bge", **prior)


@pytest.mark.parametrize("mu", [1e-300, 1e-3, 1e12, 1.7e308])
def test_bge_is_right_for_weak_and_strong_priors_of_the_mean(mu: float) -> None:
    values = linked(8, 3, 50)
    exact = exact_costs(values, "bge", mu, 6.5)
    assert off_by(values, "bge", exact, mu, 6.5) <= ROUNDING
    found = sabna.learn(NumericTable(("a", "b", "c"), values), "bge", alpha_mu=mu, alpha_w=6.5, gap_tolerance=0)
    assert abs(found.cost_quanta - best_cost(exact, 3) * QUANTA_PER_NAT) <= 3 * ROUNDING


@pytest.mark.parametrize("left", [1e-2, 1e-6, 1e-8, 1e-10, 1e-11])
@pytest.mark.parametrize("score", ["bic-cg", "pnal-cg"])
def test_what_parents_leave_of_a_variance_kept_its_digits(score: str, left: float) -> None:
    """Products were added up in doubles: with 2.5e-10 of a variance left, 60 rows were off by 20,000 quanta."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=60)
    y = x + math.sqrt(left) * rng.normal(size=60)
    table = MixedTable(("x", "y", "c"), (x, y, np.arange(60, dtype=np.uint16) % 2), (None, None, ("a", "b")))
    found = sabna.Network(table.names, {"y": ["x"]}).score(
        table, score, **({"pnal_k": 1.0} if score != "bic-cg" else {})
    )
    a, b = [mpmath.mpf(v) for v in x], [mpmath.mpf(v) for v in y]
    a, b = [v - sum(a) / 60 for v in a], [v - sum(b) / 60 for v in b]
    squares = mpmath.fdot(b, b) - mpmath.fdot(a, b) ** 2 / mpmath.fdot(a, a)
    likelihood = 30 * mpmath.log(2 * mpmath.pi * squares / 58) + 29
    cost = likelihood + 3 * mpmath.log(60) / 2 if score == "bic-cg" else likelihood / 60 + mpmath.mpf(3) / 60
    off = float(found.local_costs["y"] - cost * QUANTA_PER_NAT)
    assert abs(off) <= 2 + 1e-8 / left


def test_a_constant_next_to_zero_has_a_likelihood() -> None:
    """A column of 1e-310 alone had an infinite scale, and rows a likelihood of minus infinity."""
    values = np.column_stack([np.full(30, 1e-310), np.random.default_rng(0).normal(size=30)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sabna.ExactBayesianNetwork("bge").fit(values).score(values)
    assert math.isfinite(found)
