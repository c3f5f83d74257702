"""Parts of a parent graph: what is left of it after fixing, splitting and branching, and what is known of it.

A part is plain data. Steps (`steps/`) take one and return another; the tree (tree.py) keeps those that are open. It can
be pickled, and holds no limits, callbacks or threads.

The target is what a network of the part must cost less than to be of interest. Struck-out parent sets are in no network
below the target; so the best network known may have lost some of its own, and is kept aside in `known`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.varsets import words_for
from sabna.bounds.cuts import Cuts, cut_down
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters
from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]  # of three positions in the whole graph; many parts have many of them


@dataclass(frozen=True, eq=False)
class Known:
    """A network: `choice` has the position in the whole graph of every member's parent set.

    `order` is an order of the part's variables that it came from; () if it came from elsewhere.
    """

    cost: int
    choice: Ints
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Progress:
    """How far a part has come through the rounds of the default strategy; `decisions` reads and advances it."""

    step: str = ""  # the step done last, "" if none
    one_component: bool = False  # known of the parent sets as they are now
    round: int = 0
    idle: int = 0  # rounds in a row that brought little, up to the last one
    sets: int = 0  # parent sets when the round began
    gap: int = 0  # target less lower bound when the round began
    attempt: int = 0  # group programs done in this round
    attempts_pay: bool = True  # whether the last of them brought enough for another
    groups_from: int = 0  # the round from which on the group program is tried
    cuts_from: int = 0  # likewise for the cut program
    cuts_close: bool = False  # whether the last cut program closed much of the gap
    whole_points: int = 0  # how often there was nothing to branch on
    sources: tuple[int, ...] = ()  # what to branch on, one after the other, by a source program; numbers of variables
    fill_below: int = 0  # with very many sets tables are filled, to fix by them, from this gap on; 0: always
    nodes_expected: float = 0.0  # that A* would have to store, by its last trial; 0: not known


def no_sets() -> Ints:
    """No parent set."""
    return np.zeros(0, np.int64)


def none_apart() -> Rows:
    """No premises, no sets."""
    return np.zeros((0, 3), np.int32)


@dataclass(frozen=True, eq=False)
class Part:
    """Some variables of a whole graph, with some of their parent sets cut down to these variables.

    `members[i]` is the number in the whole graph of variable i; `origin[p]` the position there of parent set p.
    """

    graph: ParentGraph
    members: Ints
    origin: Ints
    id: int = 0  # its number in the tree
    depth: int = 0  # how many splits led to it
    branches: int = 0  # how many branchings led to it
    path: tuple[str, ...] = ()  # the decisions that led to it: components and branches, in words
    target: int = INFINITE
    goal: int | None = None  # where raising a bound ends; None: at the target
    slack: int = 0  # its share of the gap tolerance
    lower: int = -INFINITE  # no network below the target costs less, by the weights seen so far
    clusters: Clusters = field(default_factory=lambda: Clusters.none(1))
    cuts: Cuts | None = None  # clusters and derived cuts with the weights of their own program
    kept: Pattern | None = None  # the pattern of the best group program
    kept_bound: int = -INFINITE
    patterns: tuple[Pattern, ...] = ()  # those of the last pattern databases
    known: Known | None = None
    order: tuple[int, ...] = ()  # the last order rounded from the cluster program
    apart: Rows = field(default_factory=none_apart)  # [k, 3]: sets no network needs together (choices.py)
    by_sources: bool = False  # whether it is branched on sources (choices.py)
    basic: Ints = field(default_factory=no_sets)  # parent sets that were basic in the last source program
    progress: Progress = Progress()

    @staticmethod
    def whole(graph: ParentGraph) -> Part:
        """All of a graph."""
        none = Clusters.none(graph.sets.shape[1])
        return Part(graph, np.arange(graph.n), np.arange(len(graph)), clusters=none)

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.graph.n

    @property
    def raise_to(self) -> int:
        """Where raising a bound ends."""
        return self.target if self.goal is None else self.goal

    @property
    def gap(self) -> int:
        """What is left between bound and target."""
        return self.target - self.lower

    def raised(self, bound: int) -> Part:
        """With a lower bound that has been proven."""
        lower = min(bound, self.target)
        return replace(self, lower=lower) if lower > self.lower else self

    def improved(self, known: Known) -> Part:
        """With a network below the target: from now on only networks that beat it by more than the slack count."""
        return replace(self, known=known, target=known.cost - self.slack)

    def below_known(self) -> Part:
        """The same part, its target below the network known."""
        return self.improved(self.known) if self.known is not None and self.known.cost < self.target else self

    def keeping(self, keep: NDArray[np.bool_]) -> Part | None:
        """The part with the marked sets only; None if some variable has none left."""
        left = np.add.reduceat(keep.astype(np.int64), self.graph.offsets[:-1])
        if not left.all():
            return None
        offsets = np.concatenate([[0], np.cumsum(left)]).astype(np.int64)
        sets = np.ascontiguousarray(self.graph.sets[keep])
        graph = ParentGraph(self.graph.names, offsets, self.graph.costs[keep], sets)
        return replace(self, graph=graph, origin=self.origin[keep])

    def only_sets(self, keep: NDArray[np.bool_]) -> Ints:
        """Sets that are the only marked one of their variable; positions in the whole graph."""
        left = np.add.reduceat(keep.astype(np.int64), self.graph.offsets[:-1])
        only: Ints = self.origin[keep & np.repeat(left == 1, np.diff(self.graph.offsets))]
        return only

    def alive(self, apart: Rows) -> Rows:
        """The rows of sets that are all there."""
        return apart[np.isin(apart, np.append(self.origin, -1)).all(axis=1)]

    def without_sets(self, known: Known | None) -> Part:
        """What is worth keeping of a part when its parent sets are needed no more."""
        none, words = np.zeros(0, np.int64), self.graph.sets.shape[1]
        return Part(
            ParentGraph(self.graph.names, np.zeros(self.n + 1, np.int64), none, np.zeros((0, words), np.uint64)),
            self.members,
            none,
            self.id,
            self.depth,
            self.branches,
            self.path,
            self.target,
            slack=self.slack,
            lower=self.lower,
            known=known,
        )

    def components(self, merge: bool = True) -> list[Part]:
        """The strongly connected components, parents first; [self] if there is only one.

        With `merge`, of the sets that fall together when cut down to a component, and of those that a subset now beats,
        the cheapest stays; the best network needs no other. Without it all stay: they make different networks.
        """
        found = core.components(*self.graph.arrays)
        if len(found) == 1:
            return [self]
        before, parts = np.zeros(self.n, bool), []
        for local in found:
            parts.append(self._component(np.array(local), merge, before))
            before[local] = True
        return parts

    def _component(self, local: Ints, merge: bool, before: NDArray[np.bool_]) -> Part:
        names = tuple(self.graph.names[v] for v in local)
        if merge:
            component = core.extract_component(*self.graph.arrays, local.tolist())
            graph, origin = ParentGraph.of(names, component), component.origin
        else:
            graph, origin = self._cut_down(names, local)
        part = Part(
            graph,
            self.members[local],
            self.origin[origin],
            depth=self.depth + 1,
            branches=self.branches,
            path=(*self.path, f"component {names[0]}"),
            clusters=Clusters.none(words_for(len(local))),
            by_sources=self.by_sources,
            basic=self.basic,
        )
        sources = tuple(v for v in self.progress.sources if v in part.members)
        if sources:
            part = replace(part, progress=Progress(sources=sources))
        if len(self.apart):
            hold = np.isin(self.apart, self.only_sets(np.ones(len(self.graph), bool)))
            hold[:, 2] = False
            part = replace(part, apart=part.alive(np.where(hold, np.int32(-1), self.apart)))
        if part.n == 1 or (self.kept is None and self.cuts is None and not len(self.clusters)):
            return part
        if self.by_sources:
            return replace(part, clusters=_carry_after(self.clusters, self, part, before))
        kept = None if self.kept is None else carry_pattern(self.kept, self, part)
        cuts = None if self.cuts is None else carry_cuts(self.cuts, self, part)
        return replace(part, clusters=carry(self.clusters, self, part), cuts=cuts, kept=kept)

    def _cut_down(self, names: tuple[str, ...], local: Ints) -> tuple[ParentGraph, Ints]:
        """The graph of some variables with all their sets, and the sets' positions in this part."""
        graph = self.graph
        which = np.concatenate([np.arange(graph.offsets[v], graph.offsets[v + 1]) for v in local])
        offsets = np.concatenate([[0], np.cumsum(graph.offsets[local + 1] - graph.offsets[local])]).astype(np.int64)
        return ParentGraph(names, offsets, graph.costs[which], _members_of(graph.sets[which], local)), which


