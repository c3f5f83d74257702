"""The average of a linear program's points, newer ones counting more.

Points of a program jump from corner to corner of what its cuts leave; the average lies deeper inside, and so do cuts
that it breaks (in-out separation: Ben-Ameur and Neto 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Smaller shares are not part of it.
LEAST_AVERAGE = 1e-3
# A variable whose shares add up to no more than this is taken from the newest point alone.
NOTHING = 1e-6


class AveragePoint:
    """Every parent set's share; `newest` is that of a point as it comes in."""

    def __init__(self, offsets: Ints, newest: float) -> None:
        self.newest = newest
        self.share: Floats = np.zeros(int(offsets[-1]))
        self._arrange(offsets)

    def _arrange(self, offsets: Ints) -> None:
        self.first = offsets[:-1]
        self.variable = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))

    def remember(self, columns: Ints, point: Floats, alive: NDArray[np.bool_] | None = None) -> None:
        """Take in a point that gives shares to the parent sets `columns`; sets that are not alive have none."""
        if alive is not None:
            self.share *= alive
        total = np.add.reduceat(self.share, self.first)
        newest = np.where(total > NOTHING, self.newest, 1.0)
        self.share *= ((1 - newest) / np.maximum(total, NOTHING))[self.variable]
        self.share[columns] += newest[self.variable[columns]] * point

    def restrict(self, offsets: Ints, keep: NDArray[np.bool_]) -> None:
        """Go on with the marked parent sets only."""
        self.share = self.share[keep]
        self._arrange(offsets)

    def support(self) -> tuple[Ints, Floats]:
        """The parent sets with a share, and their shares, which add up to 1 for every variable."""
        which = np.flatnonzero(self.share > LEAST_AVERAGE)
        total = np.bincount(self.variable[which], self.share[which], len(self.first))
        return which, self.share[which] / total[self.variable[which]]
