"""Search strategies: one file each, with a function `solve(graph, options, run) -> Outcome`.

To add one, write its file and list it here. `components.solve_by_components` turns any of them into one that splits the
problem first.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from sabna.base.errors import UsageError
from sabna.parents.graph import ParentGraph
from sabna.searching.outcome import Outcome, Run, SearchOptions

Solve = Callable[[ParentGraph, SearchOptions, Run], Outcome]

# Name -> the module that has its `solve`.
STRATEGIES = {
    "auto": "sabna.searching.strategies.auto",
    "astar": "sabna.searching.strategies.astar",
    "bfs": "sabna.searching.strategies.bfs",
}


def strategy_named(name: str) -> Solve:
    """The strategy's `solve`."""
    if name not in STRATEGIES:
        raise UsageError(f"unknown strategy {name!r}; choose one of {', '.join(STRATEGIES)}")
    solve: Solve = importlib.import_module(STRATEGIES[name]).solve
    return solve


__all__ = ["STRATEGIES", "Outcome", "Run", "SearchOptions", "Solve", "strategy_named"]
