"""A table of categories: what every station after this one works on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import UsageError
from sabna.table.preparation import Preparation


@dataclass(frozen=True, eq=False)
class Table:
    """Coded columns: `codes[i, r]` is the position in `states[i]` of the value of variable i in row r.

    `states[i]` may hold states that no row shows (a pandas Categorical or an ARFF nominal declares them); they count in
    the arity, and so in the penalty of a score. `statistics` tells how long reading and coding took, how many rows the
    source has (`rows_read`), how many were left out for missing values (`dropped_rows`), and under `missing` in which
    columns values were missing. `preparation` says how values became codes, for new rows; None if the table was not
    read but made of codes. `was_set[i, r]` tells whether variable i was set from outside in row r
    (sabna.table.interventions); None if nothing was.

    >>> table = Table(("a", "b"), np.array([[0, 1], [1, 1]], dtype=np.uint16), (("no", "yes"), ("u", "v")))
    >>> table.n, table.rows, table.names
    (2, 2, ('a', 'b'))
    """

    names: tuple[str, ...]
    codes: NDArray[np.uint16]
    states: tuple[tuple[str, ...], ...]
    statistics: dict[str, Any] = field(default_factory=dict)
    preparation: Preparation | None = None
    was_set: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        """Refuse codes that stand for no state: the core counts by them without looking twice."""
        if self.codes.ndim != 2 or not len(self.names) == len(self.codes) == len(self.states):
            raise UsageError("a Table needs one row of codes and one tuple of states for each of its names")
        if self.codes.size:
            over = np.flatnonzero(self.codes.max(axis=1) >= np.array(self.arities))
            if len(over):
                i = int(over[0])
                raise UsageError(
                    f"column {self.names[i]!r} has the code {int(self.codes[i].max())}, but only {len(self.states[i])} "
                    "states; codes count from 0"
                )

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each variable."""
        return tuple(len(states) for states in self.states)
