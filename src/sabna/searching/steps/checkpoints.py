"""How far a search of the order lattice is, in a work directory: what the core keeps and takes up again.

A* can run for hours, and depth-first branch and bound for longer. `reached-P` holds what either has reached in part P
(core/search/checkpoints.h), and a run that goes on makes the same steps from there. It is written when the last save
was long enough ago, and once more just before a time limit strikes, so that a pause loses next to nothing.

A checkpoint says what was searched, by a hash of the part and of all that the search depends on: another search, or the
same under another target, does not take it up.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.limits import Limits
from sabna.workdir.folder import Saver, WorkDir
from sabna.workdir.plain import give_back

REACHED = "reached"
# Bytes a second that a save is taken to manage before one was measured; seconds that are set aside besides.
FIRST_RATE, ASIDE = 150e6, 0.2
# Mapped blocks of 2 MB that may be held while they are read.
BLOCKS_HELD = 32
# Seconds between two saves at least, and what part of the time they may take: a search of seconds is soon done again.
BETWEEN_SAVES, SHARE = 10.0, 100
# Seconds between two questions of the core whether it is time.
BETWEEN = 0.1


@dataclass(frozen=True, eq=False)
class Reached:
    """What a search had reached: blocks that the core understands, and the hash of what is searched."""

    searched: str
    blocks: list[NDArray[np.uint64]]


class Checkpoints:
    """The checkpoints of one part's search; the core calls `load`, `done_with`, `due` and `keep`."""

    def __init__(self, work: WorkDir, part: int, limits: Limits, kept: Callable[[int], None] | None = None) -> None:
        self.work, self.name, self.limits = work, f"{REACHED}-{part}", limits
        self.between = BETWEEN
        self._kept = kept  # called with the bytes of a checkpoint that was written
        self._saver, self._searched = Saver(BETWEEN_SAVES, SHARE), ""
        self._rate, self._last = FIRST_RATE, False
        self._loaded: list[NDArray[np.uint64]] = []

    def of(self, *searched: Any) -> Checkpoints:
        """Of a search that depends on these arrays and numbers."""
        digest = hashlib.sha256()
        for value in searched:
            _add(digest, value)
        self._searched = digest.hexdigest()
        return self

    def load(self) -> list[NDArray[np.uint64]]:
        """The blocks of the last checkpoint, mapped; none if there is none of this search."""
        found = self.work.load(self.name, Reached)
        if found is None or found.searched != self._searched:
            return []
        give_back(found.blocks[0])  # the checksum has read all of it
        self._loaded = found.blocks
        return found.blocks

    def done_with(self, block: int) -> None:
        """A block has been read."""
        if block % BLOCKS_HELD == 0 or block + 1 == len(self._loaded):
            give_back(self._loaded[block])

    def due(self, size: int) -> bool:
        """Whether it is time for a checkpoint of so many bytes: by the clock, or because a time limit is near."""
        if self._saver.due():
            return True
        if self._last or self.limits.seconds is None:
            return False
        self._last = self.limits.seconds_left() < size / self._rate + ASIDE
        return self._last

    def keep(self, blocks: list[NDArray[np.uint64]]) -> None:
        """Write a checkpoint."""
        size, began = sum(block.nbytes for block in blocks), time.monotonic()
        with self._saver.saving():
            self.work.save(self.name, Reached(self._searched, blocks))
        self._rate = min(FIRST_RATE, size / max(time.monotonic() - began, 1e-3)) if size > FIRST_RATE else self._rate
        if self._kept is not None:
            self._kept(size)


def forget_reached(work: WorkDir, parts: list[int]) -> None:
    """Remove the checkpoints of these parts: they are done, and that is kept."""
    for path in work.path.glob(f"{REACHED}-*"):
        if int(path.stem.split("-")[1]) in parts:
            work.remove(path.stem)


def _add(digest: Any, value: Any) -> None:
    """Take plain data into a hash."""
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).data)
    elif isinstance(value, tuple | list):
        digest.update(f"({len(value)}".encode())
        for item in value:
            _add(digest, item)
    elif isinstance(value, dict):
        _add(digest, sorted(value.items()))
    else:
        digest.update(f"{value!r};".encode())
