"""Local cuts: inequalities over families of small groups of blocks of variables (core/bounds/local_cuts.h: the proof).

A block is a set of variables, most often of one. A cut lists families (B, T), a block of its group and a set of other
blocks, each with a coefficient; every block lists T = {}. A parent set S of a variable in B has the coefficient 0 if it
has somebody of B itself, else the least one of the families (B, T) such that S has somebody of each block in T.
Variables in no block have coefficient 0. The right side is the least sum that the families of a network of blocks can
have, by dynamic programming over subsets of the group. So a cut is its list, and whoever has the list can work out the
same integers for any parent sets.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

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

# New cuts that a block is in, at most.
MOST_PER_VARIABLE = 6


@dataclass(frozen=True, eq=False)
class LocalCuts:
    """Cut c has the blocks block_start[c] to block_start[c + 1], sets of variables with bits as in a graph.

    Its entries are start[c] to start[c + 1]: a block, a set of blocks (bits), both by their places in the cut, and a
    coefficient. `right` has the right sides, and `y` the weights in quanta.
    """

    start: Ints
    member: Ints
    family: Ints
    coefficient: Ints
    block_start: Ints
    blocks: Sets
    right: Ints
    y: Ints

    @staticmethod
    def none(words: int) -> LocalCuts:
        """No cut."""
        nothing, first = np.zeros(0, np.int64), np.zeros(1, np.int64)
        blocks = np.zeros((0, words), np.uint64)
        return LocalCuts(first, nothing, nothing, nothing, first, blocks, nothing, nothing)

    def __len__(self) -> int:
        return len(self.right)

    def entries(self, c: int) -> tuple[Ints, Ints, Ints]:
        """What cut c lists: blocks, sets of blocks, coefficients."""
        which = slice(self.start[c], self.start[c + 1])
        return self.member[which], self.family[which], self.coefficient[which]

    def blocks_of(self, c: int) -> Sets:
        """The blocks of cut c."""
        return self.blocks[self.block_start[c] : self.block_start[c + 1]]

    def with_weights(self, y: Ints) -> LocalCuts:
        """The same cuts with other weights."""
        return replace(self, y=y)

    def chosen(self, which: Ints) -> LocalCuts:
        """Some of the cuts."""
        start, at = _ranges(self.start, which)
        block_start, block_at = _ranges(self.block_start, which)
        return LocalCuts(
            start,
            self.member[at],
            self.family[at],
            self.coefficient[at],
            block_start,
            self.blocks[block_at],
            self.right[which],
            self.y[which],
        )

    def and_more(self, more: LocalCuts) -> LocalCuts:
        """These cuts, then others."""

        def joined(name: str) -> Any:
            own, others = getattr(self, name), getattr(more, name)
            return np.concatenate([own, own[-1] + others[1:]] if name in ("start", "block_start") else [own, others])

        return LocalCuts(*(joined(f.name) for f in fields(LocalCuts)))

    def without(self, others: LocalCuts) -> LocalCuts:
        """Those that are not among others, whatever the weights."""
        known = {others._key(c) for c in range(len(others))}
        return self.chosen(np.array([c for c in range(len(self)) if self._key(c) not in known], np.int64))

    def _key(self, c: int) -> tuple[bytes, ...]:
        return self.blocks_of(c).tobytes(), *(part.tobytes() for part in self.entries(c))

    def inside(self, blocks: Sets) -> LocalCuts:
        """The cuts of some variables; `blocks` are the blocks cut down to these: a cut that loses a variable goes."""
        before, after = (np.unpackbits(sets.view(np.uint8), axis=1).sum(axis=1) for sets in (self.blocks, blocks))
        cut = np.repeat(np.arange(len(self)), np.diff(self.block_start))
        whole = np.ones(len(self), bool)
        whole[cut[after < before]] = False
        return replace(self, blocks=blocks).chosen(np.flatnonzero(whole))


def _ranges(start: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Where some ranges begin once they stand one behind the other, and the places that they are made of."""
    sizes = np.diff(start)[which]
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return begin, np.repeat(start[which] - begin[:-1], sizes) + np.arange(begin[-1])


def broken_local_cuts(
    graph: ParentGraph, share: Floats, largest: int, seed: int, threads: int, limits: Limits, blocks: bool = False
) -> LocalCuts:
    """Cuts of groups of up to `largest` blocks that a point breaks, the deepest first; it gives every set a share.

    The blocks are single variables, or with `blocks` some of them are larger ones (core/bounds/shrunk_point.h).
    """
    found = core.local_cuts(
        graph.offsets, graph.sets, share, largest, MOST_PER_VARIABLE, seed, blocks, threads, limits.left()
    )
    if found.stop == Stop.interrupted:  # the core has taken the signal: nobody else will hear of it
        raise KeyboardInterrupt
    weightless = np.zeros(len(found.right), np.int64)
    entries = (found.start, found.member, found.family, found.coefficient)
    return LocalCuts(*entries, found.block_start, found.blocks, found.right, weightless)


def local_coefficients(graph: ParentGraph, cuts: LocalCuts, a: NDArray[np.int16]) -> None:
    """Writes the coefficients [cuts, parent sets] into `a`, which holds 0."""
    entries = (cuts.start, cuts.member, cuts.family, cuts.coefficient)
    core.local_rows(graph.offsets, graph.sets, *entries, cuts.block_start, cuts.blocks, a)
