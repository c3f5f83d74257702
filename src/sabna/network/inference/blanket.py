"""The distribution of a variable whose Markov blanket is known: all rows at once, by looking tables up.

Given its parents, its children and the children's other parents, a variable depends on nothing else (Pearl 1988):

    P(t | blanket)  is proportional to  P(t | parents) times the product over children c of P(c | parents of c, t).

The product is made of logarithms and shifted by its largest term, so that no row underflows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabna.network.parameters import fitted

if TYPE_CHECKING:
    from sabna.network.network import Network
    from sabna.network.rows import Evidence


def by_blanket(network: Network, target: str, evidence: Evidence) -> NDArray[np.float64]:
    """A row of probabilities for each row of evidence, of which the blanket is known; NaN where it is impossible."""
    states, tables = fitted(network)
    arity = len(states[target])
    total = np.zeros((evidence.rows, arity))
    with np.errstate(divide="ignore"):
        for name in (target, *network.children(target)):
            family = (*network.parents[name], name)
            # The axis of the target goes last; the others are looked up by the codes of the rows.
            axis = family.index(target)
            table = np.moveaxis(tables[name], axis, -1)
            total += np.log(table[tuple(evidence.values[v] for v in family if v != target)])
    return normalised(total)


def normalised(logarithms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of logarithms up to a constant, row by row; NaN where all are minus infinity."""
    most = logarithms.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        weights = np.exp(logarithms - most)
        out: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return out
