"""Random tables of every kind, the table of the package that they are, and what each family costs by other formulas.

Categories with noise, parities, constant columns, copies, single rows; numbers; both side by side; holes; cells that
were set from outside.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np

import sabna
from sabna.table.mixed import NO_CODE, mixed_of

from .. import slow_mixed, slow_scorer
from ..slow_scorer import ESS
from .problems import Problem, random_knowledge

# Which scores a kind of table may have; those of interventions among them.
DISCRETE = ("bic", "bic", "aic", "bdeu", "k2")
CONTINUOUS = ("bic-g", "bge", "pnal-g")
MIXED = ("bcg", "bcg", "bic-cg", "pnal-cg")
SET = ("bic", "bdeu", "bic-g", "bge", "bcg")
INCOMPLETE = ("pnal", "pnal-g", "pnal-cg")

AnyTable = sabna.Table | sabna.NumericTable | sabna.MixedTable


def random_table(rng: random.Random) -> Problem:
    """A table by columns, its score, and what is known of it."""
    n, rows = rng.randint(1, 5), rng.choice((1, 2, 5, 20, 60, 150))
    kind = rng.choice(("discrete", "discrete", "discrete", "continuous", "mixed", "mixed", "holes"))
    score = rng.choice({"discrete": DISCRETE, "continuous": CONTINUOUS, "mixed": MIXED, "holes": INCOMPLETE}[kind])
    columns = _columns_of_categories(rng, n, rows)
    numbers: list[int] = []
    if score.endswith("g") or score == "bge":
        rows, n = rng.choice((20, 60)), min(n, 4)
        columns = [[rng.randrange(2) for _ in range(rows)] for _ in range(n)]
        numbers = [v for v in range(n) if score.endswith(("-g", "bge")) or rng.random() < 0.6]
        for v in numbers:
            columns[v] = _numbers(rng, columns[:v], rows)
    if score in INCOMPLETE:
        for v in range(n):
            share = rng.choice((0.0, 0.1, 0.3))
            columns[v] = [None if rng.random() < share else value for value in columns[v]]
    known = random_knowledge(rng, n) if rng.random() < 0.3 else {}
    if n > 1 and rng.random() < 0.2:
        a, b = rng.sample(range(n), 2)
        if a not in numbers or b in numbers:  # a number is no parent of a category
            known["required"] = [[f"X{a}", f"X{b}"]]
    was_set: list[list[int]] = []
    if score in SET and rows >= 20 and rng.random() < 0.3:
        was_set = [[int(rng.random() < share) for _ in range(rows)] for share in rng.choices((0.0, 0.3, 0.6), k=n)]
    return Problem(columns=columns, numbers=numbers, was_set=was_set, score=score, knowledge=known)


def _columns_of_categories(rng: random.Random, n: int, rows: int) -> list[list[Any]]:
    columns: list[list[Any]] = []
    for v in range(n):
        kind = rng.choice(("noise", "noise", "copy", "noisy copy", "parity", "constant"))
        arity = rng.randint(2, 3)
        fresh = [rng.randrange(arity) for _ in range(rows)]
        if kind == "constant":
            fresh = [0] * rows
        elif v and kind == "copy":
            fresh = list(rng.choice(columns))
        elif v and kind == "noisy copy":
            fresh = [f if rng.random() < 0.2 else c for f, c in zip(fresh, rng.choice(columns), strict=True)]
        elif v > 1 and kind == "parity":
            a, b = rng.sample(columns, 2)
            fresh = [(x + y) % 2 for x, y in zip(a, b, strict=True)]
        columns.append(coded(fresh))
    return columns


def _numbers(rng: random.Random, before: list[list[Any]], rows: int) -> list[float]:
    """Noise, and some of the columns before it."""
    weights = [rng.choice((0.0, 0.0, 1.5, -4.0)) for _ in before]
    scale, shift = rng.choice((0.01, 1.0, 50.0)), rng.choice((0.0, 100.0))
    return [
        shift + scale * (rng.gauss(0, 1) + sum(w * column[r] for w, column in zip(weights, before, strict=True)))
        for r in range(rows)
    ]


def coded(values: list[Any]) -> list[Any]:
    """Codes without gaps; missing values stay."""
    seen = {v: k for k, v in enumerate(sorted({v for v in values if v is not None}))}
    return [None if v is None else seen[v] for v in values]


def table_of(problem: Problem) -> AnyTable:
    """The table of the kind that the score takes."""
    names = tuple(problem.names)
    was_set = np.array(problem.was_set, np.uint8) if problem.was_set else None
    if problem.score in CONTINUOUS and problem.score not in INCOMPLETE:
        return sabna.NumericTable(names, np.array(problem.columns, np.float64), was_set=was_set)
    states = tuple(
        None
        if v in problem.numbers
        else tuple(str(s) for s in range(1 + max((x for x in c if x is not None), default=0)))
        for v, c in enumerate(problem.columns)
    )
    if problem.score in MIXED + INCOMPLETE:
        columns = [
            np.array([math.nan if x is None else x for x in column], np.float64)
            if states[v] is None
            else np.array([NO_CODE if x is None else x for x in column], np.uint16)
            for v, column in enumerate(problem.columns)
        ]
        return sabna.MixedTable(names, tuple(columns), states, was_set=was_set)
    codes = np.array(problem.columns, np.uint16).reshape(len(names), -1)
    return sabna.Table(names, codes, tuple(s for s in states if s is not None), was_set=was_set)


def slow_cost(problem: Problem, table: AnyTable, child: int, parents: tuple[int, ...]) -> float | None:
    """What a family costs in nats, straight from the formula; None if it has no value or the model has no such edge."""
    if child not in problem.numbers and any(p in problem.numbers for p in parents):
        return None
    rows = len(problem.columns[0])
    left_out = np.array(problem.was_set[child], bool) if problem.was_set else np.zeros(rows, bool)
    if isinstance(table, sabna.Table):
        counted = sabna.Table(table.names, table.codes[:, ~left_out], table.states)
        return slow_scorer.slow_cost(counted, child, parents, problem.score)
    if problem.score == "bic-g":
        return _least_squares(np.array(problem.columns)[:, ~left_out], child, parents)
    given = {"equivalent_sample_size": ESS} if problem.score == "bcg" else {}
    return slow_mixed.slow_cost(
        mixed_of(table), child, parents, {"bge": "bcg"}.get(problem.score, problem.score), given, left_out
    )


def explained(problem: Problem) -> bool:
    """Whether the score refuses the table: a quantity is determined by other columns, or nearly so.

    That is, the others leave less than 1e-9 (bic-g; bic-cg and pnal 1e-12) of its variance, or about that; of bic-g
    in the rows in which some variable was not set. Under bic-cg and pnal it may also be constant in every state of a
    category.
    """
    if problem.score == "bic-g":
        values = np.array(problem.columns)
        left_out = np.array(problem.was_set, bool) if problem.was_set else np.zeros((1, values.shape[1]), bool)
        return any(_combined(values[:, ~cells], 2e-9) for cells in left_out)
    if problem.score not in ("bic-cg", *INCOMPLETE):
        return False
    whole = [problem.columns[k] for k in problem.numbers if None not in problem.columns[k]]
    if len(whole) > 1 and _combined(np.array(whole), 2e-12):
        return True
    categories = [column for k, column in enumerate(problem.columns) if k not in problem.numbers]
    for k, column in itertools.product(problem.numbers, categories):
        values_of: dict[Any, set[Any]] = {}
        for state, value in zip(column, problem.columns[k], strict=True):
            if state is not None and value is not None:
                values_of.setdefault(state, set()).add(value)
        if values_of and all(len(values) == 1 for values in values_of.values()):
            return True
    return False


def _combined(values: Any, least: float) -> bool:
    """Whether other columns leave so little of the variance of one."""
    values = values - values.mean(axis=1, keepdims=True)
    for i, column in enumerate(values):
        others = np.delete(values, i, axis=0).T
        rest = column - others @ np.linalg.lstsq(others, column, rcond=None)[0]
        if rest @ rest < least * (column @ column):
            return True
    return False


def _least_squares(values: Any, child: int, parents: tuple[int, ...]) -> float:
    """bic-g."""
    m = values.shape[1]
    design = np.column_stack([np.ones(m), *(values[p] for p in parents)])
    rest = values[child] - design @ np.linalg.lstsq(design, values[child], rcond=None)[0]
    return m / 2 * (math.log(2 * math.pi * float(rest @ rest) / m) + 1) + math.log(m) / 2 * (len(parents) + 2)
