"""Local scores: the formulas, exactness, and what others computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabna import read_network
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import UsageError
from sabna.scores.local import local_cost, local_costs
from sabna.scores.registry import score_parameters, score_type
from sabna.table import Table
from tests.slow_scorer import ESS, random_table, slow_cost, subsets

ALL_SCORES = ["bic", "aic", "bdeu", "k2"]  # those of discrete data


def ess(score: str) -> dict[str, float]:
    return {"equivalent_sample_size": ESS} if score == "bdeu" else {}


@pytest.mark.parametrize("score", ALL_SCORES)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 6), rows=st.integers(1, 80))
@settings(max_examples=40, deadline=None)
def test_costs_equal_the_formulas(score: str, seed: int, n: int, rows: int) -> None:
    table = random_table(np.random.default_rng(seed), n, rows, largest_arity=5)
    families = [(i, s) for i in range(n) for s in subsets([v for v in range(n) if v != i], n)]
    costs = local_costs(table, families, score, **ess(score))
    for (child, parents), cost in zip(families, costs, strict=True):
        assert cost / QUANTA_PER_NAT == pytest.approx(slow_cost(table, child, parents, score), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_markov_equivalent_networks_cost_the_same_integer(score: str, seed: int) -> None:
    """Covered edge reversal: x -> y with the same other parents, either way round."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, 6, int(rng.integers(1, 200)), largest_arity=6)
    x, y, *shared = rng.permutation(6)[: int(rng.integers(2, 7))].tolist()
    costs = local_costs(table, [(x, shared), (y, [*shared, x]), (y, shared), (x, [*shared, y])], score, **ess(score))
    assert costs[0] + costs[1] == costs[2] + costs[3]


@pytest.mark.parametrize("score", ALL_SCORES)
def test_row_order_does_not_matter(score: str) -> None:
    rng = np.random.default_rng(3)
    table = random_table(rng, 6, 300)
    families = [(i, s) for i in range(6) for s in subsets([v for v in range(6) if v != i], 5)]
    shuffled = Table(table.names, np.ascontiguousarray(table.codes[:, rng.permutation(300)]), table.states)
    assert (local_costs(table, families, score) == local_costs(shuffled, families, score)).all()


def test_penalty_saturates_when_the_arity_product_overflows() -> None:
    n = 40
    codes = np.zeros((n, 3), dtype=np.uint16)
    codes[:, 1] = 1
    table = Table(tuple(f"v{v}" for v in range(n)), codes, (tuple(str(s) for s in range(1000)),) * n)
    costs = local_costs(table, [(0, range(1, k)) for k in (2, 3, 8, 20, 40)], "bic")
    assert (np.diff(costs) >= 0).all()
    assert costs[-1] == costs[-2] == 1 << 60


