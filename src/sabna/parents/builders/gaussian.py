"""Continuous data: the scores bic-g and bge, and parent graphs built from them.

How they are computed, and why nothing is missed, stands in core/gaussian/. Here the table is checked: bic-g is a
maximised density, which has no maximum for a column that is constant or a linear combination of others, so these are
refused by name. bge has a prior that keeps every density finite; it takes any columns, unless the prior asked for is
next to nothing, or outweighs the data so far that its terms cancel.

Both scores are computed on standardised columns, whatever their units: numbers of 1e-300 and 1e300 are welcome. Checks
are made on columns divided by powers of two, which changes no digit, so that no square overflows or vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, UsageError
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.threads import threads_for
from sabna.engine.engine import Engine
from sabna.parents.builders.groups import Keeping, alone, build_in_groups
from sabna.parents.built import BuiltGraph, Lists, graph_of_lists
from sabna.parents.constraints import PLAIN_DOMINANCE, ParentLimits, constraints_of
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Constraints
from sabna.parents.scoring_bounds import Hear, ScoringBounds
from sabna.table.numeric import NumericTable

# bic-g refuses a column of which others explain all but this share of the variance: rounding errors of the bounds
# grow with its inverse, and must stay below the margin they allow for (gaussian_margin in core/gaussian).
LEAST_RESIDUAL = 1e-9
# bge refuses a prior with alpha_w beyond this over the number of variables. The cost of n variables is a difference of
# terms of about n alpha_w ln(alpha_w) / 2 nats, in long double (64 bits); up to here they leave the quanta of 2^-30
# nat right. Measured against 60 digits, 2 to 40 variables: costs are off by less than one quantum (the rounding of two
# numbers), by up to 3 at ten times as much and up to 21 at a hundred times.
MOST_PRIOR = 1e8
# bic-g refuses a column that varies by less than this share of its mean.
LEAST_VARIATION = 1e-12
# bge refuses a prior so weak that its matrix has a condition beyond this, for the same reason.
WORST_CONDITION = 1e9
# A member of a linear combination is named when its part is above this share of the largest.
NOTABLE = 1e-6
# Rows looked at together where the table as a whole is judged.
BLOCK = 4096

_SMALLER = "use other units for the columns, or fewer rows"


def bge_parameters(n: int, given: Mapping[str, float | None]) -> dict[str, float]:
    """alpha_mu (default 1) and alpha_w (default n + alpha_mu + 1), checked."""
    mu = given.get("alpha_mu")
    mu = 1.0 if mu is None else float(mu)
    w = given.get("alpha_w")
    w = n + mu + 1.0 if w is None else float(w)
    if not (mu > 0 and math.isfinite(mu)):
        raise UsageError(f"alpha_mu {mu!r}: write a number above 0")
    if not (w > n + 1 and math.isfinite(w)):
        raise UsageError(f"alpha_w {w!r}: bge needs more than the number of variables plus 1, here {n + 1}")
    if n * w > MOST_PRIOR:
        raise UsageError(
            f"alpha_w {w:g}: so strong a prior leaves nothing of the data but rounding errors; at most "
            f"{MOST_PRIOR / n:g} is possible with {n} variables"
        )
    return {"alpha_mu": mu, "alpha_w": w}


def check_prior(table: NumericTable, prior: Mapping[str, float]) -> None:
    """Refuse a prior of bge too weak to make up for columns that are constant, or explain each other."""
    mu, w = prior["alpha_mu"], prior["alpha_w"]
    weight = mu / (mu + 1) * (w - table.n - 1)  # t in core/gaussian/gaussian_score.h
    unit = _unit_columns(table.values)
    spread = np.linalg.eigvalsh(unit @ unit.T) * (table.rows - 1)
    if max(float(spread[0]), 0.0) + weight < (float(spread[-1]) + weight) / WORST_CONDITION:
        raise UsageError(
            f"alpha_mu {mu:g} and alpha_w {w:g}: this prior is too weak for columns that are constant or linear "
            "combinations of others; raise alpha_mu or alpha_w, or leave such columns out"
        )


def check_columns(table: NumericTable, score: str) -> None:
    """Refuse what the score has no value for."""
    if table.rows < 2:
        raise DataError(f"{table.rows} rows: {score} needs at least 2")
    finite = np.isfinite(table.values)
    if not finite.all():
        column, row = (int(k) for k in np.argwhere(~finite)[0])
        raise DataError(
            f"column {table.names[column]!r}, row {row + 1}: {table.values[column, row]} is no number to compute with; "
            "correct it, or leave the row out"
        )
    if score != "bic-g":
        return
    for name, column in zip(table.names, table.values, strict=True):
        values = _scaled(column, _exponent(column))
        if not _varies(column):
            raise DataError(
                f"column {name!r} is constant: bic-g has no value for it; leave the column out, or use the score bge"
            )
        if not values.std() > LEAST_VARIATION * abs(float(values.mean())):
            raise DataError(
                f"column {name!r} varies by less than {LEAST_VARIATION:g} of its mean, in the last digits of its "
                "numbers: subtract the mean before you write them, or leave the column out"
            )
    if table.rows <= table.n:
        raise DataError(
            f"{table.rows} rows for {table.n} columns: bic-g needs more rows than columns, as some column is a "
            "linear combination of the others otherwise; leave columns out, or use the score bge; if the variables "
            "stand in the rows of the table, transpose it"
        )
    found = linear_combination(table.values)
    if found:
        column, others = found
        names = ", ".join(repr(table.names[k]) for k in others)
        raise DataError(
            f"column {table.names[column]!r} is a linear combination of {names}: bic-g has no value for it; leave one "
            "of them out, or use the score bge"
        )


def _exponent(column: NDArray[np.float64]) -> int:
    """The power of two that brings the largest number in size between 1/2 and 1."""
    return int(np.frexp(max(-column.min(), column.max()))[1])


def _scaled(numbers: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """The numbers divided by 2^exponent."""
    half = exponent // 2  # in two steps: 2^1074 is no number
    scaled: NDArray[np.float64] = np.ldexp(np.ldexp(numbers, -half), half - exponent)
    return scaled


def _varies(column: NDArray[np.float64]) -> bool:
    return bool(column.min() < column.max())


def _unit_columns(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The columns less their means, of length 1, constant ones 0; turned so that n numbers of each say all.

    Lengths and angles stay: with Q R the decomposition of the table, these are the columns of R. It is made block by
    block, so that a long table does not stand in memory twice.
    """
    n, rows = values.shape
    exponents = [_exponent(column) for column in values]
    means, rests, lengths = np.zeros(n), np.zeros(n), np.zeros(n)
    for i, column in enumerate(values):
        centred = _scaled(column, exponents[i])
        means[i] = centred.mean()
        centred -= means[i]
        rests[i] = centred.mean()  # what rounding of a large mean left
        centred -= rests[i]
        lengths[i] = np.linalg.norm(centred) if _varies(column) else 0.0
    triangle = np.zeros((0, n))
    for start in range(0, rows, BLOCK):
        block = np.empty((min(BLOCK, rows - start), n))
        for i, column in enumerate(values):
            if lengths[i] > 0:
                part = _scaled(column[start : start + BLOCK], exponents[i])
                block[:, i] = (part - means[i] - rests[i]) / lengths[i]
            else:
                block[:, i] = 0.0
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, block]), mode="r"))
    return triangle.T


