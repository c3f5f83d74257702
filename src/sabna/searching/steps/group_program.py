"""The group program: weights made for a partition into small groups, and fixing by its tables.

Partitions differ widely in what they reach; the best of some is taken, and `decisions` asks for others as long as that
pays. The best patterns are kept: later programs, tables and the search use them beside their own. Where lists are long
two partitions are worked on at a time, side by side where there is a second thread.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from sabna.base.stop import Stop
from sabna.bounds.group_program import Raised, raise_best
from sabna.bounds.patterns import Pattern, choose_patterns
from sabna.searching import decisions
from sabna.searching.part import Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Closed, Context, Narrowed, Step
from sabna.searching.steps.pattern_tables import best_first, fill


def raised_pattern(part: Part, context: Context, number: int) -> Raised:
    """The best of some partitions, its weights raised; every `number` has other partitions."""
    candidates: list[Pattern] = []
    for k in range(decisions.candidate_seeds(part)):
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


def _raised_patterns(part: Part, context: Context, numbers: range) -> list[Raised]:
    """The same for several numbers, side by side as far as there are threads."""
    threads = context.options.threads
    if len(numbers) == 1 or threads == 1:
        return [raised_pattern(part, context, number) for number in numbers]
    halt = threading.Event()
    options = replace(context.options, threads=max(threads // len(numbers), 1))
    beside = replace(context, options=options, limits=replace(context.limits, sharing=len(numbers), halt=halt))
    with ThreadPoolExecutor(len(numbers), "sabna") as workers:
        try:
            return list(workers.map(lambda number: raised_pattern(part, beside, number), numbers))
        finally:
            halt.set()


def run(part: Part, context: Context) -> Narrowed | Closed:
    """One more partition, or two."""
    progress = part.progress
    first = decisions.ATTEMPTS * progress.round + progress.attempt
    raised = _raised_patterns(part, context, range(first, first + decisions.partitions_at_a_time(part)))
    for found in raised:
        part = context.bounded(part, found.bound, patterns=(found.pattern,))
        gap = part.target - found.bound
        context.done(
            part, decisions.GROUP_PROGRAM, group_rounds=found.rounds, largest=decisions.SMALL_GROUP, partition_gap=gap
        )
    # Patterns of earlier programs see further with every set that others strike out.
    patterns = (*(found.pattern for found in raised), *part.kept)
    filled = fill(part, patterns, context)
    part = replace(filled.part, kept=best_first(patterns, filled)[: decisions.KEPT_PATTERNS])
    return striking.left_of(part, filled.keep)


STEP = Step(decisions.GROUP_PROGRAM, run)
