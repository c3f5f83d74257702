"""A network and a lower bound from a parent graph that a limit left unfinished.

The network: the parent sets scored so far are a parent graph of their own, and every network of it is a network of the
table. So it is searched like any other; its own lower bound says nothing of the table, and is not used.

The bound: no set of variable i that was not scored costs less than floor(i). Give each variable the empty set at the
cost floor(i), if that is less than it costs already. A network of the table becomes a network of this *relaxed graph*
when every set that was not scored is replaced by the empty one: no variable costs more then, and no cycle arises. So no
network of the table costs less than the best one of the relaxed graph, and every bound that holds there holds. The sum
of the cheapest sets of the relaxed graph is the simple bound with floors; clusters, whose credit can only shrink as a
set grows, give more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.progress import BEST
from sabna.base.stop import Stop
from sabna.base.trace import Trace
from sabna.bounds.weights import Clusters, dual_ascent
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import network_of_order, placing_order, topological_order
from sabna.searching.outcome import Outcome, Run, SearchOptions
from sabna.searching.part import simple_bound
from sabna.searching.solving import quick_outcome, solve
from sabna.searching.strategies import STRATEGIES

# The share of the time that scoring leaves to the search. A search that has less seldom ends, so little is lost where
# scoring would have ended in it; of a minute it leaves three seconds, enough for a good network of 50 variables.
SEARCH_SHARE = 0.05
# The share of that time for the bound; what it does not need is the network's.
BOUND_SHARE = 0.4
# Where memory ended the scoring there may be no end of time: parent sets looked at for cluster weights, some seconds.
ASCENT_WORK = 300_000_000


def scoring_limits(limits: Limits) -> Limits:
    """The limits of scoring: some of the time is left for the search of what it has scored."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=limits.seconds - SEARCH_SHARE * max(limits.seconds_left(), 0.0))


def relaxed_graph(graph: ParentGraph, floor: NDArray[np.int64]) -> ParentGraph:
    """The graph with an empty set at the cost of the floor: no network of the table costs less than its best one.

    What that set dominates goes: all sets that cost no less than the floor.

    >>> sets = np.array([[2], [0], [0]], dtype=np.uint64)
    >>> graph = ParentGraph(("a", "b"), np.array([0, 2, 3]), np.array([3, 9, 5]), sets)
    >>> relaxed = relaxed_graph(graph, np.array([7, INFINITE]))
    >>> [list(relaxed.parent_sets(i)) for i in range(2)]
    [[(3, (1,)), (7, ())], [(5, ())]]
    """
    variable = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    empty = np.full(graph.n, INFINITE)
    without = np.flatnonzero(~graph.sets.any(axis=1))
    empty[variable[without]] = graph.costs[without]
    open_ = np.flatnonzero(floor < empty)
    keep = (graph.costs < floor[variable]) | (floor >= empty)[variable]
    kept, costs, sets = variable[keep], graph.costs[keep], graph.sets[keep]
    at = np.searchsorted(kept, open_, side="right")  # after its cheaper ones
    sizes = np.bincount(kept, minlength=graph.n)
    sizes[open_] += 1
    return ParentGraph(
        graph.names,
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.insert(costs, at, floor[open_]),
        np.ascontiguousarray(np.insert(sets, at, 0, axis=0)),
    )


def unfinished_outcome(
    graph: ParentGraph, floor: NDArray[np.int64], stop: Stop, options: SearchOptions, run: Run, whole_search: bool
) -> Outcome:
    """The best network of what was scored, and a bound of the table.

    What is known before, by the run's trace, is where it starts. Only if a time limit ended the scoring there is time
    for more than some work, and only if `whole_search`. An interrupt is to end soon, too.
    """
    quick = quick_outcome(graph, options.seed, stop)
    relaxed = relaxed_graph(graph, floor)
    lower, network = simple_bound(relaxed), (quick.cost, quick.choice)
    network = _better(graph, run.trace.order, network)
    statistics: dict[str, Any] = {}
    if whole_search and stop == Stop.time_limit:
        seconds = run.limits.seconds_left()
        sooner = replace(run.limits, seconds=run.limits.elapsed() + BOUND_SHARE * seconds)
        bound = _search(relaxed, options, run, sooner, real=False)
        lower = max(lower, bound.lower)
        run.note(lower, network[0])
        network = _better(graph, topological_order(relaxed, bound.choice), network)
        found = _search(graph, options, run, run.limits, real=True)
        if found.cost < network[0]:
            network = found.cost, found.choice
        statistics = found.statistics
        if Stop.interrupted in (bound.stop, found.stop):
            stop = Stop.interrupted
    elif whole_search and stop == Stop.memory_limit:
        none = Clusters.none(relaxed.sets.shape[1])
        lower = max(lower, dual_ascent(relaxed, none, network[0], run.limits, work=ASCENT_WORK)[0])
    return Outcome(stop, network[1], network[0], min(lower, network[0]), statistics)


def _better(
    graph: ParentGraph, order: tuple[int, ...], network: tuple[int, NDArray[np.int64]]
) -> tuple[int, NDArray[np.int64]]:
    """The network of an order, if it is better than this one."""
    found = network_of_order(graph, list(order)) if order else None
    return network if found is None or found[0] >= network[0] else found


def _search(graph: ParentGraph, options: SearchOptions, run: Run, limits: Limits, real: bool) -> Outcome:
    """Search a graph by the default strategy; reports tell the bounds of the run, not its own.

    `real`: its networks are networks of the table.
    """
    report = None
    if run.progress is not None:
        callback = run.progress

        def report(told: dict[str, Any]) -> None:
            told = told if real else {**told, BEST: None}
            callback(run.trace.report(told, run.limits.elapsed()))

    order = list(run.trace.order) or placing_order(graph)[0]
    return solve(graph, order, STRATEGIES["auto"], options, Run(limits, report, Trace()))
