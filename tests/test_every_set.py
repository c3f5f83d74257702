"""Lists of every parent set: the integers of the other builders, with knowledge, limits, interventions and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sabna._native import core
from sabna.averaging.posterior import ALL_SETS
from sabna.base.stop import Stop
from sabna.parents.build import build_parent_graph
from sabna.parents.constraints import constraints_of
from sabna.scores.local import core_table
from sabna.table.table import Table

# More than any two sets of these tables differ by, and less than what asks for every set.
NEARLY_ALL = 1e8


def table_of(seed: int, n: int = 6, rows: int = 60, arities: int = 4, was_set: bool = False) -> Table:
    """States that no row shows, constant columns and repeated rows now and then."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1 if seed % 2 else 2, arities + 1, n)
    codes = np.array([rng.integers(0, size, rows) for size in sizes], dtype=np.uint16)
    codes[1] = np.where(rng.random(rows) < 0.7, codes[0] % sizes[1], codes[1])
    codes[:, ::3] = codes[:, [0]]
    states = tuple(tuple(map(str, range(size + (k == 2)))) for k, size in enumerate(sizes))
    flags = (rng.random((n, rows)) < 0.2).astype(np.uint8) if was_set else None
    return Table(tuple("abcdefgh"[:n]), codes, states, was_set=flags)


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.arrays, other.arrays, strict=True))


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2"])
@pytest.mark.parametrize("seed", range(3))
def test_every_set_costs_what_the_builder_child_by_child_says(score: str, seed: int) -> None:
    table = table_of(seed)
    known = {"required": [["a", "b"]], "forbidden": [["c", "d"]]}
    for options in ({}, {"max_parents": 2}, {"knowledge": known}, {"knowledge": known, "max_parents": {"b": 3}}):
        every = build_parent_graph(table, score, slack=ALL_SETS, **options)
        one_by_one = build_parent_graph(table, score, slack=NEARLY_ALL, **options)
        assert same(every, one_by_one)
        assert every.statistics["evaluated"] == len(every) == one_by_one.statistics["evaluated"]
    assert len(build_parent_graph(table, score, slack=ALL_SETS)) == 6 * 2**5


def test_rows_that_do_not_count_are_left_out() -> None:
    table = table_of(4, was_set=True)
    assert same(*(build_parent_graph(table, "bdeu", slack=slack) for slack in (ALL_SETS, NEARLY_ALL)))


def test_threads_make_no_difference_and_products_beyond_all_numbers_are_left_to_the_other_builder() -> None:
    table = table_of(5, n=8)
    assert same(*(build_parent_graph(table, "bdeu", slack=ALL_SETS, n_jobs=k) for k in (1, 3)))
    many = tuple(map(str, range(2**11)))
    wide = Table(table.names, table.codes, (many,) * 8)  # 2^88 configurations
    assert same(*(build_parent_graph(wide, "bdeu", slack=slack, max_parents=2) for slack in (ALL_SETS, NEARLY_ALL)))


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (core.Limits(seconds=0.0), Stop.time_limit),
        (core.Limits(bytes=3000), Stop.memory_limit),
    ],
)
def test_stopped_it_has_the_required_sets(limits: Any, stop: Stop) -> None:
    table = table_of(6)
    _, constraints = constraints_of({"required": [["a", "b"]]}, table.names, None)
    built = core.build_every_set(*core_table(table), "bdeu", 1.0, *constraints.arrays, list(range(6)), 1, limits)
    assert built.stop == stop
    assert np.diff(built.offsets).tolist() == [1] * 6
    assert built.sets[1, 0] == 1
    assert built.floor.tolist() == [0] * 6


def test_few_families_of_many_variables_do_not_take_the_memory_of_all_sets() -> None:
    table = table_of(7, n=8)
    few = build_parent_graph(table, "bdeu", slack=ALL_SETS, max_parents=1)
    assert few.statistics["counted"] == 0  # child by child
    assert same(few, build_parent_graph(table, "bdeu", slack=NEARLY_ALL, max_parents=1))
    assert build_parent_graph(table, "bdeu", slack=ALL_SETS).statistics["counted"] > 0
