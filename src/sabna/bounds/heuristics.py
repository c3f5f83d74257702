"""The heuristics `cuts` and `dual-pattern` for the strategies of the paper: find weights, then search with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sabna._native import core
from sabna.bounds.tighten import tighten
from sabna.bounds.weights import INFINITE, Clusters, dual_ascent, reduced_costs
from sabna.parentgraph import ParentGraph

if TYPE_CHECKING:
    from sabna.strategies.interface import Run, SearchOptions

# Beyond this many parent sets dual ascent has to do: the linear program would take longer than the search.
PROGRAM_UP_TO = 20_000
LARGEST_GROUP = 20
PARTITIONS = 4


def weights_for(graph: ParentGraph, upper: int, run: Run) -> Clusters:
    """Good weights for the whole graph: dual ascent, and the linear program where it is not too large."""
    _, clusters = dual_ascent(graph, Clusters.none(graph.sets.shape[1]), upper, run.limits)
    if len(graph) > PROGRAM_UP_TO:
        return clusters
    # No set is struck out here: the search is to see the graph it was given.
    found = tighten(
        graph, clusters, INFINITE, run.limits, lambda bound: bound >= upper or run.limits.seconds_left() == 0
    )
    return found.clusters


def order_cost(graph: ParentGraph, order: list[int]) -> int:
    """The cost of the best network that agrees with an order."""
    outside = ~np.zeros(graph.sets.shape[1], np.uint64)
    cost = 0
    for i in order:
        part = slice(graph.offsets[i], graph.offsets[i + 1])
        fits = ~(graph.sets[part] & outside).any(axis=1)
        cost += int(graph.costs[part][int(np.argmax(fits))])
        outside[i >> 6] &= ~np.uint64(1 << (i & 63))
    return cost


def weighted_search(
    strategy: str, heuristic: str, graph: ParentGraph, options: SearchOptions, known_order: list[int], run: Run
) -> dict[str, Any]:
    """Search the order lattice with a heuristic made of cluster weights; called like `lattice.core_search`."""
    upper = order_cost(graph, known_order) if known_order else INFINITE
    clusters = weights_for(graph, upper, run)
    found: dict[str, Any] = core.search_weighted(
        *graph.arrays,
        *clusters.arrays,
        strategy=strategy,
        heuristic=heuristic,
        largest_group=LARGEST_GROUP,
        partitions=PARTITIONS,
        path_extension=options.path_extension,
        scc_branching=options.scc_branching,
        prune=options.upper_bound,
        upper=INFINITE,
        tolerance=options.tolerance,
        known_order=known_order,
        threads=options.threads,
        seed=options.seed,
        **run.core(),
    )
    found["lower"] = max(found["lower"], min(reduced_costs(graph, clusters).bound, found["cost"]))
    return found
