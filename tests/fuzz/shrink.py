"""A failing sequence made small: leave out calls, variables, parent sets, rows and statements while it still fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy

from .calls import failure_of
from .problems import Problem
from .sequences import Call
from .tables import coded

Case = tuple[Problem, list[Call]]

# What a call can do without.
OPTIONAL = (
    *("strategy", "heuristic", "path_extension", "upper_bound", "components", "scc_branching", "pattern_groups"),
    *("pattern_grouping", "gap_tolerance", "seed", "n_jobs", "engine", "time_limit", "memory_limit"),
)


def shrunk(problem: Problem, calls: list[Call], fails: Callable[[Case], bool] | None = None) -> Case:
    """The smallest case found; every case tried on the way that fails in the same way replaces the one before."""
    case = (problem, calls)
    fails = fails or _fails_like(failure_of(*case)[0])
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(case):
            if fails(smaller):
                case, progress = smaller, True
                break
    return case


def _fails_like(first: str) -> Callable[[Case], bool]:
    """Whether a case fails with the same first words; a table of one row may fail for other reasons."""
    return lambda case: _kind(failure_of(*case)[0]) == _kind(first)


def _kind(failure: str) -> list[str]:
    """The first two words of a failure, after the options of the call; numbers are no words."""
    return re.findall(r"[A-Za-z]+", re.sub(r"^\{.*?\}: ", "", failure))[:2]


def _smaller(case: Case) -> Iterator[Case]:
    problem, calls = case
    for k in range(len(calls)):
        yield problem, calls[:k] + calls[k + 1 :]
    for v in range(problem.n):
        if problem.n > 1:
            yield _without_variable(problem, v), calls
    for statement in problem.knowledge:
        rest = {name: value for name, value in problem.knowledge.items() if name != statement}
        yield _changed(problem, knowledge=rest), calls
    for i, entries in enumerate(problem.lists):
        for bits in entries:
            lists = deepcopy(problem.lists)
            del lists[i][bits]
            if lists[i]:
                yield _changed(problem, lists=lists), calls
    rows = len(problem.columns[0]) if problem.columns else 0
    for k in range(rows if rows > 1 else 0):
        yield _without_row(problem, k), calls
    if problem.was_set:
        yield _changed(problem, was_set=[]), calls
    for k, (name, options) in enumerate(calls):
        for option in options:
            fewer = {o: value for o, value in options.items() if o != option}
            if option in OPTIONAL:
                yield problem, [*calls[:k], (name, fewer), *calls[k + 1 :]]


def _changed(problem: Problem, **fields: object) -> Problem:
    return Problem(**{**problem.__dict__, **fields})  # type: ignore[arg-type]


def _without_row(problem: Problem, k: int) -> Problem:
    columns = [c[:k] + c[k + 1 :] for c in problem.columns]
    columns = [c if v in problem.numbers else coded(c) for v, c in enumerate(columns)]
    return _changed(problem, columns=columns, was_set=[cells[:k] + cells[k + 1 :] for cells in problem.was_set])


def _without_variable(problem: Problem, v: int) -> Problem:
    """The problem without a variable: sets that hold it go, later variables move up."""
    low = (1 << v) - 1
    lists = []
    for i, entries in enumerate(problem.lists):
        if i != v:
            kept = {b & low | (b >> 1) & ~low: cost for b, cost in entries.items() if not b >> v & 1}
            lists.append(kept or {0: 0})
    columns = [c for i, c in enumerate(problem.columns) if i != v]
    numbers = [i - (i > v) for i in problem.numbers if i != v]
    was_set = [cells for i, cells in enumerate(problem.was_set) if i != v]
    return _changed(problem, lists=lists, columns=columns, numbers=numbers, was_set=was_set, knowledge={})


def script(problem: Problem, calls: list[Call]) -> str:
    """A small program that fails the same way."""
    fields = ", ".join(f"{name}={value!r}" for name, value in problem.__dict__.items() if value)
    lines = [
        "from tests.fuzz.calls import Session",
        "from tests.fuzz.problems import Problem",
        "",
        f"problem = Problem({fields})",
        "session = Session(problem)",
    ]
    for name, options in calls:
        given = ", ".join(f"{option}={value!r}" for option, value in options.items())
        lines.append(f"session.call_{name}({given})")
    return "\n".join(lines)
