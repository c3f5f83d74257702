"""What an engine is: a place that runs functions of plain data, and the task that travels there.

An engine runs a function of plain data on many tasks, in any order and anywhere. Tasks repeat without harm: a task that
was lost with its worker, or takes far too long, is done once more, and one answer counts. What all tasks share (a
table, a level) is handed to the engine once, `share`, and travels once to each worker.

    function(limits, task, *shared)      what a worker calls; `limits` is what that worker may take

Results never depend on the engine: what is spread is cut the same way whoever does it, and put together in order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sabna.base.errors import EngineError
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.version import __version__

# A task is tried so often, each time on whatever worker is free, before the run gives up.
ATTEMPTS = 12

Function = Callable[..., Any]
Results = Generator[tuple[int, Any], None, None]


class Engine(Protocol):
    """Runs functions of plain data somewhere."""

    @property
    def workers(self) -> int:
        """How many tasks run at a time, as far as is known now."""

    def share(self, value: Any) -> Any:
        """A reference to something that many tasks need."""

    def run(
        self,
        function: Function,
        shared: Sequence[Any],
        tasks: Sequence[Any],
        limits: Limits,
        progress: ProgressCallback | None = None,
    ) -> Results:
        """The position of each task and its result, as they come; raises what a task raised, `Stopped` at a limit.

        `tasks` may grow while results are taken. Closed, it drops the tasks that are left.
        """

    def close(self) -> None:
        """End what was started for this engine; what the user started stays."""


@dataclass(frozen=True)
class Reply:
    """What a worker returns: a result, or the version of sabna it has instead of ours."""

    value: Any = None
    other_version: str | None = None


@dataclass(frozen=True)
class Request:
    """What is asked of a worker beside its task: the function, the version of sabna that asks, and what it may take."""

    function: Function
    limits: Mapping[str, Any]
    version: str = __version__

    @staticmethod
    def of(function: Function, limits: Limits) -> Request:
        """With what is left of the limits."""
        return Request(function, limits.elsewhere())


def run_task(request: Request, task: Any, *shared: Any) -> Reply:
    """What runs on a worker."""
    if request.version != __version__:
        return Reply(other_version=__version__)
    return Reply(request.function(Limits(**request.limits), task, *shared))


def unpacked(reply: Reply) -> Any:
    """The result of a task; EngineError if the worker has another sabna."""
    if reply.other_version is not None:
        raise EngineError(
            f"a worker has sabna {reply.other_version}, and this is sabna {__version__}: answers of different versions "
            "are not put together; install the same version on all workers"
        )
    return reply.value
