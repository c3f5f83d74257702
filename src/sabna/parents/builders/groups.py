"""Parent lists group by group: of builders that take the variables one by one, finished groups are kept, and spread.

Under required edges, with slack, with scores that have rules of their own, of numbers and of mixed tables a variable's
list does not depend on those of the others. So the variables are cut into groups; a finished group is a file of the
work directory, and a run that goes on builds the groups that are missing. A group has several variables for each
thread, and there are few groups, since each call of the core looks at all pairs of columns first. What takes no time is
done in one call: nothing is gained by keeping it. With an engine a group is a task, of one variable where there are not
very many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits, Stopwatch
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop, Stopped, status_of
from sabna.base.varsets import members
from sabna.engine.engine import Engine
from sabna.parents.built import Lists, spliced
from sabna.parents.knowledge import Constraints
from sabna.parents.scoring_bounds import Hear, ScoringBounds
from sabna.workdir.folder import WorkDir
from sabna.workdir.record import RECORD, Record

# Groups at most, and variables of a group for each thread at least.
MOST_GROUPS, FOR_EACH_THREAD = 16, 2
# Tasks of an engine at most.
MOST_TASKS = 256
# Seconds that groups take together, by the first one, from which on they are kept.
WORTH_KEEPING = 4.0

# What the names of these files begin with.
GROUP = "group"


class Builder(Protocol):
    """Builds the lists of some variables; those of the others are never looked at. Plain data, that can be sent."""

    def __call__(
        self,
        children: list[int],
        threads: int,
        limits: core.Limits,
        report: ProgressCallback | None = None,
        hear: Hear | None = None,
    ) -> Lists:
        """Stopped by a limit, the lists hold what was scored by then."""


@dataclass(frozen=True, eq=False)
class Group:
    """The lists of some variables, finished: `offsets` are those of these variables, one after the other."""

    children: tuple[int, ...]
    offsets: NDArray[np.int64]
    costs: NDArray[np.int64]
    sets: NDArray[np.uint64]
    evaluated: int
    counted: int
    peak_bytes: int


@dataclass(frozen=True)
class Keeping:
    """Where pieces of scoring are kept; `name` is part of the files' names, for a run may build several graphs."""

    work: WorkDir
    name: str = ""

    def of(self, part: str) -> Keeping:
        """For one of several parts of a graph."""
        return Keeping(self.work, f"{self.name}-{part}")


