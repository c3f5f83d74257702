"""An executor of concurrent.futures as an engine: threads, processes, or whatever has its interface.

What tasks share goes to threads as it is. Other executors may have their workers in other processes of this machine:
for them it is pickled once to a file of a folder that only this user can read, and each process loads it once.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sabna.base.errors import EngineError
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop, Stopped
from sabna.engine.engine import Function, Reply, Request, Results, run_task, unpacked

# Seconds between two looks at the clock while tasks run.
LOOK = 0.2
# Shared values that a process keeps loaded.
LOADED = 40


@dataclass(frozen=True)
class InFile:
    """A shared value in a file."""

    path: str


class Pool:
    """An executor that the user has."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.in_threads = isinstance(executor, ThreadPoolExecutor)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._shared: dict[int, tuple[Any, Any]] = {}
        self._bytes = 0  # of the files

    @property
    def workers(self) -> int:
        """As many as the executor says, or as there are cores."""
        return int(getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1)

    def share(self, value: Any) -> Any:
        """The value itself for threads, else a file with it."""
        if self.in_threads:
            return value
        if id(value) not in self._shared:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="sabna-")
            path = Path(self._folder.name) / f"{len(self._shared)}"
            with path.open("wb") as file:
                pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
            self._shared[id(value)] = value, InFile(str(path))
            self._bytes += path.stat().st_size
        return self._shared[id(value)][1]

    def run(
        self,
        function: Function,
        shared: Sequence[Any],
        tasks: Sequence[Any],
        limits: Limits,
        progress: ProgressCallback | None = None,
    ) -> Results:
        """See Engine."""
        begun = 0
        running: dict[Future[Reply], int] = {}
        try:
            while begun < len(tasks) or running:
                while begun < len(tasks) and len(running) < 2 * self.workers:
                    request = Request.of(function, limits)
                    running[self.executor.submit(_run_loaded, request, tasks[begun], *shared)] = begun
                    begun += 1
                done, _ = wait(running, timeout=LOOK, return_when=FIRST_COMPLETED)
                stop = Stop.none if done else limits.struck()
                if stop != Stop.none:
                    raise Stopped(stop)
                for future in done:
                    k = running.pop(future)
                    yield k, unpacked(_result(future))
                if progress is not None:
                    counts = {"finished": begun - len(running), "total": len(tasks), "running": len(running)}
                    progress({"station": "tasks", **counts, "workers": self.workers, "bytes_held": self._bytes})
        finally:
            for future in running:
                future.cancel()

    def close(self) -> None:
        """Remove the files; the executor is the user's."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _result(future: Future[Reply]) -> Reply:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise EngineError(f"a process of the executor ended by itself ({error}); make a new executor") from error


# The shared values that this process has loaded.
_LOADED: OrderedDict[str, Any] = OrderedDict()


def _run_loaded(request: Request, task: Any, *shared: Any) -> Reply:
    values = [_load(value.path) if isinstance(value, InFile) else value for value in shared]
    return run_task(request, task, *values)


def _load(path: str) -> Any:
    if path not in _LOADED:
        with Path(path).open("rb") as file:
            _LOADED[path] = pickle.load(file)
        while len(_LOADED) > LOADED:
            _LOADED.popitem(last=False)
    return _LOADED[path]
