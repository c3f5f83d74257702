"""The k best networks and all within a Bayes factor against the list of all networks; own scores; bootstrap."""

from __future__ import annotations

import json
import math
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import UsageError
from sabna.cli.app import run
from sabna.parents.builders.own import _least_of_all_subsets, _least_of_those_listed
from sabna.scores.local import local_costs
from sabna.table import Table
from tests.all_networks import Parents, all_networks
from tests.slow_scorer import subsets
from tests.test_gaussian import linear_data
from tests.test_more_scores import random_table


def all_costs(table: Table, score: str = "bic") -> dict[Parents, int]:
    families = [(i, s) for i in range(table.n) for s in subsets([v for v in range(table.n) if v != i], table.n)]
    cost = dict(zip(families, map(int, local_costs(table, families, score)), strict=True))
    return {parents: sum(cost[family] for family in enumerate(parents)) for parents in all_networks(table.n)}


def positions(network: sabna.Network) -> Parents:
    return tuple(tuple(network.variables.index(p) for p in network.parents[v]) for v in network.variables)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("factor", [1.0, 3.0, 20.0, 150.0])
def test_all_networks_within_a_factor(seed: int, score: str, factor: float) -> None:
    table = random_table(seed, n=4, rows=25)
    every = all_costs(table, score)
    limit = min(every.values()) + round(math.log(factor) * QUANTA_PER_NAT)
    wanted = {parents: cost for parents, cost in every.items() if cost <= limit}
    found = sabna.learn(table, score).alternatives(table, bayes_factor=factor)
    assert found.complete
    assert {positions(n): int(c) for n, c in zip(found.networks, found.cost_quanta, strict=True)} == wanted
    weights = {p: math.exp((min(wanted.values()) - c) / QUANTA_PER_NAT) for p, c in wanted.items()}
    total = sum(weights.values())
    for (parent, child), frequency in found.edge_frequencies.items():
        p, c = table.names.index(parent), table.names.index(child)
        assert frequency == pytest.approx(sum(w for s, w in weights.items() if p in s[c]) / total)


@pytest.mark.parametrize("k", [1, 5, 40, 1000])
def test_the_k_best_have_the_k_least_costs(k: int) -> None:
    table = random_table(8, n=4, rows=25)
    every = sorted(all_costs(table).values())
    found = sabna.kbest(table, k=k)
    assert [int(c) for c in found.cost_quanta] == every[:k]
    assert len(set(found.networks)) == len(found)


def test_five_variables() -> None:
    table = random_table(2, n=5, rows=60)
    every = all_costs(table)
    limit = min(every.values()) + round(math.log(20) * QUANTA_PER_NAT)
    found = sabna.kbest(table, bayes_factor=20)
    assert {positions(n) for n in found.networks} == {p for p, c in every.items() if c <= limit}


def test_classes_are_those_of_the_networks() -> None:
    found = sabna.kbest(random_table(3, n=4, rows=25), bayes_factor=50)
    assert sorted(k for c in found.classes for k in c.networks) == list(range(len(found)))
    assert sum(c.weight for c in found.classes) == pytest.approx(1)
    for group in found.classes:
        first = found.network(group.networks[0])
        assert all(first.equivalent_to(found.network(k)) for k in group.networks)
        outside = set(range(len(found))) - set(group.networks)
        assert not any(first.equivalent_to(found.network(k)) for k in outside)


def test_alternatives_of_continuous_data() -> None:
    """The slack of the Gaussian builder is enough: the k best do not change when more sets are listed."""
    table = linear_data(2, n=5, rows=40)
    from sabna.parents.builders.gaussian import build_gaussian_graph

    everything = build_gaussian_graph(table, slack=round(1e6 * QUANTA_PER_NAT))
    wanted = sabna.kbest(everything, k=50)
    assert list(sabna.kbest(table, k=50, score="bic-g").cost_quanta) == list(wanted.cost_quanta)


def test_knowledge_holds_for_all_alternatives() -> None:
    known = sabna.Knowledge(required=["a -> d"], forbidden=["c -> b"])
    found = sabna.kbest(random_table(1, n=4, rows=25), k=30, knowledge=known)
    assert len(found) == 30
    assert not any(known.violations(n.parents) for n in found.networks)


def test_a_graph_without_dominated_sets_is_refused_by_result_alternatives() -> None:
    graph = sabna.build_parent_graph(random_table(1))
    result = sabna.search(graph)
    for data in (graph, random_table(1)):
        with pytest.raises(UsageError, match="with the data"):
            result.alternatives(data, k=3)


def test_the_command_prints_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kbest", "example:asia", "--bayes-factor", "3", "--json", "-o", str(tmp_path / "all.json")]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["complete"] is True
    assert printed["count"] == len(printed["networks"])
    assert sum(n["weight"] for n in printed["networks"]) == pytest.approx(1)
    assert json.loads((tmp_path / "all.json").read_text())["count"] == printed["count"]


