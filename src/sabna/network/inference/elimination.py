"""Exact inference by eliminating variables (Zhang and Poole 1994), for rows with gaps.

Rows that know the same variables are treated together: every factor has a first axis for the rows. What does not matter
is left out beforehand: variables that are no ancestors of the target or of evidence, and factors that no chain of
unknown variables joins to the target (they only multiply everything by the same number). Variables then go one by one,
the one whose factor is smallest first. Each new factor is divided by its largest entry, row by row, and the logarithms
of these divisors are added up: so nothing underflows, and the probability of the evidence comes out as well.

The size of the largest factor is known before any is made. Beyond MAX_CELLS `TooLarge` is raised, and lazy.py is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabna.network.parameters import fitted

if TYPE_CHECKING:
    from sabna.network.network import Network
    from sabna.network.rows import Evidence

# Cells of one factor of one row: 8 MB. And cells of a factor of all rows that are treated together: 32 MB.
MAX_CELLS = 1 << 20
BATCH_CELLS = 1 << 22

Floats = NDArray[np.float64]


class TooLarge(Exception):
    """A factor would have more than MAX_CELLS cells."""


@dataclass
class Factor:
    """A function of some unknown variables: a first axis for rows (or 1 for all alike), then one for each."""

    scope: tuple[str, ...]
    values: Floats


@dataclass(frozen=True)
class Plan:
    """Which families count, in which order their unknown variables go, and the largest factor on the way."""

    families: tuple[str, ...]
    order: tuple[str, ...]
    cells: int


def plan(network: Network, known: frozenset[str], target: str | None) -> Plan:
    """How to eliminate, given which variables the rows know. Without a target, for the probability of the evidence."""
    states, _ = fitted(network)
    wanted = ancestors(network, known | ({target} if target is not None else frozenset()))
    scopes = {v: {u for u in (*network.parents[v], v) if u not in known} for v in network.variables if v in wanted}
    if target is not None:
        scopes = {v: scope for v, scope in scopes.items() if scope and v in _joined(scopes, target)}
    arity = {v: len(states[v]) for v in network.variables}
    order, most, left = [], 1, [set(scope) for scope in scopes.values()]
    waiting = {v for scope in left for v in scope if v != target}
    while waiting:
        sizes = {}
        for v in waiting:
            union = set().union(*(scope for scope in left if v in scope))
            sizes[v] = math.prod(arity[u] for u in union)
        best = min(sorted(waiting), key=lambda v: sizes[v])
        most = max(most, sizes[best])
        union = set().union(*(scope for scope in left if best in scope)) - {best}
        left = [scope for scope in left if best not in scope] + [union]
        order.append(best)
        waiting.remove(best)
    if most > MAX_CELLS:
        raise TooLarge
    return Plan(tuple(scopes), tuple(order), most)


def ancestors(network: Network, names: Iterable[str]) -> set[str]:
    """The names and all that lead to them."""
    found, waiting = set(names), list(names)
    while waiting:
        new = [p for p in network.parents[waiting.pop()] if p not in found]
        found.update(new)
        waiting += new
    return found


def _joined(scopes: dict[str, set[str]], target: str) -> set[str]:
    """The families that a chain of unknown variables joins to the target."""
    reached, found, grown = {target}, set[str](), True
    while grown:
        more = {v for v, scope in scopes.items() if v not in found and scope & reached}
        grown = bool(more)
        found |= more
        for v in more:
            reached |= scopes[v]
    return found


def posterior(network: Network, target: str, evidence: Evidence, known: frozenset[str]) -> Floats:
    """The distribution of the target for rows that know just these variables; NaN where a row is impossible."""
    steps, arity = plan(network, known, target), len(fitted(network)[0][target])
    out = np.empty((evidence.rows, arity))
    for rows in _batches(evidence.rows, steps.cells * arity):
        factor, _ = _eliminate(network, steps, evidence.take(rows), known)
        with np.errstate(invalid="ignore"):
            weights = factor.values.reshape(-1, arity)
            out[rows] = weights / weights.sum(axis=1, keepdims=True)
    return out


def log_evidence(network: Network, evidence: Evidence, known: frozenset[str]) -> Floats:
    """Logarithm of the probability of what rows show, which know just these variables."""
    steps = plan(network, known, None)
    out = np.empty(evidence.rows)
    for rows in _batches(evidence.rows, steps.cells):
        factor, logarithms = _eliminate(network, steps, evidence.take(rows), known)
        with np.errstate(divide="ignore"):
            out[rows] = logarithms + np.log(factor.values.reshape(-1))
    return out


def _batches(rows: int, cells: int) -> list[NDArray[np.int64]]:
    size = max(1, BATCH_CELLS // max(cells, 1))
    return [np.arange(start, min(start + size, rows)) for start in range(0, rows, size)]


def _eliminate(network: Network, steps: Plan, evidence: Evidence, known: frozenset[str]) -> tuple[Factor, Floats]:
    """What is left when all but the target are gone, and the logarithms of the divisors of each row."""
    factors = [_factor(network, name, evidence, known) for name in steps.families]
    logarithms = np.zeros(evidence.rows)
    for name in steps.order:
        concerned = [factor for factor in factors if name in factor.scope]
        factors = [factor for factor in factors if name not in factor.scope]
        product = _product(concerned)
        axis = 1 + product.scope.index(name)
        values = product.values.sum(axis=axis)
        most = values.reshape(len(values), -1).max(axis=1)
        most = np.where(most > 0, most, 1.0)
        logarithms += np.log(most)
        scope = tuple(v for v in product.scope if v != name)
        factors.append(Factor(scope, values / most.reshape(-1, *[1] * len(scope))))
    left = _product(factors)
    rows = np.broadcast_to(left.values, (evidence.rows, *left.values.shape[1:]))
    return Factor(left.scope, rows), logarithms


def _factor(network: Network, name: str, evidence: Evidence, known: frozenset[str]) -> Factor:
    """The table of a variable with the evidence put in."""
    family = (*network.parents[name], name)
    seen = [k for k, v in enumerate(family) if v in known]
    scope = tuple(v for v in family if v not in known)
    table = np.moveaxis(fitted(network)[1][name], seen, range(len(seen)))
    if not seen:
        return Factor(scope, table[None])
    return Factor(scope, table[tuple(evidence.values[family[k]] for k in seen)])


def _product(factors: list[Factor]) -> Factor:
    scope: tuple[str, ...] = ()
    for factor in factors:
        scope += tuple(v for v in factor.scope if v not in scope)
    values: Floats = np.ones((1,) * (1 + len(scope)))
    for factor in factors:
        places = [1 + scope.index(v) for v in factor.scope]
        order = np.argsort(places)
        turned = np.transpose(factor.values, (0, *(1 + order)))
        shape = [turned.shape[0]] + [1] * len(scope)
        for place, k in zip(sorted(places), order, strict=True):
            shape[place] = factor.values.shape[1 + int(k)]
        values = values * turned.reshape(shape)
    return Factor(scope, values)
