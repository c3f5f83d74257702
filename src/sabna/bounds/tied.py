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

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.varsets import words_for
from sabna.parents.graph import ParentGraph

Marks = NDArray[np.bool_]
# Groups of two are what any strong pair is; the inner orders of more than four are too many.
SMALLEST, LARGEST = 3, 4
# Groups are tied if at least this share of the variables is in one.
TIED_SHARE = 0.5


def tied_groups(graph: ParentGraph) -> list[list[int]]:
    """The groups, single variables included; [] if too few are tied."""
    cheapest = _members(graph.sets[graph.offsets[:-1]], graph.n)
    mutual = cheapest & cheapest.T
    groups: list[list[int]] = []
    tied, done = 0, np.zeros(graph.n, bool)
    for i in range(graph.n):
        group = [*np.flatnonzero(mutual[i] & ~done).tolist(), i]
        whole = all(mutual[a, b] for a in group for b in group if a != b)
        fits = not done[i] and SMALLEST <= len(group) <= LARGEST and whole
        if fits or not done[i]:
            group = sorted(group) if fits else [i]
            tied += len(group) if fits else 0
            done[group] = True
            groups.append(group)
    return groups if tied >= TIED_SHARE * graph.n else []


class TiedGraph:
    """A parent graph over groups, and the way back to its variables."""

    def __init__(self, graph: ParentGraph, groups: list[list[int]]) -> None:
        self.graph, self.groups = graph, groups
        self.members = _members(graph.sets, graph.n)
        of = np.zeros((graph.n, len(groups)), bool)
        for g, group in enumerate(groups):
            of[group, g] = True
        asked = self.members.astype(np.float32) @ of.astype(np.float32) > 0  # [parent sets, groups]
        asked &= ~of[np.repeat(np.arange(graph.n), np.diff(graph.offsets))]
        self.asked = _words(asked)

    def contracted(self) -> ParentGraph | None:
        """The smaller graph; None if some group cannot be placed in one go."""
        lists = [self._choices(group) for group in self.groups]
        if not all(len(costs) for costs, _ in lists):
            return None
        offsets = np.cumsum([0, *(len(costs) for costs, _ in lists)]).astype(np.int64)
        costs, sets = (np.concatenate([one[part] for one in lists]) for part in (0, 1))
        names = tuple(self.graph.names[group[0]] for group in self.groups)
        return ParentGraph.of(names, core.prune_dominated(offsets, costs, np.ascontiguousarray(sets)))

    def _choices(self, group: list[int]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """What the members' sets together ask of other groups, and what they cost, by every inner order."""
        all_costs, all_sets = [], []
        for order in permutations(group):
            costs, sets = np.zeros(1, np.int64), np.zeros((1, self.asked.shape[1]), np.uint64)
            for k, i in enumerate(order):
                which = self._useful(i, group, order[:k])
                costs = (costs[:, None] + self.graph.costs[which]).ravel()
                sets = (sets[:, None, :] | self.asked[which]).reshape(-1, sets.shape[1])
            all_costs.append(costs)
            all_sets.append(sets)
        costs, sets = np.concatenate(all_costs), np.concatenate(all_sets)
        by_cost = np.lexsort((*sets.T, costs))
        return costs[by_cost], sets[by_cost]

    def _useful(self, i: int, group: list[int], placed: tuple[int, ...]) -> NDArray[np.int64]:
        """The sets of a member, after those placed: from the cheapest to the first that asks for no other group."""
        first, last = self.graph.offsets[i], self.graph.offsets[i + 1]
        later = [j for j in group if j != i and j not in placed]
        which: NDArray[np.int64] = first + np.flatnonzero(~self.members[first:last, later].any(axis=1))
        alone = np.flatnonzero(~self.asked[which].any(axis=1))
        return which[: alone[0] + 1] if len(alone) else which

    def written_out(self, order: list[int]) -> list[int]:
        """An order of the variables: group after group, each in its cheapest inner order."""
        placed = np.zeros(self.graph.n, bool)
        out: list[int] = []
        for g in order:
            inner = min(permutations(self.groups[g]), key=lambda one: self._cost(one, placed))
            placed[list(inner)] = True
            out += inner
        return out

    def _cost(self, inner: tuple[int, ...], placed: Marks) -> float:
        """What a group costs in an inner order, after those placed."""
        now, total = placed.copy(), 0.0
        for i in inner:
            first, last = self.graph.offsets[i], self.graph.offsets[i + 1]
            fits = np.flatnonzero(~self.members[first:last, ~now].any(axis=1))
            if not len(fits):
                return float("inf")
            total += float(self.graph.costs[first + fits[0]])
            now[i] = True
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
