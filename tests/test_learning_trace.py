"""The bounds that `learn` tells over time: in its trace, to `progress`, under every score, wherever a limit strikes.

They are bounds of the whole from the first entry on, while scoring too; they close in; the last ones are the result's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.errors import Interrupted
from sabna.base.limits import Limits
from sabna.base.trace import Trace
from sabna.base.varsets import members
from sabna.parents.build import build_parent_graph, build_partial_graph
from sabna.parents.orders import network_of_order
from sabna.result.result import Result
from sabna.scores.local import local_costs
from sabna.scores.registry import SCORES
from sabna.table import Table
from sabna.table.numeric import NumericTable

from . import graphs
from .all_networks import Parents, all_networks
from .slow_scorer import random_table
from .test_gaussian import linear_data
from .test_partial_scoring import Bytes

ALL = [kind.id for kind in SCORES if kind.mixed is None]  # the others: test_mixed_scores.py
NUMBERS = [kind.id for kind in SCORES if kind.continuous]
KNOWN: dict[str, dict[str, Any]] = {
    "nothing": {},
    "max_parents": {"max_parents": {"v0": 0, "v2": 1}},
    "forbidden": {"forbidden": ["v0 -> v1"], "tiers": [["v0", "v1"], ["v2", "v3"]]},
    "required": {"required": ["v3 -> v0", "v1 -> v0"], "roots": ["v3"]},
}


def obeys(parents: Parents, known: str) -> bool:
    if known == "max_parents":
        return not parents[0] and len(parents[2]) <= 1
    if known == "forbidden":
        return 0 not in parents[1] and not {2, 3} & {*parents[0], *parents[1]}
    return known == "nothing" or ({1, 3} <= set(parents[0]) and not parents[3])


@cache
def small_table(score: str, seed: int) -> Any:
    if score not in NUMBERS:
        return random_table(np.random.default_rng(seed), 4, 40, 3)
    return NumericTable(("v0", "v1", "v2", "v3"), linear_data(seed, n=4, rows=30, density=0.8).values)


@cache
def best_of_all_networks(score: str, known: str, seed: int) -> int:
    """In quanta: every network that obeys, its families scored one by one."""
    table = small_table(score, seed)
    families = [(i, s) for i in range(4) for k in range(4) for s in combinations([v for v in range(4) if v != i], k)]
    if score in NUMBERS:
        prior = (1.0, 6.0) if score == "bge" else (0.0, 0.0)  # alpha_w: n + alpha_mu + 1
        children = np.array([i for i, _ in families], dtype=np.int64)
        costs = core.gaussian_costs(table.values, score, *prior, children, [list(s) for _, s in families])
    else:
        costs = local_costs(table, families, score)
    cost = dict(zip(families, costs.tolist(), strict=True))
    return min(sum(cost[i, s] for i, s in enumerate(parents)) for parents in all_networks(4) if obeys(parents, known))


def check_closing_in(points: list[dict[str, Any]], optimum: int) -> None:
    lower = [p["lower_bound"] for p in points]
    upper = [p["upper_bound"] for p in points]
    seconds = [p["seconds"] for p in points]
    assert None not in lower + upper
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert seconds == sorted(seconds)
    assert lower[-1] <= optimum / 2**30 <= upper[-1]


def check_run(result: Result, reports: list[dict[str, Any]], optimum: int) -> None:
    trace = result.statistics["trace"]
    check_closing_in(trace, optimum)
    assert 0 < trace[0]["seconds"] <= trace[-1]["seconds"] <= result.seconds
    assert (trace[-1]["lower_bound"], trace[-1]["upper_bound"]) == (result.lower_bound, result.upper_bound)
    if reports:
        check_closing_in(reports, optimum)
        assert trace[0]["lower_bound"] <= reports[0]["lower_bound"]
        assert reports[-1]["upper_bound"] >= result.upper_bound
        assert all(r["lower"] == r["lower_bound"] * 2**30 and r["upper"] == r["upper_bound"] * 2**30 for r in reports)


def learned(data: Any, score: str, progress: Callable[[dict[str, Any]], None], **options: Any) -> Result:
    """Interrupted or not."""
    try:
        return sabna.learn(data, score, progress=progress, gap_tolerance=0, **options)
    except Interrupted as interruption:
        return interruption.result


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("score", ALL)
@pytest.mark.parametrize(
    ("seed", "time_limit"),
    [(0, 0.0), (2, 1.0), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((1, 0.1), (3, 5.0)))],
)
def test_bounds_close_in_around_the_best_of_all_networks(score: str, known: str, seed: int, time_limit: float) -> None:
    reports: list[dict[str, Any]] = []
    options = {"knowledge": KNOWN[known], "time_limit": time_limit, "n_jobs": 1 + seed % 2}
    result = learned(small_table(score, seed), score, reports.append, **options)
    check_run(result, reports, best_of_all_networks(score, known, seed))
    assert reports or result.status == "time_limit"


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("score", ALL)
def test_bounds_close_in_wherever_memory_ends(score: str, known: str) -> None:
    seen = set()
    for size in (0, 4**5, 4**7, 4**10):
        reports: list[dict[str, Any]] = []
        options = {"knowledge": KNOWN[known], "limits": Bytes(bytes=size), "n_jobs": 1}
        result = learned(small_table(score, 0), score, reports.append, **options)
        check_run(result, reports, best_of_all_networks(score, known, 0))
        seen.add(result.status)
    assert "optimal" in seen


@cache
def larger_table(score: str) -> Any:
    """Scored in many levels, and in more time than one of categories of four variables."""
    if score in NUMBERS:
        return NumericTable(tuple(f"v{k}" for k in range(10)), linear_data(3, n=10, rows=50, density=0.6).values)
    codes = np.cumsum(np.random.default_rng(2).random((10, 400)) < 0.3, axis=0).astype(np.uint16) % 2
    return Table(tuple(f"v{k}" for k in range(10)), codes, (("0", "1"),) * 10)


@cache
def best_by_dynamic_programming(score: str) -> int:
    return graphs.optimum(build_parent_graph(larger_table(score), score))


@pytest.mark.parametrize("at", [0, 1, 3])
@pytest.mark.parametrize("score", ALL)
def test_bounds_close_in_wherever_the_clock_strikes(score: str, at: int) -> None:
    """A callback that takes its time makes the limit strike after its report number `at`, while scoring or later."""
    reports: list[dict[str, Any]] = []

    def linger(report: dict[str, Any]) -> None:
        reports.append(report)
        if len(reports) == at + 1:
            time.sleep(0.17)

    result = learned(larger_table(score), score, linger, time_limit=0.15)
    check_run(result, reports, best_by_dynamic_programming(score))


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("score", ALL)
def test_bounds_close_in_until_an_interruption(score: str, at: int) -> None:
    reports: list[dict[str, Any]] = []

    def interrupt(report: dict[str, Any]) -> None:
        reports.append(report)
        if len(reports) == at + 1:
            raise KeyboardInterrupt

    result = learned(larger_table(score), score, interrupt)
    assert at > 0 or result.status == "interrupted"
    check_run(result, reports, best_by_dynamic_programming(score))


@pytest.mark.parametrize("score", ["bic", "bdeu", "fnml", "bge"])
def test_scoring_is_on_the_clock_of_the_run(score: str) -> None:
    """One trace: scoring and search tell their bounds one after the other, by one clock that started with the run."""
    limits = Limits()
    time.sleep(0.05)
    trace = Trace()
    build_partial_graph(larger_table(score), score, limits=limits, trace=trace)
    scored = limits.elapsed()
    assert 0.05 <= trace.points[0]["seconds"] <= trace.points[-1]["seconds"] <= scored
    assert len(trace.points) >= 2
    assert trace.lower is not None
    assert trace.upper is not None
    # What is left to the search: the simple bound is reached when all is scored.
    graph = build_parent_graph(larger_table(score), score)
    assert trace.lower == int(graph.costs[graph.offsets[:-1]].sum())
    result = sabna.search(graph, limits=limits, trace=trace, gap_tolerance=0)
    assert result.statistics["trace"][:2] == trace.points[:2]
    check_closing_in(result.statistics["trace"], best_by_dynamic_programming(score))


@pytest.mark.parametrize("score", ALL)
def test_the_network_of_the_last_upper_bound_exists(score: str) -> None:
    """An upper bound without a network would be a number that nobody can check."""
    table = larger_table(score)
    for size in (0, 4**6, 4**8, 4**11):
        trace = Trace()
        built = build_partial_graph(table, score, limits=Bytes(bytes=size), trace=trace)
        found = network_of_order(built.graph, list(trace.order))
        assert found is not None
        cost, choice = found
        assert trace.upper is not None
        assert int(built.graph.costs[choice].sum()) == cost <= trace.upper
        place = {v: k for k, v in enumerate(trace.order)}
        assert all(place[p] < place[i] for i in range(built.graph.n) for p in members(built.graph.sets[choice[i]])), (
            "the parents come first"
        )


@pytest.mark.parametrize("score", ["bic", "k2", "qnml", "bic-g", "bge"])
def test_threads_and_clock_do_not_choose_the_network(score: str) -> None:
    """What scoring hands to the search must not depend on which thread was ready first."""
    seen = set()
    for jobs in (1, 2, 3):
        for pause in (0.0, 0.03):
            trace = Trace()
            build_partial_graph(
                larger_table(score), score, n_jobs=jobs, trace=trace, progress=lambda _, pause=pause: time.sleep(pause)
            )
            seen.add(trace.order)
    assert len(seen) == 1


def test_a_network_known_before_the_search_is_not_lost() -> None:
    """The search is given no time, and no network of its own is as good."""
    graph = graphs.random_graph(5, n=12, sets=40, largest=4, hard=True)
    solved = sabna.search(graph, gap_tolerance=0)
    order = tuple(graph.names.index(v) for v in solved.network.order)
    before = Trace(order=order)
    before.note(0.0, solved.cost_quanta - 5, solved.cost_quanta)
    result = sabna.search(graph, "astar", upper_bound=False, time_limit=0.0, trace=before, gap_tolerance=0)
    assert (result.cost_quanta, result.lower_bound_quanta) == (solved.cost_quanta, solved.cost_quanta - 5)
    assert result.statistics["trace"][-1]["lower_bound"] == result.lower_bound


@pytest.mark.parametrize("gap_tolerance", [1e-6, 2.0, 300.0])
@pytest.mark.parametrize("score", ["bic", "bdeu", "bge"])
def test_a_tolerance_does_not_make_bounds_cross(score: str, gap_tolerance: float) -> None:
    """A search that may stop short of the best network may know a worse one than scoring did."""
    reports: list[dict[str, Any]] = []
    result = sabna.learn(larger_table(score), score, gap_tolerance=gap_tolerance, progress=reports.append)
    assert result.status == "optimal"
    check_run(result, reports, best_by_dynamic_programming(score))


def test_reports_while_scoring_have_bounds_without_learn_too() -> None:
    reports: list[dict[str, Any]] = []
    build_parent_graph(larger_table("bic"), "bic", progress=reports.append)
    check_closing_in(reports, best_by_dynamic_programming("bic"))
    assert reports[0]["station"] == "parent graph"


def test_a_cut_list_keeps_the_set_without_parents() -> None:
    """A long list that a limit cut short lost the required set: no network could be made of what was left."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(16, 4)) @ rng.normal(size=(4, 300)) + 0.5 * rng.normal(size=(16, 300))
    table: Any = NumericTable(tuple(f"v{k}" for k in range(16)), values)
    built = build_partial_graph(table, "bic-g", slack=1e6, limits=Bytes(bytes=1_400_000), n_jobs=1)
    assert built.status == "memory_limit"
    sizes = np.diff(built.graph.offsets)
    assert sizes.max() > 1 << 14, "the list that is cut"
    for i in range(16):
        listed = list(built.graph.parent_sets(i))
        assert () in [parents for _, parents in listed]
        assert [cost for cost, _ in listed] == sorted(cost for cost, _ in listed)
        assert len({parents for _, parents in listed}) == len(listed)


def test_costs_that_are_negative_have_bounds_too() -> None:
    """Densities: a floor of 0 would be above the optimum."""
    table: Any = NumericTable(("v0", "v1", "v2", "v3"), linear_data(1, n=4, rows=30).values / 1e4)
    for score in NUMBERS:
        result = sabna.learn(table, score, gap_tolerance=0)
        assert result.cost < 0
        check_closing_in(result.statistics["trace"], result.cost_quanta)
        assert math.isfinite(result.statistics["trace"][0]["lower_bound"])