def test_million_equal_rows_beyond_the_stored_tables() -> None:
    """Counts above the stored part of the tables are computed one by one."""
    rows = 200_000
    codes = np.zeros((2, rows), dtype=np.uint16)
    codes[0, : rows // 3] = 1
    table = Table(("a", "b"), codes, (("0", "1"), ("0", "1")))
    for score in ALL_SCORES:
        for parents in ((), (1,)):
            cost = local_costs(table, [(0, parents)], score, **ess(score))[0]
            assert cost / QUANTA_PER_NAT == pytest.approx(slow_cost(table, 0, parents, score), rel=1e-10)


def test_names_and_parameters() -> None:
    assert score_type("mdl").id == score_type("bic-d").id == "bic"
    assert score_type("aic-d").id == "aic"
    assert score_parameters(score_type("bdeu"), None) == {"equivalent_sample_size": 1.0}
    with pytest.raises(UsageError, match="unknown score 'nml'"):
        score_type("nml")
    with pytest.raises(UsageError, match="no parameter"):
        score_parameters(score_type("bic"), {"equivalent_sample_size": 1.0})
    for bad in (0, -1, float("nan"), float("inf"), "1"):
        with pytest.raises(UsageError, match="above 0"):
            score_parameters(score_type("bdeu"), {"equivalent_sample_size": bad})


def test_local_cost_by_name() -> None:
    table = random_table(np.random.default_rng(0), 3, 20)
    assert local_cost(table, "v1", ["v0"]) == pytest.approx(slow_cost(table, 1, (0,), "bic"))
    with pytest.raises(UsageError, match="unknown variable 'v9'"):
        local_cost(table, "v9")
    with pytest.raises(UsageError, match="own parent"):
        local_cost(table, "v1", ["v1"])


def read_codes(path: Path, header: bool) -> Table:
    """A plain reader of its own for these files: comma-separated, states in sorted order."""
    lines = [line.split(",") for line in path.read_text().splitlines() if line]
    names = tuple(lines[0]) if header else tuple(f"V{k}" for k in range(len(lines[0])))
    columns = list(zip(*lines[header:], strict=True))
    states = tuple(tuple(sorted(set(column))) for column in columns)
    codes = [[st.index(value) for value in column] for column, st in zip(columns, states, strict=True)]
    return Table(names, np.array(codes, dtype=np.uint16), states)


def families_of_pss(path: Path) -> dict[str, list[tuple[float, list[str]]]]:
    out: dict[str, list[tuple[float, list[str]]]] = {}
    child = ""
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("VAR "):
            child = line[4:].strip()
        elif words and words[0] != "META":
            out.setdefault(child, []).append((float(words[0]), words[1:]))
    return out


def families_of_jkl(path: Path) -> dict[str, list[tuple[float, list[str]]]]:
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    out: dict[str, list[tuple[float, list[str]]]] = {}
    at = 1
    while at < len(lines):
        child, count = lines[at][0], int(lines[at][1])
        out[child] = [(float(line[0]), line[2:]) for line in lines[at + 1 : at + 1 + count]]
        at += 1 + count
    return out


def compare(table: Table, families: dict[str, list[tuple[float, list[str]]]], score: str, tolerance: float) -> int:
    position = {name: k for k, name in enumerate(table.names)} | {str(k): k for k in range(table.n)}
    flat = [(position[c], [position[p] for p in ps], s) for c, entries in families.items() for s, ps in entries]
    rng = np.random.default_rng(0)
    if len(flat) > 4000:
        flat = [flat[k] for k in rng.choice(len(flat), 4000, replace=False)]
    costs = local_costs(table, [(child, parents) for child, parents, _ in flat], score) / QUANTA_PER_NAT
    theirs = np.array([s for _, _, s in flat])
    assert np.abs(costs + theirs).max() < tolerance * table.rows  # theirs are sums of 32-bit numbers over rows
    return len(flat)


LONG = ("census", "image", "letter", "mushroom")  # tables of thousands of rows


@pytest.mark.parametrize(
    "name",
    ["autos", "flag", "heart", "hepatitis", *(pytest.param(long, marks=pytest.mark.slow) for long in LONG)],
)
def test_bic_equals_the_pss_files(benchmark_data: Path, name: str) -> None:
    table = read_codes(benchmark_data / "scores" / f"{name}.data.csv", header=True)
    families = families_of_pss(benchmark_data / "scores" / f"{name}.bic.pss")
    assert compare(table, families, "bic", 1e-5) > 100


@pytest.mark.parametrize("name", ["asia_1000_1", "sachs_1000_1", "child_2000_1"])
def test_bdeu_equals_the_jkl_files(benchmark_data: Path, name: str) -> None:
    """Those data sets in which every state of the network occurs."""
    table = read_codes(benchmark_data / "scores" / f"{name}.data.csv", header=True)
    families = families_of_jkl(benchmark_data / "scores" / f"{name}.bdeu.jkl")
    assert compare(table, families, "bdeu", 1e-8) > 100


@pytest.mark.parametrize(
    ("name", "network"),
    [("insurance_2000_1", "insurance"), pytest.param("water_1000_1", "water", marks=pytest.mark.slow)],
)
def test_bdeu_counts_states_that_no_row_shows(benchmark_data: Path, name: str, network: str) -> None:
    """The files' scores are with the arities of the network, some of whose states do not occur in the data."""
    seen = read_codes(benchmark_data / "scores" / f"{name}.data.csv", header=True)
    declared = read_network(benchmark_data / "networks" / f"{network}.bif").states
    assert declared is not None
    unseen = [len(declared[v]) - len(states) for v, states in zip(seen.names, seen.states, strict=True)]
    assert sum(unseen) > 0
    states = tuple(
        (*states, *(f"unseen {k}" for k in range(more))) for states, more in zip(seen.states, unseen, strict=True)
    )
    table = Table(seen.names, seen.codes, states)
    families = families_of_jkl(benchmark_data / "scores" / f"{name}.bdeu.jkl")
    assert compare(table, families, "bdeu", 1e-8) == 4000