def test_the_published_number_of_networks_within_a_factor_of_3(benchmark_data: Path) -> None:
    """308 is what the README of eBNSL shows for its wine data, from the table and from the score file."""
    graph = sabna.read_parent_graph(benchmark_data / "scores" / "wine.bic.bf3.jkl", keep_dominated=True)
    for source in (graph, benchmark_data / "scores" / "wine.data.csv"):
        found = sabna.kbest(source, bayes_factor=3)
        assert found.complete
        assert len(found) == 308
        assert len(found.classes) == 7
        assert found.scores[0] == pytest.approx(-1258.445909, abs=1e-5)


def test_own_scores_as_function_and_as_table() -> None:
    table = random_table(4, n=4, rows=50)
    names = table.names

    def bic(child: str, parents: tuple[str, ...]) -> float:
        return -sabna.scores.local.local_cost(table, child, parents)  # type: ignore[attr-defined]

    wanted = sabna.learn(table, gap_tolerance=0).score
    assert sabna.search(sabna.graph_from_scores(names, bic)).score == pytest.approx(wanted, abs=1e-6)
    listed = {v: {(): bic(v, ()), **{(p,): bic(v, (p,)) for p in names if p != v}} for v in names}
    limited = sabna.learn(table, max_parents=1, gap_tolerance=0).score
    assert sabna.search(sabna.graph_from_scores(names, listed)).score == pytest.approx(limited, abs=1e-6)
    with pytest.raises(UsageError, match="there is no variable 'x'"):
        sabna.graph_from_scores(names, {"a": {("x",): 1.0}})


def test_own_scores_drop_what_a_subset_beats_even_when_sets_between_are_missing() -> None:
    graph = sabna.graph_from_scores("abc", {"a": {(): 0.0, ("b", "c"): -1.0}, "b": {(): 0.0}, "c": {(): 0.0}})
    assert [parents for _, parents in graph.parent_sets(0)] == [()]


def test_a_table_of_own_scores_is_not_asked_for_sets_that_it_lacks() -> None:
    """Once 60 names with two sets each were refused as too many to ask for, and 16 took a minute."""
    names = [f"x{i}" for i in range(60)]
    table = {name: {(): -10.0, (names[i - 1],): -9.0, tuple(names[:i]): -9.5} for i, name in enumerate(names)}
    result = sabna.search(sabna.graph_from_scores(names, table))
    assert result.status == "optimal"
    assert result.score == -541.0
    kept = sabna.graph_from_scores(names, table, max_parents={"x40": 0}, knowledge={"forbidden": ["x1 -> x2"]})
    assert [list(kept.parent_sets(v)) for v in (2, 40)] == [[(10 * 2**30, ())]] * 2
    with pytest.raises(UsageError, match="'a' among its own parents"):
        sabna.graph_from_scores("ab", {"a": {(): 0.0, ("a", "b"): 1.0}, "b": {(): 0.0}})
    with pytest.raises(UsageError, match="two scores for 'a' with the same parents"):
        sabna.graph_from_scores("abc", {"a": {("b", "c"): 0.0, ("c", "b"): 1.0}, "b": {(): 0.0}, "c": {(): 0.0}})


def test_own_scores_of_a_table_are_dropped_alike_by_either_way_of_looking_for_subsets() -> None:
    rng = random.Random(5)
    for _ in range(50):
        sets = {tuple(sorted(rng.sample(range(7), rng.randint(0, 6)))): rng.randint(0, 9) for _ in range(20)}
        one, other = _least_of_all_subsets(sets), _least_of_those_listed(sets)
        assert [one(parents) for parents in sets] == [other(parents) for parents in sets]


def test_the_bootstrap_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bootstrap", "example:asia", "-B", "3", "--seed", "2", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["replicates"] == 3
    assert all(0 < e["frequency"] <= 1 for e in printed["edges"])


def test_alternatives_of_a_result_are_those_of_its_data_and_options() -> None:
    """Protects from options that a result forgets: bge's prior, and the copy that a pickle makes."""
    rng = np.random.default_rng(1)
    data = rng.normal(size=(60, 5))
    data[:, 1] += data[:, 0]
    result = sabna.learn(data, score="bge", alpha_mu=2.5)
    found = pickle.loads(pickle.dumps(result)).alternatives(data, k=5)
    assert found.scores[0] == pytest.approx(result.score, abs=1e-9)
    assert np.array_equal(found.scores, sabna.kbest(data, k=5, score="bge", alpha_mu=2.5).scores)
    assert not np.array_equal(found.scores, sabna.kbest(data, k=5, score="bge").scores)
