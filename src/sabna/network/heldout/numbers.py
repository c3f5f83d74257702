"""Log-densities of new rows of numbers under a linear Gaussian network.

Each variable is normal around a linear function of its parents. Regressions are those of the training rows and one row
more that stands for a prior: on columns of mean 0 and variance 1, Z'Z + I takes the place of Z'Z, and m + 1 that of m,

    slopes = (Z'Z + I)_PP^-1 (Z'Z)_Pi,    variance = ((Z'Z + I)_ii - (Z'Z)_iP slopes) / (m + 1).

It says that without data the columns are independent, with the variances they have. Every variance is at least
1 / (m + 1), so that densities are finite also where columns are constant, explain each other, or outnumber the rows.
A constant column is given a scale of 1 in its own unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sabna.network.network import Network

PRIOR_ROWS = 1.0
# Values farther from the mean than this many standard deviations are not told apart: their squares would overflow.
FARTHEST = 1e100

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean and scale of every column, as shares of its largest absolute value so that nothing overflows."""

    largest: Floats
    mean: Floats
    deviation: Floats

    @staticmethod
    def of(values: Floats) -> Scale:
        """`values[i, r]`: variable i in row r."""
        largest = np.abs(values).max(axis=1)
        largest = np.where(largest > 0, largest, 1.0)
        shares = values / largest[:, None]
        mean = shares.mean(axis=1)
        deviation = np.sqrt(((shares - mean[:, None]) ** 2).mean(axis=1))
        constant = shares.min(axis=1) == shares.max(axis=1)
        unit = 1 / np.maximum(largest, 2 / np.finfo(float).max)  # of numbers so small that 1 has no place beside them
        return Scale(
            largest,
            np.where(constant, shares[:, 0], mean),
            np.where(constant, unit, np.maximum(deviation, np.finfo(float).tiny)),
        )

    def standardised(self, values: Floats) -> Floats:
        """Mean 0 and variance 1 on the training rows."""
        with np.errstate(over="ignore"):
            z = (values / self.largest[:, None] - self.mean[:, None]) / self.deviation[:, None]
        return z.clip(-FARTHEST, FARTHEST)

    @property
    def logarithms(self) -> Floats:
        """Of the scale in the unit of each column."""
        out: Floats = np.log(self.largest) + np.log(self.deviation)
        return out


@dataclass(frozen=True, eq=False)
class NumberModel:
    """A network with a regression for every variable."""

    scale: Scale
    parents: tuple[tuple[int, ...], ...]
    slopes: tuple[Floats, ...]
    variances: tuple[float, ...]

    @staticmethod
    def of(network: Network, values: Floats, prior_rows: float = PRIOR_ROWS) -> NumberModel:
        """`values[i, r]`: variable i in training row r. Without a prior (0 rows) it is least squares."""
        scale, rows = Scale.of(values), values.shape[1] + prior_rows
        z = scale.standardised(values)
        product = z @ z.T + prior_rows * np.eye(len(z))
        place = {name: k for k, name in enumerate(network.variables)}
        parents = tuple(tuple(place[p] for p in network.parents[name]) for name in network.variables)
        slopes: list[Floats] = []
        variances: list[float] = []
        for child, above in enumerate(parents):
            some = list(above)
            if prior_rows > 0:
                slope = np.linalg.solve(product[np.ix_(some, some)], product[some, child]).astype(np.float64)
                left = float(product[child, child] - product[child, some] @ slope)
            else:  # of parents that explain each other least squares takes the smallest slopes
                slope = np.linalg.lstsq(z[some].T, z[child], rcond=None)[0].astype(np.float64)
                left = float(((z[child] - slope @ z[some]) ** 2).sum())
            slopes.append(slope)
            variances.append(max(left, prior_rows) / rows)  # exactly it is never less; rounding may say so
        return NumberModel(scale, parents, tuple(slopes), tuple(variances))

    def log_likelihoods(self, values: Floats) -> Floats:
        """Log-density of every row, natural logarithm, in the units of the columns."""
        z = self.scale.standardised(values)
        total = np.full(values.shape[1], -float(self.scale.logarithms.sum()))
        for child, (above, slopes, variance) in enumerate(zip(self.parents, self.slopes, self.variances, strict=True)):
            residual = z[child] - slopes @ z[list(above)]
            total -= (math.log(2 * math.pi * variance) + residual**2 / variance) / 2
        return total
