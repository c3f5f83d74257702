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
there is one in the first alternative that costs no more. It is alike with three variables that hang together: whatever
j, x and a have among themselves, all other variables may come after them.

    premises             a has    instead, where it costs no more
    j {}                 {j}      a {}, j {a}
    j {}, x {j}          {x}      a {}, x {a}, j {x}
    j {}, x {j}          {j,x}    a {}, j {a}, x {a,j}    or    a {}, x {a}, j {a,x}

Such premises and the set of a are noted as `apart` with the second alternative and all that is made of it: positions
p, p', q in the whole graph, -1 where there is no second premise. A premise that is the only set its variable has left
holds from there on, and -1 takes its place when the variable is split off. When a variable is made a source, every q
whose premises all hold goes at once.

That may be said of many of them: follow a network through the tree, into the first alternative that it belongs to.
Where a set of it has gone because of premises, turn the arcs; the network costs no more, and belongs to the first
alternative of the branching that they came from. All parts it comes to from there were made before those of the second
alternative where it was, in the order of the tree. So it ends somewhere, where nothing below the target was left or
where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.searching.part import Ints, Part, Progress, Rows, none_apart

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
    if not isinstance(choice, Source) or not len(part.apart):
        return np.zeros(len(part.graph), bool)
    rows, hold = part.apart, part.only_sets(~struck_by(choice, part)[0])
    return np.isin(part.origin, rows[np.isin(rows[:, :2], np.append(hold, -1)).all(axis=1), 2])


def gone_by(choice: Choice, part: Part) -> tuple[Marks, Marks]:
    """Marks of all parent sets that each alternative does without."""
    first, second = struck_by(choice, part)
    return first | turned_by(choice, part), second


def sets_apart(part: Part, a: int) -> Rows:
    """Premises and sets of a with which no network is needed that is not in the first alternative of Source(a)."""
    graph, n, at, absent = part.graph, part.n, _place(part, a), len(part.graph)
    has = np.unpackbits(graph.sets.view(np.uint8), axis=1, bitorder="little", count=n)
    sizes = has.sum(axis=1, dtype=np.int64)
    if sizes[graph.offsets[at] : graph.offsets[at + 1]].all():
        return none_apart()  # its empty set was struck out since it was chosen: nothing is in the first alternative
    few = np.flatnonzero(sizes <= 2)
    few = few[(sizes[few] < 2) | (graph.offsets[at] <= few) & (few < graph.offsets[at + 1]) | (has[few, at] == 1)]
    child = np.searchsorted(graph.offsets, few, side="right") - 1
    least, most = has[few].argmax(axis=1), n - 1 - has[few, ::-1].argmax(axis=1)
    least[sizes[few] == 0] = most[sizes[few] == 0] = n
    keys, where = np.unique((child * (n + 1) + least) * (n + 1) + most, return_index=True)  # the first, the cheapest

    def find(v: Any, one: Any, other: Any) -> Ints:
        """Positions of {one, other} among v's sets; {one} has it twice, and {} has n twice."""
        key = (v * (n + 1) + np.minimum(one, other)) * (n + 1) + np.maximum(one, other)
        found = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        return np.where(keys[found] == key, few[where[found]], absent)

    costs = np.append(graph.costs, 0)

    def cost(*sets: Ints) -> tuple[Marks, Ints]:
        """Whether all of them are there, and what they cost together."""
        together = np.stack(np.broadcast_arrays(*sets))
        return np.asarray((together < absent).all(axis=0)), costs[together].sum(axis=0, dtype=np.int64)

    def rows(premises: list[Ints], q: Ints, *instead: tuple[Marks, Ints]) -> Ints:
        there, now = cost(*premises, q)
        fit = there & np.logical_or.reduce([every & (then <= now) for every, then in instead])
        second = part.origin[premises[1][fit]] if len(premises) > 1 else np.full(fit.sum(), -1)
        return np.stack([part.origin[premises[0][fit]], second, part.origin[q[fit]]], axis=1)

    none, every = find(at, n, n), np.arange(n)
    one = find(every, at, at)
    of_two = rows([find(every, n, n)], find(at, every, every), cost(none, one))
    x, j = child[where], least[where]  # {j} of x, neither of them a
    x, j = (side[(least == most)[where] & (j < n) & (x != at) & (j != at)] for side in (x, j))
    hold = [find(j, n, n), find(x, j, j)]
    path = rows(hold, find(at, x, x), cost(none, one[x], find(j, x, x)))
    instead = cost(none, one[j], find(x, at, j)), cost(none, one[x], find(j, at, x))
    return np.concatenate([of_two, path, rows(hold, find(at, j, x), *instead)]).astype(np.int32)


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
    noted = [part.apart, part.apart]
    if isinstance(choice, Source):
        noted[1] = np.concatenate([part.apart, sets_apart(part, choice.a)])
    made: list[Part | None] = []
    later = part.progress.sources[1:] if isinstance(choice, Source) else ()
    progress = (Progress(), Progress(sources=later))
    for words, gone, apart, next_ in zip(_words(choice, part), gone_by(choice, part), noted, progress, strict=True):
        left = part.keeping(~gone)
        if left is not None:
            path = (*part.path, words)
            left = replace(left, branches=part.branches + 1, path=path, apart=left.alive(apart), progress=next_)
        made.append(left)
    return made[0], made[1]


def _words(choice: Choice, part: Part) -> tuple[str, str]:
    """Each alternative in words."""
    name = part.graph.names[_place(part, choice.a)]
    if isinstance(choice, Source):
        return f"{name} first", f"{name} not first"
    return choice.words(name, part.graph.names[_place(part, choice.b)])
