"""fnml, qnml and bds against their formulas; parent lists built child by child against the list of all sets."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import UsageError
from sabna.base.varsets import members
from sabna.parents.build import build_parent_graph
from sabna.scores.local import local_cost, local_costs
from sabna.table import Table


def random_table(seed: int, n: int = 4, rows: int = 40, most_states: int = 3) -> Table:
    rng = np.random.default_rng(seed)
    codes = np.empty((n, rows), dtype=np.uint16)
    states = []
    for i in range(n):
        arity = int(rng.integers(2, most_states + 1))
        noise = rng.integers(0, arity, rows)
        codes[i] = np.where(rng.random(rows) < 0.6, codes[rng.integers(0, i)] % arity, noise) if i else noise
        states.append(tuple(str(k) for k in range(arity)))
    return Table(tuple("abcdefgh"[:n]), codes, tuple(states))


def cells(table: Table, child: int, parents: tuple[int, ...]) -> dict[tuple[int, ...], Counter[int]]:
    out: dict[tuple[int, ...], Counter[int]] = {}
    for r in range(table.rows):
        key = tuple(int(table.codes[p, r]) for p in parents)
        out.setdefault(key, Counter())[int(table.codes[child, r])] += 1
    return out


def minus_log_likelihood(table: Table, child: int, parents: tuple[int, ...]) -> float:
    return -sum(c * math.log(c / cell.total()) for cell in cells(table, child, parents).values() for c in cell.values())


def normaliser(n: int, k: int) -> float:
    """C(n, k) by its definition: over all ways to share n among k values."""
    if n == 0:
        return 1.0
    total = 0.0
    for bars in itertools.combinations(range(n + k - 1), k - 1):
        counts = [b - a - 1 for a, b in itertools.pairwise((-1, *bars, n + k - 1))]
        ways = math.factorial(n) / math.prod(math.factorial(c) for c in counts)
        total += ways * math.prod((c / n) ** c for c in counts)
    return total


def fnml(table: Table, child: int, parents: tuple[int, ...]) -> float:
    r = table.arities[child]
    regret = sum(math.log(normaliser(cell.total(), r)) for cell in cells(table, child, parents).values())
    return minus_log_likelihood(table, child, parents) + regret


def qnml(table: Table, child: int, parents: tuple[int, ...]) -> float:
    q, r = math.prod(table.arities[p] for p in parents), table.arities[child]
    regret = math.log(normaliser(table.rows, q * r)) - math.log(normaliser(table.rows, q))
    return minus_log_likelihood(table, child, parents) + regret


def bds(table: Table, child: int, parents: tuple[int, ...], size: float = 1.0) -> float:
    found = cells(table, child, parents)
    a = size / len(found)
    b = a / table.arities[child]
    return sum(
        math.lgamma(a + cell.total()) - math.lgamma(a) - sum(math.lgamma(b + c) - math.lgamma(b) for c in cell.values())
        for cell in found.values()
    )


FORMULAS: dict[str, Callable[[Table, int, tuple[int, ...]], float]] = {"fnml": fnml, "qnml": qnml, "bds": bds}


@pytest.mark.parametrize("score", FORMULAS)
@pytest.mark.parametrize("seed", range(4))
def test_a_family_costs_what_the_formula_says(score: str, seed: int) -> None:
    table = random_table(seed, n=3, rows=9, most_states=2)
    for child, parents in [(0, ()), (1, (0,)), (2, (0, 1)), (0, (1, 2))]:
        mine = local_cost(table, table.names[child], [table.names[p] for p in parents], score)
        assert mine == pytest.approx(FORMULAS[score](table, child, parents), abs=1e-6)


def test_bds_takes_a_sample_size() -> None:
    table = random_table(7)
    mine = local_cost(table, "b", ["a", "c"], "bds", equivalent_sample_size=7)
    assert mine == pytest.approx(bds(table, 1, (0, 2), 7.0), abs=1e-6)


def test_the_normaliser_of_many_values_agrees_with_a_recurrence_in_big_fractions() -> None:
    """Ratios are carried instead of values; this protects from drift over many steps."""
    from fractions import Fraction

    n, most = 30, 64
    two = sum((Fraction(math.perm(n, k), n**k) for k in range(n + 1)), Fraction(0))
    values = [Fraction(1), two]
    for k in range(1, most - 1):
        values.append(values[k] + Fraction(n, k) * values[k - 1])
    table = Table(tuple("abcdef"), np.zeros((6, n), dtype=np.uint16), (("0", "1"),) * 6)
    for size in range(6):
        wanted = math.log(values[2 ** (size + 1) - 1]) - math.log(values[2**size - 1])
        assert local_cost(table, "f", "abcde"[:size], "qnml") == pytest.approx(wanted, abs=1e-6)


def test_qnml_is_score_equivalent_to_the_quantum() -> None:
    table = random_table(11, n=3, rows=50)
    a, b, c = 0, 1, 2
    chains = [[(a, ()), (b, (a,)), (c, (b,))], [(c, ()), (b, (c,)), (a, (b,))], [(b, ()), (a, (b,)), (c, (b,))]]
    assert len({int(local_costs(table, chain, "qnml").sum()) for chain in chains}) == 1


def all_costs(table: Table, child: int, score: str) -> dict[tuple[int, ...], int]:
    others = [k for k in range(table.n) if k != child]
    sets = [s for size in range(table.n) for s in itertools.combinations(others, size)]
    return dict(zip(sets, map(int, local_costs(table, [(child, s) for s in sets], score)), strict=True))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    score=st.sampled_from(["bic", "aic", "bdeu", "k2", "bds", "fnml", "qnml"]),
    slack=st.sampled_from([None, 0.0, 1.0, 3.5]),
    required=st.sets(st.integers(0, 3), max_size=2),
    forbidden=st.sets(st.integers(0, 3), max_size=2),
    limit=st.sampled_from([None, 2, 3]),
)
def test_lists_built_child_by_child_are_all_sets_that_obey_and_are_not_beaten(
    seed: int, score: str, slack: float | None, required: set[int], forbidden: set[int], limit: int | None
) -> None:
    table = random_table(seed, n=5, rows=10 + seed % 60)
    child = 4
    known = {
        "required": [(table.names[p], table.names[child]) for p in sorted(required)],
        "forbidden": [(table.names[p], table.names[child]) for p in sorted(forbidden - required)],
    }
    graph = build_parent_graph(table, score, knowledge=known, slack=slack, max_parents=limit)
    margin = -1 if slack is None else round(slack * QUANTA_PER_NAT)
    obeying = {
        s: cost
        for s, cost in all_costs(table, child, score).items()
        if required <= set(s) and not (forbidden - required) & set(s) and (limit is None or len(s) <= limit)
    }
    wanted = {
        s
        for s, cost in obeying.items()
        if all(cost - other <= margin for q, other in obeying.items() if set(q) < set(s))
    }
    kept = range(graph.offsets[child], graph.offsets[child + 1])
    assert {members(graph.sets[k]) for k in kept} == wanted
    assert all(obeying[members(graph.sets[k])] == graph.costs[k] for k in kept)
    assert list(graph.costs[kept.start : kept.stop]) == sorted(graph.costs[kept.start : kept.stop])


def test_qnml_says_which_limit_it_needs() -> None:
    codes = np.tile(np.arange(10, dtype=np.uint16), (12, 3))
    table = Table(tuple("abcdefghijkl"), codes, (tuple("0123456789"),) * 12)
    with pytest.raises(UsageError, match="at most 5 parents"):
        build_parent_graph(table, "qnml")
    assert len(build_parent_graph(table, "qnml", max_parents=1)) >= 12


def test_threads_change_nothing() -> None:
    table = random_table(3, n=6, rows=80)
    one, two = (build_parent_graph(table, "fnml", n_jobs=k) for k in (1, 2))
    assert np.array_equal(one.costs, two.costs)
    assert np.array_equal(one.sets, two.sets)
