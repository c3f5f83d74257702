"""Parameters of networks of categories and quantities: conditional Gaussian (Lauritzen and Wermuth 1989).

A category has a table, as in any network of categories; its parents are categories. A quantity has, in every
configuration of its discrete parents, a regression on its continuous ones: intercept, coefficients, variance.

Under a prior of equivalent sample size s (the default of `learn`: 1) tables are posterior means under the prior of
bdeu, and regressions those under the prior of bcg (core/mixed/mixed_score.h) with alpha_mu = s and alpha_w = nc + s +
1, nc the continuous columns: in standardised columns, with R a cell's cross products and the prior's part,

    coefficients  R_CC^-1 R_Ci,     variance  (R_ii - R_iC R_CC^-1 R_Ci) / (m + alpha_w - nc + |C| - 1),

and the line goes through the posterior means of the variables. A configuration that no row shows has the prior's: the
mean of the column, no slopes, a variance of its own size. So no row that can be is impossible. Without a prior it is
least squares; a configuration with too few rows for a variance then takes the regression of all rows.

Every family is estimated from the rows in which it is complete and its child was not set.
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
from sabna.table.mixed import MixedTable

if TYPE_CHECKING:
    from sabna.network.network import Network

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class ConditionalGaussian:
    """A quantity given its parents: arrays with an axis for each discrete parent; coefficients have one more."""

    discrete: tuple[str, ...]
    continuous: tuple[str, ...]
    intercepts: Floats
    coefficients: Floats
    variances: Floats

    def at(self, values: Columns) -> tuple[Floats, Floats, Floats]:
        """Intercepts, coefficients and variances of rows, by the codes of their discrete parents."""
        cell = tuple(values[p] for p in self.discrete)
        return self.intercepts[cell], self.coefficients[cell], self.variances[cell]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "discrete": list(self.discrete),
            "continuous": list(self.continuous),
            "intercepts": self.intercepts.tolist(),
            "coefficients": self.coefficients.tolist(),
            "variances": self.variances.tolist(),
        }

    @staticmethod
    def from_dict(fields: Any) -> ConditionalGaussian:
        """Back from JSON; ValueError if something is missing or no number."""
        if not isinstance(fields, dict):
            raise ValueError(f"a regression must be an object, not {shown(fields)}")
        names = [fields.get(key) for key in ("discrete", "continuous")]
        if not all(isinstance(part, list) and all(isinstance(name, str) for name in part) for part in names):
            raise ValueError("discrete and continuous must be lists of names")
        try:
            arrays = [np.array(fields[key], dtype=np.float64) for key in ("intercepts", "coefficients", "variances")]
        except (KeyError, TypeError, ValueError):
            raise ValueError("intercepts, coefficients and variances must be lists of numbers") from None
        return ConditionalGaussian(tuple(names[0] or ()), tuple(names[1] or ()), *arrays)


@dataclass(frozen=True, eq=False)
class MixedParameters:
    """`states` and `tables` of the categories, `regressions` of the quantities."""

    states: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, Floats]
    regressions: Mapping[str, ConditionalGaussian]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "states": {name: list(states) for name, states in self.states.items()},
            "tables": {name: table.tolist() for name, table in self.tables.items()},
            "regressions": {name: regression.to_dict() for name, regression in self.regressions.items()},
        }

    @staticmethod
    def from_dict(fields: Any) -> MixedParameters:
        """Back from JSON; ValueError if something is missing."""
        parts = [fields.get(key) if isinstance(fields, dict) else None for key in ("states", "tables", "regressions")]
        if not all(isinstance(part, dict) for part in parts):
            raise ValueError("mixed needs states, tables and regressions")
        states, tables, regressions = (part or {} for part in parts)
        try:
            arrays = {name: np.array(table, dtype=np.float64) for name, table in tables.items()}
        except (TypeError, ValueError):
            raise ValueError("tables must be lists of probabilities") from None
        return MixedParameters(
            {name: tuple(values) for name, values in states.items() if isinstance(values, list)},
            arrays,
            {name: ConditionalGaussian.from_dict(regression) for name, regression in regressions.items()},
        )


def checked_mixed(network: Network, given: MixedParameters) -> MixedParameters:
    """The parameters, if every variable has those that its parents ask for."""
    if set(given.states) & set(given.regressions) or set(given.states) | set(given.regressions) != set(network.parents):
        raise UsageError("mixed parameters need either states and a table, or a regression, for every variable")
    for name, parents in network.parents.items():
        wrong = [p for p in parents if p not in given.states]
        if name in given.states:
            if wrong:
                raise UsageError(f"{shown(wrong[0])} -> {shown(name)}: a category cannot have a quantity as its parent")
            _check_table(name, parents, given)
        else:
            _check_regression(name, parents, given)
    return given


def _check_table(name: str, parents: tuple[str, ...], given: MixedParameters) -> None:
    states = given.states[name]
    if not states or len(set(states)) != len(states) or not all(isinstance(state, str) for state in states):
        raise UsageError(f"variable {shown(name)} must have at least one state, all of them different texts")
    table = given.tables.get(name)
    shape = tuple(len(given.states[v]) for v in (*parents, name))
    if table is None or table.shape != shape:
        raise UsageError(f"the table of {shown(name)} must have the shape {shape}")
    if not (table >= 0).all() or not np.allclose(table.sum(axis=-1), 1, rtol=0, atol=1e-3):
        raise UsageError(f"the table of {shown(name)} must hold probabilities that add up to 1 in every row")


def _check_regression(name: str, parents: tuple[str, ...], given: MixedParameters) -> None:
    regression = given.regressions[name]
    discrete = tuple(p for p in parents if p in given.states)
    continuous = tuple(p for p in parents if p not in given.states)
    shape = tuple(len(given.states[p]) for p in discrete)
    arrays = (regression.intercepts, regression.variances)
    fits = (regression.discrete, regression.continuous) == (discrete, continuous)
    fits = fits and all(array.shape == shape for array in arrays)
    if not fits or regression.coefficients.shape != (*shape, len(continuous)):
        raise UsageError(f"the regressions of {shown(name)} do not fit its parents {', '.join(map(shown, parents))}")
    if not all(np.isfinite(array).all() for array in (*arrays, regression.coefficients)):
        raise UsageError(f"the regressions of {shown(name)} must be finite numbers")
    if not (regression.variances > 0).all():
        raise UsageError(f"the variances of {shown(name)} must be above 0")


def mixed_parameters_of(network: Network) -> MixedParameters:
    """The parameters of a network of both kinds, which must have them."""
    if network.mixed is None:
        raise UsageError("the network has no parameters yet; fit it first: network.fit(data)")
    return network.mixed


# --- estimation -----------------------------------------------------------------------------------------------------


def fit_regression(
    table: MixedTable, child: int, parents: tuple[int, ...], rows: NDArray[np.int64], prior_rows: float
) -> ConditionalGaussian:
    """The regressions of a quantity, from some rows; `prior_rows` is what the prior weighs, 0 for none."""
    discrete = [p for p in parents if table.states[p] is not None]
    members = [p for p in parents if table.states[p] is None] + [child]
    shape = tuple(len(table.states[p] or ()) for p in discrete)
    z, mean, scale = _standardised(table, members, rows)
    cell: NDArray[np.int64] = np.zeros(len(rows), dtype=np.int64)
    for p, arity in zip(discrete, shape, strict=True):
        cell = cell * arity + table.columns[p][rows].astype(np.int64)
    cells, k = math.prod(shape), len(members) - 1
    slopes, heights, variances = np.zeros((cells, k)), np.zeros(cells), np.zeros(cells)
    whole = None if prior_rows > 0 else _least_squares(z)
    for c in range(cells):
        inside = z[:, cell == c]
        found = _posterior_mean(inside, prior_rows) if prior_rows > 0 else _least_squares(inside) or whole
        if found is None:
            raise DataError(f"column {table.names[child]!r} has no variance to estimate; fit it under a prior")
        heights[c], slopes[c], variances[c] = found
    # Back to the units of the columns: z = (x - mean) / scale.
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = slopes * (scale[-1] / scale[:-1])
        heights = heights * scale[-1] + mean[-1] - slopes @ mean[:-1]
        variances = variances * scale[-1] ** 2
    if not all(np.isfinite(part).all() for part in (slopes, heights, variances)) or not (variances > 0).all():
        raise DataError(f"column {table.names[child]!r}: its numbers are too large or small for a variance; use "
                        "other units")  # fmt: skip
    names = table.names
    return ConditionalGaussian(
        tuple(names[p] for p in discrete),
        tuple(names[p] for p in members[:-1]),
        heights.reshape(shape),
        slopes.reshape(*shape, k),
        variances.reshape(shape),
    )


def _standardised(table: MixedTable, members: list[int], rows: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Columns with mean 0 and variance 1 over all rows that show them, as the scores have them."""
    z, means, scales = np.empty((len(members), len(rows))), np.zeros(len(members)), np.ones(len(members))
    for k, member in enumerate(members):
        column = table.columns[member]
        shown_values = column[~np.isnan(column)]
        largest = float(np.abs(shown_values).max()) or 1.0
        unit = shown_values / largest  # so that no square overflows
        means[k] = unit.mean() * largest
        deviation = float(unit.std())
        scales[k] = deviation * largest if deviation > 0 else 1.0
        z[k] = (column[rows] - means[k]) / scales[k]
    return z, means, scales


