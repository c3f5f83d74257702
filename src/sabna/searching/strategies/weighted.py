"""The heuristics `cuts` and `dual-pattern` for the strategies of the paper: find weights, then search with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.bounds.patterns import choose_patterns
from sabna.bounds.rounding import network_of_order
from sabna.bounds.tighten import tighten
from sabna.bounds.weights import Clusters, dual_ascent, reduced_costs
from sabna.parents.graph import ParentGraph

if TYPE_CHECKING:
    from sabna.searching.outcome import Run, SearchOptions

# Beyond this many parent sets dual ascent has to do: the linear program would take longer than the search.
PROGRAM_UP_TO = 20_000
LARGEST_GROUP = 20
PARTITIONS = 4


def weights_for(graph: ParentGraph, upper: int, run: Run) -> Clusters:
    """Good weights for the whole graph: dual ascent, and the linear program where it is not too large."""
    _, clusters = dual_ascent(graph, Clusters.none(graph.sets.shape[1]), upper, run.limits)
    if len(graph) > PROGRAM_UP_TO:
        return clusters
    # What the program strikes out on its way is not used: the search is to see the graph it was given.
    found = tighten(graph, clusters, upper, run.limits, lambda bound: run.limits.seconds_left() == 0)
    return found.clusters


def weighted_search(
    strategy: str, heuristic: str, graph: ParentGraph, options: SearchOptions, known_order: list[int], run: Run
) -> dict[str, Any]:
    """Search the order lattice with a heuristic made of cluster weights; called like `lattice.core_search`."""
    known = network_of_order(graph, known_order) if known_order else None
    upper = INFINITE if known is None else known[0]
    clusters = weights_for(graph, upper, run)
    patterns = []
    if heuristic == "dual-pattern":
        patterns = choose_patterns(graph.n, clusters, LARGEST_GROUP, PARTITIONS, options.seed)
    found: dict[str, Any] = core.search_weighted(
        *graph.arrays,
        *clusters.arrays,
        patterns=[pattern.arrays for pattern in patterns],
        strategy=strategy,
        path_extension=options.path_extension,
        scc_branching=options.scc_branching,
        prune=options.upper_bound,
        upper=INFINITE,
        tolerance=options.tolerance,
        known_order=known_order,
        threads=options.threads,
        **run.core(),
    )
    found["lower"] = max(found["lower"], min(reduced_costs(graph, clusters).bound, found["cost"]))
    return found
