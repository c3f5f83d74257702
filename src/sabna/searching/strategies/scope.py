"""Where a part stands in the whole, and what is known when it is done."""

from __future__ import annotations

from dataclasses import dataclass

from sabna.base.cost import INFINITE
from sabna.searching.part import Ints


class Stopped(Exception):
    """A limit or an interrupt."""

    def __init__(self, stop: int) -> None:
        super().__init__(stop)
        self.stop = stop


@dataclass(frozen=True)
class Scope:
    """Where a part stands in the whole: what the rest costs at least, and from where on nothing is of interest."""

    parent: Scope | None
    others: int  # lower bound of the sister components
    target: int  # of the graph that the part is a component of

    @property
    def level(self) -> int:
        """Depth of splitting."""
        return 0 if self.parent is None else self.parent.level + 1

    def whole(self, lower: int) -> int:
        """The lower bound of the whole graph that follows from one of the part."""
        lower = min(lower + self.others, self.target)
        return lower if self.parent is None else self.parent.whole(lower)


@dataclass(frozen=True, eq=False)
class Solved:
    """A part done: `choice` (positions in the whole graph, by member) costs `cost` and is the best below the target.

    It is None if there is none. `lower` bounds all networks of the part, as far as they are below the target.
    """

    lower: int
    cost: int = INFINITE
    choice: Ints | None = None
