"""Dense tables (core/search/dense.h): the exact optimum of few variables, however many parent sets they have."""

from __future__ import annotations

from sabna._native import core
from sabna.searching.decisions import DENSE_TABLES
from sabna.searching.part import Part
from sabna.searching.steps.context import Closed, Context, Solved, Step


def run(part: Part, context: Context) -> Closed | Solved:
    """All subsets in one table."""
    stop, cost, choice, subsets = core.dense_search(
        *part.graph.arrays, threads=context.options.threads, **context.core(part)
    )
    context.check(stop)
    context.done(part, DENSE_TABLES, dense_components=1, subsets=subsets)
    return Closed(cost) if cost >= part.target else Solved(cost, part.origin[choice], cost)


STEP = Step(DENSE_TABLES, run)
