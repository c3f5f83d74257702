"""A run as a handle, for programs: started in a thread of its own, watched, stopped, asked for its result.

    run = sabna.start("data.csv", time_limit=3600)
    while run.running:
        print(run.bounds)
        run.wait(10)
    result = run.result()

`stop()` ends the search at its next report of progress; the best network and the bounds known by then are the result,
with the status "interrupted". `watch()` serves a page about it. Every run has its own limits and its own callback, so
that several may be under way.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from sabna.base.errors import Interrupted
from sabna.base.progress import ProgressReport
from sabna.base.threads import threads_for
from sabna.learning import learn
from sabna.report.watching import Watch, WatchServer
from sabna.result.result import Result
from sabna.settings import takes
from sabna.settings.checks import argument, callback, optional

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sabna.settings.table import LearnSettings


class Bounds(NamedTuple):
    """What the best network costs at least and at most, in nats; None while unknown."""

    lower: float | None
    upper: float | None

    @property
    def gap(self) -> float | None:
        """Their distance."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower


class Run:
    """A run under way. `progress` is the last report (see sabna.base.progress), None before the first."""

    def __init__(
        self, data: Any, score: str, progress: Callable[[ProgressReport], object] | None, options: dict[str, Any]
    ) -> None:
        self.progress: ProgressReport | None = None
        self._watching: tuple[Watch, WatchServer] | None = None
        self._title = os.path.basename(os.fspath(data)) if isinstance(data, str | os.PathLike) else "data"
        jobs = options.get("n_jobs")
        self._jobs = jobs if isinstance(jobs, int) else -1  # `learn` refuses other things
        self._listener = progress
        self._stopping = threading.Event()
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, args=(data, score, options), daemon=True, name="sabna")
        self._thread.start()
        atexit.register(self._end)

    def __repr__(self) -> str:
        state = "under way" if self._thread.is_alive() else "ended"
        return f"<sabna run, {state}, {self.bounds}>"

    def _end(self) -> None:
        """A thread inside the core must not outlive Python."""
        self.stop()
        self._thread.join()
        if self._watching is not None:
            self._watching[1].__exit__()

    def _work(self, data: Any, score: str, options: dict[str, Any]) -> None:
        try:
            argument("progress", self._listener, optional(callback))  # which `learn` is not given
            self._result = learn(data, score, progress=self._hear, **options)
        except Interrupted as error:
            self._result, self._error = error.result, None if error.result is not None else error
        except BaseException as error:
            self._error = error
        finally:
            self._tell_watchers()

    def _tell_watchers(self) -> None:
        if self._watching is not None:
            self._watching[0].end(self._result, "" if self._error is None else str(self._error))

    def _hear(self, report: ProgressReport) -> None:
        self.progress = report
        if self._watching is not None:
            self._watching[0].hear(report)
        if self._listener is not None:
            self._listener(report)
        if self._stopping.is_set():
            raise KeyboardInterrupt  # as Ctrl-C does: the core stops and gives what it has

    @property
    def running(self) -> bool:
        """Whether the run is still under way."""
        return self._thread.is_alive()

    @property
    def bounds(self) -> Bounds:
        """The bounds known so far; those of the result when there is one."""
        if self._result is not None:
            return Bounds(self._result.lower_bound, self._result.upper_bound)
        if self.progress is None:
            return Bounds(None, None)
        return Bounds(self.progress.lower_bound, self.progress.upper_bound)

    def watch(self) -> str:
        """Serve a page about the run on this machine; returns its address, which holds a token. See docs/watch.md."""
        if self._watching is None:
            watch = Watch(self._title, threads_for(self._jobs))
            self._watching = watch, WatchServer(watch)
            self._watching[1].__enter__()
            if not self.running:
                self._tell_watchers()
        return self._watching[1].url

    def stop(self) -> None:
        """Ask the run to end; `result()` then has the best network so far."""
        self._stopping.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most so long; whether it has come."""
        self._thread.join(seconds)
        return not self.running

    def result(self, timeout: float | None = None) -> Result:
        """The result, once there is one; what went wrong in the run is raised here. TimeoutError if it takes longer."""
        if not self.wait(timeout):
            raise TimeoutError("the run is still under way")
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result


@takes("learn")
def start(data: Any, score: str = "bic", **options: Unpack[LearnSettings]) -> Run:
    """Start `learn` in a thread of its own; returns a handle: `bounds`, `stop()`, `wait()`, `result()`, `watch()`.

    `data` and the options are those of `learn`.

    >>> run = start("example:asia")
    >>> run.result().status
    'optimal'
    """
    given: dict[str, Any] = dict(options)
    return Run(data, score, given.pop("progress", None), given)
