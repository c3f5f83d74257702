"""Continuous data: the scores bic-g and bge, and parent graphs built from them.

How they are computed, and why nothing is missed, stands in core/gaussian/. Here the table is checked: bic-g is a
maximised density, which has no maximum for a column that is constant or a linear combination of others, so these are
refused by name. bge has a prior that keeps every density finite; it takes any columns, unless the prior asked for is
next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, UsageError
from sabna.base.limits import Limits
from sabna.base.stop import STATUSES
from sabna.base.threads import threads_for
from sabna.parents.built import BuiltGraph
from sabna.parents.constraints import PLAIN_DOMINANCE, constraints_of
from sabna.parents.graph import ParentGraph
from sabna.parents.scoring_bounds import ScoringBounds
from sabna.table.numeric import NumericTable

GAUSSIAN_SCORES = ("bic-g", "bge")
# bic-g refuses a column of which others explain all but this share of the variance: rounding errors of the bounds
# grow with its inverse, and must stay below the margin they allow for (gaussian_margin in core/gaussian).
LEAST_RESIDUAL = 1e-9
# bge refuses a prior so weak that its matrix has a condition beyond this, for the same reason.
WORST_CONDITION = 1e9
# A member of a linear combination is named when its part is above this share of the largest.
NOTABLE = 1e-6


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
    return {"alpha_mu": mu, "alpha_w": w}


def check_prior(table: NumericTable, prior: Mapping[str, float]) -> None:
    """Refuse a prior of bge too weak to make up for columns that are constant, or explain each other."""
    mu, w = prior["alpha_mu"], prior["alpha_w"]
    weight = mu * (w - table.n - 1) / (mu + 1)  # t in core/gaussian/gaussian_score.h
    centred = table.values - table.values.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    centred = np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)
    spread = np.linalg.eigvalsh(centred @ centred.T) * (table.rows - 1)
    if max(float(spread[0]), 0.0) + weight < (float(spread[-1]) + weight) / WORST_CONDITION:
        raise UsageError(
            f"alpha_mu {mu:g} and alpha_w {w:g}: this prior is too weak for columns that are constant or linear "
            "combinations of others; raise alpha_mu or alpha_w, or leave such columns out"
        )


def check_columns(table: NumericTable, score: str) -> None:
    """Refuse what the score has no value for."""
    if table.rows < 2:
        raise DataError(f"{table.rows} rows: {score} needs at least 2")
    if score != "bic-g":
        return
    scale = table.values.std(axis=1)
    for name, values, sd in zip(table.names, table.values, scale, strict=True):
        if not sd > 1e-12 * max(abs(float(values.mean())), 1e-300):
            raise DataError(
                f"column {name!r} is constant: bic-g has no value for it; leave the column out, or use the score bge"
            )
    if table.rows <= table.n + 1:
        raise DataError(
            f"{table.rows} rows for {table.n} columns: bic-g needs more rows than columns plus one, as some column is "
            "a linear combination of the others otherwise; leave columns out, or use the score bge"
        )
    found = _linear_combination(table.values)
    if found:
        column, others = found
        names = ", ".join(repr(table.names[k]) for k in others)
        raise DataError(
            f"column {table.names[column]!r} is a linear combination of {names}: bic-g has no value for it; leave one "
            "of them out, or use the score bge"
        )


def _linear_combination(values: NDArray[np.float64]) -> tuple[int, list[int]] | None:
    """A column that the ones before it explain, and those of them that matter; by Cholesky with pivots."""
    centred = values - values.mean(axis=1, keepdims=True)
    centred /= np.sqrt((centred**2).sum(axis=1, keepdims=True))
    left, chosen = centred.copy(), list[int]()
    for _ in range(len(values)):
        norms = (left**2).sum(axis=1)
        norms[chosen] = np.inf
        worst = int(np.argmin(norms))
        if norms[worst] < LEAST_RESIDUAL:
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


def build_partial_gaussian(
    table: NumericTable,
    score: str = "bic-g",
    *,
    max_parents: int | Mapping[str, int] | None = None,
    knowledge: Any = None,
    slack: int = PLAIN_DOMINANCE,
    n_jobs: int = -1,
    limits: Limits | None = None,
    bounds: ScoringBounds | None = None,
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
    arrays, floor, evaluated, peak, stop = core.build_gaussian(
        np.ascontiguousarray(table.values),
        score,
        prior.get("alpha_mu", 0.0),
        prior.get("alpha_w", 0.0),
        *constraints.arrays,
        slack,
        threads,
        limits.seconds_left(),
        limits.bytes_left(),
        bounds.report if bounds else None,
        hear=bounds.hear() if bounds else None,
    )
    statistics = {
        "sets": len(arrays[1]),
        "evaluated": evaluated,
        "peak_bytes": peak,
        "seconds": limits.elapsed() - began,
        "threads": threads,
    }
    noted: dict[str, Any] = dict(prior)
    if max_parents is not None:
        noted["max_parents"] = max_parents
    if known:
        noted["knowledge"] = known.to_dict()
    if slack >= 0:
        noted["slack"] = slack / QUANTA_PER_NAT
    graph = ParentGraph(table.names, *arrays, score, table.rows, None, noted, statistics)
    return BuiltGraph(graph, "complete" if stop == 0 else STATUSES[stop], floor)


def gaussian_cost(
    table: NumericTable, child: str, parents: Iterable[str] = (), score: str = "bic-g", **parameters: float | None
) -> float:
    """Cost in nats (minus the score) of one variable under these parents.

    >>> table = NumericTable(("x", "y"), np.array([[0.0, 1.0, 2.0, 3.0, 4.0], [0.1, 0.9, 2.2, 2.8, 4.1]]))
    >>> round(gaussian_cost(table, "y"), 4), round(gaussian_cost(table, "y", ["x"]), 4)
    (10.4139, -0.1021)
    """
    check_columns(table, score)
    prior = bge_parameters(table.n, parameters) if score == "bge" else {}
    family = sorted(table.names.index(p) for p in parents)
    out = core.gaussian_costs(
        np.ascontiguousarray(table.values),
        score,
        prior.get("alpha_mu", 0.0),
        prior.get("alpha_w", 0.0),
        np.array([table.names.index(child)], dtype=np.int64),
        [family],
    )
    return int(out[0]) / QUANTA_PER_NAT
