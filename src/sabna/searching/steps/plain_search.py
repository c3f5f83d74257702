"""The paper's searches, A* and breadth-first search, of a whole part over one heuristic.

A heuristic of the core's own goes by its name there (core/search/run.cc). Those of WEIGHTED, `cuts` and
`dual-pattern`, are made of the part's cluster weights, which dual ascent and the cluster program have raised before.
What these would strike out is not used: the search is to see the graph it was given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.stop import Stop
from sabna.bounds.patterns import choose_patterns
from sabna.searching.events import PartImproved
from sabna.searching.part import Known, Part
from sabna.searching.steps.context import Context, Solved, Step
from sabna.searching.steps.lattice import counted

# The groups of the heuristic `dual-pattern`.
LARGEST_GROUP = 20
PARTITIONS = 4


def _over_own(part: Part, context: Context, heuristic: str, settings: dict[str, Any]) -> core.Outcome:
    """Over one of the core's own heuristics."""
    return core.search(
        *part.graph.arrays,
        heuristic=heuristic,
        groups=context.options.pattern_groups,
        grouping=context.options.pattern_grouping,
        **settings,
    )


def _over_weights(part: Part, context: Context, heuristic: str, settings: dict[str, Any]) -> core.Outcome:
    """Over a heuristic made of cluster weights."""
    patterns = []
    if heuristic == "dual-pattern":
        patterns = choose_patterns(part.n, part.clusters, LARGEST_GROUP, PARTITIONS, context.options.seed)
    return core.search_weighted(
        *part.graph.arrays,
        *part.clusters.arrays,
        patterns=[pattern.arrays for pattern in patterns],
        upper=INFINITE,
        **settings,
    )


# Heuristics that need cluster weights first.
WEIGHTED = ("cuts", "dual-pattern")


def plain_search(strategy: str) -> Step:
    """The step that searches a part by a strategy of the core, "astar" or "bfs"."""

    def run(part: Part, context: Context) -> Solved:
        options = context.options
        heuristic = options.heuristic or "simple"
        settings = {
            "strategy": strategy,
            "path_extension": options.path_extension,
            "scc_branching": options.scc_branching,
            "prune": options.upper_bound,
            "tolerance": part.slack,
            "threads": options.threads,
            "known_order": [] if part.known is None else list(part.known.order),
        }
        search = _over_weights if heuristic in WEIGHTED else _over_own
        found = search(part, context, heuristic, settings | context.core(part))
        part = context.bounded(part, found.lower)
        context.done(part, strategy, **counted(found))
        if found.known:
            known = Known(found.cost, part.origin[found.choice])
            part = replace(part, known=known)
            if found.stop == Stop.none:
                return Solved(known.cost, known.choice, part.lower)
            context.emit(PartImproved(part, known.cost, known.choice, strategy))
        context.check(found.stop)
        raise AssertionError(f"{strategy} ended without a network and without a reason")

    return Step(strategy, run)
