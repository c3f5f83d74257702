"""A*: the paper's Algorithm 1 (core/search/astar.h), with the paper's heuristic unless another is asked for."""

from __future__ import annotations

from sabna.parents.graph import ParentGraph
from sabna.searching.outcome import Outcome, Run, SearchOptions
from sabna.searching.strategies.lattice import solve_lattice


def solve(graph: ParentGraph, options: SearchOptions, run: Run) -> Outcome:
    """A* over the whole graph."""
    return solve_lattice("astar", graph, options, run)