def _posterior_mean(z: Floats, weight: float) -> tuple[float, Floats, float]:
    """Height at 0, slopes and variance of the last variable on the others, under the prior of bcg."""
    size, m = z.shape
    mean = z.mean(axis=1) if m else np.zeros(size)
    centred = z - mean[:, None]
    t = weight / (weight + 1) * weight  # alpha_mu (alpha_w - nc - 1) / (alpha_mu + 1)
    product = t * np.eye(size) + centred @ centred.T + weight * m / (weight + m) * np.outer(mean, mean)
    centre = m / (m + weight) * mean
    slopes = np.linalg.solve(product[:-1, :-1], product[:-1, -1]).astype(np.float64)
    left = max(float(product[-1, -1] - product[-1, :-1] @ slopes), t)  # exactly it is never less
    return float(centre[-1] - slopes @ centre[:-1]), slopes, left / (m + weight + size - 1)


def _least_squares(z: Floats) -> tuple[float, Floats, float] | None:
    """The same by least squares; None if the rows leave no variance."""
    size, m = z.shape
    if m < size + 1:
        return None
    design = np.vstack([np.ones(m), z[:-1]]).T
    solution = np.linalg.lstsq(design, z[-1], rcond=None)[0]
    variance = float(((z[-1] - design @ solution) ** 2).mean())
    return (float(solution[0]), solution[1:].astype(np.float64), variance) if variance > 1e-12 else None


