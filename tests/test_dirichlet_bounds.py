"""What is left out under bdeu and k2 without being scored: nothing that a graph of all sets would list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sabna.base.cost import QUANTA_PER_NAT
from sabna.parents.build import build_parent_graph
from sabna.scores.local import local_costs
from sabna.table import Table

from .slow_scorer import graph_by_exhaustion, subsets


def odd_table(seed: int, n: int, kinds: int, repeats: int) -> Table:
    """Few distinct rows, many times each, children that differ within them; a constant and a duplicate column."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 5, n)
    prototypes = np.stack([rng.integers(0, a, kinds) for a in arities])
    rows = rng.integers(0, kinds, kinds * repeats)
    codes = prototypes[:, rows]
    for v in range(n):
        noise = rng.random(len(rows)) < rng.choice([0.0, 0.05, 0.4])
        codes[v] = np.where(noise, rng.integers(0, arities[v], len(rows)), codes[v])
    if n > 3:
        codes[int(rng.integers(n))] = 0
        a, b = rng.choice(n, 2, replace=False)
        codes[a], arities[a] = codes[b], arities[b]
    names = tuple(f"v{v}" for v in range(n))
    return Table(names, codes.astype(np.uint16), tuple(tuple(map(str, range(a))) for a in arities.tolist()))


def lists(table: Table, score: str, size: float | None, largest: int) -> list[list[tuple[int, tuple[int, ...]]]]:
    """By scoring every subset."""
    out = []
    for i in range(table.n):
        sets = subsets([v for v in range(table.n) if v != i], largest)
        costs = local_costs(table, [(i, s) for s in sets], score, equivalent_sample_size=size)
        out.append(graph_by_exhaustion(dict(zip(sets, map(int, costs), strict=True))))
    return out


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 7),
    kinds=st.integers(1, 30),
    repeats=st.integers(1, 12),
    score=st.sampled_from(["bdeu", "bdeu", "bdeu", "k2"]),
    size=st.sampled_from([0.01, 0.3, 1.0, 2.5, 10.0, 100.0]),
    largest=st.sampled_from([1, 2, 7]),
)
def test_pruned_lists_equal_those_of_all_sets(
    seed: int, n: int, kinds: int, repeats: int, score: str, size: float, largest: int
) -> None:
    table = odd_table(seed, n, kinds, repeats)
    ess = size if score == "bdeu" else None
    graph = build_parent_graph(table, score, equivalent_sample_size=ess, max_parents=largest)
    wanted = lists(table, score, ess, largest)
    for i in range(n):
        assert list(graph.parent_sets(i)) == wanted[i]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), score=st.sampled_from(["bdeu", "k2"]), size=st.sampled_from([0.1, 1.0, 10.0]))
def test_rows_that_only_forbidden_parents_tell_apart(seed: int, score: str, size: float) -> None:
    """Twins are taken among the possible parents; those that knowledge rules out do not count."""
    table = odd_table(seed, 6, 12, 5)
    rng = np.random.default_rng(seed)
    forbidden: NDArray[np.bool_] = rng.random((6, 6)) < 0.4
    known = {"forbidden": [(f"v{a}", f"v{b}") for a in range(6) for b in range(6) if a != b and forbidden[a, b]]}
    ess = size if score == "bdeu" else None
    graph = build_parent_graph(table, score, equivalent_sample_size=ess, knowledge=known)
    for i in range(6):
        sets = subsets([v for v in range(6) if v != i and not forbidden[v, i]], 6)
        costs = local_costs(table, [(i, s) for s in sets], score, equivalent_sample_size=ess)
        assert list(graph.parent_sets(i)) == graph_by_exhaustion(dict(zip(sets, map(int, costs), strict=True)))


def test_a_child_of_more_values_than_a_word_has_bits() -> None:
    rng = np.random.default_rng(8)
    codes = np.stack([np.arange(300) % 70, *(rng.integers(0, 2, (4, 300)) & (np.arange(300) % 3 > 0))]).astype(
        np.uint16
    )
    table = Table(tuple("abcde"), codes, (tuple(map(str, range(70))), *(("0", "1"),) * 4))
    for size in (0.1, 1.0, 30.0):
        graph = build_parent_graph(table, "bdeu", equivalent_sample_size=size)
        for i, wanted in enumerate(lists(table, "bdeu", size, 5)):
            assert list(graph.parent_sets(i)) == wanted


@pytest.mark.parametrize("score", ["bdeu", "k2"])
def test_many_equal_rows_leave_less_to_score(score: str) -> None:
    """Twins and counts do something: by the configurations seen alone, every set of this table would be scored."""
    rng = np.random.default_rng(3)
    codes = (rng.random((8, 5000)) < 0.3).astype(np.uint16)
    codes[1:] ^= codes[:-1] & (rng.random((7, 5000)) < 0.2)
    table = Table(tuple("abcdefgh"), codes, (("0", "1"),) * 8)
    graph = build_parent_graph(table, score)
    assert 2**8 * np.log(2) * QUANTA_PER_NAT < graph.costs.min()
    assert graph.statistics["evaluated"] < 8 * 2**7
