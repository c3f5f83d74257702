"""Orders from tied groups: protects from a smaller graph that promises networks which are none, and from groups that
are no groups."""

from __future__ import annotations

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.limits import Limits
from sabna.bounds.tied import TiedGraph, tied_groups
from sabna.bounds.untying import untying
from sabna.parents.orders import network_of_order


def one_hot_table(positions: int, seed: int, rows: int = 300) -> dict[str, list[int]]:
    """Columns of four values each, weakly linked to the column before, written as three columns of zeros and ones."""
    random = np.random.default_rng(seed)
    table: dict[str, list[int]] = {}
    before = random.integers(0, 4, rows)
    for p in range(positions):
        copied = random.random(rows) < 0.3
        now = np.where(copied, before, random.integers(0, 4, rows))
        table |= {f"P{p}.{v}": (now == v).astype(int).tolist() for v in range(3)}
        before = now
    return table


@pytest.fixture(scope="module", params=range(4))
def graph(request: pytest.FixtureRequest) -> sabna.ParentGraph:
    import pandas as pd

    return sabna.build_parent_graph(pd.DataFrame(one_hot_table(6, request.param)), max_parents=2)


def test_columns_of_one_position_are_tied(graph: sabna.ParentGraph) -> None:
    assert tied_groups(graph) == [[3 * p, 3 * p + 1, 3 * p + 2] for p in range(6)]


def test_orders_written_out_cost_what_the_smaller_graph_says(graph: sabna.ParentGraph) -> None:
    tied = TiedGraph(graph, tied_groups(graph))
    smaller = tied.contracted()
    assert smaller is not None
    random = np.random.default_rng(1)
    for _ in range(20):
        order = random.permutation(smaller.n).tolist()
        by_groups, by_columns = network_of_order(smaller, order), network_of_order(graph, tied.written_out(order))
        assert by_groups is not None
        assert by_columns is not None
        assert by_groups[0] == by_columns[0]


@pytest.mark.parametrize("loose", [{0}, {1, 4}, {0, 2, 3}], ids=str)
def test_orders_of_some_groups_cost_what_their_graph_says(graph: sabna.ParentGraph, loose: set[int]) -> None:
    tied = TiedGraph(graph, tied_groups(graph)).untied(loose)
    smaller = tied.contracted()
    assert smaller is not None
    assert smaller.n == 6 + 2 * len(loose)
    random = np.random.default_rng(2)
    for _ in range(10):
        order = random.permutation(smaller.n).tolist()
        by_groups, by_columns = network_of_order(smaller, order), network_of_order(graph, tied.written_out(order))
        assert by_groups is None or by_columns is None or by_groups[0] == by_columns[0]
        assert (by_groups is None) == (by_columns is None)


def test_all_groups_untied_are_the_graph(graph: sabna.ParentGraph) -> None:
    untied = TiedGraph(graph, tied_groups(graph)).untied(range(6)).contracted()
    assert untied is not None
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(untied.arrays, graph.arrays, strict=True))


def local_search(graph: sabna.ParentGraph, start: list[int], seed: int) -> list[int]:
    settings = {"seed": seed, "work": 3_000_000, "restarts": 4, "kicks": 10, "crossings": 20, "threads": 1}
    return list(core.local_search(*graph.arrays, **settings, starts=[start], limits=Limits().left()).order)


def test_untying_ends_at_the_optimum_of_small_tables(graph: sabna.ParentGraph) -> None:
    tied = TiedGraph(graph, tied_groups(graph))
    start = tied.written_out(list(range(6)))
    found = network_of_order(graph, untying(tied, start, local_search, 1))
    assert found is not None
    assert found[0] == sabna.search(graph, gap_tolerance=0).cost_quanta


def test_untying_gives_back_what_it_began_with_where_time_is_over(graph: sabna.ParentGraph) -> None:
    tied = TiedGraph(graph, tied_groups(graph))
    start = tied.written_out(list(range(6)))
    assert untying(tied, start, lambda *_: None, 1) == start


def test_no_network_of_groups_beats_the_best(graph: sabna.ParentGraph) -> None:
    smaller = TiedGraph(graph, tied_groups(graph)).contracted()
    assert smaller is not None
    assert sabna.search(smaller).cost >= sabna.search(graph).cost - 1e-6


def test_variables_without_groups_are_not_tied() -> None:
    graph = sabna.build_parent_graph("example:asia")
    assert tied_groups(graph) == []
