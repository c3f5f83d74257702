"""The builder of the parent graph: exact, deterministic, kind to odd tables, and stoppable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabna._native import core
from sabna.base.errors import Interrupted, LimitReached, UsageError
from sabna.base.limits import Limits
from sabna.base.varsets import members, set_words
from sabna.parents.build import build_parent_graph, build_partial_graph
from sabna.parents.built import BuiltGraph
from sabna.parents.graph import ParentGraph
from sabna.scores.local import local_costs
from sabna.table import Table
from tests.slow_scorer import graph_by_exhaustion, random_table, subsets

ALL_SCORES = ["bic", "aic", "bdeu", "k2"]  # built for all children at once
CHILD_BY_CHILD = ["bds", "fnml", "qnml"]  # qnml is slow to set up, and has a largest family


def lists(graph: ParentGraph) -> list[list[tuple[int, tuple[int, ...]]]]:
    return [list(graph.parent_sets(i)) for i in range(graph.n)]


def exhaustive(table: Table, score: str, largest: list[int]) -> list[list[tuple[int, tuple[int, ...]]]]:
    out = []
    for i in range(table.n):
        sets = subsets([v for v in range(table.n) if v != i], largest[i])
        costs = local_costs(table, [(i, s) for s in sets], score)
        out.append(graph_by_exhaustion(dict(zip(sets, costs.tolist(), strict=True))))
    return out


@pytest.mark.parametrize("score", [*ALL_SCORES, "bds", "fnml"])
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 8),
    rows=st.sampled_from([1, 2, 5, 20, 100, 400, 3000]),
    arity=st.sampled_from([2, 3, 4, 40]),
    limit=st.sampled_from(["none", "overall", "each"]),
)
@settings(max_examples=25, deadline=None)
def test_graph_equals_scoring_every_subset(score: str, seed: int, n: int, rows: int, arity: int, limit: str) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng, n, rows, arity)
    largest = [n] * n
    max_parents: Any = None
    if limit == "overall":
        max_parents = int(rng.integers(0, 4))
        largest = [max_parents] * n
    elif limit == "each":
        max_parents = {f"v{v}": int(rng.integers(0, 4)) for v in range(n) if rng.random() < 0.7}
        largest = [max_parents.get(f"v{v}", n) for v in range(n)]
    graph = build_parent_graph(table, score, max_parents=max_parents, n_jobs=1)
    assert lists(graph) == exhaustive(table, score, largest)


@pytest.mark.parametrize("score", ALL_SCORES + CHILD_BY_CHILD)
@pytest.mark.parametrize("seed", range(3))
def test_eight_variables_equal_scoring_every_subset(score: str, seed: int) -> None:
    table = random_table(np.random.default_rng(seed), 8, 150 + 100 * seed, 2 + seed)
    assert lists(build_parent_graph(table, score)) == exhaustive(table, score, [8] * 8)


def test_parity_is_found() -> None:
    """Six fair coins and their parity: no proper subset of the parents tells anything."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (7, 3000)).astype(np.uint16)
    codes[6] = codes[:6].sum(axis=0) % 2
    table = Table(tuple("abcdefg"), codes, (("0", "1"),) * 7)
    graph = build_parent_graph(table)
    assert next(iter(graph.parent_sets(6)))[1] == (0, 1, 2, 3, 4, 5)
    assert lists(graph) == exhaustive(table, "bic", [7] * 7)


@pytest.mark.parametrize("score", ALL_SCORES)
def test_threads_and_row_order_do_not_matter_to_the_bit(score: str) -> None:
    rng = np.random.default_rng(11)
    table = random_table(rng, 14, 250, 3)
    shuffled = Table(table.names, np.ascontiguousarray(table.codes[:, rng.permutation(250)]), table.states)
    limit = None if score in ("bic", "aic") else 4
    first = build_parent_graph(table, score, n_jobs=1, max_parents=limit)
    for other, jobs in ((table, 2), (table, 5), (shuffled, 3)):
        graph = build_parent_graph(other, score, n_jobs=jobs, max_parents=limit)
        for mine, yours in zip(first.arrays, graph.arrays, strict=True):
            assert np.array_equal(mine, yours)
        assert graph.statistics["evaluated"] == first.statistics["evaluated"]


