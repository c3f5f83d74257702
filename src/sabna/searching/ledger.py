"""The ledger: a listener that writes down what a search proves, as a certificate (sabna.certificate).

Of every part it keeps what the checker will compute: the least target of a strike (`cap`), the best bound written down,
what became of the part. Strikes and splits are written as they happen. Bounds are kept back, with the weights behind
them, and written when they are needed: where a part is closed by one, and at the end for parts that are still open. The
checker evaluates them on fewer sets then, which never makes a bound smaller.

Closed parts whose search left no list of sets behind (breadth-first search, A* of the whole graph) are solved by the
checker itself if they are small; the others are named in `unproven`, for the caller to find another derivation
(searching/completing.py). Whatever stays unproven, the claim at the end is what the lines prove, never more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import INFINITE
from sabna.bounds.cuts import Cuts
from sabna.bounds.local_cuts import LocalCuts
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters
from sabna.certificate.writing import CertificateFile
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import placing_order
from sabna.searching import events
from sabna.searching.choices import Arc, Source, gone_by, turned_by
from sabna.searching.decisions import DENSE_TABLES
from sabna.searching.part import Ints, Part, simple_bound

# Parts of so many variables are left to the checker, which solves them in seconds.
SOLVED_BY_CHECKER = 20
# A list of 2^(n - 8) sets that a search expanded takes the checker as long as a table of all 2^n subsets.
SETS_PER_SUBSETS = 8


@dataclass
class _Entry:
    """What the certificate says of a part, under its number there."""

    number: int
    proven: int
    left: Ints  # how many sets every variable has left
    cap: int = INFINITE
    kind: str = "open"
    parts: tuple[int, ...] = ()  # by their numbers in the tree
    pending: tuple[int, Callable[[], None]] | None = None  # a bound not yet written, and how to write it
    known: dict[bytes, int] = field(default_factory=dict)  # clusters by their words in this part


@dataclass(frozen=True, eq=False)
class Unproven:
    """A part that a search closed without leaving a proof behind."""

    number: int  # in the certificate
    part: Part  # by the whole graph's numbers
    lower: int


class Ledger:
    """Writes the events of one tree. `members` and `places` lead from its graph to the certificate's.

    `number` is the part of the certificate that the tree is about; `numbers` gives out those of its parts.
    """

    def __init__(
        self, file: CertificateFile, members: Ints, places: Ints, number: int = 0, numbers: list[int] | None = None
    ) -> None:
        self.file, self.members, self.places = file, members, places
        self.root = number
        self.numbers = [1] if numbers is None else numbers  # the next one, shared between ledgers of one certificate
        self.entries: dict[int, _Entry] = {}
        self.unproven: list[Unproven] = []
        self._weights: dict[bytes, int] = {}  # by content: steps made elsewhere return copies
        self._patterns: dict[bytes, int] = {}

    def __call__(self, event: events.Event) -> None:
        """Listen."""
        if isinstance(event, events.Started):
            self.entries[0] = _Entry(self.root, simple_bound(event.graph), np.diff(event.graph.offsets))
        elif isinstance(event, events.PartBounded):
            self._bounded(event)
        elif isinstance(event, events.Searched):
            self._searched(event)
        elif isinstance(event, events.Fixed):
            self._fixed(event)
        elif isinstance(event, events.SplitInto):
            self._split(event.part, event.parts)
        elif isinstance(event, events.BranchedInto):
            self._branch(event)
        elif isinstance(event, events.PartClosed):
            self._closed(event)
        elif isinstance(event, events.NetworkFound):
            self.file.line("network", cost=event.cost, sets=self.places[event.choice])
        elif isinstance(event, events.Ended):
            self.finish()
        self.file.flush()

    def finish(self) -> None:
        """Write the bounds of what is still open."""
        for entry in self.entries.values():
            if entry.kind == "open":
                self._settle(entry)

    def leave_unproven(self, graph: ParentGraph, lower: int) -> None:
        """A tree that the ledger did not listen to says that no network of its graph costs less."""
        self.entries[0] = _Entry(self.root, simple_bound(graph), np.diff(graph.offsets))
        self.unproven = [Unproven(self.root, Part.whole(graph), lower)]

    def inside(self, unproven: Unproven) -> Ledger:
        """A ledger for another derivation of a part."""
        part = unproven.part
        return Ledger(
            self.file, self.members[part.members], self.places[part.origin], unproven.number, numbers=self.numbers
        )

    def proven(self) -> int:
        """What the lines written so far prove (the checker's b); parts come after those they are made from."""
        b: dict[int, int] = {}
        for part, entry in sorted(self.entries.items(), reverse=True):
            of_parts = [b[c] for c in entry.parts]
            bound = entry.proven
            if entry.kind != "open":
                bound = max(bound, min(sum(of_parts), INFINITE) if entry.kind == "split" else min(of_parts))
            b[part] = min(entry.cap, bound)
        return b[0]

    # Bounds.

    def _bounded(self, event: events.PartBounded) -> None:
        part, entry = event.part, self.entries[event.part.id]
        if event.patterns:
            pattern = event.patterns[0]
            self._keep(entry, event.lower, lambda: self._bound_line(entry, self._pattern(part, pattern)))
        weights = event.clusters if event.cuts is None else event.cuts
        if weights is not None:
            self._keep(entry, event.lower, lambda: self._bound_line(entry, self._weigh(part, weights)))

    def _bound_line(self, entry: _Entry, by: int) -> None:
        self.file.line("bound", part=entry.number, by=by)

    def _searched(self, event: events.Searched) -> None:
        entry, placed = self.entries[event.part.id], event.placed
        if placed is None or not event.patterns:
            return

        def write() -> None:
            part = event.part
            if part.n <= SOLVED_BY_CHECKER and len(placed) >= 1 << part.n >> SETS_PER_SUBSETS:
                self.file.line("solve", part=entry.number)
                return
            by = [self._pattern(part, pattern) for pattern in event.patterns]
            words = np.ascontiguousarray(placed[:, : -(-part.n // 64)]).reshape(-1).view(np.int64)
            self.file.line("search", part=entry.number, lower=event.lower, by=by, placed=words)

        self._keep(entry, event.lower, write)

    def _keep(self, entry: _Entry, bound: int, write: Callable[[], None]) -> None:
        """A bound that may be needed, if it is the best so far."""
        if bound > entry.proven and (entry.pending is None or bound > entry.pending[0]):
            entry.pending = (bound, write)

    def _settle(self, entry: _Entry) -> None:
        """Write the bound that was kept back."""
        if entry.pending is not None and entry.pending[0] > entry.proven:
            entry.pending[1]()
            entry.proven = entry.pending[0]
        entry.pending = None

    # Sets.

    def _fixed(self, event: events.Fixed) -> None:
        entry = self.entries[event.part.id]
        weights = event.clusters if event.cuts is None else event.cuts
        if weights is not None:
            self._strike(entry, event, event.struck, self._weigh(event.part, weights))
            return
        if entry.pending is not None and entry.pending[0] >= event.target:
            return  # the bound alone closes the part
        by = event.by
        assert by is not None
        left = event.struck.copy()
        while left.any():  # the pattern that accounts for most of them first
            counts = [int((by[left] >> j & 1).sum()) for j in range(len(event.patterns))]
            best = int(np.argmax(counts))
            which = left & ((by >> best & 1) == 1)
            self._strike(entry, event, which, self._pattern(event.part, event.patterns[best]))
            left &= ~which

    def _strike(self, entry: _Entry, event: events.Fixed, struck: NDArray[np.bool_], by: int) -> None:
        counts = np.add.reduceat(struck.astype(np.int64), event.part.graph.offsets[:-1])
        if (counts == entry.left).all():  # all there is: the bound itself has reached the target
            self._bound_line(entry, by)
            entry.proven = max(entry.proven, event.target)
            return
        sets = self._sorted(event.part.origin[struck])
        self.file.line("strike", part=entry.number, target=event.target, by=by, sets=sets)
        entry.cap = min(entry.cap, event.target)
        entry.left = entry.left - counts
        if not entry.left.all():
            entry.proven = INFINITE  # a variable has no set left; the cap is what counts

    def _sorted(self, origin: Ints) -> Ints:
        return np.sort(self.places[origin])

    def _split(self, part: Part, parts: tuple[Part, ...]) -> None:
        entry = self.entries[part.id]
        self._settle(entry)
        to = np.zeros(part.n, np.int64)
        for child in parts:
            number = self._new(child)
            to[np.searchsorted(part.members, child.members)] = number
        self.file.line("split", part=entry.number, to=to)
        child_of = np.zeros(int(part.members[-1]) + 1, np.int64)
        child_of[part.members] = to
        owner = child_of[np.repeat(part.members, np.diff(part.graph.offsets))]
        there = np.zeros(len(self.places), bool)
        for child in parts:
            origin = part.origin[owner == self.entries[child.id].number]
            there[origin] = True
            there[child.origin] = False
            gone = origin[there[origin]]
            if len(gone):
                self.file.line("drop", part=self.entries[child.id].number, sets=self._sorted(gone))
        entry.kind, entry.parts = "split", tuple(child.id for child in parts)

    def _branch(self, event: events.BranchedInto) -> None:
        """Both sides of a choice, turned arcs included; the checker sees by itself that one without sets is closed."""
        part, how, entry = event.part, event.how, self.entries[event.part.id]
        assert how is not None, "every choice of the search has its rule in the checker"
        self._settle(entry)
        sides = iter(event.parts)
        numbers = [
            self._new(next(sides)) if part.keeping(~gone) is not None else self._number() for gone in gone_by(how, part)
        ]
        kind = "source" if isinstance(how, Source) else "arc" if isinstance(how, Arc) else "order"
        variables = self.members[[how.a] if isinstance(how, Source) else [how.a, how.b]]
        self.file.line("branch", part=entry.number, kind=kind, variables=variables, parts=numbers)
        turned = turned_by(how, part)
        if turned.any():
            self.file.line("turn", part=numbers[0], sets=self._sorted(part.origin[turned]))
        entry.kind, entry.parts = "branch", tuple(child.id for child in event.parts)

    def _number(self) -> int:
        number, self.numbers[0] = self.numbers[0], self.numbers[0] + 1
        return number

    def _new(self, part: Part) -> int:
        number = self._number()
        self.entries[part.id] = _Entry(number, simple_bound(part.graph), np.diff(part.graph.offsets))
        return number

    def _closed(self, event: events.PartClosed) -> None:
        entry, part = self.entries[event.part.id], event.part
        if entry.kind != "open":
            return
        self._settle(entry)
        if min(event.lower, entry.cap) <= entry.proven:
            return  # where a bound has passed the target of strikes, no more than this target can be proven
        if placing_order(part.graph)[1]:
            entry.proven = INFINITE  # no network: the checker sees it by itself
        elif event.how == DENSE_TABLES or part.n <= SOLVED_BY_CHECKER:
            self.file.line("solve", part=entry.number)
            entry.proven = max(entry.proven, event.lower)
        else:
            self.unproven.append(Unproven(entry.number, part, event.lower))

    # Weights and patterns.

    def _weigh(self, part: Part, weights: Clusters | Cuts) -> int:
        """The number of some weights, which are written when they are first used."""
        key = _content(part, weights)
        if key not in self._weights:
            if isinstance(weights, Cuts):
                number = self._weigh_cuts(part, weights)
            else:
                used = np.flatnonzero(weights.y > 0)
                number = self.file.numbered("weights", rows=self._clusters(part, weights, used), y=weights.y[used])
            self._weights[key] = number
        return self._weights[key]

    def _weigh_cuts(self, part: Part, cuts: Cuts) -> int:
        """Local cuts, and derived cuts with the rows that they are made of, also those without a weight."""
        needed = cuts.weights > 0
        first = cuts.listed
        for d in range(len(cuts.y) - 1, -1, -1):
            source = cuts.entries(d)[0]
            if needed[first + d]:
                needed[source[source >= cuts.n] - cuts.n] = True
        clusters = np.flatnonzero(needed[: len(cuts.clusters)])
        local, derived = np.flatnonzero(needed[len(cuts.clusters) : first]), np.flatnonzero(needed[first:])
        rows = np.zeros(len(cuts), np.int64)  # their numbers in the certificate
        rows[clusters] = self._clusters(part, cuts.clusters, clusters)
        rows[len(cuts.clusters) + local] = [self._local_cut(part, cuts.local, c) for c in local.tolist()]
        for d in derived.tolist():
            rows[first + d] = self._cut(part, cuts, d, rows)
        weighted = np.flatnonzero(cuts.weights > 0)
        return self.file.numbered("weights", rows=rows[weighted], y=cuts.weights[weighted])

    def _local_cut(self, part: Part, cuts: LocalCuts, c: int) -> int:
        """The number of a local cut; sets of its blocks are numbers whose bits are the blocks' places in it."""
        inside = np.unpackbits(cuts.blocks_of(c).view(np.uint8), axis=1, bitorder="little", count=part.n)
        of, place = np.nonzero(inside)
        variables = self.members[part.members[place]].tolist()
        entries = [*zip(*(part.tolist() for part in cuts.entries(c)), strict=True)]
        return self.file.local_cut(tuple(variables), tuple(of.tolist()), entries)

    def _cut(self, part: Part, cuts: Cuts, d: int, rows: Ints) -> int:
        """The number of a derived cut, whose rows have theirs; that a variable has one set is a cluster of one."""
        source, times = cuts.entries(d)
        variables = self.members[part.members]
        made_of = [
            self.file.cluster((int(variables[row]),), 1) if row < cuts.n else int(rows[row - cuts.n])
            for row in source.tolist()
        ]
        return self.file.cut(tuple(made_of), tuple(times.tolist()))

    def _clusters(self, part: Part, clusters: Clusters, used: Ints) -> list[int]:
        """The numbers of some clusters."""
        known, ids = self.entries[part.id].known, []
        sets, members = np.ascontiguousarray(clusters.sets[used]), self.members[part.members]
        words, width = sets.tobytes(), sets.itemsize * sets.shape[1]
        for at, k in enumerate(clusters.k[used].tolist()):
            key = words[at * width : (at + 1) * width] + bytes([k])
            if key not in known:
                inside = np.unpackbits(sets[at].view(np.uint8), bitorder="little", count=part.n).astype(bool)
                known[key] = self.file.cluster(tuple(sorted(members[inside].tolist())), k)
            ids.append(known[key])
        return ids

    def _pattern(self, part: Part, pattern: Pattern) -> int:
        """The number of a pattern, which is written when it is first used."""
        key = _content(part, pattern.clusters, pattern.groups)
        if key not in self._patterns:
            bits = np.unpackbits(pattern.groups.view(np.uint8), axis=1, bitorder="little", count=part.n)
            weights = self._weigh(part, pattern.clusters)
            number = self.file.numbered("pattern", weights=weights, groups=bits.argmax(axis=0))
            self._patterns[key] = number
        return self._patterns[key]


def _content(part: Part, weights: Clusters | Cuts, *more: NDArray[np.uint64]) -> bytes:
    """What tells weights of a part's variables, and groups of them, from others."""
    clusters, derived = (weights.clusters, weights) if isinstance(weights, Cuts) else (weights, None)
    arrays: list[NDArray[Any]] = [part.members, clusters.sets, clusters.k, clusters.y, *more]
    if derived is not None:
        local = derived.local
        arrays += [derived.start, derived.source, derived.times, derived.y]
        arrays += [local.start, local.member, local.family, local.coefficient, local.y, local.block_start, local.blocks]
    content = hashlib.sha256()
    for array in arrays:
        content.update(f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return content.digest()