def linear_combination(values: NDArray[np.float64], least: float = LEAST_RESIDUAL) -> tuple[int, list[int]] | None:
    """A column that others explain but for this share of its variance, and those that matter; by Cholesky with pivots.

    Columns so many that any others would explain it, as there are so few rows, do not count.
    """
    centred = _unit_columns(values)
    left, chosen = centred.copy(), list[int]()
    for _ in range(len(values)):
        norms = (left**2).sum(axis=1)
        norms[chosen] = np.inf
        worst = int(np.argmin(norms))
        if values.shape[1] < len(chosen) + 2:
            return None
        if norms[worst] < least:
            slopes = np.linalg.lstsq(centred[chosen].T, centred[worst], rcond=None)[0]
            big = np.abs(slopes) > NOTABLE * np.abs(slopes).max()
            return worst, sorted(k for k, b in zip(chosen, big, strict=True) if b)
        norms[chosen] = -1
        pivot = int(np.argmax(norms))
        direction = left[pivot] / np.linalg.norm(left[pivot])
        left -= np.outer(left @ direction, direction)
        chosen.append(pivot)
    return None


def build_gaussian_graph(table: NumericTable, score: str = "bic-g", **options: Any) -> ParentGraph:
    """The parent graph of a table of numbers; options as for `build_partial_gaussian`.

    Raises `LimitReached` when a limit strikes and `Interrupted` on Ctrl-C.
    """
    return build_partial_gaussian(table, score, **options).complete()


