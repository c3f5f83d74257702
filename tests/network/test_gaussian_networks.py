"""Networks of quantities: predictions, parameters, strengths, samples and files against numpy and pgmpy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna import Network
from sabna.base.errors import UsageError
from sabna.cli.app import run
from sabna.network.gaussian import LinearGaussian, joint_normal


def linear(n: int, rows: int, seed: int) -> pd.DataFrame:
    """Columns in very different units, each a sum of some before it and noise."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for k in range(n):
        values = rng.normal(size=rows) * (1 + k)
        for name in list(columns)[-2:]:
            values = values + rng.normal() * columns[name] / columns[name].std()
        columns[f"X{k}"] = values * 10.0 ** rng.integers(-3, 6) + 10.0 ** rng.integers(0, 4)
    return pd.DataFrame(columns)


@pytest.mark.parametrize("score", ["bic-g", "bge"])
def test_a_gaussian_prediction_is_numpys_conditional_normal(score: str, tmp_path: Path) -> None:
    frame = linear(6, 200, 1)
    result = sabna.learn(frame, score)
    result.save(tmp_path / "net.json")
    network = sabna.read_network(tmp_path / "net.json")
    assert network.gaussian == result.network.gaussian
    mean, covariance = joint_normal(network)
    rows = frame[:60].mask(np.random.default_rng(2).random((60, 6)) < 0.4)
    rows = rows[rows.notna().any(axis=1)]
    found = network.predict_proba(rows, "X3")
    assert (network.predict(rows, "X3") == found.mean).all()
    for k, row in enumerate(rows.to_numpy()):
        known = [j for j in range(6) if j != 3 and not math.isnan(row[j])]
        inverse = np.linalg.inv(covariance[np.ix_(known, known)]) if known else np.zeros((0, 0))
        expected = mean[3] + covariance[3, known] @ inverse @ (row[known] - mean[known])
        variance = covariance[3, 3] - covariance[3, known] @ inverse @ covariance[known, 3]
        assert found.mean[k] == pytest.approx(expected, rel=1e-9, abs=1e-9 * math.sqrt(covariance[3, 3]))
        assert found.deviation[k] == pytest.approx(math.sqrt(variance), rel=1e-6)


def test_gaussian_densities_are_those_of_the_joint_normal() -> None:
    from scipy.stats import multivariate_normal

    frame = linear(5, 100, 3)
    network = sabna.learn(frame, "bic-g").network
    mean, covariance = joint_normal(network)
    direct = multivariate_normal(mean, covariance).logpdf(frame.to_numpy()).sum()
    assert network.log_likelihood(frame) == pytest.approx(direct, rel=1e-9)
    some = frame.copy()
    some.loc[:, ["X1", "X4"]] = np.nan
    marginal = multivariate_normal(mean[[0, 2, 3]], covariance[np.ix_([0, 2, 3], [0, 2, 3])])
    assert network.log_likelihood(some) == pytest.approx(marginal.logpdf(frame[["X0", "X2", "X3"]]).sum(), rel=1e-9)


def test_maximum_likelihood_of_quantities_is_least_squares_and_the_score() -> None:
    frame = linear(5, 80, 4)
    result = sabna.learn(frame, "bic-g")
    network = result.network.fit(frame)
    assert network.gaussian is not None
    for name, regression in network.gaussian.items():
        X = np.column_stack([np.ones(80), *(frame[p] for p in regression.coefficients)])
        solution, *_ = np.linalg.lstsq(X, frame[name].to_numpy(), rcond=None)
        assert regression.intercept == pytest.approx(solution[0], rel=1e-6)
        assert list(regression.coefficients.values()) == pytest.approx(solution[1:].tolist(), rel=1e-6)
        assert regression.variance == pytest.approx(((frame[name] - X @ solution) ** 2).mean(), rel=1e-6)
    free = sum(2 + len(parents) for parents in network.parents.values())
    assert network.log_likelihood(frame) - free * math.log(80) / 2 == pytest.approx(result.score, abs=1e-4)


def test_gaussian_strengths_are_differences_of_scores() -> None:
    frame = linear(5, 80, 4)
    result = sabna.learn(frame, "bic-g")
    assert result.arcs
    assert result.local_costs is not None
    assert sum(result.local_costs.values()) == result.cost_quanta
    for arc in result.arcs:
        parents = {v: [p for p in ps if (p, v) != (arc.parent, arc.child)] for v, ps in result.network.parents.items()}
        bare = Network(result.network.variables, parents).fit(sabna.read_numeric(frame))
        free = sum(2 + len(ps) for ps in parents.values())
        score = bare.log_likelihood(frame) - free * math.log(80) / 2
        assert arc.removal == pytest.approx(result.score - score, abs=1e-4)


