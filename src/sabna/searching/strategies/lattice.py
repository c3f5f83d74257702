"""What the strategies over the order lattice share: an upper bound first, then the search of the core.

A heuristic is an entry of HEURISTICS: a function like `core_search`, which runs a strategy of the core over it.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.errors import UsageError
from sabna.base.limits import Stopwatch
from sabna.base.stop import STOP_NONE
from sabna.parents.graph import ParentGraph
from sabna.searching.outcome import Outcome, Run, SearchOptions

# Heuristic -> module:function that runs a strategy over it, called like `core_search`.
HEURISTICS = {
    "simple": "sabna.searching.strategies.lattice:core_search",
    "pattern": "sabna.searching.strategies.lattice:core_search",
    "cuts": "sabna.searching.strategies.weighted:weighted_search",
    "dual-pattern": "sabna.searching.strategies.weighted:weighted_search",
}

# Sets looked at by the local search before the search (some tenths of a second), and by the one that only has to find
# something to return.
UPPER_BOUND_WORK = 150_000_000
FALLBACK_WORK = 5_000_000


def upper_bound(graph: ParentGraph, seed: int, run: Run, work: int = UPPER_BOUND_WORK) -> dict[str, Any]:
    """A good network by local search: `known`, `order`, `choice`, `cost` and `stop`."""
    return core.local_search(*graph.arrays, seed=seed, restarts=8, kicks=60, work=work, start=[], **run.core())


def core_search(
    strategy: str, heuristic: str, graph: ParentGraph, options: SearchOptions, known_order: list[int], run: Run
) -> dict[str, Any]:
    """Search the order lattice in the core with one of its own heuristics."""
    return core.search(
        *graph.arrays,
        strategy=strategy,
        heuristic=heuristic,
        groups=options.pattern_groups,
        grouping=options.pattern_grouping,
        path_extension=options.path_extension,
        scc_branching=options.scc_branching,
        prune=options.upper_bound,
        tolerance=options.tolerance,
        threads=options.threads,
        known_order=known_order,
        **run.core(),
    )


def solve_lattice(strategy: str, graph: ParentGraph, options: SearchOptions, run: Run) -> Outcome:
    """Upper bound, then search; without an upper bound every node is stored, as in the paper."""
    heuristic = options.heuristic or "simple"
    if heuristic not in HEURISTICS:
        raise UsageError(f"unknown heuristic {heuristic!r}; choose one of {', '.join(HEURISTICS)}")
    module, function = HEURISTICS[heuristic].split(":")
    search = getattr(importlib.import_module(module), function)
    watch = Stopwatch()
    known: dict[str, Any] = {"order": [], "stop": STOP_NONE}
    if options.upper_bound:
        known = upper_bound(graph, options.seed, run)
    bound_seconds = watch.seconds()
    if known["stop"] != STOP_NONE:  # no time is left: ask the search for the bound at its start only
        run = replace(run, limits=replace(run.limits, seconds=0.0))
    found = search(strategy, heuristic, graph, options, known["order"], run)
    return outcome_of(
        found, known["stop"] or found["stop"], {"upper_bound_seconds": bound_seconds, "heuristic": heuristic}
    )


def outcome_of(found: dict[str, Any], stop: int, statistics: dict[str, Any]) -> Outcome:
    """The outcome of a search of the core."""
    counts = {key: found[key] for key in ("expanded", "generated", "stored", "pruned", "bytes_per_node")}
    known = found["known"]
    return Outcome(
        stop=STOP_NONE if found["stop"] == STOP_NONE else stop,
        choice=found["choice"] if known else None,
        cost=found["cost"] if known else INFINITE,
        lower=found["lower"],
        order=tuple(found["order"]) if known else (),
        statistics={**counts, **statistics},
    )
