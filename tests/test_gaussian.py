"""Scores of continuous data against numpy, and parent graphs against the list of all sets."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import multigammaln

import sabna
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, UsageError
from sabna.base.varsets import members
from sabna.cli.app import run
from sabna.parents.builders.gaussian import build_gaussian_graph, gaussian_cost, gaussian_costs
from sabna.table.numeric import NumericTable, read_numeric

NAMES = ("a", "b", "c", "d", "e", "f")


def linear_data(seed: int, n: int = 6, rows: int = 60, density: float = 0.5) -> NumericTable:
    rng = np.random.default_rng(seed)
    values = np.empty((n, rows))
    for i in range(n):
        weights = rng.normal(size=i) * (rng.random(i) < density)
        values[i] = weights @ values[:i] + rng.normal(size=rows)
    return NumericTable(NAMES[:n], values * rng.uniform(0.1, 50, (n, 1)) + rng.normal(size=(n, 1)) * 100)


def bic_by_least_squares(values: NDArray[np.float64], child: int, parents: tuple[int, ...]) -> float:
    m = values.shape[1]
    design = np.column_stack([np.ones(m), *(values[p] for p in parents)])
    residual = values[child] - design @ np.linalg.lstsq(design, values[child], rcond=None)[0]
    variance = float(residual @ residual) / m
    return m / 2 * (math.log(2 * math.pi * variance) + 1) + math.log(m) / 2 * (len(parents) + 2)


def bge_by_determinants(
    values: NDArray[np.float64], child: int, parents: tuple[int, ...], mu: float, w: float
) -> float:
    """Log marginal likelihoods of two sets of columns."""
    n, m = values.shape
    centred = values - values.mean(axis=1, keepdims=True)
    scatter = centred @ centred.T
    scale = np.diag(scatter) / (m - 1)
    prior = mu * (w - n - 1) / (mu + 1) * np.diag(np.where(scale > 0, scale, 1))

    def log_marginal(members: list[int]) -> float:
        k = len(members)
        if not k:
            return 0.0
        pick = np.ix_(members, members)
        before, after = (w - n + k) / 2, (m + w - n + k) / 2
        return (
            k / 2 * math.log(mu / (m + mu))
            + float(multigammaln(after, k) - multigammaln(before, k))
            - k * m / 2 * math.log(math.pi)
            + before * np.linalg.slogdet(prior[pick])[1]
            - after * np.linalg.slogdet((prior + scatter)[pick])[1]
        )

    return log_marginal(list(parents)) - log_marginal([*parents, child])


@pytest.mark.parametrize("seed", range(5))
def test_bic_g_is_that_of_least_squares(seed: int) -> None:
    table = linear_data(seed)
    for child in range(table.n):
        for parents in [(), (0,), (1, 2), (0, 1, 2, 3, 4, 5)]:
            parents = tuple(p for p in parents if p != child)
            mine = gaussian_cost(table, NAMES[child], [NAMES[p] for p in parents])
            assert mine == pytest.approx(bic_by_least_squares(table.values, child, parents), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("mu", "w"), [(1.0, None), (0.5, 12.0)])
def test_bge_is_that_of_determinants(seed: int, mu: float, w: float | None) -> None:
    table = linear_data(seed, rows=12)
    for child in range(table.n):
        for parents in [(), (0,), (1, 2), (0, 1, 2, 3, 4, 5)]:
            parents = tuple(p for p in parents if p != child)
            mine = gaussian_cost(table, NAMES[child], [NAMES[p] for p in parents], "bge", alpha_mu=mu, alpha_w=w)
            wanted = bge_by_determinants(table.values, child, parents, mu, table.n + mu + 1 if w is None else w)
            assert mine == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("score", ["bic-g", "bge"])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("slack", [-1, 0, 2 * QUANTA_PER_NAT])
def test_the_pruned_parent_graph_is_the_unpruned_one_without_dominated_sets(score: str, seed: int, slack: int) -> None:
    table = linear_data(seed, rows=15 + 40 * (seed % 3), density=0.2 + 0.1 * seed)
    graph = build_gaussian_graph(table, score, slack=slack)
    for i, name in enumerate(table.names):
        others = [k for k in range(table.n) if k != i]
        sets = [s for size in range(table.n) for s in itertools.combinations(others, size)]
        costs = dict(
            zip(sets, gaussian_costs(table, [(name, [NAMES[k] for k in s]) for s in sets], score), strict=True)
        )
        wanted = {
            s
            for s, cost in costs.items()
            if all(cost - costs[q] <= slack for r in range(len(s)) for q in itertools.combinations(s, r))
        }
        kept = range(graph.offsets[i], graph.offsets[i + 1])
        assert {members(graph.sets[k]) for k in kept} == wanted
        assert all(costs[members(graph.sets[k])] == graph.costs[k] for k in kept)


@pytest.mark.parametrize("score", ["bic-g", "bge"])
def test_markov_equivalent_networks_cost_the_same_integer(score: str) -> None:
    table = linear_data(3)
    chains = [{"b": ["a"], "c": ["b"]}, {"b": ["c"], "a": ["b"]}, {"a": ["b"], "c": ["b"]}]
    totals = {
        sum(round(gaussian_cost(table, v, chain.get(v, []), score) * QUANTA_PER_NAT) for v in "abc") for chain in chains
    }
    assert len(totals) == 1


@pytest.mark.parametrize("score", ["bic-g", "bge"])
def test_shift_and_scale_change_no_parent_set(score: str) -> None:
    table = linear_data(4)
    moved = NumericTable(table.names, table.values * np.array([[1e-3], [7], [1], [1e6], [-2], [1]]) + 1000)
    one, other = build_gaussian_graph(table, score), build_gaussian_graph(moved, score)
    assert np.array_equal(one.offsets, other.offsets)
    assert {(i, *members(s)) for i in range(6) for s in one.sets[one.offsets[i] : one.offsets[i + 1]]} == {
        (i, *members(s)) for i in range(6) for s in other.sets[other.offsets[i] : other.offsets[i + 1]]
    }


def test_threads_change_nothing() -> None:
    table = linear_data(5)
    one, two = build_gaussian_graph(table, n_jobs=1), build_gaussian_graph(table, n_jobs=2)
    assert np.array_equal(one.costs, two.costs)
    assert np.array_equal(one.sets, two.sets)


def test_knowledge_limits_the_lattice() -> None:
    table = linear_data(6)
    known = {"required": ["a -> f"], "forbidden": ["b -> f"], "max_parents": {"e": 1}}
    graph = build_gaussian_graph(table, knowledge=known)
    sets = [members(graph.sets[k]) for k in range(graph.offsets[5], graph.offsets[6])]
    assert sets
    assert all(0 in s and 1 not in s for s in sets)
    assert all(len(members(graph.sets[k])) <= 1 for k in range(graph.offsets[4], graph.offsets[5]))


def test_a_constant_column_is_named() -> None:
    table = linear_data(0)
    table.values[2] = 3.25
    with pytest.raises(DataError, match="'c' is constant"):
        build_gaussian_graph(table)
    assert np.isfinite(build_gaussian_graph(table, "bge").costs).all()


def test_a_linear_combination_is_named_with_its_parts() -> None:
    table = linear_data(1)
    table.values[4] = 2 * table.values[0] - table.values[3]
    with pytest.raises(DataError, match=r"'[ade]' is a linear combination of '[ade]', '[ade]'") as caught:
        build_gaussian_graph(table)
    assert "'b'" not in str(caught.value)
    graph = build_gaussian_graph(table, "bge")
    assert max(len(members(s)) for s in graph.sets) < 5  # not the complete graph


def test_more_columns_than_rows() -> None:
    table = linear_data(1, rows=6)
    with pytest.raises(DataError, match="6 rows for 6 columns"):
        build_gaussian_graph(table)
    assert len(build_gaussian_graph(table, "bge")) >= 6


def test_one_row_more_than_columns_is_enough() -> None:
    """Was refused with the claim that some column is a linear combination of the others, which none is."""
    table = linear_data(1, rows=7)
    every = tuple(range(table.n))
    graph = build_gaussian_graph(table, slack=2**62)
    for child in every:
        for parents in itertools.chain.from_iterable(itertools.combinations(every, k) for k in range(table.n)):
            if child not in parents:
                mine = gaussian_cost(table, NAMES[child], [NAMES[p] for p in parents])
                assert mine == pytest.approx(bic_by_least_squares(table.values, child, parents), abs=1e-6)
    assert sabna.search(graph).status == "optimal"


def test_text_is_no_number(tmp_path: object) -> None:
    with pytest.raises(DataError, match="'x', which is no number"):
        read_numeric(np.array([["1", "x"], ["2", "3"]]))


def test_bge_needs_enough_degrees_of_freedom() -> None:
    with pytest.raises(UsageError, match="alpha_w"):
        build_gaussian_graph(linear_data(0), "bge", alpha_w=5)


PRIORS = [{"alpha_mu": 0.25}, {"alpha_w": 31.5}, {"alpha_mu": 4.0, "alpha_w": 9.0}]


@pytest.mark.parametrize("prior", PRIORS)
def test_learning_honours_the_prior_of_bge(prior: dict[str, float]) -> None:
    """The cost of the learned network is the sum of the determinant formula under the prior asked for."""
    table = linear_data(7, rows=25)
    result = sabna.learn(table, "bge", **prior)  # type: ignore[arg-type]
    mu = prior.get("alpha_mu", 1.0)
    w = prior.get("alpha_w", table.n + mu + 1)
    position = {name: k for k, name in enumerate(table.names)}
    families = [(position[v], tuple(position[p] for p in ps)) for v, ps in result.network.parents.items()]
    assert result.cost == pytest.approx(sum(bge_by_determinants(table.values, *f, mu, w) for f in families), abs=1e-6)
    assert result.cost != pytest.approx(sabna.learn(table, "bge").cost, abs=1e-3)
    assert {k: v for k, v in result.run["options"].items() if k.startswith("alpha")} == prior
    graph = sabna.build_parent_graph(table, "bge", **prior)  # type: ignore[arg-type]
    assert (graph.parameters["alpha_mu"], graph.parameters["alpha_w"]) == (mu, w)
    assert result.alternatives(table, k=1).cost_quanta[0] == result.cost_quanta


def test_the_prior_of_bge_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = linear_data(7, rows=25)
    data, out = tmp_path / "data.csv", tmp_path / "graph.pg"
    lines = [",".join(map(repr, row)) for row in table.values.T.tolist()]
    data.write_text("\n".join([",".join(table.names), *lines]) + "\n")
    prior = ["--score", "bge", "--alpha-mu", "4", "--alpha-w", "9"]
    assert run(["learn", str(data), *prior, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    wanted = sabna.learn(table, "bge", alpha_mu=4, alpha_w=9)
    assert printed["cost"] == pytest.approx(wanted.cost, abs=1e-6)
    assert (printed["run"]["options"]["alpha_mu"], printed["run"]["options"]["alpha_w"]) == (4, 9)
    assert run(["score", str(data), *prior, "-o", str(out), "--json"]) == 0
    assert sabna.read_parent_graph(out).parameters == {"alpha_mu": 4.0, "alpha_w": 9.0}
    capsys.readouterr()
    assert run(["bootstrap", str(data), *prior, "-B", "2", "--json"]) == 0


@pytest.mark.parametrize(
    ("score", "options", "message"),
    [
        ("bic-g", {"alpha_mu": 2.0}, "score 'bic-g' has no parameter `alpha_mu`: it is one of bge"),
        (
            "bge",
            {"equivalent_sample_size": 2.0},
            "score 'bge' has no parameter `equivalent_sample_size`: it is one of bdeu, bds",
        ),
        ("bge", {"alpha_mu": 0.0}, "alpha_mu 0.0: write a number above 0"),
        ("bge", {"alpha_mu": math.inf}, "alpha_mu inf: write a number above 0"),
        ("bge", {"alpha_w": 7.0}, "alpha_w 7.0: bge needs more than the number of variables plus 1, here 7"),
        ("bge", {"alpha_w": math.nan}, "alpha_w nan: write a number above 0"),
        ("bge", {"alpha_w": "many"}, "alpha_w 'many': write a number above 0"),
    ],
)
def test_parameters_that_cannot_be_are_named(score: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        sabna.learn(linear_data(0), score, **options)
    assert message in str(caught.value)


def test_the_estimator_takes_numbers_and_the_prior_of_bge() -> None:
    from sabna import ExactBayesianNetwork

    table = linear_data(7, rows=25)
    fitted = ExactBayesianNetwork(scoring_method="bge", alpha_mu=4.0, alpha_w=9.0).fit(table.values.T)
    assert fitted.score_ == sabna.learn(table, "bge", alpha_mu=4, alpha_w=9).score


def test_a_prior_of_next_to_nothing_is_refused_where_columns_explain_each_other() -> None:
    """Rounding errors of the bounds would be beyond their margin, and sets missing from the graph unseen."""
    table = linear_data(3)
    table.values[5] = table.values[0]
    for weak in ({"alpha_mu": 1e-6}, {"alpha_w": 7 + 1e-9}):
        with pytest.raises(UsageError, match="too weak"):
            build_gaussian_graph(table, "bge", **weak)
    assert len(build_gaussian_graph(linear_data(3), "bge", alpha_mu=1e-6)) >= 6


@pytest.mark.parametrize("prior", [{"alpha_mu": 0.02}, {"alpha_mu": 50.0, "alpha_w": 300.0}, {"alpha_w": 7.001}])
@pytest.mark.parametrize("seed", range(3))
def test_pruned_graphs_under_other_priors_equal_the_unpruned(prior: dict[str, float], seed: int) -> None:
    table = linear_data(seed, rows=20 + 30 * seed)
    table.values[5] = table.values[0]
    graph = build_gaussian_graph(table, "bge", **prior)
    for i, name in enumerate(table.names):
        sets = [s for k in range(6) for s in itertools.combinations([v for v in range(6) if v != i], k)]
        costs = {
            s: round(gaussian_cost(table, name, [NAMES[k] for k in s], "bge", **prior) * QUANTA_PER_NAT) for s in sets
        }
        wanted = {
            s for s in sets if all(costs[s] < costs[q] for r in range(len(s)) for q in itertools.combinations(s, r))
        }
        assert {members(graph.sets[k]) for k in range(graph.offsets[i], graph.offsets[i + 1])} == wanted
