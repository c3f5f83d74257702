"""Heuristics are held to what they declare, on every node of the order lattice of random graphs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sabna._native import core
from sabna.parents.graph import ParentGraph

from .graphs import costs_to_go, every_node, random_graph, tables

Values = Callable[[ParentGraph, np.ndarray], np.ndarray]


def of_the_core(name: str, groups: int = 0, grouping: str = "order") -> Values:
    return lambda graph, nodes: core.heuristic_values(*graph.arrays, name, groups, grouping, nodes)


HEURISTICS: dict[str, Values] = {
    "simple": of_the_core("simple"),
    **{
        f"pattern {groups} {grouping}": of_the_core("pattern", groups, grouping)
        for groups in (1, 2, 3)
        for grouping in ("order", "interleave", "affinity")
    },
}


def check_heuristic(graph: ParentGraph, values: np.ndarray) -> None:
    """h is 0 at the end, never above the cost to go, and never falls by more than a step costs."""
    d, to_go = tables(graph), costs_to_go(graph)
    everything = (1 << graph.n) - 1
    h = [int(value) for value in values]
    assert h[everything] == 0
    for u in range(everything):
        rest = to_go[u]
        if rest is None:  # no search ever gets here
            continue
        assert h[u] <= rest, "not admissible"
        for i in range(graph.n):
            step = d[i][u]
            if not u >> i & 1 and step is not None:
                assert h[u] <= step + h[u | 1 << i], "not consistent"


@pytest.mark.parametrize("name", HEURISTICS)
def test_admissible_and_consistent_on_every_node(name: str) -> None:
    for seed in range(12):
        graph = random_graph(
            seed, n=4 + seed % 7, sets=20, largest=4, costs=6 if seed % 3 else 10**9, empty_sets=seed % 4 != 0
        )
        check_heuristic(graph, HEURISTICS[name](graph, every_node(graph)))


def test_one_group_is_the_whole_problem() -> None:
    graph = random_graph(5, n=8, sets=20)
    values = HEURISTICS["pattern 1 order"](graph, every_node(graph))
    assert [int(v) for v in values] == costs_to_go(graph)


def test_patterns_are_no_weaker_than_the_simple_heuristic() -> None:
    graph = random_graph(6, n=9, sets=20)
    nodes = every_node(graph)
    simple = HEURISTICS["simple"](graph, nodes)
    for name, values in HEURISTICS.items():
        assert (values(graph, nodes) >= simple).all(), name
