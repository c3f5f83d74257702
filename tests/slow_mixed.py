"""Scores of tables with discrete and continuous columns, family by family, by other formulas than the core's.

bcg: in every configuration the rows of the child are one draw of a multivariate t distribution, the marginal of a
Bayesian regression with prior variances 1 / alpha_mu of the intercept and 1 / t of the slopes, both times the residual
variance. bic-cg and pnal: least squares. None means that the score has no value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.table.mixed import MixedTable


def cells(
    table: MixedTable, child: int, parents: Sequence[int], left_out: NDArray[np.bool_]
) -> list[NDArray[np.int64]]:
    """The rows of each configuration of the discrete parents in which the family is complete, and the child not set."""
    complete = ~left_out & ~np.any([table.missing(v) for v in (child, *parents)], axis=0)
    discrete = [p for p in parents if table.states[p] is not None]
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in np.flatnonzero(complete):
        groups.setdefault(tuple(int(table.columns[p][row]) for p in discrete), []).append(int(row))
    return [np.array(rows, dtype=np.int64) for rows in groups.values()]


def slow_cost(
    table: MixedTable,
    child: int,
    parents: Sequence[int],
    score: str,
    parameters: dict[str, float] | None = None,
    left_out: NDArray[np.bool_] | None = None,
) -> float | None:
    """The cost in nats."""
    given = parameters or {}
    left_out = np.zeros(table.rows, dtype=bool) if left_out is None else left_out
    groups = cells(table, child, parents, left_out)
    q = math.prod(len(table.states[p] or ()) for p in parents if table.states[p] is not None)
    numbers = [p for p in parents if table.states[p] is None]
    states = table.states[child]
    k = given.get("pnal_k", table.rows**-0.25 / table.n)
    price = {"bcg": 0.0, "bic-cg": math.log(table.rows) / 2}.get(score, k / table.rows)
    if states is not None:
        penalty = price * (len(states) - 1) * q
        terms: list[float | None] = [_discrete(table, child, rows, score, q, given) for rows in groups]
    else:
        penalty = price * (len(numbers) + 2) * q
        terms = [_continuous(table, child, numbers, rows, score, given) for rows in groups]
    if any(term is None for term in terms):
        return None
    total = math.fsum(term for term in terms if term is not None)
    if score.startswith("pnal"):
        used = sum(map(len, groups))
        return total / used + penalty if used else None
    return total + penalty


def _discrete(
    table: MixedTable, child: int, rows: NDArray[np.int64], score: str, q: int, given: dict[str, float]
) -> float:
    states = table.states[child]
    assert states is not None
    counts = np.bincount(table.columns[child][rows].astype(np.int64), minlength=len(states))
    if score == "bcg":
        a = given.get("equivalent_sample_size", 1.0) / q
        b = a / len(states)
        found = math.lgamma(a) - math.lgamma(a + len(rows))
        return -(found + sum(math.lgamma(b + int(c)) - math.lgamma(b) for c in counts))
    return -sum(int(c) * math.log(int(c) / len(rows)) for c in counts if c)


def _continuous(
    table: MixedTable, child: int, numbers: list[int], rows: NDArray[np.int64], score: str, given: dict[str, float]
) -> float | None:
    m, k = len(rows), len(numbers)
    if score == "bcg":
        return _marginal(table, child, numbers, rows, given)
    if m < k + 2:
        return None
    if not _independent(table, sorted((child, *numbers)), rows):
        return None
    y = np.asarray(table.columns[child][rows], dtype=np.float64)
    x = np.column_stack([np.ones(m), *(table.columns[p][rows] for p in numbers)])
    rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    squares, freedom = float(rest @ rest), m - k - 1
    return m / 2 * math.log(2 * math.pi * squares / freedom) + freedom / 2


def _independent(table: MixedTable, members: list[int], rows: NDArray[np.int64]) -> bool:
    """Whether each member varies given those before it, by more than 1e-12 of its column's variance."""
    before = np.ones((len(rows), 1))
    for v in members:
        column = np.asarray(table.columns[v], dtype=np.float64)
        y = column[rows]
        rest = y - before @ np.linalg.lstsq(before, y, rcond=None)[0]
        if not rest @ rest / len(rows) >= 1e-12 * np.nanvar(column, ddof=1):
            return False
        before = np.column_stack([before, y])
    return True


def _marginal(
    table: MixedTable, child: int, numbers: list[int], rows: NDArray[np.int64], given: dict[str, float]
) -> float:
    count = sum(states is None for states in table.states)
    mu = given.get("alpha_mu", 1.0)
    w = given.get("alpha_w", count + mu + 1.0)
    t = mu * (w - count - 1) / (mu + 1)

    def standard(v: int) -> tuple[NDArray[Any], float]:
        column = np.asarray(table.columns[v], dtype=np.float64)
        scale = float(column.std(ddof=1)) or 1.0
        return (column[rows] - column.mean()) / scale, scale

    y, scale = standard(child)
    m, k = len(rows), len(numbers)
    x = np.column_stack([np.ones(m), *(standard(p)[0] for p in numbers)])
    spread = np.eye(m) + x @ np.diag([1 / mu, *([1 / t] * k)]) @ x.T
    freedom = w - count + k + 1
    quadratic = float(y @ np.linalg.solve(spread, y)) / t
    log_density = (
        math.lgamma((freedom + m) / 2)
        - math.lgamma(freedom / 2)
        - m / 2 * math.log(math.pi * t)
        - float(np.linalg.slogdet(spread)[1]) / 2
        - (freedom + m) / 2 * math.log1p(quadratic)
    )
    return m * math.log(scale) - log_density
