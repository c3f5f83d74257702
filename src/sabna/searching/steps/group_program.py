"""The group program: weights made for a partition into small groups, and fixing by its tables.

Partitions differ widely in what they reach; the best of some thirty is taken, and `decisions` asks for another as long
as that pays. The best pattern is kept: later tables and the search use it beside their own.
"""

from __future__ import annotations

from dataclasses import replace

from sabna.base.stop import Stop
from sabna.bounds.group_program import Raised, raise_best
from sabna.bounds.patterns import Pattern, choose_patterns
from sabna.searching import decisions
from sabna.searching.part import Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Closed, Context, Narrowed, Step
from sabna.searching.steps.pattern_tables import fill


def raised_pattern(part: Part, context: Context, number: int) -> Raised:
    """The best of some partitions, its weights raised; every `number` has other partitions."""
    candidates: list[Pattern] = []
    for k in range(decisions.CANDIDATE_SEEDS):
        seed = context.options.seed + decisions.CANDIDATE_SEEDS * number + k
        candidates += choose_patterns(part.n, part.clusters, decisions.SMALL_GROUP, decisions.PARTITIONS, seed)
    found = raise_best(
        part.graph,
        candidates,
        part.raise_to,
        context.limits,
        context.options.threads,
        decisions.MOST_PROGRAM_ROUNDS,
    )
    if found.stop != Stop.memory_limit:
        context.check(found.stop)
    return found


def run(part: Part, context: Context) -> Narrowed | Closed:
    """One more partition."""
    progress = part.progress
    found = raised_pattern(part, context, decisions.ATTEMPTS * progress.round + progress.attempt)
    part = context.bounded(part, found.bound, patterns=(found.pattern,))
    gap = part.target - found.bound
    context.done(
        part, decisions.GROUP_PROGRAM, group_rounds=found.rounds, largest=decisions.SMALL_GROUP, partition_gap=gap
    )
    if found.bound >= part.kept_bound:
        part = replace(part, kept=found.pattern, kept_bound=found.bound)
    filled = fill(part, (found.pattern,), context)
    return striking.left_of(filled.part, filled.keep)


STEP = Step(decisions.GROUP_PROGRAM, run)
