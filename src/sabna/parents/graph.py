"""The parent graph: for every variable the parent sets that no subset of theirs beats, cheapest first.

Three flat arrays hold it (see core/parents/parent_graph.h), the same bytes in Python, in the core and in a `.pg` file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.varsets import members, set_words
from sabna.parents.files import write_parent_graph


@dataclass(frozen=True, eq=False)
class ParentGraph:
    """Candidate parent sets with their costs.

    `costs` are in quanta of 2^-30 nat, ascending within a variable, ties ordered by set; `sets[k]` holds the bits of
    one parent set; those of variable i stand at `offsets[i]:offsets[i + 1]`. `score`, `rows`, `arities` and
    `parameters` are None or empty where the source (a bare score file) does not tell.

    `exhaustive`: a parent set that the graph's parameters (`max_parents`, `knowledge`) allow is listed, or a listed
    subset costs no more. Builders that ran to their end know that, and .pg files record it; of other files nothing is
    known. Required parents can only be answered for on such grounds, see `sabna.parents.filter`. `names` are those of
    the variables, `statistics` tell how the graph was built.

    >>> import sabna
    >>> graph = sabna.build_parent_graph("example:asia")
    >>> graph.n, len(graph) > graph.n
    (8, True)
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
    exhaustive: bool = False

    @staticmethod
    def of(names: tuple[str, ...], arrays: core.GraphArrays) -> ParentGraph:
        """A bare graph that the core made."""
        return ParentGraph(names, arrays.offsets, arrays.costs, arrays.sets)

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
        write_parent_graph(self, path)

    def parent_sets(self, i: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The (cost in quanta, parents) of variable i, cheapest first."""
        for k in range(self.offsets[i], self.offsets[i + 1]):
            yield int(self.costs[k]), members(self.sets[k])

    def d(self, i: int, U: Iterable[int], *, sliced: bool = False) -> tuple[int, tuple[int, ...]] | None:
        """The paper's d(i, U): cost in quanta and members of the best parent set of i inside U; None if none fits.

        `sliced` asks the bit-sliced lookup instead of scanning the list; the answer is the same.
        """
        available = set_words([[v for v in U if v != i]], self.n)
        fits = core.best_parents(*self.arrays, np.array([i], dtype=np.int64), available, sliced)
        at = int(fits.positions[0])
        return None if at < 0 else (int(fits.costs[0]), members(self.sets[at]))
