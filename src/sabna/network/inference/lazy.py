"""Exact inference by pyAgrum's lazy propagation (Madsen and Jensen 1999), where elimination would be too large.

pyAgrum is an extra (`inference`). Small networks do without: what is answered, and every digit of it, must not depend
on which packages are installed, so this is asked only where the own elimination gives up.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import UsageError
from sabna.network.interop import to_pyagrum

if TYPE_CHECKING:
    from sabna.network.network import Network
    from sabna.network.rows import Evidence


def _propagation(network: Network) -> Any:
    try:
        gum = importlib.import_module("pyagrum")
    except ImportError:
        raise UsageError(
            "rows with gaps need larger tables here than sabna lays out by itself; install pyAgrum "
            "(pip install 'sabna[inference]'), or give the columns that the target depends on"
        ) from None
    return gum.LazyPropagation(to_pyagrum(network))


def _shown(evidence: Evidence, known: frozenset[str], row: int) -> dict[str, int]:
    return {name: int(evidence.values[name][row]) for name in known}


def posterior_lazily(network: Network, target: str, evidence: Evidence, known: frozenset[str]) -> NDArray[np.float64]:
    """As elimination.posterior."""
    engine = _propagation(network)
    out = []
    for row in range(evidence.rows):
        engine.setEvidence(_shown(evidence, known, row))
        engine.setTargets({target})
        try:
            engine.makeInference()
            out.append(engine.posterior(target).toarray().ravel())  # axes of variables of one state stay
        except Exception as error:  # pyAgrum has no posterior given what is impossible
            if "ncompatible" not in type(error).__name__ + str(error):
                raise
            out.append(np.full(len((network.states or {})[target]), np.nan))
    return np.array(out)


def log_evidence_lazily(network: Network, evidence: Evidence, known: frozenset[str]) -> NDArray[np.float64]:
    """As elimination.log_evidence."""
    engine = _propagation(network)
    out = np.empty(evidence.rows)
    for row in range(evidence.rows):
        engine.setEvidence(_shown(evidence, known, row))
        with np.errstate(divide="ignore"):
            out[row] = np.log(engine.evidenceProbability())
    return out
