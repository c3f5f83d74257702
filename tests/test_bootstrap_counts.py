"""What a bootstrap counts, against all networks of every replicate; the order of the columns does not matter."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.bootstrapping.bootstrap import Bootstrap, counted
from sabna.bootstrapping.replicates import Replicate
from sabna.network import Network
from sabna.parents.knowledge import Knowledge
from sabna.scores.local import local_costs
from sabna.table import Table
from tests.all_networks import Parents, all_networks
from tests.repeats import few_or_many
from tests.test_gaussian import linear_data
from tests.test_more_scores import random_table

Edge = tuple[str, str]


def noisy_copy(rows: int = 2000) -> pd.DataFrame:
    """A at random, B a noisy copy of it: which is the cause, no data can tell."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, rows)
    return pd.DataFrame({"A": a, "B": np.where(rng.random(rows) < 0.8, a, 1 - a)})


def best_networks(table: Table, score: str, knowledge: Knowledge | None) -> list[set[Edge]]:
    """The edges of every network of least cost, by trying all networks."""
    families = [
        (i, s)
        for i in range(table.n)
        for k in range(table.n)
        for s in itertools.combinations([v for v in range(table.n) if v != i], k)
    ]
    cost = dict(zip(families, map(int, local_costs(table, families, score)), strict=True))
    every: dict[Parents, int] = {}
    for parents in all_networks(table.n):
        named = {table.names[i]: [table.names[p] for p in ps] for i, ps in enumerate(parents)}
        if knowledge is None or not knowledge.violations(named):
            every[parents] = sum(cost[family] for family in enumerate(parents))
    least = min(every.values())
    return [
        {(table.names[p], table.names[i]) for i, ps in enumerate(parents) for p in ps}
        for parents, c in every.items()
        if c == least
    ]


def recount(
    table: Table, score: str, replicates: int, seed: int, knowledge: Knowledge | None
) -> tuple[dict[Edge, float], dict[Edge, float]]:
    """Links and edges: an edge that all best networks have one way round counts 1, otherwise 1/2 each way."""
    links, edges = Counter[Edge](), Counter[Edge]()
    for b in range(replicates):
        rows = np.random.default_rng([seed, b]).integers(0, table.rows, table.rows)
        best = best_networks(replace(table, codes=np.ascontiguousarray(table.codes[:, rows])), score, knowledge)
        skeletons = {frozenset(tuple(sorted(edge)) for edge in network) for network in best}
        assert len(skeletons) == 1, "classes that tie: take another seed"
        for a, c in next(iter(skeletons)):
            links[a, c] += 1
            forth = sum((a, c) in network for network in best)
            edges[a, c] += 1 if forth == len(best) else 0 if forth == 0 else 0.5  # type: ignore[assignment]
            edges[c, a] += 0 if forth == len(best) else 1 if forth == 0 else 0.5  # type: ignore[assignment]
    return (
        {link: count / replicates for link, count in links.items()},
        {edge: count / replicates for edge, count in edges.items() if count},
    )


@pytest.mark.parametrize(
    ("score", "knowledge"),
    [
        ("bic", None),
        ("bic", Knowledge(tiers=[["c"], ["a", "b", "d"]])),
        ("bdeu", Knowledge(forbidden=["a -> b"])),
        ("aic", None),
        ("qnml", None),
        ("k2", None),
        ("fnml", None),
        ("bds", None),
    ],
)
def test_frequencies_are_those_of_all_best_networks(score: str, knowledge: Knowledge | None) -> None:
    table = random_table(9, n=4, rows=60)
    replicates = 2 if score == "qnml" else 6  # its tables take a second
    found = sabna.bootstrap(table, replicates, score, seed=3, knowledge=knowledge, n_jobs=1)
    links, edges = recount(table, score, replicates, 3, knowledge)
    assert found.links == pytest.approx(links)
    assert found.edges == pytest.approx(edges)
    for (a, b), strength in found.links.items():
        assert found.edges.get((a, b), 0) + found.edges.get((b, a), 0) == pytest.approx(strength)
        assert found.directions.get((a, b), 0) + found.directions.get((b, a), 0) == pytest.approx(1)


def counts(found: Bootstrap) -> tuple[Any, ...]:
    return (
        list(found.links.items()),
        list(found.edges.items()),
        list(found.compelled.items()),
        list(found.directions.items()),
        str(found),
    )


@few_or_many("apart", 3, 1)
@pytest.mark.parametrize("score", ["bic", "k2", "bge"])
def test_no_order_of_the_columns_changes_anything(score: str, apart: int) -> None:
    if score == "bge":
        numbers = linear_data(5, n=4, rows=30)
        frame = pd.DataFrame(dict(zip(numbers.names, numbers.values, strict=True)))
    else:
        coded = random_table(9, n=4, rows=40)
        frame = pd.DataFrame(dict(zip(coded.names, coded.codes, strict=True)))
        frame["d"] = frame["a"]  # a copy: networks of several classes tie
    wanted = counts(sabna.bootstrap(frame, 4, score, seed=2, n_jobs=1))
    for columns in list(itertools.permutations(frame.columns))[::apart]:
        assert counts(sabna.bootstrap(frame[list(columns)], 4, score, seed=2, n_jobs=1)) == wanted


