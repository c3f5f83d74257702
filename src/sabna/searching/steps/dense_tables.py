"""Dense tables (core/search/dense.h): the exact optimum of few variables, however many parent sets they have."""

from __future__ import annotations

from sabna._native import core
from sabna.searching.decisions import DENSE_TABLES
from sabna.searching.part import Part
from sabna.searching.steps.context import Closed, Context, Solved, Step


def run(part: Part, context: Context) -> Closed | Solved:
    """All subsets in one table."""
    found = core.dense_search(*part.graph.arrays, threads=context.options.threads, **context.core(part))
    context.check(found.stop)
    context.done(part, DENSE_TABLES, dense_components=1, subsets=found.expanded)
    if found.cost >= part.target:
        return Closed(found.cost)
    return Solved(found.cost, part.origin[found.choice], found.cost)


STEP = Step(DENSE_TABLES, run)
