"""The table of local scores, and the exact cost of given families.

Costs are minus the score, natural logarithm, in quanta of 2^-30 nat; how each score is computed and what may be pruned
under it stands in core/scores/, one file per score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.errors import UsageError

if TYPE_CHECKING:
    from sabna.data import Table


@dataclass(frozen=True)
class ScoreType:
    """A local score: its name in the core, what it is, and its parameters with their defaults.

    A default of None depends on the table.
    """

    id: str
    title: str
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, float | None] | None = None
    child_by_child: bool = False  # built by core/parents/lattice_build.h
    continuous: bool = False  # on a NumericTable, see sabna/gaussian.py


SCORES = (
    ScoreType("bic", "Bayesian information criterion, also minimum description length", ("mdl", "bic-d")),
    ScoreType("aic", "Akaike information criterion", ("aic-d",)),
    ScoreType("bdeu", "Bayesian Dirichlet equivalent uniform", (), {"equivalent_sample_size": 1.0}),
    ScoreType("k2", "Bayesian Dirichlet with all prior counts 1"),
    ScoreType("bds", "Bayesian Dirichlet sparse", (), {"equivalent_sample_size": 1.0}, child_by_child=True),
    ScoreType("fnml", "factorized normalized maximum likelihood", child_by_child=True),
    ScoreType("qnml", "quotient normalized maximum likelihood", child_by_child=True),
    ScoreType("bic-g", "Gaussian Bayesian information criterion", continuous=True),
    ScoreType("bge", "Bayesian Gaussian equivalent", (), {"alpha_mu": 1.0, "alpha_w": None}, continuous=True),
)


def score_type(name: str) -> ScoreType:
    """The score called `name`, by its id or an alias.

    >>> score_type("MDL").id
    'bic'
    """
    for score in SCORES:
        if name.lower() in (score.id, *score.aliases):
            return score
    known = ", ".join(score.id for score in SCORES)
    raise UsageError(f"unknown score {name!r}; choose one of {known}")


def score_parameters(score: ScoreType, given: Mapping[str, Any] | None) -> dict[str, float]:
    """The parameters of `score` with the defaults filled in where they do not depend on the table.

    Every value must be positive and finite.
    """
    known = score.parameters or {}
    parameters = {name: value for name, value in known.items() if value is not None}
    for name, value in (given or {}).items():
        if value is None:
            continue
        if name not in known:
            owners = ", ".join(kind.id for kind in SCORES if name in (kind.parameters or {}))
            raise UsageError(
                f"score {score.id!r} has no parameter {name!r}" + (f": it is one of {owners}" if owners else "")
            )
        if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
            raise UsageError(f"{name} {value!r}: write a number above 0")
        parameters[name] = float(value)
    return parameters


def core_parameter(parameters: Mapping[str, float]) -> float:
    """The one number the core takes; 0 for scores without a parameter."""
    return next(iter(parameters.values()), 0.0)


def set_words(sets: Sequence[Iterable[int]], n: int) -> NDArray[np.uint64]:
    """Sets of variables as the core takes them: bits in 64-bit words, one row per set."""
    from sabna.parentgraph import words_for

    words = np.zeros((len(sets), words_for(n)), dtype=np.uint64)
    for row, members in zip(words, sets, strict=True):
        for v in members:
            row[v >> 6] |= np.uint64(1 << (v & 63))
    return words


def core_table(table: Table) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Codes and arities as the core takes them."""
    return np.ascontiguousarray(table.codes, dtype=np.uint16), np.array(table.arities, dtype=np.int64)


def local_costs(
    table: Table,
    families: Sequence[tuple[int, Iterable[int]]],
    score: str = "bic",
    *,
    equivalent_sample_size: float | None = None,
) -> NDArray[np.int64]:
    """Costs in quanta of families (child, parents), given by their positions in the table."""
    from sabna._native import core

    kind = score_type(score)
    parameters = score_parameters(kind, {"equivalent_sample_size": equivalent_sample_size})
    codes, arities = core_table(table)
    children = np.array([child for child, _ in families], dtype=np.int64)
    words = set_words([parents for _, parents in families], table.n)
    return core.local_costs(codes, arities, kind.id, core_parameter(parameters), children, words)


def local_cost(
    table: Table,
    child: str,
    parents: Iterable[str] = (),
    score: str = "bic",
    *,
    equivalent_sample_size: float | None = None,
) -> float:
    """Cost in nats (minus the score, natural logarithm) of one variable under these parents.

    >>> import numpy as np
    >>> from sabna.data import Table
    >>> codes = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.uint16)
    >>> table = Table(("a", "b"), codes, (("0", "1"), ("0", "1")))
    >>> round(local_cost(table, "b"), 4), round(local_cost(table, "b", ["a"]), 4)
    (3.4657, 1.3863)
    """
    from sabna.parentgraph import QUANTA_PER_NAT

    unknown = [name for name in (child, *parents) if name not in table.names]
    if unknown:
        raise UsageError(f"unknown variable {unknown[0]!r}")
    family = (table.names.index(child), [table.names.index(parent) for parent in parents])
    if family[0] in family[1]:
        raise UsageError(f"{child!r} cannot be its own parent")
    return int(local_costs(table, [family], score, equivalent_sample_size=equivalent_sample_size)[0]) / QUANTA_PER_NAT
