"""Parts of a parent graph: what is left of it after fixing and splitting, and where its sets come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.varsets import words_for
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters
from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """Some variables of a whole graph, with some of their parent sets cut down to these variables.

    `members[i]` is the number in the whole graph of variable i; `origin[p]` the position there of parent set p.
    """

    graph: ParentGraph
    members: Ints
    origin: Ints

    @staticmethod
    def whole(graph: ParentGraph) -> Part:
        """All of a graph."""
        return Part(graph, np.arange(graph.n), np.arange(len(graph)))

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.graph.n

    def keeping(self, keep: NDArray[np.bool_]) -> Part | None:
        """The part with the marked sets only; None if some variable has none left."""
        left = np.add.reduceat(keep.astype(np.int64), self.graph.offsets[:-1])
        if not left.all():
            return None
        offsets = np.concatenate([[0], np.cumsum(left)]).astype(np.int64)
        sets = np.ascontiguousarray(self.graph.sets[keep])
        graph = ParentGraph(self.graph.names, offsets, self.graph.costs[keep], sets)
        return Part(graph, self.members, self.origin[keep])

    def components(self) -> list[Part]:
        """The strongly connected components, parents first; [self] if there is only one."""
        found = core.components(*self.graph.arrays)
        return [self] if len(found) == 1 else [self._component(local) for local in found]

    def _component(self, local: list[int]) -> Part:
        arrays, origin = core.extract_component(*self.graph.arrays, local)
        graph = ParentGraph(tuple(self.graph.names[v] for v in local), *arrays)
        return Part(graph, self.members[np.array(local)], self.origin[origin])


def carry(clusters: Clusters, source: Part, part: Part) -> Clusters:
    """Clusters of `source` cut down to the variables of `part`; those with too few left go."""
    sets, sizes = _cut_down(clusters.sets, source, part)
    stay = sizes > clusters.k
    return Clusters(np.ascontiguousarray(sets[stay]), clusters.k[stay], clusters.y[stay])


def carry_pattern(pattern: Pattern, source: Part, part: Part) -> Pattern:
    """A pattern of `source` cut down to the variables of `part`."""
    groups, sizes = _cut_down(pattern.groups, source, part)
    return Pattern(carry(pattern.clusters, source, part), np.ascontiguousarray(groups[sizes > 0]))


def _cut_down(sets: NDArray[np.uint64], source: Part, part: Part) -> tuple[NDArray[np.uint64], Ints]:
    """Sets of variables of `source` as sets of variables of `part`, and their sizes."""
    place = {int(v): i for i, v in enumerate(part.members)}
    new = np.zeros((len(sets), words_for(part.n)), np.uint64)
    sizes = np.zeros(len(sets), np.int64)
    for v in range(source.n):
        to = place.get(int(source.members[v]))
        if to is None:
            continue
        inside = (sets[:, v >> 6] >> np.uint64(v & 63)) & np.uint64(1)
        new[:, to >> 6] |= inside << np.uint64(to & 63)
        sizes += inside.astype(np.int64)
    return new, sizes


def topological_order(graph: ParentGraph, choice: Ints) -> tuple[int, ...]:
    """An order of the variables in which the chosen parents come first; () if they form a cycle."""
    parents = [0] * graph.n
    for i, p in enumerate(choice):
        for k, word in enumerate(graph.sets[p]):
            parents[i] |= int(word) << (64 * k)
    order: list[int] = []
    placed, waiting = 0, list(range(graph.n))
    while waiting:
        ready = [i for i in waiting if not parents[i] & ~placed]
        if not ready:
            return ()
        order += ready
        for i in ready:
            placed |= 1 << i
        waiting = [i for i in waiting if not placed >> i & 1]
    return tuple(order)