def build_in_groups(
    builder: Builder,
    children: Sequence[int],
    n: int,
    threads: int,
    limits: Limits,
    bounds: ScoringBounds | None,
    keeping: Keeping | None,
    engine: Engine | None = None,
) -> Lists:
    """The lists of these variables; stopped by a limit, they hold what was scored by then."""
    building = _Building(builder, n, threads, limits, bounds, keeping)
    size = max(FOR_EACH_THREAD * threads, -(-len(children) // MOST_GROUPS))
    if engine is not None:
        size = -(-len(children) // MOST_TASKS)
    groups = list(_cut(list(children), size))
    if len(groups) < 2 or (keeping is None and engine is None):
        return building.build(list(children), limits.left())
    return building.run(groups) if engine is None else building.spread(groups, engine)


def _cut(children: list[int], size: int) -> Iterator[list[int]]:
    for begin in range(0, len(children), size):
        yield children[begin : begin + size]


def build_group(limits: Limits, children: list[int], builder: Builder) -> Lists:
    """What an engine runs: the lists of some variables."""
    found = builder(children, 1, limits.left())
    if found.stop != Stop.none:
        raise Stopped(found.stop)
    return found


class _Building:
    """One building, group by group."""

    def __init__(
        self,
        builder: Builder,
        n: int,
        threads: int,
        limits: Limits,
        bounds: ScoringBounds | None,
        keeping: Keeping | None,
    ) -> None:
        self.builder, self.n, self.threads, self.limits, self.bounds = builder, n, threads, limits, bounds
        self.work: WorkDir | None = None if keeping is None else keeping.work
        self.name = "" if keeping is None else keeping.name
        record = None if self.work is None else self.work.load(RECORD, Record)
        self.before = 0.0 if record is None else record.seconds
        if bounds is not None and self.work is not None:
            bounds.trace.before = self.before

    def build(self, children: list[int], left: core.Limits) -> Lists:
        """The lists of some variables, built here."""
        if self.bounds is None:
            return self.builder(children, self.threads, left)
        return self.builder(children, self.threads, left, self.bounds.report, self.bounds.hear(children))

    def run(self, groups: list[list[int]]) -> Lists:
        """The lists of all groups, one after the other."""
        self._first_sets(groups)
        parts: list[Lists] = []
        which = np.zeros(self.n, np.int64)
        waiting = list(enumerate(groups))
        while waiting:
            number, group = waiting.pop(0)
            which[group] = len(parts)
            found = self._load(number, group)
            if found is None:
                watch, stopped = Stopwatch(), any(part.stop != Stop.none for part in parts)
                found = self.build(group, self.limits.left(seconds=0.0 if stopped else None))
                quick = found.stop == Stop.none and watch.seconds() * (len(waiting) + 1) < WORTH_KEEPING
                if quick and waiting:  # all that is left is done in one call
                    waiting = [(len(groups), [child for _, rest in waiting for child in rest])]
                elif not quick:
                    self._keep(number, group, found)
                    self._record(len(parts) + 1, len(groups), found.stop)
            parts.append(found)
        return spliced(parts, which.tolist())

    def spread(self, groups: list[list[int]], engine: Engine) -> Lists:
        """The lists of all groups, by an engine. After a limit has struck the others get their first sets alone."""
        self._first_sets(groups)
        found = {number: kept for number, group in enumerate(groups) if (kept := self._load(number, group)) is not None}
        missing = [number for number in range(len(groups)) if number not in found]
        stop, told = Stop.none, 0
        try:
            report = None if self.bounds is None else self.bounds.report
            tasks, shared = [groups[number] for number in missing], [engine.share(self.builder)]
            for at, lists in engine.run(build_group, shared, tasks, self.limits, report) if missing else ():
                found[missing[at]] = lists
                self._keep(missing[at], tasks[at], lists)
                self._record(len(found), len(groups), Stop.none)
                while told < len(missing) and missing[told] in found:  # in their order, whenever they come
                    self._tell(found[missing[told]], tasks[told])
                    told += 1
        except (Stopped, KeyboardInterrupt) as ended:
            stop = ended.stop if isinstance(ended, Stopped) else Stop.interrupted
            for number in missing:
                if number not in found:
                    found[number] = replace(self.build(groups[number], self.limits.left(seconds=0.0)), stop=stop)
            self._record(len(groups), len(groups), stop)
        which = np.zeros(self.n, np.int64)
        for number, group in enumerate(groups):
            which[group] = number
        return spliced([found[number] for number in range(len(groups))], which.tolist())

    def _first_sets(self, groups: list[list[int]]) -> None:
        """Every variable has its first set before there are bounds of the whole."""
        if self.bounds is not None:
            self.build([child for group in groups for child in group], self.limits.left(seconds=0.0))

    def _file(self, number: int) -> str:
        return f"{GROUP}{self.name}-{number}"

    def _load(self, number: int, group: list[int]) -> Lists | None:
        """A group that is kept, None if there is none; what is known of it is told."""
        kept = None if self.work is None else self.work.load(self._file(number), Group)
        if kept is None or kept.children != tuple(group):
            return None
        sizes = np.zeros(self.n, np.int64)
        sizes[group] = np.diff(kept.offsets)
        offsets, floor = np.concatenate([[0], np.cumsum(sizes)]), np.full(self.n, INFINITE, np.int64)
        counts = kept.evaluated, kept.counted, kept.peak_bytes
        lists = Lists(offsets, kept.costs, kept.sets, floor, *counts, Stop.none)
        self._tell(lists, group)
        return lists

    def _tell(self, lists: Lists, group: list[int]) -> None:
        """Bounds are made of what is known of a finished group."""
        if self.bounds is not None:
            floor = np.full(self.n, INFINITE, np.int64)
            self.bounds.take((lists.offsets, lists.costs, lists.sets), group, floor, settled=True)

    def _keep(self, number: int, group: list[int], found: Lists) -> None:
        """Keep a group if it is finished."""
        if found.stop != Stop.none or self.work is None:
            return
        at = [slice(int(found.offsets[i]), int(found.offsets[i + 1])) for i in group]
        offsets = np.cumsum([0, *(place.stop - place.start for place in at)], dtype=np.int64)
        costs, sets = (np.concatenate([values[place] for place in at]) for values in (found.costs, found.sets))
        counts = found.evaluated, found.counted, found.peak_bytes
        self.work.save(self._file(number), Group(tuple(group), offsets, costs, sets, *counts))

    def _record(self, finished: int, total: int, stop: Stop) -> None:
        """Say how far scoring is, for `sabna info`."""
        if self.work is None:
            return
        points = [] if self.bounds is None else list(self.bounds.trace.points)
        seconds, status = self.before + self.limits.elapsed(), status_of(stop, ended="running")
        unit = "groups of variables"
        Record("scoring", status, seconds, points, finished, total, unit=unit).save(self.work)


def forget_groups(work: WorkDir) -> None:
    """Remove the files of the groups: the graph is kept."""
    for path in work.path.glob(f"{GROUP}-*"):
        work.remove(path.stem)


def alone(constraints: Constraints, children: Sequence[int]) -> Constraints:
    """The constraints, of all but these variables with nothing but their required parents."""
    wanted = np.zeros(len(constraints.names), np.bool_)
    wanted[list(children)] = True
    sizes = np.array([len(members(required)) for required in constraints.required], constraints.limits.dtype)
    return Constraints(
        constraints.names,
        constraints.required,
        np.where(wanted[:, None], constraints.allowed, constraints.required),
        np.where(wanted, constraints.limits, sizes),
    )