def simple_bound(graph: ParentGraph) -> int:
    """The sum of every variable's cheapest set."""
    return int(graph.costs[graph.offsets[:-1]].sum())


def carry(clusters: Clusters, source: Part, part: Part) -> Clusters:
    """Clusters of `source` cut down to the variables of `part`; those with too few left go."""
    return _carry(clusters, source, part)[0]


def _carry(clusters: Clusters, source: Part, part: Part) -> tuple[Clusters, NDArray[np.bool_]]:
    """The clusters that stay, and marks of them."""
    sets = _members_of(clusters.sets, _places(source, part))
    stay = _sizes(sets) > clusters.k
    return Clusters(np.ascontiguousarray(sets[stay]), clusters.k[stay], clusters.y[stay]), stay


def _carry_after(clusters: Clusters, source: Part, part: Part, before: NDArray[np.bool_]) -> Clusters:
    """The same, for a component that comes after the variables `before`: together the components' bounds are no less.

    A cluster's weight goes to the first component that it meets. Credits are the same there, for none of its members
    may have a parent further on, and all later members lose theirs. Where it has m < k members there, these have its
    credit whatever their parents are, and k - m of it are left to the next component.
    """
    words = np.ascontiguousarray(clusters.sets).view(np.uint8)
    inside = np.unpackbits(words, axis=1, bitorder="little", count=source.n)
    sets = _members_of(clusters.sets, _places(source, part))
    k = clusters.k - inside[:, before].sum(axis=1, dtype=np.int64)
    stay = (k > 0) & (_sizes(sets) > k)
    return Clusters(np.ascontiguousarray(sets[stay]), k[stay], clusters.y[stay])


