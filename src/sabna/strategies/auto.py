"""The default: split into components, and search each by A* with everything that makes it small."""

from __future__ import annotations

from dataclasses import replace

from sabna.parentgraph import ParentGraph
from sabna.strategies.components import solve_by_components
from sabna.strategies.interface import Outcome, Run, SearchOptions
from sabna.strategies.lattice import solve_lattice


def solve(graph: ParentGraph, options: SearchOptions, run: Run) -> Outcome:
    """Components, upper bound, A* with pattern databases, path extension and SCC branching."""
    options = replace(options, heuristic=options.heuristic or "pattern", scc_branching=True)
    return solve_by_components(lambda part, o, r: solve_lattice("astar", part, o, r), graph, options, run)
