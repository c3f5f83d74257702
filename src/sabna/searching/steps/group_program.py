"""The group program: weights made for partitions into small groups, and fixing by their tables.

Partitions differ widely in what they reach. Two are worked on at a time, each the best of some thirty, by two threads
where there are two; `decisions` asks for others as long as that pays. The best pattern is kept: later tables and the
search use it beside their own.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from sabna.base.stop import Stop
from sabna.bounds.group_program import Raised, raise_best
from sabna.bounds.patterns import Pattern, choose_patterns
from sabna.searching import decisions
from sabna.searching.part import Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Closed, Context, Narrowed, Step
from sabna.searching.steps.pattern_tables import fill


def raised_pattern(part: Part, context: Context, number: int, threads: int) -> Raised:
    """The best of some partitions, its weights raised; every `number` has other partitions."""
    candidates: list[Pattern] = []
    for k in range(decisions.CANDIDATE_SEEDS):
        seed = context.options.seed + decisions.CANDIDATE_SEEDS * number + k
        candidates += choose_patterns(part.n, part.clusters, decisions.SMALL_GROUP, decisions.PARTITIONS, seed)
    rounds = decisions.MOST_PROGRAM_ROUNDS
    found = raise_best(part.graph, candidates, part.raise_to, context.limits, threads, rounds)
    if found.stop != Stop.memory_limit:
        context.check(found.stop)
    return found


def raised_patterns(part: Part, context: Context, number: int) -> list[Raised]:
    """Some of them, side by side where there are threads for it; the same whatever the threads."""
    side_by_side, threads = decisions.PARTITIONS_AT_A_TIME, context.options.threads
    numbers = [side_by_side * number + k for k in range(side_by_side)]
    each = max(threads // side_by_side, 1)
    with ThreadPoolExecutor(min(threads, side_by_side)) as pool:
        return list(pool.map(lambda number: raised_pattern(part, context, number, each), numbers))


def run(part: Part, context: Context) -> Narrowed | Closed:
    """Some more partitions."""
    progress = part.progress
    found = raised_patterns(part, context, decisions.ATTEMPTS * progress.round + progress.attempt)
    best = max(found, key=lambda raised: raised.bound)
    part = context.bounded(part, best.bound, patterns=(best.pattern,))
    context.done(
        part,
        decisions.GROUP_PROGRAM,
        group_rounds=sum(raised.rounds for raised in found),
        largest=decisions.SMALL_GROUP,
        partition_gap=part.target - best.bound,
    )
    if best.bound >= part.kept_bound:
        part = replace(part, kept=best.pattern, kept_bound=best.bound)
    filled = fill(part, tuple(raised.pattern for raised in found), context)
    return striking.left_of(filled.part, filled.keep)


STEP = Step(decisions.GROUP_PROGRAM, run)
