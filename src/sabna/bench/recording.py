"""Records a run that is cut into tasks: an engine that does every task here, in turn, and notes what it took.

What is noted is what a simulation needs (simulation.py): the seconds of every task, the bytes that travel to workers
and back, what a worker needs once before its first task of a stage, and the seconds between stages, which the process
that drives a run spends by itself. Seconds are processor seconds, so that a busy machine does not change them.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.bench.simulation import DRIVER, Stage, Task
from sabna.engine.engine import Function, Results


@dataclass(frozen=True, eq=False)
class _Shared:
    value: Any


def pickled_bytes(value: Any) -> int:
    """What a value takes on its way to another process."""
    buffers: list[int] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=lambda buffer: buffers.append(buffer.raw().nbytes))
    return len(head) + sum(buffers)


@dataclass(eq=False)
class Recorder:
    """An engine with one worker, this process; `tasks` and `stages` are what it saw."""

    tasks: list[Task] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    workers: int = 1
    _driven: int = -1  # the last task of the driver
    _waiting: int = 0  # bytes to be shared by the next stage
    _since: float = field(default_factory=time.process_time)
    _known: list[Any] = field(default_factory=list)

    def share(self, value: Any) -> Any:
        """Count what has to travel; what was shared before does not travel again."""
        if not any(value is known for known in self._known):
            self._known.append(value)
            self._waiting += pickled_bytes(value)
        return _Shared(value)

    def run(
        self,
        function: Function,
        shared: Sequence[Any],
        tasks: Sequence[Any],
        limits: Limits,
        progress: ProgressCallback | None = None,
    ) -> Results:
        """A stage: tasks wait for what the driver did before they were handed in; `tasks` may grow meanwhile."""
        stage, values = len(self.stages), [reference.value for reference in shared]
        self.stages.append(Stage(0.0, self._waiting))
        self._waiting = 0
        self._drive()
        handed_in: list[int] = []  # for each task, what the driver had done by then
        done: list[int] = []
        while len(done) < len(tasks):
            handed_in += [self._driven] * (len(tasks) - len(handed_in))
            k = len(done)
            began = time.process_time()
            reply = function(limits, tasks[k], *values)
            seconds = time.process_time() - began
            if k == 0:  # once more: what it takes less is what a worker needs once
                again = time.process_time()
                function(limits, tasks[k], *values)
                warm = time.process_time() - again
                self.stages[stage] = Stage(max(seconds - warm, 0.0), self.stages[stage].bytes)
                seconds = min(seconds, warm)
            self.tasks.append(Task(seconds, (handed_in[k],), pickled_bytes(reply), stage))
            done.append(len(self.tasks) - 1)
            self._since = time.process_time()
            yield k, reply
            self._drive(done[-1])

    def finish(self) -> None:
        """The run has ended: what the driver did last counts, too."""
        self._drive()

    def close(self) -> None:
        """Nothing was started."""

    def _drive(self, *answers: int) -> None:
        """What was done here since the last time is a task of the driver; it waits for the answers that it takes in."""
        before = () if self._driven < 0 else (self._driven,)
        self.tasks.append(Task(time.process_time() - self._since, (*before, *answers), 0, DRIVER))
        self._driven = len(self.tasks) - 1
        self._since = time.process_time()
