"""Breadth-first search, layer by layer (core/search/bfs_dense.h, and bfs_sparse.h with path extension).

A heuristic plays a part only together with an upper bound: nodes that cannot beat it are dropped.
"""

from __future__ import annotations

from sabna.parents.graph import ParentGraph
from sabna.searching.outcome import Outcome, Run, SearchOptions
from sabna.searching.strategies.lattice import solve_lattice


def solve(graph: ParentGraph, options: SearchOptions, run: Run) -> Outcome:
    """Breadth-first search over the whole graph."""
    return solve_lattice("bfs", graph, options, run)
