"""Networks by order-based local search (core/bounds/local_search.h)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sabna._native import core
from sabna.base.limits import Limits, Stopwatch
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop, Stopped
from sabna.bounds.tied import TiedGraph, tied_groups
from sabna.bounds.untying import untying
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions
from sabna.searching.events import PartImproved
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Known, Part
from sabna.searching.steps.context import Context, Narrowed, Step

# Fruitless moves in a row before the next start.
KICKS = 10


def look(
    part: Part, context: Context, seed: int, work: int, restarts: int = 8, crossings: int | None = None
) -> Known | None:
    """A good network; None if local search finds none at all.

    Looked for from the last order of the cluster program first, then from that of the network known, and until so many
    crossings in a row brought nothing. Says nothing while it works, so that it may run beside another step.
    """
    known = () if part.known is None else part.known.order
    starts = [order for order in (part.order, known) if order]
    settings: dict[str, Any] = {"seed": seed, "work": work, "restarts": restarts, "starts": starts}
    if crossings is not None:
        settings["crossings"] = crossings
    return _look(part, context, settings, None)


def _look(part: Part, context: Context, settings: dict[str, Any], progress: ProgressCallback | None) -> Known | None:
    seconds = context.limits.seconds_left()
    if seconds >= 0:  # reading may have taken all the time: a little is always left for a good network
        seconds = max(seconds, context.grace - context.limits.elapsed(), 0.0)
    limits = context.limits.left(seconds=seconds)
    settings = {"kicks": KICKS, "crossings": decisions.crossings(part.n)} | settings
    settings["threads"] = context.options.threads
    found = core.local_search(*part.graph.arrays, **settings, limits=limits, progress=progress)
    if found.stop == Stop.interrupted:  # the core has taken the signal: nobody else will hear of it
        raise Stopped(found.stop)
    return Known(found.cost, part.origin[found.choice], tuple(found.order)) if found.known else None


def run(part: Part, context: Context) -> Narrowed:
    """The first network of a part. Its target stays: tables that follow are to look for their own."""
    watch = Stopwatch()
    starts = _tied_start(part, context) if context.effort.improve else []
    work = decisions.first_work(part) if context.effort.improve else decisions.FIRST_WORK
    settings = {
        "seed": context.options.seed,
        # From an order of tied groups single columns have little to find.
        "work": min(work, decisions.local_search_work(part.n)) if starts else work,
        "restarts": context.effort.restarts,
        "starts": starts,
    }
    known = _look(part, context, settings, context.reports_of(part))
    context.done(part, decisions.FIRST_NETWORK, upper_bound_seconds=watch.seconds())
    if known is not None:
        if known.cost < part.target:
            part = replace(part, known=known)
        context.emit(PartImproved(part, known.cost, known.choice, decisions.FIRST_NETWORK))
    return Narrowed(part)


def _tied_start(part: Part, context: Context) -> list[list[int]]:
    """The order that local search over tied groups (bounds/tied.py) ends with, if there are such."""
    groups = [] if decisions.dense_at_once(part) else tied_groups(part.graph)
    if not groups:
        return []
    tied, limits = TiedGraph(part.graph, groups), context.limits.with_share_of_time(decisions.TIED_TIME)

    def look(graph: ParentGraph, **settings: Any) -> list[int] | None:
        found = core.local_search(
            *graph.arrays,
            **settings,
            kicks=KICKS,
            threads=context.options.threads,
            limits=limits.left(),
            progress=None,
        )
        if found.stop == Stop.interrupted:
            raise Stopped(found.stop)
        return list(found.order) if found.known else None

    def look_around(graph: ParentGraph, start: list[int], seed: int) -> list[int] | None:
        if limits.seconds_left() == 0:
            return None
        work, restarts = decisions.UNTYING_WORK, decisions.UNTYING_RESTARTS
        crossings = decisions.UNTYING_CROSSINGS
        return look(graph, seed=seed, work=work, restarts=restarts, crossings=crossings, starts=[start])

    graph, seed = tied.contracted(), context.options.seed
    if graph is None:
        return []
    crossings = decisions.crossings(graph.n)
    first = {"seed": seed, "work": decisions.TIED_WORK, "restarts": decisions.RESTARTS, "crossings": crossings}
    order = look(graph, **first, starts=[])
    return [] if order is None else [untying(tied, tied.written_out(order), look_around, seed)]


def quick_network(part: Part, seed: int) -> Known | None:
    """A network where there is no time for more: by work alone, some hundredths of a second."""
    return look(part, Context(SearchOptions(), Limits()), seed, decisions.FALLBACK_WORK)


STEP = Step(decisions.FIRST_NETWORK, run)