def test_a_direction_that_was_the_order_of_the_columns() -> None:
    """Once "A -> B 100.0%", and with the columns exchanged "B -> A 100.0%"."""
    frame = noisy_copy()
    for columns in (["A", "B"], ["B", "A"]):
        found = sabna.bootstrap(frame[columns], 10, seed=1)
        assert found.links == {("A", "B"): 1.0}
        assert found.edges == {("A", "B"): 0.5, ("B", "A"): 0.5}
        assert found.directions == {("A", "B"): 0.5, ("B", "A"): 0.5}
        assert found.compelled == {}
        assert "->" not in str(found)
        assert "100.0%      50.0%  A - B" in str(found)


def test_knowledge_gives_the_direction_that_data_do_not() -> None:
    found = sabna.bootstrap(noisy_copy(), 5, seed=1, knowledge={"roots": ["B"]})
    assert found.edges == found.compelled == {("B", "A"): 1.0}
    assert "100.0%     100.0%  B -> A" in str(found)


def test_of_two_equal_columns_none_is_preferred() -> None:
    """A and its copy are equally good parents of C: different classes of the same score."""
    frame = noisy_copy(300).rename(columns={"B": "C"})
    frame["copy"] = frame["A"]
    found = sabna.bootstrap(frame, 60, seed=4, n_jobs=1)
    assert found.links["A", "copy"] == 1
    assert found.links["A", "C"] + found.links["C", "copy"] == pytest.approx(1)
    assert 0.25 < found.links["A", "C"] < 0.75  # a fair coin stays within, but once in 10,000


def test_numbers_worked_out_by_hand() -> None:
    """Four replicates: the chain a - b - c twice, the collider a -> b <- c once, nothing once."""
    chain, turned = Network("abc", {"b": "a", "c": "b"}), Network("abc", {"b": "c", "a": "b"})
    collider, nothing = Network("abc", {"b": "ac"}), Network("abc", {})
    networks = (chain, turned, collider, nothing)
    learned = [Replicate(b, "optimal", n, n.cpdag().compelled) for b, n in enumerate(networks)]
    found = counted(tuple("abc"), learned, asked=4, seed=0)
    assert found.links == {("a", "b"): 0.75, ("b", "c"): 0.75}
    assert found.edges == {("a", "b"): 0.5, ("c", "b"): 0.5, ("b", "a"): 0.25, ("b", "c"): 0.25}
    assert found.compelled == {("a", "b"): 0.25, ("c", "b"): 0.25}
    two, one = 2 / 3, 1 / 3
    assert found.directions == pytest.approx({("a", "b"): two, ("c", "b"): two, ("b", "a"): one, ("b", "c"): one})


def test_bds_leaves_directions_open_where_it_scores_them_alike() -> None:
    """bds is no equivalent score, yet it is bdeu where every configuration of parents occurs."""
    found = sabna.bootstrap(noisy_copy(), 10, "bds", seed=1)
    assert found.edges == {("A", "B"): 0.5, ("B", "A"): 0.5}
    assert found.compelled == {}


def test_k2_says_a_direction_that_bic_does_not() -> None:
    """With 2 and 3 states the two directions differ in their K2 score, on every replicate here in the same sense."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 400)
    frame = pd.DataFrame({"A": a, "B": np.where(rng.random(400) < 0.7, a, rng.integers(0, 3, 400))})
    table = sabna.read_table(frame)
    forth = local_costs(table, [(0, ()), (1, (0,))], "k2").sum()
    back = local_costs(table, [(1, ()), (0, (1,))], "k2").sum()
    better, worse = (("A", "B"), ("B", "A")) if forth < back else (("B", "A"), ("A", "B"))
    found = sabna.bootstrap(frame, 20, "k2", seed=1)
    assert found.edges.get(better, 0) > 0.8
    assert found.compelled == found.edges
    assert sabna.bootstrap(frame, 20, "bic", seed=1).edges == {better: 0.5, worse: 0.5}


def test_the_json_object_tells_strength_and_direction_apart() -> None:
    printed = json.loads(json.dumps(sabna.bootstrap(noisy_copy(), 4, seed=1).to_dict()))
    assert printed["links"] == [{"between": ["A", "B"], "frequency": 1.0}]
    assert printed["compelled"] == []
    assert printed["edges"] == [
        {"parent": p, "child": c, "frequency": 0.5, "strength": 1.0, "direction": 0.5} for p, c in ("AB", "BA")
    ]
