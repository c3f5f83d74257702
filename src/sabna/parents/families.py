"""The exact costs of given families on a table of any kind, under any of our scores: the integers of a parent graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError
from sabna.parents.builders.gaussian import gaussian_costs
from sabna.parents.builders.intervened import intervened_costs
from sabna.parents.builders.mixed import NO_VALUE, mixed_costs
from sabna.scores.local import local_costs
from sabna.scores.reading import score_for
from sabna.scores.registry import checked_for_interventions, score_type

Families = Sequence[tuple[int, Iterable[int]]]


def family_costs(table: Any, families: Families, score: str = "bic", **given: float | None) -> NDArray[np.int64]:
    """Costs in quanta of families (child, parents), given by their positions in the table; NO_VALUE where none is.

    `given` are parameters of the score.
    """
    kind = score_type(score_for(table, score))
    if table.was_set is not None:
        return intervened_costs(table, families, checked_for_interventions(kind), **given)
    if kind.mixed is not None:
        return mixed_costs(table, families, kind.id, **given)
    if kind.continuous:
        named = [(table.names[child], [table.names[p] for p in parents]) for child, parents in families]
        known = {name: value for name, value in given.items() if value is not None}
        return np.array(gaussian_costs(table, named, kind.id, **known), dtype=np.int64)
    return local_costs(table, families, kind.id, **given)


def allowed_by_model(table: Any, child: int, parents: Iterable[int]) -> bool:
    """Whether the family is one of the model: no discrete variable has a continuous parent."""
    states = getattr(table, "states", (None,) * table.n)
    return states[child] is None or all(states[p] is not None for p in parents)


def checked_costs(table: Any, families: Families, score: str, **given: float | None) -> list[int]:
    """The costs; DataError for a family that has no value."""
    listed = [(child, tuple(parents)) for child, parents in families]
    costs = [int(cost) for cost in family_costs(table, listed, score, **given)]
    for (child, parents), cost in zip(listed, costs, strict=True):
        if cost >= NO_VALUE:
            given_text = f" given {', '.join(repr(table.names[p]) for p in parents)}" if parents else ""
            raise DataError(
                f"{table.names[child]!r}{given_text}: some configuration of the discrete parents has too few rows for "
                f"a variance, or none is complete: {score_for(table, score)} has no value; see docs/scores.md"
            )
    return costs