def table_of(columns: list[list[int]]) -> Table:
    codes = np.array(columns, dtype=np.uint16)
    return Table(
        tuple(f"v{k}" for k in range(len(columns))),
        codes,
        tuple(tuple(str(s) for s in range(max(column) + 1)) for column in columns),
    )


@pytest.mark.parametrize("score", ALL_SCORES)
@pytest.mark.parametrize(
    "columns",
    [
        [[0]],
        [[0], [0], [0]],
        [[1], [2], [0]],
        [[0, 1, 1, 0, 1]],
        [[0, 0, 0, 0], [0, 1, 0, 1], [3, 3, 3, 3]],
        [[0, 1] * 50, [0, 1] * 50, [1, 0] * 50, [0, 0, 1, 1] * 25],
        [list(range(60)), list(range(60)), [0, 1] * 30],
    ],
    ids=["one cell", "one row", "one row, unseen states", "one column", "constant", "duplicates", "identifiers"],
)
def test_odd_but_legal_tables(score: str, columns: list[list[int]]) -> None:
    table = table_of(columns)
    assert lists(build_parent_graph(table, score)) == exhaustive(table, score, [table.n] * table.n)


def test_overflow_of_the_arity_product() -> None:
    rng = np.random.default_rng(1)
    n = 70
    codes = rng.integers(0, 2, (n, 60)).astype(np.uint16)
    codes[3] = codes[2]
    table = Table(tuple(f"v{v}" for v in range(n)), codes, (tuple(str(s) for s in range(50_000)),) * n)
    graph = build_parent_graph(table)
    assert [len(sets) for sets in lists(graph)] == [1] * n


@pytest.mark.parametrize("n", [65, 130, 300])
def test_many_variables(n: int) -> None:
    """Sets of two, four and eight words."""
    rng = np.random.default_rng(n)
    codes = rng.integers(0, 2, (n, 100)).astype(np.uint16)
    codes[n - 1] = codes[0] ^ codes[n - 2]
    table = Table(tuple(f"v{v}" for v in range(n)), codes, (("0", "1"),) * n)
    graph = build_parent_graph(table, max_parents={f"v{v}": 2 if v == n - 1 else 1 for v in range(n)})
    assert next(iter(graph.parent_sets(n - 1)))[1] == (0, n - 2)
    pairs = local_costs(table, [(n - 1, (0, n - 2)), (n - 1, ())], "bic")
    assert graph.d(n - 1, range(n)) == (pairs[0], (0, n - 2))
    assert graph.d(n - 1, []) == (pairs[1], ())


def test_lookups_agree_with_each_other_and_with_the_definition() -> None:
    rng = np.random.default_rng(7)
    table = random_table(rng, 12, 400, 2, dependent=True)
    graph = build_parent_graph(table, "aic", max_parents=6)
    queries = [(int(rng.integers(12)), [v for v in range(12) if rng.random() < 0.5]) for _ in range(500)]
    words = set_words([[v for v in U if v != i] for i, U in queries], 12)
    variables = np.array([i for i, _ in queries], dtype=np.int64)
    by_scan = core.best_parents(*graph.arrays, variables, words, False)
    by_slices = core.best_parents(*graph.arrays, variables, words, True)
    assert np.array_equal(by_scan.costs, by_slices.costs)
    assert np.array_equal(by_scan.positions, by_slices.positions)
    for (i, U), cost in zip(queries, by_scan.costs, strict=True):
        assert cost == min(c for c, s in graph.parent_sets(i) if set(s) <= set(U) - {i})


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_dominance_pruning_equals_its_definition(seed: int) -> None:
    """On lists in any order with ties, duplicates, and without an empty set."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    sets = [tuple(v for v in range(1, n) if rng.random() < 0.4) for _ in range(int(rng.integers(1, 80)))]
    costs = rng.integers(-5, 6, len(sets))
    offsets = np.array([0] + [len(sets)] * n, dtype=np.int64)
    pruned = core.prune_dominated(offsets, costs.astype(np.int64), set_words(sets, n))
    cheapest: dict[tuple[int, ...], int] = {}
    for s, cost in zip(sets, costs.tolist(), strict=True):
        cheapest[s] = min(cost, cheapest.get(s, cost))
    found = [(int(c), members(s)) for c, s in zip(pruned.costs, pruned.sets, strict=True)]
    assert found == graph_by_exhaustion(cheapest)


def test_dominance_pruning_of_long_lists() -> None:
    """Both ways of the subset query, against the bitmaps' definition."""
    rng = np.random.default_rng(2)
    sets = sorted({tuple(np.flatnonzero(rng.random(14) < 0.5).tolist()) for _ in range(1500)})
    costs = (-100 * np.array([len(s) for s in sets]) + rng.integers(0, 150, len(sets))).astype(np.int64)
    n = 15
    offsets = np.array([0] * n + [len(sets)], dtype=np.int64)
    pruned = core.prune_dominated(offsets, costs, set_words(sets, n))
    found = [(int(c), members(s)) for c, s in zip(pruned.costs, pruned.sets, strict=True)]
    assert len(found) > 300
    assert found == graph_by_exhaustion(dict(zip(sets, costs.tolist(), strict=True)))


