"""The search of what bounds and fixing have left: A* over the order lattice, and branch and bound where memory ends.

Its heuristic are the pattern databases and cluster weights that the part has by now. It looks for networks below the
target only. A* is tried again and again (`TRIAL`): often a few thousand nodes are enough, and another round of bounds
would cost more. It gives up as soon as it sees that it would need too many (core/search/astar.h).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sabna._native import core
from sabna.base.stop import Stop
from sabna.searching import decisions
from sabna.searching.decisions import ASTAR, BRANCH_AND_BOUND, TRIAL
from sabna.searching.events import Searched
from sabna.searching.part import Known, Part
from sabna.searching.steps.context import Closed, Context, Narrowed, SearchFiles, Solved, Step

Found = Narrowed | Closed | Solved


def counted(found: core.Outcome) -> dict[str, float]:
    """What a search of the core counts."""
    return {
        "expanded": found.expanded,
        "generated": found.generated,
        "stored": found.stored,
        "pruned": found.pruned,
        "bytes_per_node": found.bytes_per_node,
    }


def trial(part: Part, context: Context) -> Found:
    """A* with memory for some two million nodes beside its tables, if it expects to need no more than half of them."""
    memory = context.limits.bytes_left()
    plan = decisions.table_plan(part.n, part.progress.round, memory)
    if plan is None or not part.patterns:
        return Narrowed(part)
    tables = decisions.table_bytes(part.n, plan, context.options.threads)
    most = min(memory, tables + decisions.TRIAL_BYTES)
    return _search(part, context, ASTAR, most, may_run_out=True, nodes=decisions.TRIAL_NODES)


def astar(part: Part, context: Context) -> Found:
    """A* with all the memory there is."""
    memory = context.limits.bytes_left()
    return _search(part, context, ASTAR, memory, may_run_out=True, nodes=decisions.ASTAR_NODES, files=context.files)


def branch_and_bound(part: Part, context: Context) -> Found:
    """Depth-first branch and bound, in any memory."""
    memory = context.limits.bytes_left()
    return _search(part, context, BRANCH_AND_BOUND, memory, may_run_out=False, files=context.files)


def _search(
    part: Part,
    context: Context,
    strategy: str,
    memory: int,
    may_run_out: bool,
    nodes: int = 0,
    files: SearchFiles | None = None,
) -> Found:
    """Search the order lattice; where memory may run out, the part goes on with what was found by then.

    `nodes`: A* gives up when it expects to need more. `files`: where the search keeps how far it is.
    """
    patterns, checkpoints = [pattern.arrays for pattern in part.patterns], None
    if files is not None:
        how = strategy, context.options.path_extension, part.target, nodes
        checkpoints = files.checkpoints(part).of(part.graph.arrays, part.clusters.arrays, patterns, how)
    found = core.search_weighted(
        *part.graph.arrays,
        *part.clusters.arrays,
        patterns=patterns,
        strategy=strategy,
        path_extension=context.options.path_extension,
        scc_branching=True,
        prune=True,
        upper=part.target,
        tolerance=0,
        known_order=[],
        threads=context.options.threads,
        limits=context.limits.left(memory=memory),
        progress=context.reports_of(part),
        record=context.ledger,
        nodes_at_once=decisions.NODES_AT_ONCE,
        most_nodes=nodes,
        checkpoints=checkpoints,
    )
    if context.ledger:
        words = part.graph.sets.shape[1]
        placed = np.unique(np.reshape(found.expanded_sets, (-1, words)), axis=0) if found.recorded else None
        context.emit(Searched(part, min(found.lower, part.target), placed, part.clusters, part.patterns))
    part = context.bounded(part, found.lower)
    context.done(part, strategy, **counted(found))
    better = found.cost < part.target
    if better:
        # Exact from here on: what goes on after a search goes on below the cost it found.
        known = Known(found.cost, part.origin[found.choice])
        part = replace(context.improved(part, known, strategy), target=known.cost)
    if found.stop == Stop.none:
        return Solved(known.cost, known.choice, part.lower) if better else Closed(part.lower)
    if found.stop != Stop.memory_limit or not may_run_out:
        context.check(found.stop)
    progress = replace(part.progress, nodes_expected=min(found.nodes_expected, decisions.TOO_MANY_NODES))
    return Narrowed(replace(part, progress=progress))


TRIAL_STEP = Step(TRIAL, trial)
ASTAR_STEP = Step(ASTAR, astar)
BRANCH_AND_BOUND_STEP = Step(BRANCH_AND_BOUND, branch_and_bound)
