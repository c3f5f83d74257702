"""The paper's searches, A* and breadth-first search, of a whole part over one heuristic.

A heuristic of the core's own goes by its name there (core/search/run.cc). Those of WEIGHTED, `cuts` and
`dual-pattern`, are made of the part's cluster weights, which dual ascent and the cluster program have raised before.
What these would strike out is not used: the search is to see the graph it was given.

A breadth-first search that outgrows the memory begins again with its layers in the files of the work directory, if
there is one; both find the same network.
"""

from __future__ import annotations

from collections.abc import Callable
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
from sabna.searching.steps.layer_files import LayerFiles, Lost

Search = Callable[[Part, Context, str, dict[str, Any]], core.Outcome]

# The groups of the heuristic `dual-pattern`.
LARGEST_GROUP = 20
PARTITIONS = 4


def _over_own(part: Part, context: Context, heuristic: str, settings: dict[str, Any]) -> core.Outcome:
    """Over one of the core's own heuristics."""
    return core.search(
        *part.graph.arrays,
        heuristic=heuristic,
        groups=context.options.pattern_groups or 0,
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


def _checkpoints(part: Part, context: Context, heuristic: str, settings: dict[str, Any]) -> dict[str, Any]:
    """What the core is given to keep how far it is, where there is a work directory."""
    if context.files is None:
        return {}
    grouping = context.options.pattern_groups, context.options.pattern_grouping, context.options.seed
    how = {name: value for name, value in settings.items() if name != "threads"}
    searched = part.graph.arrays, part.clusters.arrays, heuristic, grouping, how
    return {"checkpoints": context.files.checkpoints(part).of(*searched)}


def _in_files(
    search: Search, part: Part, context: Context, heuristic: str, settings: dict[str, Any], files: LayerFiles
) -> core.Outcome:
    """With the layers in files; from the beginning if one of them is damaged."""
    given = context.core(part)
    told = given["progress"]

    def report(report: dict[str, Any]) -> None:
        left = report["total"] - report["finished"]
        in_files = {"layer": files.layer, "bytes_in_files": files.bytes, "bytes_to_come": files.bytes_to_come(left)}
        told({**report, **in_files})

    try:
        return search(part, context, heuristic, settings | given | {"progress": report, "layers": files})
    except Lost:
        files.forget()
        return search(part, context, heuristic, settings | given | {"progress": report, "layers": files})


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
        files = context.files.layers(part) if context.files is not None and strategy == "bfs" else None
        found = None
        if files is None or files.record is None:
            kept = _checkpoints(part, context, heuristic, settings) if strategy == "astar" else {}
            found = search(part, context, heuristic, settings | context.core(part) | kept)
        if files is not None and (found is None or found.stop == Stop.memory_limit):
            found = _in_files(search, part, context, heuristic, settings, files)
        assert found is not None
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
