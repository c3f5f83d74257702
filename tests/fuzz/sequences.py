"""Random problems, and random sequences of calls that fit them."""

from __future__ import annotations

import random
from typing import Any

from .problems import Problem, random_lists
from .tables import random_table
from .ways import WAYS

Call = tuple[str, dict[str, Any]]

# How often each call comes.
CALLS = {
    "search": 20,
    "limited": 2,
    "kept": 1,
    "certified": 2,
    "kbest": 2,
    "file": 2,
    "pickle": 1,
    "learn": 2,
    "scored": 1,
    "posterior": 1,
    "bootstrap": 1,
}
OF_TABLES = ("learn", "scored", "posterior", "bootstrap")


def random_problem(rng: random.Random) -> Problem:
    """A problem of parent sets, or one time in six a table."""
    return random_table(rng) if rng.random() < 1 / 6 else random_lists(rng)


def random_calls(rng: random.Random, problem: Problem) -> list[Call]:
    """A sequence that fits the problem."""
    calls: list[Call] = []
    for _ in range(rng.randint(6, 16)):
        kind = rng.choices(list(CALLS), list(CALLS.values()))[0]
        if kind in OF_TABLES and not problem.columns:
            kind = "search"
        if kind in ("search", "learn", "certified"):
            calls.append((kind, _random_options(rng)))
        elif kind == "kept":
            cut = {"at": rng.randint(1, 12), "after": rng.random() < 0.5, "from_table": rng.random() < 0.5}
            calls.append((kind, {**_random_options(rng), **cut}))
        elif kind == "limited":
            limit = rng.choice(({"time_limit": 0}, {"time_limit": 0.001}, {"memory_limit": "1MB"}))
            calls.append((kind, {**_random_options(rng), **limit}))
        elif kind == "kbest":
            asked = {"bayes_factor": rng.choice((1, 3.0, 1e6))} if rng.random() < 0.4 else {"k": rng.randint(1, 12)}
            calls.append((kind, asked))
        elif kind == "file":
            calls.append((kind, {"suffix": rng.choice((".pg", ".jkl", ".pss"))}))
        elif kind == "bootstrap":
            calls.append((kind, {"replicates": rng.randint(1, 3), "seed": rng.randrange(100)}))
        elif kind == "posterior":
            calls.append((kind, {"prior": rng.choice(("uniform", "order"))}))
        else:
            calls.append((kind, {}))
    return calls


def _random_options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {"strategy": rng.choice(WAYS)}
    if options["strategy"] in ("astar", "bfs"):
        options["heuristic"] = rng.choice(("simple", "simple", "pattern", "cuts", "dual-pattern"))
        for switch in ("path_extension", "upper_bound"):
            if rng.random() < 0.4:
                options[switch] = False
        for switch in ("components", "scc_branching"):
            if rng.random() < 0.3:
                options[switch] = True
        if options["heuristic"] == "pattern" and rng.random() < 0.3:
            options["pattern_groups"] = rng.randint(1, 3)
            options["pattern_grouping"] = rng.choice(("affinity", "order", "interleave"))
    if rng.random() < 0.5:
        options["gap_tolerance"] = rng.choice((0, 0, 0.5))
    if rng.random() < 0.2:
        options["seed"] = rng.randrange(100)
    options["n_jobs"] = rng.choice((1, 1, 1, 2))
    if rng.random() < 0.05:
        options["engine"] = 2
    return options
