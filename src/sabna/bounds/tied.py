"""Orders from tied groups: variables that are each other's best parents are placed together.

A column of many values written as one column for each value (one-hot) makes a group of columns that every good network
joins to each other, whatever else it does. Local search over single columns then moves one column at a time through
valleys of dozens of nats. So groups are tied together first: a group is one variable of a smaller parent graph, whose
parent sets are what its members' sets ask of other groups, each at the cost of the group's cheapest inner order. Local
search is quick there, and its order, written out, is a start for the search over single columns, which unties what
pays.

The smaller graph holds only networks that place every group in one go; nothing is proven by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.varsets import words_for
from sabna.parents.graph import ParentGraph

Marks = NDArray[np.bool_]
Ints = NDArray[np.int64]
Sets = NDArray[np.uint64]
# Groups of two are what any strong pair is; the inner orders of more than four are too many.
SMALLEST, LARGEST = 3, 4
# Groups are tied if at least this share of the variables is in one.
TIED_SHARE = 0.5
# With more combinations of its members' sets a group is not tied, nor is any: working them out would take too long.
MOST_CHOICES = 100_000


def tied_groups(graph: ParentGraph, smallest: int = SMALLEST) -> list[list[int]]:
    """The groups, single variables included; [] if too few are tied."""
    cheapest = _members(graph.sets[graph.offsets[:-1]], graph.n)
    mutual = cheapest & cheapest.T
    groups: list[list[int]] = []
    tied, done = 0, np.zeros(graph.n, bool)
    for i in range(graph.n):
        group = [*np.flatnonzero(mutual[i] & ~done).tolist(), i]
        whole = all(mutual[a, b] for a in group for b in group if a != b)
        fits = not done[i] and smallest <= len(group) <= LARGEST and whole
        if fits or not done[i]:
            group = sorted(group) if fits else [i]
            tied += len(group) if fits else 0
            done[group] = True
            groups.append(group)
    return groups if tied >= TIED_SHARE * graph.n else []


@dataclass(frozen=True, eq=False)
class _Choices:
    """What a group may ask of other variables (sets of these), and what it costs then; none if they are too many."""

    costs: Ints
    asked: Sets


class TiedGraph:
    """A parent graph over groups, and the way back to its variables."""

    def __init__(self, graph: ParentGraph, groups: list[list[int]]) -> None:
        self.graph, self.groups = graph, groups
        self._choices = [self._choices_of(group) for group in groups]

    def untied(self, which: Iterable[int]) -> TiedGraph:
        """The same with these groups as single variables."""
        out = object.__new__(TiedGraph)
        out.graph, out.groups, out._choices = self.graph, [], []
        loose = set(which)
        for g, group in enumerate(self.groups):
            parts = [[i] for i in group] if g in loose else [group]
            out.groups += parts
            out._choices += [self._choices_of(one) for one in parts] if g in loose else [self._choices[g]]
        return out

    def group_of(self) -> Ints:
        """The group of every variable."""
        of = np.zeros(self.graph.n, np.int64)
        for g, group in enumerate(self.groups):
            of[group] = g
        return of

    def contracted(self) -> ParentGraph | None:
        """The smaller graph; None if some group cannot be placed in one go, or in too many ways."""
        if not all(len(one.costs) for one in self._choices):
            return None
        asked = np.concatenate([one.asked for one in self._choices])
        marks = np.stack([(asked & self._set(group)).any(axis=1) for group in self.groups], axis=1)
        costs = np.concatenate([one.costs for one in self._choices])
        offsets = np.cumsum([0, *(len(one.costs) for one in self._choices)]).astype(np.int64)
        names = tuple(self.graph.names[group[0]] for group in self.groups)
        return ParentGraph.of(names, core.prune_dominated(offsets, costs, _words(marks)))

    def _choices_of(self, group: list[int]) -> _Choices:
        """What the members' sets together ask of other variables, and what they cost, by every inner order."""
        none = _Choices(np.zeros(0, np.int64), np.zeros((0, self.graph.sets.shape[1]), np.uint64))
        found = none
        for order in permutations(group):
            costs, asked = np.zeros(1, np.int64), np.zeros((1, self.graph.sets.shape[1]), np.uint64)
            for k, i in enumerate(order):
                which = self._useful(i, group, order[:k])
                if len(costs) * len(which) > MOST_CHOICES:
                    return none
                costs = (costs[:, None] + self.graph.costs[which]).ravel()
                others = self.graph.sets[which] & ~self._set(group)
                asked = (asked[:, None, :] | others).reshape(-1, asked.shape[1])
            costs, asked = np.concatenate([found.costs, costs]), np.concatenate([found.asked, asked])
            found = self._undominated(costs, asked) if len(group) > 1 else _Choices(costs, asked)
        return found

    def _undominated(self, costs: Ints, asked: Sets) -> _Choices:
        """Without what costs no less than a choice that asks for no more."""
        offsets = np.full(self.graph.n + 1, len(costs), np.int64)  # as the sets of one variable
        offsets[0] = 0
        left = core.prune_dominated(offsets, costs, asked)
        return _Choices(left.costs, left.sets)

    def _useful(self, i: int, group: list[int], placed: tuple[int, ...]) -> Ints:
        """The sets of a member, after those placed: from the cheapest to the first that asks for no other group."""
        first, last = self.graph.offsets[i], self.graph.offsets[i + 1]
        later = self._set([j for j in group if j != i and j not in placed])
        which: Ints = first + np.flatnonzero(~(self.graph.sets[first:last] & later).any(axis=1))
        alone = np.flatnonzero(~(self.graph.sets[which] & ~self._set(group)).any(axis=1))
        return which[: alone[0] + 1] if len(alone) else which

    def _set(self, variables: list[int]) -> Sets:
        """Variables as bits."""
        bits = np.zeros(self.graph.sets.shape[1], np.uint64)
        for i in variables:
            bits[i >> 6] |= np.uint64(1 << (i & 63))
        return bits

    def written_out(self, order: list[int]) -> list[int]:
        """An order of the variables: group after group, each in its cheapest inner order."""
        placed = np.zeros(self.graph.sets.shape[1], np.uint64)
        out: list[int] = []
        for g in order:
            inner = min(permutations(self.groups[g]), key=lambda one: self._cost(one, placed))
            placed |= self._set(list(inner))
            out += inner
        return out

    def _cost(self, inner: tuple[int, ...], placed: Sets) -> float:
        """What a group costs in an inner order, after those placed."""
        now, total = placed.copy(), 0.0
        for i in inner:
            first, last = self.graph.offsets[i], self.graph.offsets[i + 1]
            fits = np.flatnonzero(~(self.graph.sets[first:last] & ~now).any(axis=1))
            if not len(fits):
                return float("inf")
            total += float(self.graph.costs[first + fits[0]])
            now |= self._set([i])
        return total


def _members(sets: NDArray[np.uint64], n: int) -> Marks:
    """Sets as rows of marks."""
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1, bitorder="little", count=n)
    return bits.astype(bool)


def _words(marks: Marks) -> NDArray[np.uint64]:
    """Rows of marks as sets."""
    packed = np.packbits(marks, axis=1, bitorder="little")
    out = np.zeros((len(marks), 8 * words_for(marks.shape[1])), np.uint8)
    out[:, : packed.shape[1]] = packed
    return out.view(np.uint64)
