"""Steps made beside each other: a step as a task for an engine, and the team that makes them.

A step is a function of its part (steps/context.py). What it tells while it works is written down and told when its
result is taken, so that whoever listens hears the same in the same order, wherever the step was made. Threads of this
process share its limits and are halted when the search ends; other engines get what is left of the time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop, Stopped
from sabna.engine.engine import Engine
from sabna.engine.pool import Pool
from sabna.searching.events import Event, Reported
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part
from sabna.searching.steps.context import Context, StepResult
from sabna.searching.strategy import Strategy

# Bytes that each of several threads must find: with as much the steps made side by side decide as if they had all.
COMFORT = 1_000_000_000
# Seconds that an engine waits beyond the time limit for steps that end by it.
ANSWER = 0.3


@dataclass(frozen=True, eq=False)
class Manner:
    """How steps are made, for all tasks of a search; `limits` are those of threads of this process."""

    strategy: Strategy
    options: SearchOptions
    ledger: bool
    limits: Limits | None = None
    grace: float = 0.0


@dataclass(frozen=True, eq=False)
class Made:
    """A step that was made: what it told, and what came out; None if a limit stopped it."""

    step: str
    told: tuple[Event, ...]
    result: StepResult | None
    stop: Stop = Stop.none


def make_step(limits: Limits, part: Part, manner: Manner) -> Made:
    """What an engine runs: the next step of a part."""
    told: list[Event] = []

    def hear(event: Event) -> None:
        if not isinstance(event, Reported):
            told.append(event)

    if manner.limits is not None:
        limits = manner.limits
    elif limits.seconds is not None:
        limits = replace(limits, seconds=max(limits.seconds - ANSWER, 0.0))
    context = Context(manner.options, limits, manner.strategy.effort, hear, manner.ledger, manner.grace)
    step = manner.strategy.next_step(part, context)
    try:
        result, stop = step.run(part, context), Stop.none
    except Stopped as stopped:
        result, stop = None, stopped.stop
    return Made(step.name, tuple(told), result, stop)


class Team:
    """Makes the steps of parts side by side, by an engine. The step of a part that was sent is taken, or dropped."""

    def __init__(self, engine: Engine, manner: Manner, limits: Limits, progress: ProgressCallback) -> None:
        late = limits if limits.seconds is None else replace(limits, seconds=limits.seconds + ANSWER)
        self.tasks: list[Part | None] = []  # grows while the engine runs; None: done
        self.running = engine.run(make_step, [engine.share(manner)], self.tasks, late, progress)
        self.numbers: dict[int, int] = {}  # part -> its task
        self.made: dict[int, Made] = {}  # by task

    def sent(self, part: int) -> bool:
        """Whether the step of this part is being made."""
        return part in self.numbers

    def send(self, part: Part) -> None:
        """Have the next step of a part made."""
        self.numbers[part.id] = len(self.tasks)
        self.tasks.append(part)

    def drop(self, part: int) -> None:
        """What comes of this part is not wanted any more."""
        self.made.pop(self.numbers.pop(part), None)

    def take(self, part: int) -> Made:
        """The step of a part, once it is made."""
        number = self.numbers[part]
        self._wait_for(number)
        del self.numbers[part]
        return self.made.pop(number)

    def _wait_for(self, number: int) -> None:
        while number not in self.made:
            k, made = next(self.running)
            self.tasks[k] = None
            if k in self.numbers.values():
                self.made[k] = made

    def wait(self) -> None:
        """Until nothing is under way."""
        for number in self.numbers.values():
            self._wait_for(number)

    def close(self) -> None:
        """Nothing more is wanted."""
        self.running.close()


def comfortable_threads(limits: Limits, threads: int) -> int:
    """How many threads, at most so many, have memory enough to work side by side."""
    return max(1, min(threads, limits.bytes_left() // COMFORT))


@contextmanager
def team_of_threads(manner: Manner, limits: Limits, threads: int, progress: ProgressCallback) -> Iterator[Team]:
    """Threads of this process; at the end they are halted."""
    halt = threading.Event()
    with ThreadPoolExecutor(threads, "sabna") as executor:
        shared = replace(limits, sharing=threads, halt=halt)
        team = Team(Pool(executor), replace(manner, limits=shared), limits, progress)
        try:
            yield team
        finally:
            halt.set()
            team.close()
