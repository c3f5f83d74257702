"""Protects from graphs and limits at the edges of what is possible that end without a sound certificate."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.base.limits import process_memory
from sabna.certificate.writing import fingerprint, in_order, places
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions
from sabna.searching.part import Part
from sabna.searching.steps import STEPS
from sabna.searching.steps.context import Context, Step
from sabna.searching.strategies import STRATEGIES
from sabna.searching.strategies.auto import Auto
from tests.certificate.runs import certified, searched_to_the_end, verdict
from tests.graphs import graph_of, optimum, random_graph
from tests.repeats import first_of
from tests.test_tree import side_by_side


def accepted(graph: ParentGraph, folder: Path, **options: object) -> sabna.Result:
    result, proof, file = certified(graph, folder, {"n_jobs": 1, "gap_tolerance": 0, **options})
    code, words = verdict(proof, file)
    assert code == 0, words
    assert result.certificate is not None
    return result


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_is_certified_on_every_kind_of_graph(strategy: str, tmp_path: Path) -> None:
    """One variable, nothing but ties, no ways to choose, numbers up to what is allowed; new strategies come here."""
    largest = (1 << 60) // 7
    graphs = [
        graph_of([{0: 5}]),
        graph_of([{0: -largest}]),
        graph_of([{0: 0}, {0: 0}, {0: 0}]),
        graph_of([{0: 7, 0b10: 7, 0b100: 7}, {0: 7, 0b1: 7}, {0: 7, 0b11: 7}]),
        random_graph(1, 6, sets=14, costs=1),
        random_graph(2, 6, sets=14, costs=largest, hard=True),
        random_graph(3, 6, sets=14, costs=largest, empty_sets=False),
    ]
    for graph in graphs:
        result = accepted(graph, tmp_path, strategy=strategy)
        assert result.certificate["proves"] == "optimal"
        assert result.certificate["lower_bound_quanta"] == optimum(graph)


@pytest.mark.parametrize("n", first_of([64, 65, 513, 129, 300, 512], 3))
def test_many_variables(n: int, tmp_path: Path) -> None:
    """Sets of one to 32 words; the optimum is known, for the graph is made of small ones side by side."""
    rng, lists, best = random.Random(n), list[dict[int, int]](), 0
    while len(lists) < n:
        k = min(rng.randint(1, 5), n - len(lists))
        small = random_graph(rng.randrange(10**6), k, sets=8, costs=1000)
        best += optimum(small)
        for i in range(k):
            costs = ((sum(1 << v for v in parents), cost) for cost, parents in small.parent_sets(i))
            lists.append({bits << (len(lists) - i): cost for bits, cost in costs})
    result = accepted(graph_of(lists), tmp_path)
    assert result.certificate["lower_bound_quanta"] == best == result.cost_quanta


class Straight(Auto):
    """Tables, then A*: no weights of clusters close the gap before."""

    def next_step(self, part: Part, context: Context) -> Step:
        if part.depth == 0:
            return STEPS[decisions.COMPONENTS]
        steps = {"": decisions.FIRST_NETWORK, decisions.FIRST_NETWORK: decisions.PATTERN_TABLES}
        return STEPS[steps.get(part.progress.step, decisions.ASTAR)]


@pytest.mark.parametrize("n", first_of([60, 70, 130, 260], 2))
def test_searches_of_many_variables(n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sets that a search expands have the words that files have: those of the core used to be written."""
    monkeypatch.setitem(STRATEGIES, "auto", Straight())
    monkeypatch.setattr(decisions, "GROUP_SIZES", (3,))
    monkeypatch.setattr(decisions, "SMALLEST_GROUP", 2)
    ring = graph_of([{1 << (i - 1) % n: 10, 0: 200 + i} for i in range(n)])
    result = accepted(ring, tmp_path)
    assert result.certificate["lower_bound_quanta"] == 200 + 10 * (n - 1)
    assert "\nsearch part=1 " in (tmp_path / "proof.cert").read_text()


@pytest.mark.parametrize("options", [{"strategy": "bfs"}, {"strategy": "astar"}, {"strategy": "auto"}])
def test_searches_that_a_limit_stops_are_certified(options: dict[str, str], tmp_path: Path) -> None:
    """What was proven by then is what the certificate says, and it is true."""
    n = 11 if options["strategy"] == "auto" else 16
    graph = random_graph(11, n, sets=60, largest=4, costs=10**6, hard=True)
    best = sabna.search(graph, gap_tolerance=0).cost_quanta
    stopped = 0
    for limit in ({"time_limit": 0}, {"time_limit": 0.003}, {"memory_limit": process_memory() + (1 << 20)}):
        result = accepted(graph, tmp_path, path_extension=False, **limit, **options)
        stopped += result.status != "optimal"
        assert result.certificate["lower_bound_quanta"] <= best <= result.cost_quanta
    assert stopped


def test_the_certificate_is_the_same_for_any_number_of_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that are worked on side by side are written in the same order, under the same numbers."""
    searched_to_the_end(monkeypatch)
    graph = side_by_side([random_graph(k, 6, sets=14, costs=10**4, hard=True) for k in range(3)])
    proofs = []
    for threads in (1, 2):
        result = accepted(graph, tmp_path, n_jobs=threads)
        assert result.certificate["proves"] == "optimal"
        proofs.append((tmp_path / "proof.cert").read_bytes())
    assert proofs[0] == proofs[1]


def test_sets_have_the_same_places_whatever_their_order() -> None:
    """The order in a certificate, and where some sets of a graph stand in it, against sorting and a dictionary."""
    rng = random.Random(5)
    for n in (1, 3, 9, 70, 140):
        graph = random_graph(n, n, sets=20, costs=3)
        child = np.repeat(np.arange(n), np.diff(graph.offsets))
        number = [sum(int(word) << 64 * w for w, word in enumerate(words)) for words in graph.sets]
        key = sorted(range(len(graph)), key=lambda p: (child[p], graph.costs[p], number[p]))
        assert in_order(graph).tolist() == key
        mixed = np.array(sorted(range(len(graph)), key=lambda p: (child[p], rng.random())))
        other = ParentGraph(graph.names, graph.offsets, graph.costs[mixed], graph.sets[mixed])
        assert fingerprint(other) == fingerprint(graph)
        assert mixed[in_order(other)].tolist() == key
        where = {(int(child[p]), number[p]): k for k, p in enumerate(key)}
        few = np.array([p for i in range(n) for p in range(graph.offsets[i], graph.offsets[i + 1], 2)])
        offsets = np.searchsorted(child[few], np.arange(n + 1))
        some = ParentGraph(graph.names, offsets, graph.costs[few], graph.sets[few])
        assert places(some, other).tolist() == [where[int(child[p]), number[p]] for p in few]
