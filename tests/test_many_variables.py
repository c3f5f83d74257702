"""Up to 2,048 variables: files, search, proof, tables and networks, against answers found otherwise."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.parents.graph import ParentGraph
from sabna.table import Table
from tests.certificate.runs import verdict
from tests.graphs import graph_of, optimum, random_graph
from tests.repeats import first_of


def scattered(n: int, seed: int) -> tuple[ParentGraph, int]:
    """Small random graphs side by side, their variables shuffled, and the sum of their optima: that of the whole."""
    rng, best, lists = random.Random(seed), 0, list[dict[int, int]]([{}] * n)
    numbers = rng.sample(range(n), n)
    while numbers:
        k = min(rng.randint(1, 6), len(numbers))
        own = [numbers.pop() for _ in range(k)]
        small = random_graph(rng.randrange(10**6), k, sets=8, costs=1000)
        best += optimum(small)
        for i in range(k):
            sets = ((sum(1 << own[v] for v in parents), cost) for cost, parents in small.parent_sets(i))
            lists[own[i]] = {bits: cost << 20 for bits, cost in sets}
    return graph_of(lists), best << 20


@pytest.mark.parametrize(
    ("n", "suffix"),
    [(520, "jkl"), *(pytest.param(*large, marks=pytest.mark.slow) for large in ((1041, "pss"), (2048, "pg")))],
)
def test_score_files_of_many_variables_are_solved_and_proven(n: int, suffix: str, tmp_path: Path) -> None:
    """Members of a component lie in any of the 32 words; the proof is checked by code that shares nothing with us."""
    graph, best = scattered(n, n)
    graph.save(tmp_path / f"g.{suffix}")
    result = sabna.search(tmp_path / f"g.{suffix}", certificate=str(tmp_path / "c"), gap_tolerance=0, n_jobs=1)
    assert (result.status, result.cost_quanta) == ("optimal", best)
    assert result.certificate["lower_bound_quanta"] == best
    assert verdict(tmp_path / "c", tmp_path / f"g.{suffix}")[0] == 0


def chain(n: int) -> ParentGraph:
    """Each variable wants the one before it, and the first the last: one component."""
    return graph_of([{0: 10, 1 << (i - 1) % n: 3 if i else 5} for i in range(n)])


@pytest.mark.parametrize(
    "options",
    first_of([{}, {"strategy": "astar"}, {"strategy": "astar", "heuristic": "cuts"}], 1),
)
def test_a_cycle_of_many_variables_is_one_component(options: dict[str, str]) -> None:
    """Someone has to do without its parent: the first, who loses least by it."""
    n = 515
    result = sabna.search(chain(n), gap_tolerance=0, n_jobs=1, **options)
    assert (result.status, result.cost_quanta) == ("optimal", 3 * (n - 1) + 10)


def wide_table(n: int, rows: int, seed: int) -> Table:
    """Binary columns, most of them noisy copies of an earlier one."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n, rows), dtype=np.uint16)
    for v in range(1, n):
        if rng.random() < 0.8:
            flips = rng.random(rows) < rng.uniform(0.05, 0.4)
            codes[v] = codes[rng.integers(0, v)] ^ flips
    return Table(tuple(f"x{v}" for v in range(n)), codes, (("0", "1"),) * n)


def gains_of(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """BIC costs of the columns alone, and what each gains by each other as its parent; from the counts of pairs."""
    rows = codes.shape[1]
    ones, penalty = codes.astype(np.float64), math.log(rows) / 2
    together, single = ones @ ones.T, ones.sum(axis=1)

    def ll(counts: np.ndarray) -> np.ndarray:
        return np.where(counts > 0, counts * np.log(np.maximum(counts, 1)), 0.0)

    alone = ll(single) + ll(rows - single) - rows * math.log(rows)
    joint = sum(ll(c) for c in (together, single[:, None] - together, single[None, :] - together))
    joint = joint + ll(rows - single[:, None] - single[None, :] + together) - rows * math.log(rows)
    return penalty - alone, joint - alone[:, None] - alone[None, :] - penalty  # one parameter more


def forest_cost(codes: np.ndarray) -> float:
    """BIC cost of the best forest by Kruskal's algorithm: with at most one parent no network costs less."""
    alone, gain = gains_of(codes)
    total, root = float(alone.sum()), list(range(len(alone)))

    def find(v: int) -> int:
        while root[v] != v:
            root[v] = root[root[v]]
            v = root[v]
        return v

    above = np.argwhere(np.triu(gain, 1) > 0)
    for i, j in above[np.argsort(-gain[above[:, 0], above[:, 1]])].tolist():
        if find(i) != find(j):
            root[find(i)] = find(j)
            total -= gain[i, j]
    return total


def test_parent_sets_of_a_wide_table() -> None:
    """Every set of one parent that gains something, with its cost, and no other."""
    n = 520
    table = wide_table(n, 100, seed=1)
    alone, gain = gains_of(table.codes)
    graph = sabna.build_parent_graph(table, max_parents=1, n_jobs=1)
    for i in range(n):
        listed = {parents: cost / 2**30 for cost, parents in graph.parent_sets(i)}
        expected = {(): alone[i], **{(j,): alone[i] - gain[i, j] for j in np.flatnonzero(gain[i] > 0) if j != i}}
        assert listed == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("n", [600, 1000])
def test_wide_tables_with_one_parent_against_the_best_forest(n: int, tmp_path: Path) -> None:
    """The network of a whole run, against Kruskal; its files are read back."""
    table = wide_table(n, 120, seed=n)
    result = sabna.learn(table, max_parents=1, n_jobs=1, time_limit=60)
    best, cost, lower = forest_cost(table.codes), result.cost_quanta / 2**30, result.lower_bound_quanta / 2**30
    assert lower - 1e-4 <= best <= cost + 1e-4
    assert cost <= best * 1.01
    for suffix in ("bif", "json", "net", "graphml", "csv"):
        path = tmp_path / f"network.{suffix}"
        result.network.save(path)
        assert set(sabna.read_network(path).edges) == set(result.network.edges)