def hard_table() -> Table:
    """Coins: nothing can be excluded early."""
    codes = np.random.default_rng(0).integers(0, 2, (40, 2000)).astype(np.uint16)
    return Table(tuple(f"v{v}" for v in range(40)), codes, (("0", "1"),) * 40)


def test_time_limit_is_kept_and_said() -> None:
    with pytest.raises(LimitReached, match="time limit") as caught:
        build_parent_graph(hard_table(), time_limit=0.3)
    assert caught.value.status == "time_limit"
    assert caught.value.statistics["evaluated"] > 0
    assert caught.value.statistics["seconds"] < 10


def test_memory_limit_is_kept_and_said() -> None:
    built = build_partial_graph(hard_table(), limits=Limits(memory=1))
    assert built.status == "memory_limit"
    assert_floors_hold(hard_table(), built)


def test_interruption_returns_what_was_scored() -> None:
    calls = []

    def progress(state: dict[str, Any]) -> None:
        calls.append(state)
        if len(calls) > 2:
            raise KeyboardInterrupt

    built = build_partial_graph(hard_table(), progress=progress)
    assert built.status == "interrupted"
    assert calls[-1]["evaluated"] > 0
    assert calls[-1]["total"] > 0
    assert_floors_hold(hard_table(), built)
    with pytest.raises(Interrupted):
        build_parent_graph(hard_table(), progress=progress)


def test_an_error_of_the_progress_callback_is_passed_on() -> None:
    def progress(state: dict[str, Any]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build_parent_graph(hard_table(), progress=progress)


def assert_floors_hold(table: Table, built: BuiltGraph) -> None:
    """No random set is cheaper than both the floor and the best listed subset."""
    rng = np.random.default_rng(4)
    score = built.graph.score or "bic"
    for i in range(table.n):
        assert built.graph.d(i, []) is not None
        families = []
        for _ in range(30):
            size = int(rng.integers(1, min(6, table.n)))
            others = [v for v in range(table.n) if v != i]
            families.append((i, tuple(rng.choice(others, size, replace=False).tolist())))
        for (_, parents), cost in zip(families, local_costs(table, families, score), strict=True):
            best = built.graph.d(i, parents)
            assert best is not None
            assert cost >= min(best[0], int(built.floor[i]))


@pytest.mark.parametrize("score", ALL_SCORES)
@pytest.mark.parametrize("stop_at", [1, 2, 4])
def test_floors_hold_wherever_a_run_is_cut(score: str, stop_at: int) -> None:
    rng = np.random.default_rng(stop_at)
    table = random_table(rng, 9, 120, 3)
    complete = build_partial_graph(table, score)
    assert complete.status == "complete"
    assert (complete.floor == 1 << 62).all()
    for seconds in (0.0, 0.0005, 0.002):
        built = build_partial_graph(table, score, limits=Limits(seconds=seconds), n_jobs=1)
        for i in range(9):
            for size in range(9):
                U = rng.choice([v for v in range(9) if v != i], size, replace=False).tolist()
                exact, partial = complete.graph.d(i, U), built.graph.d(i, U)
                assert exact is not None
                assert partial is not None
                assert partial[0] >= exact[0] >= min(partial[0], int(built.floor[i]))


def test_wrong_options_are_named() -> None:
    table = random_table(np.random.default_rng(0), 3, 10)
    for bad in (-1, 1.5, True):
        with pytest.raises(UsageError, match="max_parents"):
            build_parent_graph(table, max_parents=bad)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown variable 'z'"):
        build_parent_graph(table, max_parents={"z": 1})
    with pytest.raises(UsageError, match="jobs"):
        build_parent_graph(table, n_jobs=0)
