"""What is returned when scoring was stopped: a true network and true bounds, better ones than the floors alone give."""

from __future__ import annotations

import random

import numpy as np
import pytest

import sabna
from sabna import learning
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.parents.graph import ParentGraph
from sabna.searching.outcome import Run, SearchOptions
from sabna.searching.part import simple_bound
from sabna.searching.unfinished import relaxed_graph, scoring_limits, unfinished_outcome
from tests.graphs import graph_of, optimum, random_graph
from tests.repeats import few_or_many

OPTIONS = SearchOptions(tolerance=0)


def cut(graph: ParentGraph, rng: random.Random) -> tuple[ParentGraph, np.ndarray]:
    """Some sets of some variables were not scored: the graph of the others, and floors that are true of those."""
    lists, floor = [], np.full(graph.n, INFINITE)
    for i in range(graph.n):
        sets = {sum(1 << v for v in parents): cost for cost, parents in graph.parent_sets(i)}
        missing = [s for s in sets if s and rng.random() < 0.4] if rng.random() < 0.5 else []
        if missing:
            floor[i] = min(sets[s] for s in missing) - rng.choice((0, 0, 1000, 10**5))
        lists.append({s: cost for s, cost in sets.items() if s not in missing})
    return graph_of(lists), floor


@few_or_many("graphs", 120, 600)
def test_bounds_of_unfinished_graphs_hold_and_are_better_than_floors(graphs: int) -> None:
    """The optimum of the whole lies between them; the bound is that of the relaxed graph, found by brute force."""
    better, proven = 0, 0
    for seed in range(graphs):
        rng = random.Random(seed)
        whole = random_graph(seed, rng.randint(2, 6), sets=10, costs=10**6, hard=rng.random() < 0.3)
        graph, floor = cut(whole, rng)
        best = optimum(whole)
        stop = rng.choice((Stop.time_limit, Stop.memory_limit, Stop.interrupted))
        run = Run(Limits.of(time_limit=100.0))
        outcome = unfinished_outcome(graph, floor, stop, OPTIONS, run, whole_search=True)
        assert outcome.stop == stop
        assert graph.costs[outcome.choice].sum() == outcome.cost
        assert outcome.lower <= best <= outcome.cost
        relaxed = relaxed_graph(graph, floor)
        floors = sum(min(int(c), int(f)) for c, f in zip(graph.costs[graph.offsets[:-1]], floor, strict=True))
        assert simple_bound(relaxed) == floors <= outcome.lower <= optimum(relaxed) <= best
        if stop == Stop.time_limit:
            assert outcome.lower == optimum(relaxed)
            assert outcome.cost == optimum(graph)
            better += outcome.lower > floors
        proven += outcome.lower == outcome.cost
    assert better > graphs // 10
    assert proven > graphs // 10


def test_scoring_leaves_time_for_the_search() -> None:
    """A twentieth of what is left when it begins; without a time limit nothing changes."""
    assert scoring_limits(Limits.of()).seconds is None
    some = scoring_limits(Limits.of(time_limit=100.0)).seconds
    assert some is not None
    assert 94.9 < some < 95.1
    assert scoring_limits(Limits.of(time_limit=0.0)).seconds == 0


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2", "bds", "fnml", "qnml"])
def test_learning_stopped_while_scoring_is_searched(score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is scored without time is at hand: bounds hold, and the network is the best of these sets."""
    whole = sabna.learn("example:asia", score, n_jobs=1)
    monkeypatch.setattr(learning, "scoring_limits", lambda limits: Limits(0.0, limits.memory, started=limits.started))
    result = sabna.learn("example:asia", score, time_limit=100, n_jobs=1)
    assert result.status == "time_limit"
    assert result.lower_bound_quanta <= whole.cost_quanta <= result.cost_quanta
    assert result.network.score("example:asia", score) == pytest.approx(result.score, abs=1e-6)


def test_a_proof_needs_no_further_scores_where_the_floors_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not scored costs too much to matter: the network is proven, and the status says so."""
    built = sabna.parents.build.build_partial_graph

    def stopped(*arguments: object, **options: object) -> object:
        found = built(*arguments, **options)  # type: ignore[arg-type]
        floor = found.graph.costs[found.graph.offsets[1:] - 1].copy()
        return type(found)(found.graph, "time_limit", floor)

    whole = sabna.learn("example:asia", n_jobs=1)
    monkeypatch.setattr(learning, "build_partial_graph", stopped)
    result = sabna.learn("example:asia", time_limit=100, n_jobs=1)
    assert (result.status, result.cost_quanta) == ("optimal", whole.cost_quanta)
