"""What a part can be branched on: a choice between alternatives, of which every network belongs to at least one.

    Order(a, b)    a before b: no set of a with b        |  b before a: no set of b with a
    Arc(a, b)      b is a parent of a: every set of a with b, no set of b with a   |  it is not: no set of a with b
    Source(a)      a has no parents: the empty set alone  |  it has some: no empty set

Every network has an order of its variables, in which parents come first; so one of the two orders holds. In a network
with the arc from b to a there is none from a to b, for that would close a cycle. All of these can be checked from the
variables alone, whose numbers are those of the whole graph.

A source comes first. So the part without it is a smaller one, cut down to the other variables, of which somebody comes
first again: branching on sources is the order lattice with the cluster program as its heuristic.

**Arcs turned round.** Where a is a source in the first alternative of Source(a), and another variable j could be one
instead, the two may be joined by an arc in either direction at the same cost (score equivalence). So in the second
alternative a network in which j has no parents and a has j alone is not needed: with a as the source and j with a alone
there is one in the first alternative that costs no more. Such pairs of sets, (j, {}) and (a, {j}), are noted as `apart`
with the second alternative and all that is made of it. When j is made a source there, (a, {j}) goes at once.

That may be said of many pairs: follow a network through the tree, into the first alternative that it belongs to. Where
a set of it has gone because of a pair, turn the arc; the network costs no more, and belongs to the first alternative of
the branching that the pair came from. All parts it comes to from there were made before those of the second alternative
where it was, in the order of the tree. So it ends somewhere, where nothing below the target was left or where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sabna.searching.part import Ints, Part, Progress, no_pairs

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


@dataclass(frozen=True)
class Source:
    """Whether a variable has no parents."""

    a: int


Choice = Order | Arc | Source


def struck_by(choice: Choice, part: Part) -> tuple[Marks, Marks]:
    """Marks of the parent sets that each alternative strikes out, those of turned arcs not among them."""
    if isinstance(choice, Source):
        of_a, empty = _of(part, _place(part, choice.a)), ~part.graph.sets.any(axis=1)
        return of_a & ~empty, of_a & empty
    a, b = _place(part, choice.a), _place(part, choice.b)
    of_a, of_b = _of(part, a), _of(part, b)
    return choice.struck(of_a & _having(part, b), of_b & _having(part, a), of_a)


def turned_by(choice: Choice, part: Part) -> Marks:
    """Marks of the parent sets that the first alternative does without because of arcs that can be turned round."""
    if not isinstance(choice, Source):
        return np.zeros(len(part.graph), bool)
    alone = part.origin[~struck_by(choice, part)[0] & _of(part, _place(part, choice.a))]
    if len(alone) > 1:  # a pair says nothing of networks that have the other one
        return np.zeros(len(part.graph), bool)
    return np.isin(part.origin, part.apart[np.isin(part.apart[:, 0], alone), 1])


def gone_by(choice: Choice, part: Part) -> tuple[Marks, Marks]:
    """Marks of all parent sets that each alternative does without."""
    first, second = struck_by(choice, part)
    return first | turned_by(choice, part), second


def pairs_apart(part: Part, a: int) -> Ints:
    """Pairs of parent sets that no network needs which is not in the first alternative of Source(a)."""
    graph, at = part.graph, _place(part, a)
    sizes = np.unpackbits(graph.sets.view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
    variable = np.repeat(np.arange(part.n), np.diff(graph.offsets))
    none = np.full(part.n, -1)  # of each variable: its empty set
    none[variable[sizes == 0]] = np.flatnonzero(sizes == 0)
    if none[at] < 0:  # struck out since the variable was chosen: nothing is in the first alternative
        return no_pairs()
    alone = np.flatnonzero((sizes == 1) & _having(part, at))  # sets {a}, of any variable
    pairs = []
    for p in np.flatnonzero((sizes == 1) & (variable == at)).tolist():  # a's sets {j}
        j = int(np.unpackbits(graph.sets[p].view(np.uint8), bitorder="little").argmax())
        turned = alone[variable[alone] == j]
        if none[j] >= 0 and len(turned):
            now, then = graph.costs[none[j]] + graph.costs[p], graph.costs[none[at]] + graph.costs[turned[0]]
            if then <= now:
                pairs.append((part.origin[none[j]], part.origin[p]))
    return np.array(pairs, np.int64).reshape(-1, 2)


def _place(part: Part, v: int) -> int:
    return int(np.searchsorted(part.members, v))


def _of(part: Part, v: int) -> Marks:
    """Marks the sets of a variable."""
    marks = np.zeros(len(part.graph), bool)
    marks[part.graph.offsets[v] : part.graph.offsets[v + 1]] = True
    return marks


def _having(part: Part, v: int) -> Marks:
    """Marks the sets that have a variable."""
    having: Marks = ((part.graph.sets[:, v >> 6] >> np.uint64(v & 63)) & np.uint64(1)).astype(bool)
    return having


def alternatives(choice: Choice, part: Part) -> tuple[Part, ...]:
    """The parts of a choice; one that leaves some variable without a set is none."""
    return tuple(side for side in sides(choice, part) if side is not None)


def sides(choice: Choice, part: Part) -> tuple[Part | None, Part | None]:
    """The same, None in the place of one that is none."""
    pairs = [part.apart, part.apart]
    if isinstance(choice, Source):
        pairs[1] = np.concatenate([part.apart, pairs_apart(part, choice.a)])
    made: list[Part | None] = []
    later = part.progress.sources[1:] if isinstance(choice, Source) else ()
    progress = (Progress(), Progress(sources=later))
    for words, gone, apart, next_ in zip(_words(choice, part), gone_by(choice, part), pairs, progress, strict=True):
        left = part.keeping(~gone)
        if left is not None:
            path = (*part.path, words)
            left = replace(left, branches=part.branches + 1, path=path, apart=apart, progress=next_)
        made.append(left)
    return made[0], made[1]


def _words(choice: Choice, part: Part) -> tuple[str, str]:
    """Each alternative in words."""
    name = part.graph.names[_place(part, choice.a)]
    if isinstance(choice, Source):
        return f"{name} first", f"{name} not first"
    return choice.words(name, part.graph.names[_place(part, choice.b)])
