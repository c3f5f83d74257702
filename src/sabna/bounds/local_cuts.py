"""Local cuts: inequalities over the families of small groups of variables (core/bounds/local_cuts.h has the proof).

A cut lists families (i, T), a member of its group and a set of other members, each with a coefficient. For a parent set
S of a member i the coefficient is the least one of the families (i, T) with T a subset of S; every member lists T = {}.
Variables that it lists nothing of have coefficient 0. The right side is the least sum that the families of a network of
the group can have, by dynamic programming over subsets of the group. So a cut is its list, and whoever has the list can
work out the same integers for any parent sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.stop import Stop
from sabna.parents.graph import ParentGraph

if TYPE_CHECKING:
    from sabna.base.limits import Limits

Ints = NDArray[np.int64]
Sets = NDArray[np.uint64]
Floats = NDArray[np.float64]

# Variables of a group: tables of larger ones take longer, and eight see nearly as much.
LARGEST_GROUP = 8
# New cuts that a variable is in, at most.
MOST_PER_VARIABLE = 6


@dataclass(frozen=True, eq=False)
class LocalCuts:
    """Cut c has the entries start[c] to start[c + 1]: variables, sets of others (bits as in a graph), coefficients.

    `right` has the right sides, and `y` the weights in quanta.
    """

    start: Ints
    variable: Ints
    family: Sets
    coefficient: Ints
    right: Ints
    y: Ints

    @staticmethod
    def none(words: int) -> LocalCuts:
        """No cut."""
        nothing = np.zeros(0, np.int64)
        return LocalCuts(np.zeros(1, np.int64), nothing, np.zeros((0, words), np.uint64), nothing, nothing, nothing)

    def __len__(self) -> int:
        return len(self.right)

    def entries(self, c: int) -> tuple[Ints, Sets, Ints]:
        """What cut c lists."""
        which = slice(self.start[c], self.start[c + 1])
        return self.variable[which], self.family[which], self.coefficient[which]

    def with_weights(self, y: Ints) -> LocalCuts:
        """The same cuts with other weights."""
        return LocalCuts(self.start, self.variable, self.family, self.coefficient, self.right, y)

    def chosen(self, which: Ints) -> LocalCuts:
        """Some of the cuts."""
        sizes = np.diff(self.start)[which]
        first = np.repeat(self.start[which] - np.concatenate([[0], np.cumsum(sizes)])[:-1], sizes)
        at = first + np.arange(int(sizes.sum()))
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return LocalCuts(
            start, self.variable[at], self.family[at], self.coefficient[at], self.right[which], self.y[which]
        )

    def and_more(self, more: LocalCuts) -> LocalCuts:
        """These cuts, then others."""
        return LocalCuts(
            np.concatenate([self.start, self.start[-1] + more.start[1:]]),
            *(np.concatenate([getattr(self, f), getattr(more, f)]) for f in ("variable", "family", "coefficient")),
            *(np.concatenate([getattr(self, f), getattr(more, f)]) for f in ("right", "y")),
        )

    def inside(self, members: Ints, family: Sets, n: int) -> LocalCuts:
        """The cuts whose groups lie among `members`, which are numbered anew; `family`: the sets cut down to these."""
        number = np.full(n, -1, np.int64)
        number[members] = np.arange(len(members))
        lost = np.add.reduceat(number[self.variable] < 0, self.start[:-1]) if len(self) else np.zeros(0)
        cut_down = LocalCuts(self.start, number[self.variable], family, self.coefficient, self.right, self.y)
        return cut_down.chosen(np.flatnonzero(lost == 0))


def broken_local_cuts(graph: ParentGraph, share: Floats, seed: int, threads: int, limits: Limits) -> LocalCuts:
    """Cuts that a point breaks, the deepest first; it gives every parent set a share."""
    found = core.local_cuts(
        graph.offsets, graph.sets, share, LARGEST_GROUP, MOST_PER_VARIABLE, seed, threads, limits.left()
    )
    if found.stop == Stop.interrupted:  # the core has taken the signal: nobody else will hear of it
        raise KeyboardInterrupt
    weightless = np.zeros(len(found.right), np.int64)
    return LocalCuts(found.start, found.variable, found.family, found.coefficient, found.right, weightless)


def local_coefficients(graph: ParentGraph, cuts: LocalCuts) -> NDArray[np.int16]:
    """The coefficients [cuts, parent sets]."""
    a = np.zeros((len(cuts), len(graph)), np.int16)
    for c in range(len(cuts)):
        variable, family, coefficient = cuts.entries(c)
        for i in np.unique(variable):
            own = np.flatnonzero(variable == i)
            own = own[np.argsort(coefficient[own], kind="stable")]
            sets = graph.sets[graph.offsets[i] : graph.offsets[i + 1]]
            # The least coefficient counts: the first one that fits.
            fits = np.ones((len(own), len(sets)), bool)
            for word in range(sets.shape[1]):
                needed = family[own, word]
                if needed.any():
                    fits &= (needed[:, None] & ~sets[None, :, word]) == 0
            a[c, graph.offsets[i] : graph.offsets[i + 1]] = coefficient[own][fits.argmax(axis=0)]
    return a
