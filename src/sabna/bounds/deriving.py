"""Derived cuts for a fractional point: which combinations of rows to halve, and which of the cuts to keep.

The core (core/bounds/zero_half.h) says which rows, added up, halved and rounded up, make a cut that the point breaks.
Here the cuts are worked out over the columns of the point, and chosen: deepest first, by the distance of the point from
the cut, and no two of them nearly parallel, for those say the same twice. Only those chosen are worked out over all
parent sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.bounds.cuts import Coefficients, Ints

Floats = NDArray[np.float64]

# Shares nearer to 0 or 1 than this count as whole.
WHOLE = 1e-6
# Two cuts whose directions agree more than this say the same.
PARALLEL = 0.8
# Cuts that the point is nearer to are not worth a row.
LEAST_DEPTH = 1e-3
# Combinations looked at for each cut that may enter.
COMBINATIONS = 4


@dataclass(frozen=True, eq=False)
class Columns:
    """A point of a program: the columns with a share, their variables; the rows there."""

    n: int
    variable: NDArray[np.int32]
    share: Floats
    a: Coefficients  # [rows, columns]
    b: Ints
    slack: Floats


@dataclass(frozen=True, eq=False)
class Halving:
    """What to add up and halve: rows of the program, and each variable's equation times a number."""

    rows: Ints
    equations: Ints


def halvings(point: Columns, most: int, orders: int, seed: int) -> list[Halving]:
    """Combinations whose cut the point breaks, the deepest first, no two nearly parallel."""
    order = np.argsort(point.variable, kind="stable")
    own, share, a = point.variable[order], point.share[order], point.a[:, order]
    chosen = share >= 1 - WHOLE
    # The equation of a variable with one set makes that set's coefficient even.
    odd = (point.b + a[:, chosen].sum(axis=1, dtype=np.int64)) & 1
    fractional = np.flatnonzero((share > WHOLE) & ~chosen)
    parity = np.ascontiguousarray(a[:, fractional] & 1).astype(np.uint8)
    made = core.zero_half(
        own[fractional], share[fractional], parity, odd.astype(np.uint8), point.slack, orders, seed, COMBINATIONS * most
    )
    row_start, row = made.row_start, made.row
    if len(row_start) == 1:
        return []
    equations = np.zeros((len(row_start) - 1, point.n), np.int64)
    equations[np.repeat(np.arange(len(equations)), np.diff(made.variable_start)), made.variable] = -1
    # Single precision adds up such small integers exactly, and a product of matrices is the fastest way to do so.
    summed = np.zeros((len(equations), len(a)), np.float32)
    summed[np.repeat(np.arange(len(equations)), np.diff(row_start)), row] = 1
    total = (summed @ a.astype(np.float32)).astype(np.int64)
    equations[:, own[chosen]] = -(total[:, chosen] & 1)
    # Whole multiples of equations change nothing, and keep the coefficients small.
    begin = np.searchsorted(own, np.arange(point.n))
    equations -= 2 * -(-np.minimum.reduceat(total + equations[:, own], begin, axis=1) // 2)
    half = -(-(total + equations[:, own]) // 2)
    right = -(-(np.add.reduceat(point.b[row], row_start[:-1]) + equations.sum(axis=1)) // 2)
    best = _deepest(half, right - half @ share, most)
    return [Halving(row[row_start[c] : row_start[c + 1]], equations[c]) for c in best]


def _deepest(rows: Ints, broken: Floats, most: int) -> list[int]:
    """The rows whose cut is deepest, no two of them nearly parallel."""
    norm = np.sqrt((rows * rows).sum(axis=1)).clip(1)
    depth = broken / norm
    taken: list[int] = []
    directions = np.zeros((most, rows.shape[1]))
    for c in np.argsort(-depth, kind="stable").tolist():
        if len(taken) == most or depth[c] < LEAST_DEPTH:
            break
        direction = rows[c] / norm[c]
        if not taken or float((directions[: len(taken)] @ direction).max()) < PARALLEL:
            directions[len(taken)] = direction
            taken.append(c)
    return taken
