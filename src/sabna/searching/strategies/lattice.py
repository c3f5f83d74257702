"""The strategies of the paper: one search of the order lattice over one heuristic, of the whole graph.

With `--components` of each component by itself. A* is the paper's Algorithm 1 (core/search/astar.h). Breadth-first
search goes layer by layer (core/search/bfs_whole.h, and bfs_reached.h with path extension); there a heuristic plays a
part only together with an upper bound: nodes that cannot beat it are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sabna.searching.decisions import (
    CLUSTER_PROGRAM,
    COMPONENTS,
    DUAL_ASCENT,
    FIRST_NETWORK,
    ONLY_CHOICE,
    has_one_choice,
)
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part
from sabna.searching.steps import STEPS
from sabna.searching.steps.context import Context, Effort, Step
from sabna.searching.steps.plain_search import WEIGHTED, plain_search

# Beyond this many parent sets dual ascent has to do: the linear program would take longer than the search.
PROGRAM_UP_TO = 20_000


@dataclass(frozen=True)
class Lattice:
    """Upper bound, weights where the heuristic needs them, then the search.

    Without an upper bound every node is stored, as in the paper.
    """

    name: str  # of the core's strategy: astar or bfs
    effort = Effort(strike=False)
    networks_first = False
    side_by_side = False  # each may need all the memory

    def network_first(self, part: Part) -> bool:
        """Each component is searched to its end before the next one is begun."""
        return False

    def next_step(self, part: Part, context: Context) -> Step:
        """One after the other."""
        options, done = context.options, part.progress.step
        if options.components and part.depth == 0:
            return STEPS[COMPONENTS]
        if options.components and has_one_choice(part):
            return STEPS[ONLY_CHOICE]
        if options.upper_bound and not done:
            return STEPS[FIRST_NETWORK]
        if options.heuristic in WEIGHTED:
            if done in ("", FIRST_NETWORK):
                return STEPS[DUAL_ASCENT]
            if done == DUAL_ASCENT and len(part.graph) <= PROGRAM_UP_TO:
                return STEPS[CLUSTER_PROGRAM]
        return plain_search(self.name)

    def advance(self, step: str, before: Part, after: Part) -> Part:
        """The first network is what weights are raised for."""
        progress = replace(after.progress, step=step)
        target = after.target if after.known is None else after.known.cost
        return replace(after, progress=progress, target=target)

    def statistics(self, counts: Mapping[str, float], options: SearchOptions) -> dict[str, Any]:
        """Nodes, and the time of the local search."""
        whole = {key: int(counts.get(key, 0)) for key in ("expanded", "generated", "stored", "pruned")}
        rest = {key: counts.get(key, 0.0) for key in ("bytes_per_node", "upper_bound_seconds")}
        return {**whole, **rest, "heuristic": options.heuristic or "simple"}