def test_gaussian_rows_are_drawn_from_the_joint_normal() -> None:
    network = Network("ab", {"b": "a"}, gaussian={"a": LinearGaussian(5, {}, 4), "b": LinearGaussian(1, {"a": 2}, 9)})
    drawn = network.sample(40_000, seed=1).to_pandas()
    assert network.sample(5, 1).equals(network.sample(5, 1))
    assert drawn.mean().tolist() == pytest.approx([5, 11], abs=0.1)
    assert drawn.cov().to_numpy() == pytest.approx(np.array([[4, 8], [8, 25]]), abs=0.5)


def test_constant_and_huge_columns_have_parameters_or_say_why_not() -> None:
    frame = pd.DataFrame({"constant": [3.0] * 8, "x": [1.0, 2, 3, 4, 5, 6, 7, 9]})
    network = sabna.learn(frame, "bge").network
    assert network.gaussian is not None
    assert network.gaussian["constant"].variance > 0
    assert network.predict({"x": [2.0]}, "constant")[0] == pytest.approx(3)
    huge = sabna.learn(frame.assign(constant=frame.x**2 * 1e200), "bge")
    assert huge.network.gaussian is None
    assert "too large" in huge.statistics["left_out"]


# --- files of networks of quantities ---------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".json", ".graphml", ".gexf"])
def test_gaussian_networks_come_back_from_files(suffix: str, tmp_path: Path) -> None:
    network = sabna.learn(linear(4, 60, 5), "bic-g").network
    network.save(tmp_path / f"net{suffix}")
    again = sabna.read_network(tmp_path / f"net{suffix}")
    assert again == network
    assert again.gaussian == network.gaussian
    assert Network.from_networkx(network.to_networkx()).gaussian == network.gaussian


def test_a_gaussian_network_in_a_format_of_tables_was_sent_from_pillar_to_post(tmp_path: Path) -> None:
    """`save("x.bif")` said: fit it first; and fit said: numbers are refused."""
    network = sabna.learn(linear(3, 60, 5), "bic-g").network
    for suffix in (".bif", ".xml", ".net", ".dsc", ".uai"):
        with pytest.raises(UsageError, match=r"\.json \(sabna\), \.R \(bnlearn\)"):
            network.save(tmp_path / f"net{suffix}")
    linear(3, 60, 5).to_csv(tmp_path / "x.csv", index=False)
    assert run(["learn", str(tmp_path / "x.csv"), "--score", "bic-g", "-o", str(tmp_path / "x.bif")]) == 2
    assert run(["learn", str(tmp_path / "x.csv"), "--score", "bic-g", "-o", str(tmp_path / "x.R"), "-q"]) == 0


@pytest.mark.docs
def test_pgmpy_has_the_same_joint_normal() -> None:
    pytest.importorskip("pgmpy")
    network = sabna.learn(linear(5, 90, 6), "bic-g").network
    theirs = network.to_pgmpy()
    assert theirs.check_model()
    mean, covariance = theirs.to_joint_gaussian()
    mine, spread = joint_normal(network)
    import networkx as nx

    order = [network.variables.index(v) for v in nx.topological_sort(theirs)]  # pgmpy's order of its joint
    scale = np.sqrt(np.diag(spread))[order]
    assert np.ravel(mean) == pytest.approx(mine[order], rel=1e-3, abs=1e-3)  # pgmpy rounds to a few digits
    assert np.asarray(covariance) / np.outer(scale, scale) == pytest.approx(
        spread[np.ix_(order, order)] / np.outer(scale, scale), abs=1e-3
    )


def test_the_script_for_bnlearn_says_what_custom_fit_takes() -> None:
    from sabna.network.files.rscript import write

    gaussian = {"a": LinearGaussian(5, {}, 4), "b": LinearGaussian(1, {"a": -2.5}, 9)}
    text = write(Network("ab", {"b": "a"}, gaussian=gaussian))
    assert 'distributions[["b"]] <- list(coef = c("(Intercept)" = 1.0, "a" = -2.5), sd = 3.0)' in text
    assert 'dag <- set.arc(dag, "a", "b")' in text
    states = {"a": ("x", "y"), "b": ("12+", 'q"'), "c": ("1", "2", "3")}
    tables = {"a": [0.25, 0.75], "b": [[0.5, 0.5], [0.125, 0.875]], "c": np.full((2, 2, 3), 1 / 3)}
    tables["c"][1, 0] = [0.5, 0.25, 0.25]  # type: ignore[call-overload]
    text = write(Network("abc", {"b": "a", "c": "ab"}, states, tables))
    # R fills the first axis first: P(b | a = x), then P(b | a = y).
    cells = 'c(0.5, 0.5, 0.125, 0.875), dim = c(2, 2), dimnames = list("b" = c("12+", "q\\""), "a" = c("x", "y"))'
    assert f'distributions[["b"]] <- array({cells})' in text
    third = text.split('distributions[["c"]] <- array(c(')[1].split(")")[0].split(", ")
    assert third[3:6] == ["0.5", "0.25", "0.25"]  # a = y, b = 12+: the first parent runs before the second