# --- complete rows --------------------------------------------------------------------------------------------------


def complete_log_likelihoods(network: Network, values: Columns, rows: int) -> Floats:
    """Logarithm of probability and density of complete rows."""
    total = np.zeros(rows)
    for name in network.variables:
        total += log_factor(network, name, values)
    return total


def log_factor(network: Network, name: str, values: Columns) -> Floats:
    """Of rows that know a family: logarithm of the probability or density of its child given the parents."""
    parameters = mixed_parameters_of(network)
    if name in parameters.states:
        with np.errstate(divide="ignore"):
            cell = tuple(values[v] for v in (*network.parents[name], name))
            return np.asarray(np.log(parameters.tables[name][cell]), dtype=np.float64)
    mean, variance = regression_at(parameters.regressions[name], values)
    residual = values[name] - mean
    return np.asarray(-(np.log(2 * math.pi * variance) + residual**2 / variance) / 2, dtype=np.float64)


def regression_at(regression: ConditionalGaussian, values: Columns) -> tuple[Floats, Floats]:
    """Mean and variance of a quantity in rows that know its parents."""
    intercepts, coefficients, variances = regression.at(values)
    mean = intercepts
    for k, parent in enumerate(regression.continuous):
        mean = mean + coefficients[..., k] * values[parent]
    return mean, variances


def sample_mixed(network: Network, rows: int, seed: int) -> Any:
    """Rows drawn parents first; the same seed draws the same rows."""
    import pyarrow as pa

    parameters, generator = mixed_parameters_of(network), np.random.default_rng(seed)
    values: dict[str, NDArray[Any]] = {}
    for name in network.order:
        if name in parameters.states:
            chances = parameters.tables[name][tuple(values[p] for p in network.parents[name])]
            limits = np.cumsum(np.broadcast_to(chances, (rows, len(parameters.states[name]))), axis=1)
            draws = generator.random(rows)[:, None] * limits[:, -1:]
            values[name] = (draws >= limits).sum(axis=1).clip(max=len(parameters.states[name]) - 1)
        else:
            mean, variance = regression_at(parameters.regressions[name], values)
            values[name] = mean + np.sqrt(variance) * generator.standard_normal(rows)
    columns = [
        pa.array(np.array(parameters.states[v], dtype=object)[values[v]], type=pa.string())
        if v in parameters.states
        else pa.array(values[v])
        for v in network.variables
    ]
    return pa.table(columns, names=list(network.variables))