@dataclass(frozen=True, eq=False)
class GaussianBuilder:
    """Builds the lists of columns of numbers (see Builder)."""

    values: NDArray[np.float64]
    score: str
    alpha_mu: float
    alpha_w: float
    constraints: Constraints
    slack: int

    def __call__(
        self,
        children: list[int],
        threads: int,
        limits: core.Limits,
        report: ProgressCallback | None = None,
        hear: Hear | None = None,
    ) -> Lists:
        """By the core."""
        return Lists.of(
            core.build_gaussian(
                self.values,
                self.score,
                self.alpha_mu,
                self.alpha_w,
                *alone(self.constraints, children).arrays,
                self.slack,
                threads,
                limits,
                report,
                hear=hear,
            )
        )


def build_partial_gaussian(
    table: NumericTable,
    score: str = "bic-g",
    *,
    max_parents: ParentLimits = None,
    knowledge: Any = None,
    slack: int = PLAIN_DOMINANCE,
    n_jobs: int = -1,
    limits: Limits | None = None,
    bounds: ScoringBounds | None = None,
    keeping: Keeping | None = None,
    engine: Engine | None = None,
    **parameters: float | None,
) -> BuiltGraph:
    """The parent graph, or what a limit leaves of it.

    `slack` in quanta keeps sets that a subset beats by no more than that; `parameters` are those of the score.
    """
    limits = limits or Limits.of()
    check_columns(table, score)
    known, constraints = constraints_of(knowledge, table.names, max_parents)
    prior = bge_parameters(table.n, parameters) if score == "bge" else {}
    if prior:
        check_prior(table, prior)
    threads = threads_for(n_jobs)
    began = limits.elapsed()
    values = np.ascontiguousarray(table.values, dtype=np.float64)
    builder = GaussianBuilder(values, score, prior.get("alpha_mu", 0.0), prior.get("alpha_w", 0.0), constraints, slack)
    try:
        built = build_in_groups(builder, range(table.n), table.n, threads, limits, bounds, keeping, engine)
    except OverflowError as error:
        raise DataError(f"this table: {error}; {_SMALLER}") from None
    return graph_of_lists(
        built,
        table,
        score,
        prior,
        max_parents=max_parents,
        known=known,
        slack=slack / QUANTA_PER_NAT if slack >= 0 else None,
        seconds=limits.elapsed() - began,
        threads=threads,
        arities=None,
        smaller=_SMALLER,
    )


def gaussian_costs(
    table: NumericTable,
    families: Sequence[tuple[str, Iterable[str]]],
    score: str = "bic-g",
    **parameters: float | None,
) -> list[int]:
    """Costs in quanta of families (child, parents), by name."""
    check_columns(table, score)
    prior = bge_parameters(table.n, parameters) if score == "bge" else {}
    place = {name: k for k, name in enumerate(table.names)}
    found = core.gaussian_costs(
        np.ascontiguousarray(table.values, dtype=np.float64),
        score,
        prior.get("alpha_mu", 0.0),
        prior.get("alpha_w", 0.0),
        np.array([place[child] for child, _ in families], dtype=np.int64),
        [sorted(place[p] for p in parents) for _, parents in families],
    )
    return [int(cost) for cost in found]


def gaussian_cost(
    table: NumericTable, child: str, parents: Iterable[str] = (), score: str = "bic-g", **parameters: float | None
) -> float:
    """Cost in nats (minus the score) of one variable under these parents.

    >>> table = NumericTable(("x", "y"), np.array([[0.0, 1.0, 2.0, 3.0, 4.0], [0.1, 0.9, 2.2, 2.8, 4.1]]))
    >>> round(gaussian_cost(table, "y"), 4), round(gaussian_cost(table, "y", ["x"]), 4)
    (10.4139, -0.1021)
    """
    return gaussian_costs(table, [(child, parents)], score, **parameters)[0] / QUANTA_PER_NAT
