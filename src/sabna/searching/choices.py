"""What a part can be branched on: a choice between alternatives, of which every network belongs to at least one.

    Order(a, b)    a before b: no set of a with b        |  b before a: no set of b with a
    Arc(a, b)      b is a parent of a: every set of a with b, no set of b with a   |  it is not: no set of a with b

Every network has an order of its variables, in which parents come first; so one of the two orders holds. In a network
with the arc from b to a there is none from a to b, for that would close a cycle. Both can be checked from the two
variables alone, whose numbers are those of the whole graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sabna.searching.part import Part, Progress

Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class Order:
    """Which of two variables comes first."""

    a: int
    b: int

    def struck(self, a_with_b: Marks, b_with_a: Marks, of_a: Marks) -> tuple[Marks, Marks]:
        """What each alternative strikes out."""
        return a_with_b, b_with_a

    def words(self, a: str, b: str) -> tuple[str, str]:
        """Each alternative in words."""
        return f"{a} before {b}", f"{b} before {a}"


@dataclass(frozen=True)
class Arc:
    """Whether b is a parent of a."""

    a: int
    b: int

    def struck(self, a_with_b: Marks, b_with_a: Marks, of_a: Marks) -> tuple[Marks, Marks]:
        """What each alternative strikes out."""
        return (of_a & ~a_with_b) | b_with_a, a_with_b

    def words(self, a: str, b: str) -> tuple[str, str]:
        """Each alternative in words."""
        return f"{a} <- {b}", f"{a} without {b}"


Choice = Order | Arc


def struck_by(choice: Choice, part: Part) -> tuple[Marks, Marks]:
    """Marks of the parent sets that each alternative strikes out."""
    a, b = (int(v) for v in np.searchsorted(part.members, [choice.a, choice.b]))
    offsets = part.graph.offsets
    of_a = np.zeros(len(part.graph), bool)
    of_a[offsets[a] : offsets[a + 1]] = True
    of_b = np.zeros(len(part.graph), bool)
    of_b[offsets[b] : offsets[b + 1]] = True
    return choice.struck(of_a & _having(part, b), of_b & _having(part, a), of_a)


def _having(part: Part, v: int) -> Marks:
    """Marks the sets that have a variable."""
    having: Marks = ((part.graph.sets[:, v >> 6] >> np.uint64(v & 63)) & np.uint64(1)).astype(bool)
    return having


def alternatives(choice: Choice, part: Part) -> tuple[Part, ...]:
    """The parts of a choice; one that leaves some variable without a set is none."""
    names = [part.graph.names[int(v)] for v in np.searchsorted(part.members, [choice.a, choice.b])]
    made = []
    for words, struck in zip(choice.words(*names), struck_by(choice, part), strict=True):
        left = part.keeping(~struck)
        if left is not None:
            path = (*part.path, words)
            made.append(replace(left, branches=part.branches + 1, path=path, progress=Progress()))
    return tuple(made)
