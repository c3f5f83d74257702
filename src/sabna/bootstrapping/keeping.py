"""Replicates of the bootstrap in a work directory: one file with all that are done, rewritten now and then.

A replicate depends on the table, the settings and its number alone, so those that are done need not be done again, and
the frequencies are the same whenever and wherever each was learned.
"""

from __future__ import annotations

from dataclasses import dataclass

from sabna.base.limits import Limits
from sabna.bootstrapping.replicates import Edge, Replicate
from sabna.network import Network
from sabna.workdir.folder import Saver, WorkDir
from sabna.workdir.record import RECORD, Record

REPLICATES = "replicates"


@dataclass(frozen=True, eq=False)
class KeptReplicate:
    """A replicate as plain data."""

    number: int
    variables: tuple[str, ...]
    parents: tuple[tuple[str, ...], ...]
    directed: tuple[Edge, ...]


@dataclass(frozen=True, eq=False)
class KeptReplicates:
    """Those that are done."""

    done: list[KeptReplicate]


class Kept:
    """Keeps replicates as they are learned."""

    def __init__(self, work: WorkDir, limits: Limits) -> None:
        self.work, self.limits, self.saver = work, limits, Saver()
        record = work.load(RECORD, Record)
        self.before = 0.0 if record is None else record.seconds

    def load(self, count: int) -> list[Replicate]:
        """The replicates below `count` that are done."""
        kept = self.work.load(REPLICATES, KeptReplicates)
        found = [] if kept is None else [r for r in kept.done if r.number < count]
        return [Replicate(r.number, "optimal", _network(r), frozenset((p, c) for p, c in r.directed)) for r in found]

    def add(self, done: list[Replicate], count: int) -> None:
        """One more is done: save, if it is time to."""
        if self.saver.due():
            self.save(done, count, "running")

    def save(self, done: list[Replicate], count: int, status: str) -> None:
        """Keep all of them."""
        with self.saver.saving():
            self.work.save(REPLICATES, KeptReplicates([_plain(replicate) for replicate in done]))
            seconds = self.before + self.limits.elapsed()
            Record("bootstrap", status, seconds, finished=len(done), total=count).save(self.work)


def _plain(replicate: Replicate) -> KeptReplicate:
    network = replicate.network
    parents = tuple(tuple(network.parents[v]) for v in network.variables)
    return KeptReplicate(replicate.number, tuple(network.variables), parents, tuple(sorted(replicate.directed)))


def _network(kept: KeptReplicate) -> Network:
    return Network(kept.variables, dict(zip(kept.variables, map(list, kept.parents), strict=True)))
