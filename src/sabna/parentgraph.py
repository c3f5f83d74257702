"""The parent graph: for every variable the parent sets that no subset of theirs beats, cheapest first.

Three flat arrays hold it (see core/parents/parent_graph.h), the same bytes in Python, in the core and in a `.pg` file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

# One nat is this many quanta; costs are integers in quanta (core/cost.h).
QUANTA_PER_NAT = 1 << 30
MAX_VARIABLES = 512


def words_for(n: int) -> int:
    """64-bit words of a set of n variables: 1, 2, 4 or 8."""
    return 1 if n <= 64 else 2 if n <= 128 else 4 if n <= 256 else 8


@dataclass(frozen=True, eq=False)
class ParentGraph:
    """Candidate parent sets with their costs.

    `costs` are in quanta of 2^-30 nat, ascending within a variable, ties ordered by set; `sets[k]` holds the bits of
    one parent set; those of variable i stand at `offsets[i]:offsets[i + 1]`. `score`, `rows`, `arities` and
    `parameters` are None or empty where the source (a bare score file) does not tell.
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    costs: NDArray[np.int64]
    sets: NDArray[np.uint64]
    score: str | None = None
    rows: int | None = None
    arities: tuple[int, ...] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
        """What the core takes: offsets, costs, sets."""
        return self.offsets, self.costs, self.sets

    def __len__(self) -> int:
        """Number of parent sets of all variables together."""
        return len(self.costs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a .jkl, .pss or .pg file; nothing half-written stays behind."""
        from sabna.formats import write_parent_graph

        write_parent_graph(self, path)

    def parent_sets(self, i: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The (cost in quanta, parents) of variable i, cheapest first."""
        for k in range(self.offsets[i], self.offsets[i + 1]):
            yield int(self.costs[k]), members(self.sets[k])


def members(words: NDArray[np.uint64]) -> tuple[int, ...]:
    """The variables in a set.

    >>> members(np.array([0b1010, 1], dtype=np.uint64))
    (1, 3, 64)
    """
    bits = 0
    for k, word in enumerate(words):
        bits |= int(word) << (64 * k)
    return tuple(v for v in range(bits.bit_length()) if bits >> v & 1)
