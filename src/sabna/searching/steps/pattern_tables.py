"""Pattern databases on reduced costs (core/bounds/dual_pattern_db.h), and fixing by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.stop import Stop
from sabna.bounds.patterns import Pattern, choose_patterns
from sabna.searching import decisions
from sabna.searching.part import Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Closed, Context, Narrowed, Step


@dataclass(frozen=True, eq=False)
class Filled:
    """What filling the tables of patterns brought: the part with their bound, each bound, the sets that may stay."""

    part: Part
    bounds: list[int]
    keep: NDArray[Any]


def fill(part: Part, patterns: tuple[Pattern, ...], context: Context) -> Filled:
    """Fill the tables of patterns and fix by them; nothing is fixed where memory is short."""
    fixed = core.fix_sets(
        *part.graph.arrays,
        patterns=[pattern.arrays for pattern in patterns],
        target=part.target,
        threads=context.options.threads,
        **context.core(part),
    )
    if fixed.stop != Stop.memory_limit:
        context.check(fixed.stop)
    part = context.bounded(part, max(fixed.bounds), patterns=(patterns[int(np.argmax(fixed.bounds))],))
    striking.tell(part, fixed.keep == 0, context, patterns=patterns, by=fixed.by)
    return Filled(part, fixed.bounds, fixed.keep)


def run(part: Part, context: Context) -> Narrowed | Closed:
    """Large groups, larger from round to round, and the pattern kept from the group program."""
    plan = decisions.table_plan(part.n, part.progress.round, context.limits.bytes_left())
    if plan is None:
        return Narrowed(replace(part, patterns=()))
    seed = context.options.seed
    patterns = tuple(choose_patterns(part.n, part.clusters, plan.largest, plan.partitions, seed))
    if part.kept is not None:
        patterns = (*patterns, part.kept)
    if not decisions.tables_filled(part):
        return Narrowed(replace(part, patterns=patterns))
    filled = fill(replace(part, patterns=patterns), patterns, context)
    part = filled.part if part.kept is None else replace(filled.part, kept_bound=filled.bounds[-1])
    context.done(part, decisions.PATTERN_TABLES, partitions=len(patterns), largest=plan.largest)
    return striking.left_of(part, filled.keep)


STEP = Step(decisions.PATTERN_TABLES, run)
