"""The parameters of a linear Gaussian network: an intercept, a coefficient for each parent, a variance.

    x_i = intercept + sum over parents p of coefficient_p x_p + noise,    noise ~ Normal(0, variance)

Maximum likelihood is least squares; its variance divides by the number of rows. A prior worth some rows (see
heldout/numbers.py) keeps every variance above 0, also where columns are constant or explain each other. Parameters are
in the units of the columns: these are the numbers that bnlearn calls `coef` and `sd`, and pgmpy `beta` and `std`.

All variables together are normal. With B the matrix of coefficients (row: child) and D the variances on a diagonal,
x = c + B x + noise gives the mean (I - B)^-1 c and the covariance (I - B)^-1 D (I - B)^-T.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError
from sabna.base.texts import shown
from sabna.network.heldout.numbers import NumberModel
from sabna.table import NumericTable

if TYPE_CHECKING:
    from sabna.network.network import Network

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinearGaussian:
    """A variable given its parents: normal around `intercept` plus `coefficients` times the parents' values."""

    intercept: float
    coefficients: Mapping[str, float]
    variance: float

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise."""
        return math.sqrt(self.variance)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"intercept": self.intercept, "coefficients": dict(self.coefficients), "variance": self.variance}

    @staticmethod
    def from_dict(fields: Any) -> LinearGaussian:
        """Back from JSON; ValueError if something is missing or no number."""
        if not isinstance(fields, dict) or not isinstance(fields.get("coefficients"), dict):
            raise ValueError("intercept, coefficients and variance are due")
        numbers = [fields.get("intercept"), fields.get("variance"), *fields["coefficients"].values()]
        if not all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) for x in numbers):
            raise ValueError("intercept, coefficients and variance must be numbers")
        return LinearGaussian(
            float(numbers[0]), {str(p): float(x) for p, x in fields["coefficients"].items()}, float(numbers[1])
        )


def checked_gaussian(network: Network, given: Mapping[str, Any]) -> dict[str, LinearGaussian]:
    """The regressions of a network, one for each variable, with a coefficient for each parent."""
    found = {}
    for name in network.variables:
        regression = given.get(name)
        if not isinstance(regression, LinearGaussian):
            raise UsageError(f"the regression of {shown(name)} is missing: pass a LinearGaussian for each variable")
        if set(regression.coefficients) != set(network.parents[name]):
            raise UsageError(f"the regression of {shown(name)} must have a coefficient for each parent, and no other")
        if not (math.isfinite(regression.intercept) and 0 <= regression.variance < math.inf):
            raise UsageError(f"the regression of {shown(name)} needs finite numbers and a variance of at least 0")
        ordered = {p: float(regression.coefficients[p]) for p in network.parents[name]}
        found[name] = LinearGaussian(float(regression.intercept), ordered, float(regression.variance))
    unknown = set(given) - set(network.variables)
    if unknown:
        raise UsageError(f"a regression of {shown(min(unknown))}, which is no variable of this network")
    return found


def fit_gaussian(network: Network, table: NumericTable, prior_rows: float) -> Network:
    """The network with a regression for every variable; `prior_rows` is what the prior weighs, 0 for none."""
    column = {name: k for k, name in enumerate(table.names)}
    missing = [name for name in network.variables if name not in column]
    if missing:
        raise DataError(f"the data has no column {missing[0]!r}; the network needs one for each of its variables")
    order = [column[name] for name in network.variables]
    values = table.values if order == list(range(len(table.values))) else table.values[order]
    model = NumberModel.of(network, values, prior_rows)
    with np.errstate(over="ignore", invalid="ignore"):
        scale, mean = model.scale.largest * model.scale.deviation, model.scale.largest * model.scale.mean
        found = {}
        for i, name in enumerate(network.variables):
            above = list(model.parents[i])
            slopes = model.slopes[i] * (scale[i] / scale[above])
            parameters = [float(mean[i] - slopes @ mean[above]), float(model.variances[i] * scale[i] ** 2)]
            if not np.isfinite([*parameters, *slopes]).all():
                raise DataError(f"column {name!r}: its numbers are too large for a variance; use other units")
            coefficients = dict(zip(network.parents[name], slopes.tolist(), strict=True))
            found[name] = LinearGaussian(parameters[0], coefficients, parameters[1])
    return network.with_parameters(gaussian=found, preparation=table.preparation)


def regressions(network: Network) -> dict[str, LinearGaussian]:
    """The regressions of a network, which must have them."""
    if network.gaussian is None:
        raise UsageError("the network has no parameters yet; fit it first: network.fit(data)")
    return network.gaussian


def joint_normal(network: Network) -> tuple[Floats, Floats]:
    """Mean and covariance of all variables, in the order of `network.variables`."""
    found = regressions(network)
    place = {name: k for k, name in enumerate(network.variables)}
    n = len(place)
    mean, covariance = np.zeros(n), np.zeros((n, n))
    for name in network.order:  # parents first: exact, and without inverting a matrix
        i, above = place[name], [place[p] for p in network.parents[name]]
        slopes = np.array([found[name].coefficients[p] for p in network.parents[name]])
        mean[i] = found[name].intercept + slopes @ mean[above]
        covariance[i] = slopes @ covariance[above]
        covariance[:, i] = covariance[i]
        covariance[i, i] = found[name].variance + slopes @ covariance[np.ix_(above, above)] @ slopes
    return mean, covariance


def complete_log_densities(network: Network, values: Mapping[str, Floats]) -> Floats:
    """Log-density of rows without gaps, natural logarithm; a variance of 0 gives plus or minus infinity."""
    rows = len(next(iter(values.values()), np.zeros(0)))
    total = np.zeros(rows)
    for name, regression in regressions(network).items():
        residual = values[name] - regression.intercept
        for parent, slope in regression.coefficients.items():
            residual = residual - slope * values[parent]
        if regression.variance > 0:
            total -= (math.log(2 * math.pi * regression.variance) + residual**2 / regression.variance) / 2
        else:
            total += np.where(residual == 0, np.inf, -np.inf)
    return total


def sample_gaussian(network: Network, rows: int, seed: int) -> Any:
    """Rows drawn parents first; the same seed draws the same rows."""
    import pyarrow as pa

    generator = np.random.default_rng(seed)
    found, values = regressions(network), dict[str, Floats]()
    for name in network.order:
        regression = found[name]
        values[name] = regression.intercept + regression.deviation * generator.standard_normal(rows)
        for parent, slope in regression.coefficients.items():
            values[name] = values[name] + slope * values[parent]
    return pa.table([pa.array(values[v]) for v in network.variables], names=list(network.variables))
