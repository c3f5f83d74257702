"""Prediction of one variable from rows of the others, and the probability of rows with gaps.

Rows that know the Markov blanket of the target need no inference (blanket.py, all at once); other rows are grouped by
what they know, and each group goes to exact inference (elimination.py, or lazy.py where that would be too large; for
quantities normal.py). Where tables hold zeros (maximum likelihood), a row may be impossible: its probabilities are NaN
and its prediction is None, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import warn
from sabna.base.texts import shown
from sabna.network.inference.blanket import by_blanket
from sabna.network.inference.elimination import TooLarge, log_evidence, posterior
from sabna.network.inference.lazy import log_evidence_lazily, posterior_lazily
from sabna.network.inference.mixed import by_mixed_blanket, mixed_log_likelihoods, posterior_of_mixed
from sabna.network.inference.normal import Normal, conditional, log_densities
from sabna.network.parameters import fitted
from sabna.network.rows import complete_evidence, evidence_of, states_of
from sabna.network.unrolling import past_of

if TYPE_CHECKING:
    from sabna.network.network import Network
    from sabna.network.rows import Evidence

Floats = NDArray[np.float64]


def predict(network: Network, data: Any, target: str) -> NDArray[Any]:
    """The most probable state of the target for each row, the first of equals; of a quantity its mean."""
    found = predict_proba(network, data, target)
    return found.mean if isinstance(found, Normal) else chosen_states(network, target, found)


def chosen_states(network: Network, target: str, found: Floats) -> NDArray[Any]:
    """The most probable states, given all probabilities; None where a row is impossible."""
    possible = ~np.isnan(found).any(axis=1)
    out = np.full(len(found), None, dtype=object)
    names = np.array(states_of(network)[target], dtype=object)
    out[possible] = names[found[possible].argmax(axis=1)]
    return out


def predict_proba(network: Network, data: Any, target: str) -> Floats | Normal:
    """The distribution of the target for each row: probabilities of its states, or a normal."""
    network.check_name(target)
    evidence = evidence_of(network, data, [v for v in network.variables if v != target])
    _warn_of_the_past(network, evidence)
    return distribution(network, evidence, target)


def _warn_of_the_past(network: Network, evidence: Evidence) -> None:
    """A network of steps of time, and rows without a past."""
    past = past_of(network)
    if past and not any(v in evidence.values for v in past):
        warn(
            f"the network is one of steps of time, and the rows have no column of the past ({shown(past[0])}, ...): "
            "they are predicted without it; add these columns, the values of one step before",
        )


def distribution(network: Network, evidence: Evidence, target: str) -> Floats | Normal:
    """The same, of rows that are evidence already."""
    if network.gaussian is not None:
        return _normal(network, target, evidence)
    if network.mixed is not None:
        return _mixed(network, target, evidence)
    out = np.empty((evidence.rows, len(fitted(network)[0][target])))
    blanket = network.markov_blanket(target)
    complete = np.ones(evidence.rows, dtype=bool)
    for name in blanket:
        complete &= evidence.known(name)
    if complete.any():
        out[complete] = by_blanket(network, target, evidence.take(complete))
    for rows, known in _groups(evidence, ~complete):
        some = evidence.take(rows)
        try:
            out[rows] = posterior(network, target, some, known)
        except TooLarge:
            out[rows] = posterior_lazily(network, target, some, known)
    impossible = int(np.isnan(out).any(axis=1).sum())
    if impossible:
        rows_are = "row is" if impossible == 1 else "rows are"
        warn(
            f"{impossible:,} {rows_are} impossible under the tables of this network, which hold zeros; fit it under a "
            "prior: network.fit(data, Dirichlet(equivalent_sample_size=1))",
        )
    return out


def _normal(network: Network, target: str, evidence: Evidence) -> Normal:
    mean, deviation = np.empty(evidence.rows), np.empty(evidence.rows)
    blanket = frozenset(network.markov_blanket(target))
    for rows, known in _groups(evidence, np.ones(evidence.rows, dtype=bool)):
        mean[rows], deviation[rows] = conditional(
            network, target, evidence.take(rows), blanket if blanket <= known else known
        )
    return Normal(mean, deviation)


def _mixed(network: Network, target: str, evidence: Evidence) -> Floats | Normal:
    """The target of a network of both kinds."""
    states = states_of(network)
    out = np.empty((evidence.rows, len(states[target]) if target in states else 2))
    blanket = frozenset(network.markov_blanket(target))
    for rows, known in _groups(evidence, np.ones(evidence.rows, dtype=bool)):
        some = evidence.take(rows)
        if blanket <= known:
            found = by_mixed_blanket(network, target, some)
        else:
            found = posterior_of_mixed(network, target, some, known)
        out[rows] = np.stack(found, axis=1) if isinstance(found, Normal) else found
    return out if target in states else Normal(out[:, 0], out[:, 1])


def _groups(evidence: Evidence, among: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.int64], frozenset[str]]]:
    """Rows that know the same variables, and which these are."""
    rows = np.flatnonzero(among)
    if not len(rows):
        return
    names = list(evidence.values)
    if not names:
        yield rows, frozenset()
        return
    pattern = np.packbits(np.array([evidence.known(name)[rows] for name in names]), axis=0)
    distinct, group = np.unique(pattern.T, axis=0, return_inverse=True)
    for k in range(len(distinct)):
        mine = rows[group.reshape(-1) == k]
        yield mine, frozenset(name for name in names if evidence.known(name)[mine[0]])


def row_log_likelihoods(network: Network, data: Any) -> Floats:
    """Logarithm of the probability (of quantities: of the density) of what each row shows."""
    evidence = complete_evidence(network, data)
    out = np.empty(evidence.rows)
    for rows, known in _groups(evidence, np.ones(evidence.rows, dtype=bool)):
        some = evidence.take(rows)
        if network.gaussian is not None:
            out[rows] = log_densities(network, some, known)
        elif network.mixed is not None:
            out[rows] = mixed_log_likelihoods(network, some, known)
        elif len(known) == len(network.variables):
            out[rows] = _of_complete_rows(network, some)
        else:
            try:
                out[rows] = log_evidence(network, some, known)
            except TooLarge:
                out[rows] = log_evidence_lazily(network, some, known)
    return out


def _of_complete_rows(network: Network, evidence: Evidence) -> Floats:
    _, tables = fitted(network)
    total = np.zeros(evidence.rows)
    with np.errstate(divide="ignore"):
        for name in network.variables:
            total += np.log(tables[name][tuple(evidence.values[v] for v in (*network.parents[name], name))])
    return total
