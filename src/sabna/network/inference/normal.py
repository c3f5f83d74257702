"""The conditional normal: what a linear Gaussian network says about a variable, given some of the others.

All variables are normal together (network/gaussian.py). Given the values x of the known ones K, a variable t is normal
with

    mean  m_t + S_tK S_KK^-1 (x - m_K),    variance  S_tt - S_tK S_KK^-1 S_Kt.

Covariances are scaled to correlations first, as units may differ by many powers of ten. Where the Markov blanket is
known it alone is asked: the rest would change nothing but the rounding.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabna.network.gaussian import complete_log_densities, joint_normal

if TYPE_CHECKING:
    from sabna.network.network import Network
    from sabna.network.rows import Evidence

Floats = NDArray[np.float64]


class Normal(NamedTuple):
    """Normal distributions, one for each row: their means and standard deviations."""

    mean: Floats
    deviation: Floats


def conditional(network: Network, target: str, evidence: Evidence, known: frozenset[str]) -> Normal:
    """The target for rows that know just these variables."""
    place = {name: k for k, name in enumerate(network.variables)}
    mean, covariance = joint_normal(network)
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0, scale, 1.0)
    t, given = place[target], [place[v] for v in network.variables if v in known]
    correlation = covariance / np.outer(scale, scale)
    weights = np.linalg.lstsq(correlation[np.ix_(given, given)], correlation[given, t], rcond=None)[0]
    left = max(float(correlation[t, t] - correlation[t, given] @ weights), 0.0)
    out = np.full(evidence.rows, mean[t])
    for k, weight in zip(given, weights, strict=True):
        out += weight * scale[t] * ((evidence.values[network.variables[k]] - mean[k]) / scale[k])
    return Normal(out, np.full(evidence.rows, math.sqrt(left) * scale[t]))


def log_densities(network: Network, evidence: Evidence, known: frozenset[str]) -> Floats:
    """Log-density of what rows show, which know just these variables."""
    if len(known) == len(network.variables):
        return complete_log_densities(network, evidence.values)
    total, before = np.zeros(evidence.rows), frozenset[str]()
    for name in network.variables:  # the chain rule: each given those before it
        if name not in known:
            continue
        normal = conditional(network, name, evidence, before)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (evidence.values[name] - normal.mean) / normal.deviation
            total -= 0.5 * math.log(2 * math.pi) + np.log(normal.deviation) + z**2 / 2
        before |= {name}
    return total
