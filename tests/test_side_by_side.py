"""Steps made side by side: threads, processes and workers take the same way as one thread, to the bit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.base.errors import Interrupted
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.engine.engine import Engine
from sabna.engine.opening import opened_engine
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import placing_order
from sabna.searching import decisions, events, working
from sabna.searching.explain import Explanation
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part
from sabna.searching.state import State
from sabna.searching.strategy import Strategy
from sabna.searching.tree import Tree
from tests.graphs import optimum, random_graph
from tests.repeats import few_or_many, first_of
from tests.test_tree import SMALL, Branching, Forced, side_by_side


@pytest.fixture(autouse=True)
def small_graphs_go_the_way_of_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch.setattr)


def small(set_to: Callable[[Any, str, Any], None] = setattr) -> None:
    """In this process, or in one that an executor starts."""
    for name, value in {**SMALL, "QUICK_TABLES": 0, "SEARCHED_AT_WHOLE_POINTS": 0}.items():
        set_to(decisions, name, value)
    set_to(working, "COMFORT", 1)


def graphs() -> list[tuple[ParentGraph, int]]:
    """One with components, and some that need a search; what the best network costs."""
    components = [random_graph(k, 7, sets=30, hard=True) for k in range(3)]
    alone = [random_graph(seed, 9, sets=30, hard=True) for seed in range(1)]
    whole = side_by_side(components), sum(optimum(graph) for graph in components)
    return [whole, *((graph, optimum(graph)) for graph in alone)]


def way_of(graph: ParentGraph, strategy: Strategy, threads: int = 1, engine: Engine | None = None) -> list[Any]:
    """All that a search tells, in order, as texts; what it ends with."""
    told: list[Any] = []

    def hear(event: events.Event) -> None:
        if isinstance(event, events.Fixed):
            told.append(("fixed", event.part.id, event.target, event.positions.tolist()))
        elif isinstance(event, events.PartBounded):
            told.append(("bound", event.part.id, event.lower))
        elif isinstance(event, events.PartImproved | events.NetworkFound):
            told.append((event.cost, event.choice.tolist()))
        elif isinstance(event, events.BoundRaised):
            told.append(("whole", event.lower))

    limits, tolerance = Limits(), 2
    explanation = Explanation(limits)
    options = SearchOptions(tolerance=tolerance, threads=threads)
    state = State.of(graph, tolerance, placing_order(graph)[0])
    tree = Tree(state, strategy, options, limits, [hear, explanation], ledger=True, engine=engine)
    try:
        while tree.step():
            pass
    finally:
        tree.close()
    known = tree.network()
    lines = [line.split(" s  ", 1)[1] for line in explanation.lines]
    counts = {key: value for key, value in state.counts.items() if "seconds" not in key}
    return [*told, *lines, known.cost, known.choice.tolist(), state.lower, counts]


STRATEGIES = [Forced(cuts=True), Branching(deep=2, arcs=True, bounds_first=True), Forced(cuts=False)]


@pytest.mark.parametrize("strategy", first_of(STRATEGIES, 2), ids=["cuts", "toy", "branching"])
def test_any_number_of_threads_takes_the_same_way(strategy: Strategy) -> None:
    """Bounds, struck sets, networks, the order they are told in: equal for 1, 2 and 4 threads and any executor."""
    most = 0
    for graph, best in graphs():
        alone = way_of(graph, strategy)
        assert best <= alone[-4] <= best + 2
        assert way_of(graph, strategy, threads=2) == alone
        with ThreadPoolExecutor(3) as threads, opened_engine(threads) as engine:
            assert way_of(graph, strategy, threads=4, engine=engine) == alone
        most = max(most, len(alone))
    assert most > 60


@contextmanager
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=small) as executor:
        yield executor


@few_or_many("count", 1, 2)
def test_processes_take_the_same_way(count: int) -> None:
    """What a step tells and returns survives the way to another process and back."""
    with processes() as executor, opened_engine(executor) as engine:
        for strategy in (STRATEGIES[0], STRATEGIES[2]):
            for graph, _ in graphs()[:count]:
                assert way_of(graph, strategy, engine=engine) == way_of(graph, strategy)


def slow_graph() -> ParentGraph:
    """Components that take some seconds each."""
    return side_by_side([random_graph(seed, 22, sets=150, largest=4, hard=True) for seed in range(2)])


@pytest.mark.parametrize("engine", [None, "threads"])
def test_a_time_limit_ends_steps_under_way(engine: str | None) -> None:
    """Protects from limits that the parts beside the first do not keep, and from what they found being lost."""
    with ThreadPoolExecutor(2) as threads:
        began = time.monotonic()
        options: dict[str, Any] = {"n_jobs": 2, "engine": None if engine is None else threads}
        result = sabna.search(slow_graph(), time_limit=0.3, **options)
    assert result.status == "time_limit"
    assert result.lower_bound_quanta <= result.cost_quanta
    assert time.monotonic() - began < 30  # on a busy machine; without a limit it takes far longer


def test_an_interrupt_halts_the_threads() -> None:
    """Protects from threads that go on for minutes after Ctrl-C: they hear no signals."""
    seen = []

    def interrupt(report: dict[str, Any]) -> None:
        if report.get("workers"):
            seen.append(report)
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as interrupted:
        sabna.search(slow_graph(), n_jobs=2, progress=interrupt)
    assert seen[0]["workers"] == 2
    assert seen[0]["running"] > 0
    assert interrupted.value.result is not None
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("sabna")]


def test_a_step_that_finds_too_little_memory_beside_others_is_made_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from a run that ends at the memory limit on two threads and not on one."""
    graph = graphs()[0][0]
    strategy = STRATEGIES[0]
    alone = way_of(graph, strategy)
    make, refused = working.make_step, list[int]()

    def refuse_some(limits: Limits, part: Part, manner: working.Manner) -> working.Made:
        if part.id % 2:
            refused.append(part.id)
            return working.Made("some step", (), None, Stop.memory_limit)
        return make(limits, part, manner)

    monkeypatch.setattr(working, "make_step", refuse_some)
    assert way_of(graph, strategy, threads=2) == alone
    assert refused


def test_certificates_are_equal_for_any_number_of_threads(tmp_path: Path) -> None:
    """What is written is told in the order of the results, whoever made the steps."""
    graph = graphs()[0][0]
    texts = []
    for jobs in (1, 2):
        sabna.search(graph, n_jobs=jobs, certificate=str(tmp_path / "proof"))
        texts.append((tmp_path / "proof").read_bytes())
    with processes() as executor:
        sabna.search(graph, engine=executor, certificate=str(tmp_path / "proof"))
        texts.append((tmp_path / "proof").read_bytes())
    assert texts[0] == texts[1] == texts[2]
