"""What k workers would make of a recorded run: list scheduling, with what travels and what handing out a task costs.

A run is a list of tasks with seconds, and what each has to wait for. The model:

- A worker does one task at a time. Ready tasks are handed out in their order, each to the worker that is free first.
- Handing out a task takes `overhead` seconds of the scheduler, one task after the other, however many workers wait.
- Before the tasks of a stage begin, its shared data go to all workers, who pass them on: with k workers that takes
  ceil(log2(k + 1)) times the bytes over the bandwidth. A worker's first task of a stage takes `setup` seconds more.
- Answers come in over one link, one after the other; what waits for a task waits until its answer is there.
- Tasks of the driver are done by the one process that drives the run, in the order in which they become ready.

Idle links, workers of different speed and lost workers are not modelled. List scheduling is within a factor of two of
the best schedule (Graham 1966), and is what the engine does.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

# The stage of tasks that the driver does itself.
DRIVER = -1
# What happens in a replay.
READY, ENDED = 0, 1


@dataclass(frozen=True)
class Task:
    """Seconds of work, the numbers of the tasks it waits for, bytes of its answer, and its stage."""

    seconds: float
    after: tuple[int, ...] = ()
    bytes: int = 0
    stage: int = 0


@dataclass(frozen=True)
class Stage:
    """What a worker needs before its first task of a stage: seconds, and bytes that all tasks share."""

    setup: float = 0.0
    bytes: int = 0


@dataclass(frozen=True)
class Network:
    """Seconds that handing out a task takes, and bytes a second that a link carries."""

    overhead: float = 0.0
    bandwidth: float = float("inf")


@dataclass(frozen=True)
class Simulated:
    """Seconds until the last answer is there, seconds that workers were busy, the most that worked at a time."""

    seconds: float
    busy: float
    most: int
    bytes: int  # that travelled, shared data counted once for every worker


def simulate(tasks: Sequence[Task], stages: Sequence[Stage], workers: int, network: Network) -> Simulated:
    """Replay a run on so many workers.

    >>> simulate([Task(3.0), Task(1.0), Task(2.0)], [Stage()], 2, Network()).seconds
    3.0
    """
    replay = _Replay(tasks, stages, workers, network)
    return replay.run()


class _Replay:
    """One replay: when each resource is free, and which tasks are ready."""

    def __init__(self, tasks: Sequence[Task], stages: Sequence[Stage], workers: int, network: Network) -> None:
        self.tasks, self.stages, self.k, self.network = tasks, stages, workers, network
        self.free = [(0.0, worker) for worker in range(workers)]
        self.driver = self.scheduler = self.link = 0.0
        self.left = [len(task.after) for task in tasks]
        self.then: list[list[int]] = [[] for _ in tasks]
        for number, task in enumerate(tasks):
            for before in task.after:
                self.then[before].append(number)
        self.ready_at = [0.0] * len(tasks)
        self.shared_at: dict[int, float] = {}
        self.set_up: set[tuple[int, int]] = set()
        self.busy, self.travelled = 0.0, 0
        self.spans: list[tuple[float, float]] = []
        self.events: list[tuple[float, int, int]] = []

    def run(self) -> Simulated:
        """Take what happens in the order in which it happens: tasks that are ready, and tasks that end on a worker."""
        for number, left in enumerate(self.left):
            if left == 0:
                heapq.heappush(self.events, (0.0, number, READY))
        end = 0.0
        while self.events:
            at, number, what = heapq.heappop(self.events)
            if what == READY:
                known = self._begin(number, at)
            else:
                self.link = known = max(self.link, at) + self.tasks[number].bytes / self.network.bandwidth
            if known is not None:
                end = max(end, known)
                self._tell(number, known)
        return Simulated(end, self.busy, _most_at_a_time(self.spans), self.travelled)

    def _tell(self, number: int, known: float) -> None:
        """The answer of a task is known: what waits for it may be ready."""
        for later in self.then[number]:
            self.left[later] -= 1
            self.ready_at[later] = max(self.ready_at[later], known)
            if self.left[later] == 0:
                heapq.heappush(self.events, (self.ready_at[later], later, READY))

    def _begin(self, number: int, at: float) -> float | None:
        """A task is ready: the driver does it, or a worker begins it. When its answer is known; None: when it ends."""
        task = self.tasks[number]
        if task.stage == DRIVER:
            self.driver = max(self.driver, at) + task.seconds
            return self.driver
        at = max(at, self._shared(task.stage, at))
        self.scheduler = max(self.scheduler, at) + self.network.overhead
        free, worker = heapq.heappop(self.free)
        begin, seconds = max(self.scheduler, free), task.seconds
        if (task.stage, worker) not in self.set_up:
            self.set_up.add((task.stage, worker))
            seconds += self.stages[task.stage].setup
        heapq.heappush(self.free, (begin + seconds, worker))
        heapq.heappush(self.events, (begin + seconds, number, ENDED))
        self.busy += seconds
        self.spans.append((begin, begin + seconds))
        self.travelled += task.bytes
        return None

    def _shared(self, stage: int, at: float) -> float:
        """When the data of a stage are with all workers."""
        if stage not in self.shared_at:
            rounds = self.k.bit_length()  # ceil(log2(k + 1))
            self.shared_at[stage] = at + rounds * self.stages[stage].bytes / self.network.bandwidth
            self.travelled += self.k * self.stages[stage].bytes
        return self.shared_at[stage]


def _most_at_a_time(spans: list[tuple[float, float]]) -> int:
    """The most of these that overlap."""
    ends = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans], key=lambda e: (e[0], e[1]))
    most = now = 0
    for _, change in ends:
        now += change
        most = max(most, now)
    return most
