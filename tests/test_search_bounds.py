"""What a search tells while it runs: trace and progress are bounds of the whole, close in, and have the truth between.

Costs of single components used to be told as the whole, bounds used to rise again, and some were missing.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product
from typing import Any

import pytest

import sabna
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import Interrupted
from sabna.base.trace import Trace
from sabna.parents.graph import ParentGraph
from sabna.result.result import Result
from tests.graphs import graph_of, optimum, random_graph
from tests.repeats import few_or_many

PLAIN: list[dict[str, Any]] = [
    {"strategy": strategy, "heuristic": heuristic, "components": components}
    for strategy, heuristic, components in product(
        ("astar", "bfs"), ("simple", "pattern", "cuts", "dual-pattern"), (False, True)
    )
]
WITHOUT_NETWORK: list[dict[str, Any]] = [
    {"strategy": strategy, "upper_bound": False, "components": components}
    for strategy, components in product(("astar", "bfs"), (False, True))
]
WAYS: list[dict[str, Any]] = [{"strategy": "auto"}, *PLAIN, *WITHOUT_NETWORK]


@cache
def components(seed: int, count: int, n: int, links: bool) -> tuple[ParentGraph, int]:
    """Small hard graphs beside each other, and the optimum of all: the sum of theirs.

    `links`: variables of a component may have parents in the ones before it, which bring no gain and no harm.
    """
    lists: list[dict[int, int]] = []
    best = 0
    for k in range(count):
        graph = random_graph(100 * seed + k, n, sets=25, largest=4, costs=10**9, hard=k % 2 == 0)
        best += optimum(graph)
        base = len(lists)
        for i in range(n):
            entries = {sum(1 << (base + v) for v in parents): cost for cost, parents in graph.parent_sets(i)}
            if links and base:
                entries |= {bits | 1 << (base - 1 - i % base): cost - 1 for bits, cost in list(entries.items())}
                best -= 1
            lists.append(entries)
    return graph_of(lists), best


def check(result: Result, reports: list[dict[str, Any]], best: int) -> None:
    """Bounds never None, never outside in, never apart again; the last ones are those of the result."""
    trace = [
        (point["lower_bound"] * QUANTA_PER_NAT, point["upper_bound"] * QUANTA_PER_NAT)
        for point in result.statistics["trace"]
    ]
    told = [(report["lower"], report["upper"]) for report in reports]
    assert trace
    assert told
    for bounds in (trace, told):
        assert all(lower <= best <= upper for lower, upper in bounds)
        assert all(a[0] <= b[0] and b[1] <= a[1] for a, b in pairwise(bounds))
    assert trace[-1] == (result.lower_bound_quanta, result.cost_quanta)
    assert result.lower_bound_quanta <= best <= result.cost_quanta
    seconds = [point["seconds"] for point in result.statistics["trace"]]
    assert seconds == sorted(seconds)


def run(graph: ParentGraph, best: int, seconds: float, **way: Any) -> Result:
    reports: list[dict[str, Any]] = []
    result = sabna.search(graph, time_limit=seconds, progress=reports.append, **way)
    assert result.status in ("optimal", "time_limit")
    check(result, reports, best)
    return result


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(str(value) for value in way.values()))
@few_or_many("graphs", ((2, True),), ((1, False), (2, True), (3, False), (4, True)))
def test_bounds_of_short_runs(way: dict[str, Any], graphs: tuple[tuple[int, bool], ...]) -> None:
    for seed, links in graphs:
        graph, best = components(seed, 4, 8, links)
        for seconds in (0.0, 0.1):
            run(graph, best, seconds, **way)
    graph, best = components(3, 1, 9, False)
    for seconds, tolerance in product((0.0, 0.1), (0.0, 0.3)):
        run(graph, best, seconds, gap_tolerance=tolerance, n_jobs=1, **way)


@pytest.mark.parametrize("way", [{"strategy": "astar"}, {"strategy": "bfs"}, {"strategy": "auto"}], ids=str)
def test_bounds_of_a_run_that_takes_its_time(way: dict[str, Any]) -> None:
    graph, best = components(4, 6, 9, True)
    result = run(graph, best, 1.0, path_extension=way["strategy"] == "auto", **way)
    assert len(result.statistics["trace"]) > 1


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [1.0, 5.0])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(str(value) for value in way.values()))
def test_bounds_of_long_runs(way: dict[str, Any], seconds: float) -> None:
    for seed in (5, 6):
        graph, best = components(seed, 6, 10, seed == 5)
        run(graph, best, seconds, **way)


def test_bounds_of_a_run_that_is_interrupted() -> None:
    """The callback that interrupts is not called again, and what it was told stays true."""
    graph, best = components(1, 4, 8, False)
    for way, calls in product(WAYS, (1, 2)):
        reports: list[dict[str, Any]] = []

        def interrupt(report: dict[str, Any], told: list[dict[str, Any]] = reports, after: int = calls) -> None:
            told.append(report)
            if len(told) == after:
                raise KeyboardInterrupt

        try:
            result = sabna.search(graph, progress=interrupt, **way)
        except Interrupted as interruption:
            result = interruption.result
        assert len(reports) <= calls
        check(result, reports, best)


def test_bounds_go_on_from_where_a_run_has_come_to() -> None:
    """`learn` notes bounds while it scores; the search takes the same trace further, and never back."""
    graph, best = components(1, 4, 8, False)
    trace = Trace()
    trace.note(0.0, best - 5, best + 7)
    result = sabna.search(graph, trace=trace, gap_tolerance=0)
    points = [(p["lower_bound"], p["upper_bound"]) for p in result.statistics["trace"]]
    assert points[0] == ((best - 5) / QUANTA_PER_NAT, (best + 7) / QUANTA_PER_NAT)
    assert points[-1] == (best / QUANTA_PER_NAT, best / QUANTA_PER_NAT)
