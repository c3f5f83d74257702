"""Solve the components of a parent graph one after the other (core/search/components.h).

When a limit strikes, the lower bound is the sum of: the optimum where solved, the bound reached where it struck, and
the simple bound where nothing was done yet. Their networks come from a short local search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.stop import STOP_NONE
from sabna.parents.graph import ParentGraph
from sabna.searching.outcome import Outcome, Run, SearchOptions
from sabna.searching.strategies.lattice import FALLBACK_WORK, upper_bound

if TYPE_CHECKING:
    from sabna.searching.strategies import Solve


def component_graph(graph: ParentGraph, members: list[int]) -> tuple[ParentGraph, Any]:
    """A component as a graph of its own, and the position in the whole graph of each of its sets."""
    arrays, origin = core.extract_component(*graph.arrays, members)
    return ParentGraph(tuple(graph.names[v] for v in members), *arrays), origin


def simple_bound(graph: ParentGraph) -> int:
    """The sum of every variable's cheapest set."""
    return int(graph.costs[graph.offsets[:-1]].sum())


def quick_outcome(graph: ParentGraph, seed: int, stop: int) -> Outcome:
    """Something to return when there is no time to search: a short local search and the simple bound."""
    found = upper_bound(graph, seed, Run(Limits()), work=FALLBACK_WORK)
    return Outcome(stop, found["choice"], found["cost"], simple_bound(graph), tuple(found["order"]))


def solve_by_components(solve: Solve, graph: ParentGraph, options: SearchOptions, run: Run) -> Outcome:
    """`solve` each component, parents first, and put the parts together."""
    components = core.components(*graph.arrays)
    parts = [component_graph(graph, members) for members in components]
    waiting = [simple_bound(part) for part, _ in parts]
    choice = np.zeros(graph.n, dtype=np.int64)
    order: list[int] = []
    stop, lower, cost = STOP_NONE, 0, 0
    totals: dict[str, Any] = {"expanded": 0, "generated": 0, "stored": 0, "pruned": 0, "bytes_per_node": 0.0}
    largest = 0
    for k, (members, (part, origin)) in enumerate(zip(components, parts, strict=True)):
        rest = sum(waiting[k + 1 :])
        run.shift(lower + rest, cost + rest if k + 1 == len(parts) else INFINITE, **_counts(totals))
        if stop != STOP_NONE:
            outcome = quick_outcome(part, options.seed, stop)
        elif part.n == 1 or len(part) == part.n:  # one set each: nothing to choose
            outcome = quick_outcome(part, options.seed, STOP_NONE)
        else:
            outcome = solve(part, options, run)
            stop = outcome.stop
            if outcome.choice is None:
                quick = quick_outcome(part, options.seed, stop)
                outcome = Outcome(stop, quick.choice, quick.cost, outcome.lower, quick.order, outcome.statistics)
        assert outcome.choice is not None
        choice[members] = origin[outcome.choice]
        order += [members[v] for v in outcome.order]
        lower, cost = lower + outcome.lower, cost + outcome.cost
        if part.n > largest and outcome.statistics:
            largest, totals["bytes_per_node"] = part.n, outcome.statistics.get("bytes_per_node", 0.0)
        for key in _COUNTED:
            totals[key] += outcome.statistics.get(key, 0)
    run.shift(0, 0)
    sizes = sorted((len(members) for members in components), reverse=True)
    statistics = {**totals, "components": len(sizes), "largest_component": sizes[0] if sizes else 0}
    return Outcome(stop, choice, cost, lower, tuple(order), {**statistics, "heuristic": options.heuristic})


_COUNTED = ("expanded", "generated", "stored", "pruned")


def _counts(totals: dict[str, Any]) -> dict[str, int]:
    return {key: totals[key] for key in _COUNTED}
