"""The parent graph level by level, each level in slices: kept in a work directory, walked by an engine, or both.

The sets of a level, in their order, are cut into slices. A slice is walked by a function of plain data
(`walk_slice`), here or on another machine; what comes out is a shard, plain arrays again. The shards of a level in
their order are the next level (core/parents/level_builder.h). In a work directory a shard is a file: a run that goes on
reads those that are there, and the numbers of a level are mapped, not held, so that a level may be larger than the
memory. The graph is that of core.build_parent_graph, to the bit, however the levels were cut and wherever walked.

Files: `shard-L-K` is shard K of level L, `shard-NAME-L-K` where a run builds several graphs. Once the shards of level
L + 1 are all there, those of level L are joined into `level-L`, which has what is needed of it later and none of its
numbers, and removed. If one of the shards that are still needed is damaged after that, scoring begins again.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits, process_memory
from sabna.base.stop import Stop, Stopped, status_of
from sabna.base.varsets import words_for
from sabna.engine.engine import Engine
from sabna.parents.builders.groups import Keeping
from sabna.parents.built import Lists
from sabna.parents.scoring_bounds import ScoringBounds
from sabna.workdir.folder import Saver, WorkDir
from sabna.workdir.plain import give_back, read_plain
from sabna.workdir.record import RECORD, Record

# Sets of a slice: some tenths of a second of work where counting a set takes some microseconds, and some ten megabytes
# of a shard; fewer where there are many rows to count, so that a slice takes about as long.
MOST_SETS, LEAST_SETS, ROWS_AND_SETS = 32768, 256, 1 << 27
# What a run does in its first seconds it does again rather than keep it; under a memory limit it keeps all that is cut.
WORTH_KEEPING = 10.0
# Sets of each variable that bounds are made of while scoring; as in core/parents/so_far.h.
LONGEST_LIST = 32
# From this share of a memory limit on, mapped pages are given back to the system.
GIVE_BACK = 0.35


@dataclass(frozen=True, eq=False)
class Problem:
    """What a parent graph is built from."""

    codes: NDArray[np.uint16]
    arities: NDArray[np.int64]
    score: str
    parameter: float
    max_parents: NDArray[np.int64]
    allowed: NDArray[np.uint64] | None = None  # the possible parents of each variable, as sets; None: all others

    @property
    def slice_size(self) -> int:
        """Sets of a slice; the same wherever this problem is worked on."""
        return max(LEAST_SETS, min(MOST_SETS, ROWS_AND_SETS // max(int(self.codes.shape[1]), 1)))

    def builder(self) -> core.SliceBuilder:
        """A builder at its first level."""
        return core.slice_builder(self.codes, self.arities, self.score, self.parameter, self.max_parents, self.allowed)


@dataclass(frozen=True, eq=False)
class Shard:
    """What a slice is extended to (core.Slice), as plain data; a joined level has no numbers."""

    child_mask: NDArray[np.uint64]
    alive: NDArray[np.uint64]
    narrow: NDArray[np.uint16]
    best: NDArray[np.uint32]
    scored_sets: NDArray[np.uint64]
    scored_costs: NDArray[np.int64]
    scored_children: NDArray[np.int64]
    scored_unsure: NDArray[np.uint8]
    floor: NDArray[np.int64]
    evaluated: int
    counted: int
    children: int  # sets of the next level

    @staticmethod
    def of(walked: core.Slice) -> Shard:
        """Of what the core returned."""
        values = {f.name: getattr(walked, f.name) for f in fields(Shard) if f.name != "children"}
        return Shard(**values, children=len(walked.alive))


class Lost(Exception):
    """A shard is damaged that cannot be walked again: the numbers it needs are gone."""


class _StoppedEarly(Exception):
    """A limit or an interrupt; what was scored of the level by then."""

    def __init__(self, stop: Stop, scored: list[Shard]) -> None:
        super().__init__(stop)
        self.stop, self.scored = stop, scored


def build_in_slices(
    problem: Problem,
    threads: int,
    limits: Limits,
    bounds: ScoringBounds | None,
    keeping: Keeping | None,
    engine: Engine | None,
    children: Sequence[int] | None = None,
) -> Lists:
    """As the result of core.build_parent_graph: stopped by a limit it holds what was scored by then.

    `children` are the variables whose lists are wanted, None: all.
    """
    wanted = range(len(problem.arities)) if children is None else children
    building = _Building(problem, threads, limits, bounds, keeping, engine, wanted)
    try:
        return building.run()
    except Lost:
        assert keeping is not None
        forget_levels(keeping.work, keeping.name)
        return _Building(problem, threads, limits, bounds, keeping, engine, wanted).run()


def forget_levels(work: WorkDir, name: str = "") -> None:
    """Remove the files of the levels: the graph is kept, or they are of no use."""
    for path in [*work.path.glob(f"shard{name}-*"), *work.path.glob(f"level{name}-*")]:
        work.remove(path.stem)


class _Building:
    """One building: its builder, and where its shards come from."""

    def __init__(
        self,
        problem: Problem,
        threads: int,
        limits: Limits,
        bounds: ScoringBounds | None,
        keeping: Keeping | None,
        engine: Engine | None,
        children: Sequence[int],
    ) -> None:
        self.problem, self.threads, self.limits, self.engine = problem, threads, limits, engine
        work, self.name = (None, "") if keeping is None else (keeping.work, keeping.name)
        self.work, self.bounds, self.builder, self.children = work, bounds, problem.builder(), children
        self.told = _Told(self.builder)
        self.began = time.monotonic()
        self.slice = problem.slice_size
        self.sets = 1  # of the level that is extended next
        self.walkable = True  # whether its numbers are at hand
        self.mapped: list[Shard] = []
        self.saver, self.before = Saver(), 0.0  # when to say how far it is; seconds of earlier runs
        if work is not None and (record := work.load(RECORD, Record)) is not None:
            self.before = record.seconds
            if bounds is not None:
                bounds.trace.before = record.seconds
        self.shared: list[Any] = []  # levels for the engine's workers: masks, of the last one its shards
        self.masks: tuple[NDArray[np.uint64], ...] = ()  # of that last one

    def run(self) -> Lists:
        """Level after level."""
        level, stop = 0, Stop.none
        self._tell(complete=self.sets == 0)
        kept_before = 0
        while self.sets and stop == Stop.none:
            try:
                shards, joined, kept = self._level(level)
            except _StoppedEarly as stopped:
                stop = stopped.stop
                self._record(level, 0, 0, status_of(stop))
                self._take(stopped.scored, complete=False)
                break
            self._take(shards, complete=True)
            self._give_back({})
            self._advance(shards, joined)
            self._give_back({})
            if self.work is not None and kept and kept_before:
                self._join(level - 1, kept_before)
            level, kept_before = level + 1, kept
            self._tell(complete=self.sets == 0)
        built = self.builder.finish(stop == Stop.none)
        self.mapped = []
        lists = Lists.of(built)
        return Lists(**{**{f.name: getattr(lists, f.name) for f in fields(Lists)}, "stop": stop})

    # One level.

    def _level(self, level: int) -> tuple[list[Shard], bool, int]:
        """The shards of a level; whether they are one that was joined; how many are kept in files."""
        count = -(-self.sets // self.slice)
        found = [self._load(level, k) for k in range(count)]
        if self.work is not None and any(shard is None for shard in found):
            joined = self.work.load(f"level{self.name}-{level}", Shard)
            if joined is not None and len(joined.child_mask) == self.sets:
                return [joined], True, 0
        if not self.walkable and any(shard is None for shard in found):
            raise Lost
        missing = [k for k in range(count) if found[k] is None]
        shards: dict[int, Shard] = {k: shard for k, shard in enumerate(found) if shard is not None}
        held: list[int] = []  # those that are not in files
        try:
            for k, shard in self._walked(missing):
                shards[k] = shard
                held.append(k)
                if self._worth_keeping(count):
                    self._keep(level, held, shards)
                self._give_back(shards.values())
                self._record(level, len(shards), count)
        except (_StoppedEarly, Stopped, KeyboardInterrupt) as ended:
            if self.work is not None:
                self._keep(level, held, shards)
            stop = Stop.interrupted if isinstance(ended, KeyboardInterrupt) else ended.stop
            scored = ended.scored if isinstance(ended, _StoppedEarly) else []
            raise _StoppedEarly(stop, [*scored, *(shards[k] for k in sorted(shards))]) from ended
        return [shards[k] for k in range(count)], False, 0 if held else count

    def _walked(self, missing: list[int]) -> Iterator[tuple[int, Shard]]:
        """The missing shards, as they come."""
        cuts = [(k * self.slice, min((k + 1) * self.slice, self.sets)) for k in missing]
        if self.engine is not None and len(cuts) > 1:
            report = self.bounds.report if self.bounds else None
            shared = [self.engine.share(self.problem), *self.shared]
            for at, shard in self.engine.run(walk_slice, shared, cuts, self.limits, report):
                yield missing[at], shard
            return
        for k, (begin, end) in zip(missing, cuts, strict=True):
            walked = self.builder.walk(begin, end, self.threads, self.limits.left(), self._while_walking)
            if walked.stop != Stop.none:
                raise _StoppedEarly(walked.stop, [Shard.of(walked)])
            yield k, Shard.of(walked)

    def _while_walking(self, report: dict[str, Any]) -> None:
        """A walk looks at sets all over the level before: what it has mapped of it is given back now and then."""
        self._give_back(())
        if self.bounds is not None:
            self.bounds.report(report)

    def _take(self, shards: list[Shard], complete: bool) -> None:
        """Tell the builder what was scored."""
        floor = self.builder.floor()
        if complete:
            floor = np.minimum.reduce([shard.floor for shard in shards])
        self.floor = floor
        for shard in shards:
            families = shard.scored_sets, shard.scored_costs, shard.scored_children, shard.scored_unsure
            self.builder.take(*families, floor, complete, shard.evaluated, shard.counted)
            self.told.offer(shard)
            self._give_back([shard])

    def _advance(self, shards: list[Shard], joined: bool) -> None:
        masks = [shard.child_mask for shard in shards]
        self.walkable, self.sets = not joined, sum(shard.children for shard in shards)
        if joined:
            self.builder.advance(masks, [], [], [])
        else:
            numbers = [s.alive for s in shards], [s.narrow for s in shards], [s.best for s in shards]
            self.builder.advance(masks, *numbers)
        self.mapped = shards
        self._give_back(())
        if self.engine is not None and self.sets:
            if self.shared:
                self.shared[-1] = self.engine.share(self.masks)
            self.masks = tuple(masks)
            self.shared.append(self.engine.share(tuple(shards)))

    # Files.

    def _load(self, level: int, k: int) -> Shard | None:
        if self.work is None:
            return None
        shard = self.work.load(f"shard{self.name}-{level}-{k}", Shard)
        if shard is not None and self.limits.memory is not None:
            give_back(shard.narrow if len(shard.narrow) else shard.best)  # the checksum has read all of it
        return shard if shard is None or len(shard.child_mask) == min(self.slice, self.sets - k * self.slice) else None

    def _worth_keeping(self, count: int) -> bool:
        """Whether shards of a level of so many are to be in files by now."""
        if self.work is None:
            return False
        return time.monotonic() - self.began > WORTH_KEEPING or (count > 1 and self.limits.memory is not None)

    def _keep(self, level: int, held: list[int], shards: dict[int, Shard]) -> None:
        """Write the shards that are held, and have them mapped instead."""
        assert self.work is not None
        while held:
            name = f"shard{self.name}-{level}-{held[0]}"
            self.work.save(name, shards[held[0]])
            shards[held[0]] = read_plain(self.work.file(name), Shard, written_here=True)
            held.pop(0)

    def _join(self, level: int, count: int) -> None:
        """The next level is kept: of this one keep what is needed later, without its numbers."""
        assert self.work is not None
        shards = [self._load_quickly(level, k) for k in range(count)]
        if any(shard is None for shard in shards):
            return
        whole = [shard for shard in shards if shard is not None]
        none: dict[str, Any] = {"alive": whole[0].alive[:0], "narrow": whole[0].narrow[:0], "best": whole[0].best[:0]}
        names = ("child_mask", "scored_sets", "scored_costs", "scored_children", "scored_unsure")
        arrays: dict[str, Any] = {name: np.concatenate([getattr(shard, name) for shard in whole]) for name in names}
        sums = {name: sum(getattr(shard, name) for shard in whole) for name in ("evaluated", "counted", "children")}
        floor = np.minimum.reduce([shard.floor for shard in whole])
        self._give_back(whole)
        self.work.save(f"level{self.name}-{level}", Shard(**arrays, **none, **sums, floor=floor))
        for k in range(count):
            self.work.remove(f"shard{self.name}-{level}-{k}")

    def _load_quickly(self, level: int, k: int) -> Shard | None:
        assert self.work is not None
        path = self.work.file(f"shard{self.name}-{level}-{k}")
        return self.work.reading(path.name, lambda: read_plain(path, Shard, written_here=True))

    def _record(self, level: int, finished: int, total: int, status: str = "running") -> None:
        """Say how far scoring is, for `sabna info`."""
        if self.work is None or (status == "running" and not self.saver.due()):
            return
        points = [] if self.bounds is None else list(self.bounds.trace.points)
        seconds, unit = self.before + self.limits.elapsed(), f"slices of sets of {level + 1} parents"
        with self.saver.saving():
            Record("scoring", status, seconds, points, finished, total, unit=unit).save(self.work)

    def _give_back(self, shards: Iterable[Shard]) -> None:
        """Give mapped pages back to the system where a memory limit is near; they are read again when needed."""
        if self.limits.memory is None or process_memory() < GIVE_BACK * self.limits.memory:
            return
        for shard in (*self.mapped, *shards):
            give_back(shard.narrow if len(shard.narrow) else shard.best)

    def _tell(self, complete: bool) -> None:
        if self.bounds is not None:
            n = len(self.problem.arities)
            floor = np.full(n, INFINITE) if complete else self.builder.floor()
            self.bounds.take(self.told.lists(), self.children, floor, settled=True)


class _Told:
    """The cheapest sets of each variable so far, and its empty set: what bounds are made of while scoring."""

    def __init__(self, builder: core.SliceBuilder) -> None:
        costs = builder.empty_costs()
        self.words = words_for(len(costs))
        empty = np.zeros((1, self.words), np.uint64)
        self.base = [(np.array([cost], np.int64), empty) for cost in costs]
        self.best = [(np.zeros(0, np.int64), np.zeros((0, self.words), np.uint64)) for _ in costs]

    def offer(self, shard: Shard) -> None:
        """What a shard scored."""
        children = shard.scored_children.astype(np.uint16)  # numbers of variables; small ones are sorted fast
        by_child = np.argsort(children, kind="stable")
        found, counts = np.unique(children, return_counts=True)
        for i, end, count in zip(found.tolist(), np.cumsum(counts).tolist(), counts.tolist(), strict=True):
            here = by_child[end - count : end]
            costs = shard.scored_costs[here]
            if len(here) > LONGEST_LIST:  # all that can be among the cheapest, ties included
                here = here[costs <= np.partition(costs, LONGEST_LIST - 1)[LONGEST_LIST - 1]]
            costs = np.concatenate([self.best[i][0], shard.scored_costs[here]])
            sets = np.concatenate([self.best[i][1], shard.scored_sets[here]])
            order = np.lexsort([*sets.T, costs])[:LONGEST_LIST]
            self.best[i] = costs[order], sets[order]

    def lists(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
        """Offsets, costs and sets of all variables, cheapest first."""
        costs, sets, sizes = [], [], [0]
        for base, best in zip(self.base, self.best, strict=True):
            cost, rows = np.concatenate([base[0], best[0]]), np.concatenate([base[1], best[1]])
            order = np.lexsort([*rows.T, cost])
            costs.append(cost[order])
            sets.append(rows[order])
            sizes.append(len(order))
        return np.cumsum(sizes, dtype=np.int64), np.concatenate(costs), np.concatenate(sets)


def walk_slice(limits: Limits, cut: tuple[int, int], problem: Problem, *levels: Any) -> Shard:
    """Walk a slice of the level that follows `levels`: the masks of each, of the last one its shards.

    A worker keeps its builder from one slice of a level to the next.
    """
    walked = _builder_at(problem, levels).walk(*cut, 1, limits.left(), None)
    if walked.stop != Stop.none:
        raise Stopped(walked.stop)
    return Shard.of(walked)


# Of each thread: the problem and levels it has a builder for. Given up before the core is unloaded.
_BUILT: dict[int, tuple[Problem, tuple[Any, ...], core.SliceBuilder]] = {}
atexit.register(_BUILT.clear)


def _builder_at(problem: Problem, levels: tuple[Any, ...]) -> core.SliceBuilder:
    me = threading.get_ident()
    if me in _BUILT and _BUILT[me][0] is problem and len(_BUILT[me][1]) == len(levels):
        return _BUILT[me][2]
    builder = problem.builder()
    for masks in levels[:-1]:
        builder.advance(list(masks), [], [], [])
    if levels:
        last = levels[-1]
        arrays = [[getattr(shard, name) for shard in last] for name in ("child_mask", "alive", "narrow", "best")]
        builder.advance(*arrays)
    _BUILT[me] = problem, levels, builder
    return builder
