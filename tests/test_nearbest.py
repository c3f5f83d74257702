"""Parent sets for alternatives, found around those of the graph without slack: the networks near the best are the same
as with all sets within the slack."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.alternatives.listing import Listing, list_networks
from sabna.alternatives.nearbest import NearBest
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.base.progress import COUNTS, OPTIONAL
from sabna.base.stop import Stop, Stopped
from sabna.base.varsets import members
from sabna.parents.graph import ParentGraph
from sabna.table import Table
from tests.repeats import first_of
from tests.test_alternatives import all_costs
from tests.test_more_scores import random_table


def networks(graph: ParentGraph, slack: float, count: int = 10**6) -> dict[tuple[tuple[int, ...], ...], int]:
    listed = list_networks(graph, count, round(slack * QUANTA_PER_NAT), n_jobs=1)
    return {
        tuple(members(graph.sets[p]) for p in choice): int(cost)
        for choice, cost in zip(listed.choices, listed.costs, strict=True)
    }


def dependent_table(seed: int, n: int, rows: int) -> Table:
    """Each column copies one before it, more or less."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n, rows))
    for i in range(1, n):
        copied = rng.random(rows) < 0.55
        codes[i, copied] = codes[rng.integers(0, i), copied]
    codes[n - 1, ::7] = 2
    states = tuple(tuple(str(s) for s in range(int(c.max()) + 1)) for c in codes)
    return Table(tuple(f"v{i}" for i in range(n)), np.ascontiguousarray(codes, np.uint16), states)


@pytest.mark.parametrize(("seed", "factor"), [(0, 1.0), (1, 20.0), (2, 1000.0)])
def test_networks_of_five_variables(seed: int, factor: float) -> None:
    table = random_table(seed, n=5, rows=50)
    every = all_costs(table)
    limit = min(every.values()) + round(math.log(factor) * QUANTA_PER_NAT)
    graph = NearBest(table, "bic", {}, Limits(), n_jobs=1).graph(math.log(factor))
    assert networks(graph, math.log(factor)) == {p: cost for p, cost in every.items() if cost <= limit}


@pytest.mark.parametrize("n", first_of([7, 9, 11], 2))
@pytest.mark.parametrize(
    ("score", "options"),
    [
        ("bic", {}),
        ("aic", {"max_parents": 2}),
        ("bdeu", {"equivalent_sample_size": 2.0, "max_parents": 3}),
        ("k2", {"max_parents": 2}),
        ("bic", {"knowledge": {"required": [["v1", "v3"]], "forbidden": [["v0", "v2"]], "leaves": ["v5"]}}),
    ],
)
def test_the_same_networks_as_with_all_sets(n: int, score: str, options: dict[str, Any]) -> None:
    table = dependent_table(n, n, 120)
    for slack in (0.0, 2.5):
        all_sets = sabna.build_parent_graph(table, score, slack=slack, n_jobs=1, **options)
        graph = NearBest(table, score, options, Limits(), n_jobs=1).graph(slack)
        assert len(graph) <= len(all_sets)
        wanted = networks(all_sets, slack, 20_000)
        found = networks(graph, slack, 20_000)
        assert sorted(found.values()) == sorted(wanted.values())
        assert len(wanted) == 20_000 or found == wanted


def test_columns_with_one_value_stay_alone() -> None:
    """Edges to and from them cost nothing: the best network alone would be there 2^edges times."""
    table = dependent_table(3, 9, 100)
    codes = np.concatenate([table.codes, np.zeros((2, 100), np.uint16)])
    wider = Table((*table.names, "same", "too"), codes, (*table.states, ("x",), ("y",)))
    wanted, found = (sabna.kbest(t, bayes_factor=5) for t in (table, wider))
    assert len(found) == len(wanted)
    assert not any({"same", "too"} & {*edge} for edge in found.edge_frequencies)
    known = sabna.kbest(wider, k=3, knowledge={"required": [["same", "v1"]]})
    assert known.edge_frequencies["same", "v1"] == pytest.approx(1)


def test_a_limit_after_the_proof_leaves_the_best_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_time(*_: Any) -> None:
        raise Stopped(Stop.time_limit)

    table = dependent_table(3, 9, 100)
    monkeypatch.setattr(Listing, "narrow", out_of_time)
    found = sabna.kbest(table, k=5)
    assert found.status == "time_limit"
    assert not found.complete
    assert found.complete_factor is None
    assert len(found) == 1
    assert found.scores[0] == sabna.learn(table, gap_tolerance=0).score


def test_the_hundred_best_of_20_variables(benchmark_data: Path) -> None:
    found = sabna.kbest(benchmark_data / "scores" / "child_2000_1.data.csv", k=100)
    assert len(found) == 100
    assert (found.scores == found.scores[0]).sum() == 28
    assert found.scores[0] - found.scores[-1] == pytest.approx(4.5169, abs=1e-4)


def test_networks_of_a_table_with_constant_columns(benchmark_data: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sabna.kbest(benchmark_data / "paper" / "water.csv", bayes_factor=3, n_jobs=1)
    assert found.complete
    assert len(set(found.networks)) == len(found)


@pytest.mark.slow
def test_networks_of_50_variables_where_cluster_cuts_do_not_suffice(benchmark_data: Path) -> None:
    """The gap of the cluster program is 165 nats here; tables of groups with weights of their own close it."""
    from sabna.network.files import read_network

    sample = read_network(benchmark_data / "networks" / "andes.bif").sample(1000, seed=1)
    data = sample.select(sample.column_names[:50])
    found = sabna.kbest(data, k=100, max_parents=3)
    assert len(set(found.networks)) == 100
    assert found.status == "done"
    assert found.scores[0] == pytest.approx(sabna.learn(data, max_parents=3, gap_tolerance=0).score)


def test_progress_of_kbest_tells_of_the_whole_from_station_to_station() -> None:
    """Reports of the core on single parent sets were passed on as they were, with its marks for "unknown" as bounds."""
    reports: list[dict[str, Any]] = []
    table = dependent_table(5, 10, 200)
    found = sabna.kbest(table, k=20, progress=reports.append, n_jobs=1)
    keys = {"station", "seconds", *OPTIONAL, *COUNTS}
    assert len(reports) > 2
    for report in reports:
        assert set(report) == keys
    lowers = [r["lower"] for r in reports if r["lower"] is not None]
    uppers = [r["upper"] for r in reports if r["upper"] is not None]
    assert lowers == sorted(lowers)
    assert uppers == sorted(uppers, reverse=True)
    assert lowers[-1] <= -found.scores[0] * QUANTA_PER_NAT <= uppers[-1]
    told: list[dict[str, Any]] = []
    sabna.bootstrap(table, replicates=2, progress=told.append, n_jobs=1)
    assert [set(report) for report in told] == [keys, keys]
