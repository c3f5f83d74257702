"""python -m tests.fuzz: random sequences of calls for some minutes, on all cores; ends with 1 if one fails."""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from .calls import failure_of
from .sequences import random_calls, random_problem
from .shrink import script, shrunk

# Problems of one task: some seconds.
BATCH = 100


def batch(seed: int) -> tuple[int, int, int, list[str]]:
    """Problems tried, calls answered, comparisons made, and the scripts of what failed."""
    answers, comparisons, failures = 0, 0, list[str]()
    for k in range(BATCH):
        rng = random.Random(f"{seed}/{k}")
        problem = random_problem(rng)
        calls = random_calls(rng, problem)
        failure, answered, made = failure_of(problem, calls)
        answers, comparisons = answers + answered, comparisons + made
        if failure:
            small = shrunk(problem, calls)
            failures.append(f"# seed {seed}/{k}: {failure}\n# made small: {failure_of(*small)[0]}\n{script(*small)}\n")
    return BATCH, answers, comparisons, failures


def main() -> int:
    """Run until the time is over."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.jobs} jobs, {asked.minutes:g} minutes", flush=True)
    ends = time.monotonic() + 60 * asked.minutes
    totals = [0, 0, 0, 0]
    seed = asked.seed * 1_000_000
    with ProcessPoolExecutor(asked.jobs) as pool:
        running = []
        while True:
            while time.monotonic() < ends and len(running) < 2 * asked.jobs:
                running.append(pool.submit(batch, seed))
                seed += 1
            if not running:
                break
            *counts, failures = running.pop(0).result()
            totals = [a + b for a, b in zip(totals, [*counts, len(failures)], strict=True)]
            for text in failures:
                print(text, flush=True)
            if totals[0] % (50 * BATCH) == 0:
                print(told(totals), flush=True)
    print(f"in all: {told(totals)} (seed {asked.seed})")
    return 1 if totals[3] else 0


def told(totals: list[int]) -> str:
    """The counts in words."""
    problems, answers, comparisons, failures = totals
    return f"{problems:,} problems, {answers:,} answers, {comparisons:,} comparisons, {failures} failures"


if __name__ == "__main__":
    sys.exit(main())
