"""Exact inference in networks of categories and quantities: sums over categories, normals over the rest.

Rows that know the Markov blanket of the target need no sums: a category is weighed state by state, a quantity is the
product of normals, that of its own regression and one of each child's (completing the square). For other rows every
configuration of the unknown categories is gone through (those that are no ancestors of the target or of anything known
do not matter): given all categories the quantities are normal together, the density of the known ones weighs the
configuration, and the target is conditioned on them (Lauritzen 1992 does the same by propagation). A quantity is then
a mixture of normals; its mean and standard deviation are returned, both exact.

The work doubles with every unknown category: up to MOST_CONFIGURATIONS of them are gone through for a row.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import UsageError
from sabna.network.conditional import (
    MixedParameters,
    complete_log_likelihoods,
    log_factor,
    mixed_parameters_of,
    regression_at,
)
from sabna.network.inference.blanket import normalised
from sabna.network.inference.elimination import ancestors
from sabna.network.inference.normal import Normal

if TYPE_CHECKING:
    from sabna.network.network import Network
    from sabna.network.rows import Evidence

Floats = NDArray[np.float64]
# Configurations of unknown categories that a row may have; some seconds for a thousand rows.
MOST_CONFIGURATIONS = 1 << 14


def by_mixed_blanket(network: Network, target: str, evidence: Evidence) -> Floats | Normal:
    """The target for rows that know its Markov blanket."""
    parameters, children = mixed_parameters_of(network), network.children(target)
    if target in parameters.states:
        arity = len(parameters.states[target])
        total = np.zeros((evidence.rows, arity))
        for state in range(arity):
            values = {**evidence.values, target: np.full(evidence.rows, state, dtype=np.int64)}
            for name in (target, *children):
                total[:, state] += log_factor(network, name, values)
        return normalised(total)
    mean, variance = regression_at(parameters.regressions[target], evidence.values)
    precision, weighted = 1 / variance + np.zeros(evidence.rows), mean / variance + np.zeros(evidence.rows)
    for name in children:  # all of them quantities: y = rest + slope x + noise
        regression = parameters.regressions[name]
        _, coefficients, variances = regression.at(evidence.values)
        slope = coefficients[..., regression.continuous.index(target)]
        rest, _ = regression_at(regression, {**evidence.values, target: np.zeros(evidence.rows)})
        precision = precision + slope**2 / variances
        weighted = weighted + slope * (evidence.values[name] - rest) / variances
    return Normal(weighted / precision, np.sqrt(1 / precision))


def posterior_of_mixed(network: Network, target: str, evidence: Evidence, known: frozenset[str]) -> Floats | Normal:
    """The target for rows that know just these variables."""
    states = mixed_parameters_of(network).states
    sums = _sums(network, target, evidence, known)
    if target in states:
        return normalised(sums[0])
    logarithms, means, variances = sums
    weights = normalised(logarithms)
    mean = (weights * means).sum(axis=1)
    spread = (weights * (variances + (means - mean[:, None]) ** 2)).sum(axis=1)
    return Normal(mean, np.sqrt(spread))


def mixed_log_likelihoods(network: Network, evidence: Evidence, known: frozenset[str]) -> Floats:
    """Logarithm of probability and density of what rows show, which know just these variables."""
    if len(known) == len(network.variables):
        return complete_log_likelihoods(network, evidence.values, evidence.rows)
    logarithms = _sums(network, None, evidence, known)[0]
    most = logarithms.max(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        out = most + np.log(np.exp(logarithms - most[:, None]).sum(axis=1))
    return np.asarray(np.where(np.isfinite(most), out, most), dtype=np.float64)


def _sums(
    network: Network, target: str | None, evidence: Evidence, known: frozenset[str]
) -> tuple[Floats, Floats, Floats]:
    """Of each row the logarithms of the weights of all configurations, and the target's mean and variance in each.

    Of a discrete target: the logarithms of its states.
    """
    parameters = mixed_parameters_of(network)
    wanted = ancestors(network, known | ({target} if target is not None else set()))
    of_interest = [v for v in network.order if v in wanted]
    unknown = [v for v in of_interest if v in parameters.states and v not in known and v != target]
    count = math.prod(len(parameters.states[v]) for v in unknown)
    if count > MOST_CONFIGURATIONS:
        raise UsageError(
            f"rows that do not tell {len(unknown)} categories have {count:,} configurations; at most "
            f"{MOST_CONFIGURATIONS:,} are gone through: give more columns"
        )
    discrete_target = target is not None and target in parameters.states
    own = [target] if discrete_target and target is not None else []
    columns = len(parameters.states[own[0]]) if own else count
    logs = np.full((evidence.rows, columns), -np.inf)
    means, variances = np.zeros((evidence.rows, columns)), np.zeros((evidence.rows, columns))
    shown_categories = [v for v in of_interest if v in parameters.states and v in known]
    cells = np.array([evidence.values[v] for v in shown_categories]).reshape(len(shown_categories), evidence.rows)
    distinct, group = np.unique(cells, axis=1, return_inverse=True)
    for g in range(distinct.shape[1]):
        rows = np.flatnonzero(group.reshape(-1) == g)
        given = dict(zip(shown_categories, distinct[:, g].tolist(), strict=True))
        some = {v: evidence.values[v][rows] for v in of_interest if v in known and v not in parameters.states}
        free = [*own, *unknown]
        for k, codes in enumerate(product(*(range(len(parameters.states[v])) for v in free))):
            at = {**given, **dict(zip(free, codes, strict=True))}
            place = codes[0] if own else k
            weight, mean, variance = _of_configuration(network, parameters, of_interest, at, some, target, len(rows))
            logs[rows, place] = np.logaddexp(logs[rows, place], weight)
            means[rows, place], variances[rows, place] = mean, variance
    return logs, means, variances


def _of_configuration(
    network: Network,
    parameters: MixedParameters,
    of_interest: list[str],
    codes: dict[str, int],
    values: dict[str, Floats],
    target: str | None,
    rows: int,
) -> tuple[Any, Any, Any]:
    """Logarithm of the weight of one configuration, and the target's mean and variance in it (0 if discrete)."""
    weight = np.zeros(rows)
    with np.errstate(divide="ignore"):
        for name in codes:
            weight += np.log(parameters.tables[name][tuple(codes[v] for v in (*network.parents[name], name))])
    numbers = [v for v in of_interest if v not in parameters.states]
    mean, covariance = _normal_given(network, parameters, numbers, codes)
    place = {v: k for k, v in enumerate(numbers)}
    known = [place[v] for v in numbers if v in values]
    residual = np.array([values[numbers[k]] - mean[k] for k in known]).reshape(len(known), rows)
    # Scaled to correlations: units may differ by many powers of ten.
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    residual = residual / scale[known][:, None]
    lower = np.linalg.cholesky(correlation[np.ix_(known, known)])
    solved = np.linalg.solve(lower, residual)
    weight -= (solved**2).sum(axis=0) / 2 + len(known) / 2 * math.log(2 * math.pi)
    weight -= np.log(np.diag(lower)).sum() + np.log(scale[known]).sum()
    if target is None or target in parameters.states:
        return weight, 0.0, 0.0
    t = place[target]
    across = np.linalg.solve(lower, correlation[known, t])
    return (
        weight,
        mean[t] + scale[t] * (across @ solved),
        scale[t] ** 2 * max(1 - float(across @ across), 0.0),
    )


def _normal_given(
    network: Network, parameters: MixedParameters, numbers: list[str], codes: dict[str, int]
) -> tuple[Floats, Floats]:
    """Mean and covariance of the quantities, given all categories; parents come first in `numbers`."""
    place = {v: k for k, v in enumerate(numbers)}
    mean, covariance = np.zeros(len(numbers)), np.zeros((len(numbers), len(numbers)))
    for v, i in place.items():
        regression = parameters.regressions[v]
        cell = tuple(codes[p] for p in regression.discrete)
        above, slopes = [place[p] for p in regression.continuous], regression.coefficients[cell]
        mean[i] = regression.intercepts[cell] + slopes @ mean[above]
        covariance[i] = slopes @ covariance[above]
        covariance[:, i] = covariance[i]
        covariance[i, i] = regression.variances[cell] + slopes @ covariance[np.ix_(above, above)] @ slopes
    return mean, covariance
