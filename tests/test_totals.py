"""Totals at the limit of what 64 bits can add up: right just below it, refused just above it, however a graph is made.

What was wrong once: sums that wrapped around and came out as optimal costs, and a strategy that took less than the
readers let through.
"""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.alternatives import listing
from sabna.base.cost import INFINITE, LARGEST_TOTAL, QUANTA_PER_NAT
from sabna.base.errors import DataError, ScoreFileError, UsageError
from sabna.bounds.weights import Clusters
from sabna.cli.app import run
from sabna.parents.builders.own import graph_from_scores
from sabna.parents.graph import ParentGraph
from sabna.table import NumericTable, Table
from tests.all_networks import all_networks
from tests.graphs import graph_of, optimum, random_graph
from tests.repeats import few_or_many, first_of
from tests.test_auto import without_tables  # noqa: F401

SHAPES = ("shifted down", "shifted up", "spread", "one variable", "no empty sets")


def total_of(graph: ParentGraph) -> int:
    """The sum over variables of the largest cost in size, in Python's integers."""
    return sum(max(abs(cost) for cost, _ in graph.parent_sets(i)) for i in range(graph.n))


def at_the_limit(seed: int, n: int, shape: str) -> ParentGraph:
    """A random graph whose total is just below the limit."""
    rng = random.Random(seed)
    costs = rng.choice([3, 1000, 1 << 40])
    hard, empty = rng.random() < 0.5, shape != "no empty sets"
    lists = lists_of(random_graph(seed, n, sets=12, largest=3, costs=costs, empty_sets=empty, hard=hard))
    wanted = LARGEST_TOTAL - 1
    if shape == "one variable":  # all of it in the costs of one variable
        lists[n // 2] = stretched(
            lists[n // 2], wanted - sum(largest(entries) for entries in lists) + largest(lists[n // 2])
        )
        return graph_of(lists)
    for i, entries in enumerate(lists):
        share = wanted // n if i < n - 1 else wanted - (n - 1) * (wanted // n)
        if shape == "spread" or shape == "no empty sets":
            lists[i] = stretched(entries, share)
        else:
            sign = -1 if shape == "shifted down" else 1
            offset = share - max(sign * cost for cost in entries.values())
            lists[i] = {bits: cost + sign * offset for bits, cost in entries.items()}
    return graph_of(lists)


def lists_of(graph: ParentGraph) -> list[dict[int, int]]:
    return [{sum(1 << p for p in ps): cost for cost, ps in graph.parent_sets(i)} for i in range(graph.n)]


def largest(entries: dict[int, int]) -> int:
    return max(abs(cost) for cost in entries.values())


def stretched(entries: dict[int, int], share: int) -> dict[int, int]:
    """The costs multiplied, so that the largest in size becomes `share`."""
    size = max(largest(entries), 1)
    out = {bits: cost * (share // size) for bits, cost in entries.items()}
    worst = max(out, key=lambda bits: abs(out[bits]))
    out[worst] += (1 if out[worst] >= 0 else -1) * (share - abs(out[worst]))
    return out


@pytest.mark.parametrize("shape", SHAPES)
def test_the_graphs_of_these_tests_are_at_the_limit(shape: str) -> None:
    for seed in range(20):
        # Dominated sets are dropped on the way: the dearest may be among them, but never more than it.
        assert total_of(at_the_limit(seed, 6, shape)) <= LARGEST_TOTAL - 1
    assert any(total_of(at_the_limit(seed, 6, shape)) == LARGEST_TOTAL - 1 for seed in range(20))


WAYS: list[dict[str, Any]] = [
    {"strategy": "auto"},
    {"strategy": "astar"},
    {"strategy": "astar", "heuristic": "simple", "path_extension": False, "upper_bound": False},
    {"strategy": "astar", "heuristic": "pattern"},
    {"strategy": "astar", "heuristic": "pattern", "pattern_groups": 7, "pattern_grouping": "interleave"},
    {"strategy": "astar", "heuristic": "cuts"},
    {"strategy": "astar", "heuristic": "cuts", "upper_bound": False},
    {"strategy": "astar", "heuristic": "dual-pattern", "scc_branching": True},
    {"strategy": "bfs"},
    {"strategy": "bfs", "path_extension": False},
    {"strategy": "bfs", "heuristic": "dual-pattern", "components": True},
]


@few_or_many("graphs", 3, 6)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_strategy_is_right_up_to_the_limit(shape: str, graphs: int) -> None:
    for seed in range(graphs):
        graph = at_the_limit(seed, 7, shape)
        best = optimum(graph)
        for options in WAYS:
            result = sabna.search(graph, gap_tolerance=0, n_jobs=1, **options)
            assert (result.status, result.cost_quanta, result.lower_bound_quanta) == ("optimal", best, best), options


@few_or_many("graphs", 4, 12)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.usefixtures("without_tables")
def test_bounds_and_fixing_are_right_up_to_the_limit(shape: str, graphs: int) -> None:
    """Small graphs sent the way of large ones: ascent, linear programs, pattern databases, fixing, search."""
    for seed in range(graphs):
        graph = at_the_limit(seed, 8, shape)
        result = sabna.search(graph, gap_tolerance=0, n_jobs=1)
        assert (result.status, result.cost_quanta) == ("optimal", optimum(graph))


def test_tables_know_when_no_network_exists_whatever_the_sign_of_the_costs() -> None:
    """With negative costs the mark for "no parent set fits" came out below itself, and the dense search stumbled."""
    graph = graph_of([{0b10: -5}, {0b01: -5}])
    found = core.dense_search(*graph.arrays, threads=1, limits=core.Limits(bytes=1 << 30))
    assert (found.stop, found.cost, found.known) == (core.Stop.none, INFINITE, False)


def test_a_pattern_that_costs_a_power_of_two_is_no_dead_end() -> None:
    """2^56 quanta were the mark of a pattern that cannot be placed: a cost of exactly that many misled the search."""
    mark = 1 << 56
    for costs in itertools.product((mark, mark - 1, 2 * mark, -mark), repeat=3):
        graph = graph_of([{0: costs[0], 0b110: costs[0] - mark}, {0: costs[1]}, {0: costs[2], 0b001: costs[2] - 1}])
        result = sabna.search(graph, "astar", "pattern", pattern_groups=1, gap_tolerance=0, n_jobs=1)
        assert result.cost_quanta == optimum(graph)


# --- networks near the best ------------------------------------------------------------------------------------------


def all_costs(graph: ParentGraph) -> list[int]:
    """The costs of all networks, cheapest first, in Python's integers."""
    listed = [{parents: cost for cost, parents in graph.parent_sets(i)} for i in range(graph.n)]
    return sorted(
        sum(entries[parents] for entries, parents in zip(listed, network, strict=True))
        for network in all_networks(graph.n)
        if all(parents in entries for entries, parents in zip(listed, network, strict=True))
    )


@few_or_many("graphs", 1, 2)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tables", [True, False])
def test_the_k_best_are_right_up_to_the_limit(
    shape: str, tables: bool, graphs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all there are, however far apart: the list once ended 16,000 nats from the best and was called complete."""
    monkeypatch.setattr(listing, "TABLES_AT_ONCE", 14 if tables else 0)
    for seed in range(graphs):
        graph = at_the_limit(seed, 4, shape)
        wanted = all_costs(graph)
        for k in (1, 3, len(wanted), len(wanted) + 5):
            found = sabna.kbest(graph, k, n_jobs=1)
            assert found.cost_quanta.tolist() == wanted[:k]
            assert found.complete or k <= len(wanted)


def test_networks_that_cannot_be_added_up_leave_the_list_of_the_k_best_open() -> None:
    """With a and b as parents c has 1.4e10 parameters: too dear to be added up, so nobody knows all networks."""
    states = tuple(str(k) for k in range(2400))
    codes = np.array([[0, 1, 2, 3], [0, 1, 1, 0], [3, 0, 2, 1]], dtype=np.uint16)
    table = Table(("a", "b", "c"), codes, (states,) * 3)
    found = sabna.kbest(table, 30, n_jobs=1)
    assert 1 < len(found) < 25
    assert not found.complete
    with pytest.raises(DataError, match="too large"):
        sabna.learn(table, knowledge={"required": ["a -> c", "b -> c"]})


# --- every way a graph is made ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jkl", "pss", "pg"])
def test_files_just_below_the_limit_are_read_and_just_above_refused(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"large.{suffix}"
    for shape, seed in (("shifted down", 1), ("shifted up", 2), ("spread", 3)):
        below = at_the_limit(seed, 5, shape)
        below.save(path)
        for strategy in ("auto", "astar"):
            assert sabna.search(path, strategy, gap_tolerance=0, n_jobs=1).cost_quanta == optimum(below)
        assert sabna.kbest(sabna.read_parent_graph(path), 1).cost_quanta[0] == optimum(below)
        above = raised_to(below, LARGEST_TOTAL)
        above.save(path)
        with pytest.raises(ScoreFileError, match=rf"large\.{suffix}: the scores are too large .*rescale"):
            sabna.read_parent_graph(path)
        assert run(["search", str(path), "--json"]) == 4
        assert "too large" in json.loads(capsys.readouterr().out)["message"]


def raised_to(graph: ParentGraph, total: int) -> ParentGraph:
    """The same graph, the cost largest in size of one variable changed so that the total is `total`."""
    sizes = [max(abs(cost) for cost, _ in graph.parent_sets(i)) for i in range(graph.n)]
    costs = graph.costs.copy()
    first, last = int(graph.offsets[0]), int(graph.offsets[1]) - 1
    at = last if abs(int(costs[last])) == sizes[0] else first
    costs[at] += (1 if costs[at] > 0 else -1) * (total - sum(sizes))
    return replace(graph, costs=costs)


def test_graphs_made_by_hand_just_above_the_limit_are_refused() -> None:
    above = raised_to(at_the_limit(1, 5, "spread"), LARGEST_TOTAL)
    assert total_of(above) == LARGEST_TOTAL
    result = sabna.search(at_the_limit(1, 5, "spread"))
    for use in (sabna.search, sabna.kbest, result.alternatives):
        with pytest.raises(UsageError, match="parent graph: the scores are too large"):
            use(above)
    extreme = replace(above, costs=np.full_like(above.costs, np.iinfo(np.int64).min))
    with pytest.raises(UsageError, match="too large"):
        sabna.search(extreme)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"costs": np.array([1.0, 2.0, 3.0])}, "costs must be an array of int64"),
        ({"costs": np.array([1, 3, 2])}, "must not fall within a variable"),
        ({"costs": np.array([1, 2])}, "shapes"),
        ({"sets": np.array([[0], [2], [0]], dtype=np.uint64)}, "parents of 'b'"),
        ({"sets": np.array([[4], [1], [0]], dtype=np.uint64)}, "parents of 'a'"),
        ({"sets": np.array([[0], [1], [0]])}, "sets must be an array of uint64"),
        ({"offsets": np.array([0, 0, 3])}, "at least one parent set"),
        ({"offsets": np.array([0, 1, 4])}, "at least one parent set"),
        ({"offsets": np.array([0, 3])}, "shapes"),
        ({"names": ("a", "a")}, "same name"),
    ],
)
def test_graphs_made_by_hand_that_are_not_sound_are_refused(change: dict[str, Any], message: str) -> None:
    """Costs out of order, for one, gave a network that was not the best."""
    sets = np.array([[0], [1], [0]], dtype=np.uint64)
    graph = ParentGraph(("a", "b"), np.array([0, 1, 3]), np.array([1, 2, 3]), sets)
    assert sabna.search(graph).cost_quanta == 3
    for use in (sabna.search, sabna.kbest):
        with pytest.raises(UsageError, match=message):
            use(replace(graph, **change))


def ring(n: int, nats: float) -> ParentGraph:
    """Every variable gains one nat by the next one as its parent: n - 1 of them can."""
    names = [f"X{i}" for i in range(n)]

    def score(child: str, parents: tuple[str, ...]) -> float:
        return nats + (1.0 if parents and parents[0] == names[(names.index(child) + 1) % n] else 0.0)

    return graph_from_scores(names, score, max_parents=1)


@pytest.mark.parametrize("n", [60, 100, 200])
def test_own_scores_that_wrapped_around_are_refused(n: int) -> None:
    with pytest.raises(
        UsageError, match=r"own score: the scores are too large \('X0' has one of 1e\+08 nats in size\)"
    ):
        ring(n, -1e8)


@pytest.mark.parametrize("nats", [-1e9, 1e9])
@pytest.mark.parametrize("n", first_of([60, 70], 1))
def test_own_scores_up_to_the_limit_are_right(n: int, nats: float) -> None:
    result = sabna.search(ring(n, nats / n), gap_tolerance=0, n_jobs=1)
    each = round(-nats / n * QUANTA_PER_NAT)
    gained = round((-nats / n - 1) * QUANTA_PER_NAT)
    assert (result.status, result.cost_quanta) == ("optimal", (n - 1) * gained + each)
    assert len(result.network.edges) == n - 1


@pytest.mark.parametrize("value", [2.0**30, -(2.0**30), 1e300, -1e300])
def test_an_own_score_beyond_all_limits_is_told_as_what_it_is(value: float) -> None:
    with pytest.raises(UsageError, match="too large"):
        graph_from_scores("ab", lambda child, parents: value)
    small = graph_from_scores("ab", lambda child, parents: np.copysign(2.0**29 - 1, value))
    assert sabna.search(small).cost_quanta == -2 * int(np.copysign(2**29 - 1, value)) << 30


def test_continuous_data_whose_costs_cannot_be_added_up_are_refused() -> None:
    values = np.random.default_rng(0).normal(size=(2, 800_000)) * 1e300
    for score in ("bic-g", "bge"):
        with pytest.raises(DataError, match=r"this table: the scores are too large.*other units"):
            sabna.build_parent_graph(NumericTable(("x", "y"), values), score)
    longer = NumericTable(("x", "y"), np.tile(values, 4))  # beyond what the core can tell apart as costs
    with pytest.raises(DataError, match=r"this table: the scores are too large.*other units"):
        sabna.build_parent_graph(longer, "bic-g")


# --- weights of clusters ---------------------------------------------------------------------------------------------


def test_weights_that_leave_no_room_for_sums_are_scaled_down() -> None:
    graph = at_the_limit(1, 6, "spread")
    rng = np.random.default_rng(0)
    sets = np.array([[0b111], [0b111111], [0b101010]], dtype=np.uint64)
    k = np.array([1, 2, 1])
    for y in (np.full(3, 1 << 62), np.array([1e300, np.inf, np.nan]), rng.uniform(0, 2.0**60, 3)):
        clusters = Clusters.of(sets, k, y)
        assert sum(int(w) * bin(int(s[0])).count("1") for w, s in zip(clusters.y, sets, strict=True)) <= LARGEST_TOTAL
        bound = core.cluster_reduced_costs(*graph.arrays, *clusters.arrays).bound
        assert bound <= optimum(graph)
        credit = [
            [sum(int(y) for y, s, j in zip(clusters.y, sets, k, strict=True) if earns(i, parents, int(s[0]), int(j)))
             for _, parents in graph.parent_sets(i)]
            for i in range(graph.n)
        ]  # fmt: skip
        exact = sum(int(a) * int(b) for a, b in zip(clusters.y, k, strict=True)) + sum(
            min(cost - c for (cost, _), c in zip(graph.parent_sets(i), credit[i], strict=True)) for i in range(graph.n)
        )
        assert bound == exact
    with pytest.raises(OverflowError):
        core.cluster_reduced_costs(*graph.arrays, sets, k, np.full(3, 1 << 59))


def earns(i: int, parents: tuple[int, ...], cluster: int, k: int) -> bool:
    return bool(cluster >> i & 1) and sum(cluster >> p & 1 for p in parents) < k
