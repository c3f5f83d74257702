"""Every way to search finds the optimum, to the integer, and the network it returns is what it says."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base.errors import KnowledgeError, UsageError
from sabna.parents.graph import ParentGraph
from sabna.result.result import Result
from sabna.settings.table import HEURISTICS

from .graphs import graph_of, optimum, random_graph

WAYS = [
    {"strategy": s, "heuristic": h, "path_extension": ope, "scc_branching": scc, "upper_bound": ub}
    for s, h, ope, scc, ub in product(("astar", "bfs"), ("simple", "pattern"), *[(True, False)] * 3)
]
OTHER_HEURISTICS = [h for h in HEURISTICS if h not in ("simple", "pattern")]


def cost_of_network(graph: ParentGraph, result: Result) -> int:
    """The cost of the network by its names alone; fails unless it is acyclic and its parent sets are listed."""
    total, placed = 0, set()
    position = {name: i for i, name in enumerate(graph.names)}
    for name in result.network.order:
        parents = result.network.parents[name]
        assert placed.issuperset(parents), "a cycle"
        placed.add(name)
        wanted = tuple(sorted(position[p] for p in parents))
        listed = {tuple(members): cost for cost, members in graph.parent_sets(position[name])}
        total += listed[wanted]
    assert placed == set(graph.names)
    return total


def check(graph: ParentGraph, expected: int, **way: Any) -> Result:
    result = sabna.search(graph, gap_tolerance=0, n_jobs=way.pop("n_jobs", 1), **way)
    assert result.status == "optimal"
    assert result.cost_quanta == result.lower_bound_quanta == expected, way
    assert cost_of_network(graph, result) == expected
    return result


def shape(seed: int) -> dict[str, Any]:
    """Shapes of small graphs: with many ties, without empty sets, with empty sets only, single variables."""
    rng = random.Random(seed)
    return {
        "n": rng.randint(1, 8),
        "sets": rng.choice((0, 2, 6, 12, 30)),
        "largest": rng.randint(1, 5),
        "costs": rng.choice((2, 5, 10**6, 10**12)),
        "empty_sets": rng.random() < 0.8,
    }


@pytest.mark.parametrize("block", range(4))
def test_a_hundred_small_graphs(block: int) -> None:
    """Each of 100 random instances by an eighth of all ways, against dynamic programming; more: the next test."""
    for seed in range(100 * block, 100 * block + 25):
        graph = random_graph(seed, **shape(seed))
        expected = optimum(graph)
        for way in WAYS[seed % 8 :: 8]:
            check(graph, expected, **way)
        check(graph, expected, strategy="auto")
        check(graph, expected, strategy="astar", components=True)
        check(graph, expected, strategy="astar", heuristic=OTHER_HEURISTICS[seed % len(OTHER_HEURISTICS)])


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_a_thousand_small_graphs_by_every_way(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        graph = random_graph(seed, **shape(seed))
        expected = optimum(graph)
        for way in WAYS:
            check(graph, expected, **way)
            check(graph, expected, components=True, **way)
        for strategy, heuristic in product(("bfs", "astar"), OTHER_HEURISTICS):
            check(graph, expected, strategy=strategy, heuristic=heuristic)
        check(graph, expected, strategy="auto")


def larger_graph(seed: int) -> tuple[ParentGraph, int]:
    graph = random_graph(
        seed, n=9 + seed % 6, sets=10 + seed, largest=4, costs=10 if seed % 5 == 0 else 10**9, hard=seed % 2 == 1
    )
    return graph, sabna.search(graph, "bfs", path_extension=False, upper_bound=False, gap_tolerance=0).cost_quanta


@pytest.mark.parametrize("block", range(5))
def test_larger_graphs_agree_with_each_other(block: int) -> None:
    """Each by a quarter of all ways."""
    for seed in range(20 * block, 20 * block + 4):
        graph, expected = larger_graph(seed)
        for way in WAYS[seed % 4 :: 4]:
            check(graph, expected, **way)
        check(graph, expected, strategy="auto")


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_a_hundred_larger_graphs_agree_by_every_way(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        graph, expected = larger_graph(seed)
        for way in WAYS:
            check(graph, expected, **way)
        check(graph, expected, strategy="auto")


def test_duplicate_and_constant_columns() -> None:
    """Columns that repeat each other tie everywhere; constant ones cost nothing and want no parents."""
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 2, (4, 80))
    codes = np.vstack([columns, columns[:2], np.zeros((2, 80)), columns[0:1] ^ columns[1:2]]).astype(int)
    graph = sabna.build_parent_graph(codes.T)
    expected = optimum(graph)
    for way in WAYS:
        check(graph, expected, **way)


def test_graphs_of_empty_sets_only() -> None:
    graph = graph_of([{0: 5}, {0: -3}, {0: 0}])
    for way in WAYS:
        assert check(graph, 2, **way).network.edges == ()


def test_the_threads_do_not_matter() -> None:
    graph = random_graph(7, n=14, sets=60, largest=4, costs=50)
    for way in WAYS:
        one, four = (sabna.search(graph, gap_tolerance=0, n_jobs=jobs, **way) for jobs in (1, 4))
        assert one.network == four.network
        assert one.lower_bound_quanta == four.lower_bound_quanta
        for key in ("expanded", "generated", "stored"):
            assert one.statistics["search"][key] == four.statistics["search"][key]


def test_a_tolerance_is_kept_and_stated() -> None:
    for seed in range(30):
        graph = random_graph(seed, n=8, sets=20, costs=10**9)
        best = optimum(graph)
        for strategy in ("astar", "bfs"):
            result = sabna.search(graph, strategy, gap_tolerance=0.3)
            assert result.status == "optimal"
            assert result.lower_bound_quanta <= best <= result.cost_quanta
            assert result.gap <= 0.3


@pytest.mark.parametrize(("n", "size"), [(75, 5), pytest.param(140, 4, marks=pytest.mark.slow)])
def test_wide_graphs_with_a_known_answer(n: int, size: int) -> None:
    """Rings of `size` variables in which each wants its neighbour: one of each ring has to do without.

    Each member gains 10 from its neighbour, the first member only 7, so the best is to leave out that one. Variables
    are shuffled over the words, and each ring may also draw on the ring before for a gain of 1.
    """
    rng = random.Random(n)
    place = rng.sample(range(n), n)
    lists: list[dict[int, int]] = [{} for _ in range(n)]
    for v in range(n):
        ring, k = divmod(v, size)
        mate = 1 << place[ring * size + (k + 1) % size]
        gain = 7 if k == 0 else 10
        lists[place[v]] = {0: 100, mate: 100 - gain}
        if ring:
            before = 1 << place[(ring - 1) * size + k]
            lists[place[v]] |= {before: 99, mate | before: 99 - gain}
    expected = sum(100 - (0 if v % size == 0 else 10) - (1 if v >= size else 0) for v in range(n))
    graph = graph_of(lists)
    check(graph, expected, strategy="auto")
    check(graph, expected, strategy="astar", components=True)
    check(graph, expected, strategy="bfs", components=True)
    check(graph, expected, strategy="astar", scc_branching=True)
    if n <= 100:
        check(graph, expected, strategy="astar", heuristic="pattern", scc_branching=True)


def test_parent_sets_that_need_each_other_make_no_network() -> None:
    with pytest.raises(KnowledgeError, match="no network can be made"):
        sabna.search(graph_of([{0b10: 1}, {0b01: 1}]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strategy": "dfs"}, "choose one of auto, astar, bfs"),
        ({"strategy": "astar", "heuristic": "magic"}, "choose one of simple, pattern"),
        ({"gap_tolerance": -1}, "from 0"),
        ({"n_jobs": 0}, "from 1 to"),
        ({"pattern_grouping": "x"}, "choose one of affinity"),
    ],
)
def test_wrong_options_are_told(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sabna.search(random_graph(1, n=3), **wrong)


def test_the_result_tells_what_was_done() -> None:
    graph = random_graph(3, n=12, sets=40)
    search = sabna.search(graph, "astar", upper_bound=False).to_dict()["search"]
    assert search["strategy"] == "astar"
    assert search["heuristic"] == "simple"
    assert 0 < search["expanded"] <= search["stored"] <= search["generated"] + 1
    assert search["bytes_per_node"] > 16


def test_a_file_may_stand_for_its_graph(tmp_path: Path) -> None:
    """Protects from an AttributeError where the command takes a name as well."""
    graph = random_graph(3, 6)
    graph.save(tmp_path / "graph.pg")
    assert sabna.search(tmp_path / "graph.pg").network == sabna.search(graph).network
    assert sabna.search(str(tmp_path / "graph.pg")).cost_quanta == sabna.search(graph).cost_quanta