def carry_cuts(cuts: Cuts, source: Part, part: Part) -> Cuts:
    """Cuts of `source` cut down to the variables of `part`; derived cuts that lose a row they are made of go."""
    places = _places(source, part)
    local = cuts.local.inside(_members_of(cuts.local.blocks, places))
    return cut_down(cuts, places, *_carry(cuts.clusters, source, part), local)


def carry_pattern(pattern: Pattern, source: Part, part: Part) -> Pattern:
    """A pattern of `source` cut down to the variables of `part`."""
    groups = _members_of(pattern.groups, _places(source, part))
    return Pattern(carry(pattern.clusters, source, part), np.ascontiguousarray(groups[_sizes(groups) > 0]))


def _places(source: Part, part: Part) -> Ints:
    """The numbers in `source` of the variables of `part`."""
    return np.searchsorted(source.members, part.members)


def _members_of(sets: NDArray[np.uint64], local: Ints) -> NDArray[np.uint64]:
    """Sets of variables cut down to the variables `local`, which are numbered anew in this order."""
    new = np.zeros((len(sets), words_for(len(local))), np.uint64)
    for to, v in enumerate(local.tolist()):
        inside = (sets[:, v >> 6] >> np.uint64(v & 63)) & np.uint64(1)
        new[:, to >> 6] |= inside << np.uint64(to & 63)
    return new


def _sizes(sets: NDArray[np.uint64]) -> Ints:
    sizes: Ints = np.unpackbits(sets.view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
    return sizes
