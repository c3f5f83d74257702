"""Scores of whole networks: arc strengths against full re-scorings, pgmpy, and equivalent networks."""

from __future__ import annotations

import warnings
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from sabna import Network
from sabna.base.cost import QUANTA_PER_NAT
from sabna.network.strengths import local_costs_of
from sabna.table import Table
from tests.network.networks import large, random_dag
from tests.network.test_equivalence import all_networks, independence_signature

SCORES = ("bic", "aic", "bdeu", "k2")


def random_table(n: int, rows: int, seed: int) -> Table:
    """Columns that depend on one another, with 2 to 4 states, not all of them seen."""
    generator = np.random.default_rng(seed)
    arities = [2 + k % 3 for k in range(n)]
    base = generator.integers(0, 12, size=rows)
    noise = generator.integers(0, 3, size=(n, rows))
    codes = np.array([(base // (k + 1) + noise[k]) % arities[k] for k in range(n)], dtype=np.uint16)
    return Table(
        tuple(f"V{k}" for k in range(n)), codes, tuple(tuple(f"s{j}" for j in range(arities[k])) for k in range(n))
    )


def total_cost(network: Network, table: Table, score: str) -> int:
    return sum(local_costs_of(table, score)(list(network.parents.items())))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_arc_strengths_are_differences_of_full_rescorings(score: str, seed: int) -> None:
    table = random_table(8, 300, seed)
    network = Network(table.names, random_dag(8, seed))
    cost = total_cost(network, table, score)
    arcs = network.arc_strengths(table, score)
    assert [(a.parent, a.child) for a in arcs] == list(network.edges)
    for arc in arcs:
        parents = {v: set(ps) for v, ps in network.parents.items()}
        parents[arc.child].remove(arc.parent)
        assert total_cost(Network(table.names, parents), table, score) - cost == arc.removal_quanta
        parents[arc.parent].add(arc.child)
        try:
            turned = Network(table.names, parents)
        except ValueError:
            assert arc.reversal_quanta is None
            assert arc.reversal is None
        else:
            assert total_cost(turned, table, score) - cost == arc.reversal_quanta
            if score in ("bic", "aic", "bdeu") and turned.equivalent_to(network):
                assert arc.reversal == 0


@pytest.mark.docs
@pytest.mark.parametrize("seed", range(4))
def test_totals_equal_those_of_pgmpy(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.models import DiscreteBayesianNetwork
        from pgmpy.structure_score import AIC, BIC, K2, BDeu
    import pandas as pd

    table = random_table(7, 400, seed)
    frame = pd.DataFrame(
        {
            v: pd.Categorical.from_codes(table.codes[k], categories=list(table.states[k]))
            for k, v in enumerate(table.names)
        }
    )
    network = Network(table.names, random_dag(7, seed + 10))
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(network.variables)
    model.add_edges_from(network.edges)
    states = {v: list(table.states[k]) for k, v in enumerate(table.names)}
    theirs = {
        "bic": BIC(frame, state_names=states),
        "aic": AIC(frame, state_names=states),
        "bdeu": BDeu(frame, equivalent_sample_size=1, state_names=states),
        "k2": K2(frame, state_names=states),
    }
    for score, scorer in theirs.items():
        ours = -total_cost(network, table, score) / QUANTA_PER_NAT
        local = sum(scorer.local_score(v, tuple(network.parents[v])) for v in network.variables)
        assert ours == pytest.approx(local, abs=1e-6), score


@cache
def family_costs(n: int, score: str) -> dict[tuple[str, frozenset[str]], int]:
    table = random_table(n, 60, seed=n)
    families = sorted({(v, ps) for net in all_networks(n) for v, ps in net.parents.items()})
    renamed = {"ABCDE"[k]: f"V{k}" for k in range(n)}
    costs = local_costs_of(table, score)([(renamed[v], tuple(renamed[p] for p in ps)) for v, ps in families])
    return {(v, frozenset(ps)): c for (v, ps), c in zip(families, costs, strict=True)}


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu"])
@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_equivalent_networks_cost_the_same_integer(n: int, score: str) -> None:
    cost = family_costs(n, score)
    totals = defaultdict(set)
    for net in all_networks(n):
        total = sum(cost[v, frozenset(ps)] for v, ps in net.parents.items())
        totals[independence_signature(net)].add(total)
    assert all(len(costs) == 1 for costs in totals.values())
    assert len(set.union(*totals.values())) > len(totals) // 2


def test_many_edges_are_scored_in_one_call() -> None:
    network = large()
    table = random_table(37, 500, seed=1)
    assert len(network.arc_strengths(table)) == len(network.edges)
