"""The exact cost of given families."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import UsageError
from sabna.base.varsets import set_words
from sabna.scores.registry import core_parameter, score_parameters, score_type
from sabna.table import Table


def core_table(table: Table) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Codes and arities as the core takes them."""
    return np.ascontiguousarray(table.codes, dtype=np.uint16), np.array(table.arities, dtype=np.int64)


def local_costs(
    table: Table,
    families: Sequence[tuple[int, Iterable[int]]],
    score: str = "bic",
    **given: float | None,
) -> NDArray[np.int64]:
    """Costs in quanta of families (child, parents), given by their positions in the table.

    `given` are parameters of the score.
    """
    kind = score_type(score)
    parameters = score_parameters(kind, given)
    codes, arities = core_table(table)
    children = np.array([child for child, _ in families], dtype=np.int64)
    words = set_words([parents for _, parents in families], table.n)
    return core.local_costs(codes, arities, kind.id, core_parameter(parameters), children, words)


def local_cost(
    table: Table,
    child: str,
    parents: Iterable[str] = (),
    score: str = "bic",
    **given: float | None,
) -> float:
    """Cost in nats (minus the score, natural logarithm) of one variable under these parents.

    >>> import numpy as np
    >>> from sabna.table import Table
    >>> codes = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.uint16)
    >>> table = Table(("a", "b"), codes, (("0", "1"), ("0", "1")))
    >>> round(local_cost(table, "b"), 4), round(local_cost(table, "b", ["a"]), 4)
    (3.4657, 1.3863)
    """
    unknown = [name for name in (child, *parents) if name not in table.names]
    if unknown:
        raise UsageError(f"unknown variable {unknown[0]!r}")
    family = (table.names.index(child), [table.names.index(parent) for parent in parents])
    if family[0] in family[1]:
        raise UsageError(f"{child!r} cannot be its own parent")
    return int(local_costs(table, [family], score, **given)[0]) / QUANTA_PER_NAT
