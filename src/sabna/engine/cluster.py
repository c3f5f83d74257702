"""A Dask cluster as an engine: `dask.distributed` finds the workers, moves data and starts tasks; answers come here.

What tasks share is scattered to all workers under a name of its own; it travels once to each, and never
inside a task; large tasks are sent to a worker likewise, so that the scheduler keeps none of them. A worker that dies
takes its task along: Dask gives the task to another one, and if it gives up on it, or the shared data died too, the
task is handed in again here with its data. A task that hangs, measured by the longest one so far, is given up, its
worker gets no more of them, and the task is handed in again. Each task is tried `ATTEMPTS` times. When the connection
to the scheduler is lost, the client tries to make it again for a while; then all tasks are handed in again. Every
answer tells the version of sabna on its worker; another one is an error.

Dask gives a worker up that died and is not back within a quarter of a minute, as happens on a busy machine. Workers
that were started here (`local:N`) are then started anew; while there is none at all for a while, this process does
the tasks itself, with a warning. A scheduler of the user's that has no workers for long is an error in words.
"""

from __future__ import annotations

import logging
import pickle
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from sabna.base.errors import EngineError, EngineWarning, UsageError, warn
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop, Stopped
from sabna.engine.engine import ATTEMPTS, Function, Reply, Request, Results, run_task, unpacked

if TYPE_CHECKING:
    from distributed import Client

# Seconds to wait for a scheduler to answer, and for its first worker.
CONNECT = 30.0
FIRST_WORKER = 120.0
# Seconds without any worker, in the middle of a run, that are waited for new ones; the same where they were started
# here, and from when on those that are missing are started anew (later than Dask gives them up).
LOST_WORKERS, LOST_LOCALLY, START_ANEW = 600.0, 90.0, 20.0
# Seconds between two looks at the clock while tasks run.
LOOK = 0.5
# So often in a row a question to the scheduler may break.
BROKEN = 20
# Tasks of so many bytes do not travel through the scheduler.
LARGE = 1_000_000
# Of the memory that Dask gives a worker, the share that a task may fill it up to: above 0.8 Dask gives it no more work.
MEMORY_SHARE = 0.75
# A task hangs if it takes so many times what the longest took, and at least so many seconds.
HANGS, HANGS_SECONDS = 20.0, 600.0
# Errors of Dask that mean a lost worker or lost data, by name: it moves them between modules.
LOST = {"KilledWorker", "CancelledError", "FutureCancelledError", "FuturesCancelledError", "FutureLostError"}
LOST |= {"CommClosedError", "WorkerStartTimeoutError", "GatherError"}

Answer = TypeVar("Answer")


class Cluster:
    """The workers of a scheduler."""

    def __init__(self, client: Client, ours: list[Any], started: int = 0) -> None:
        self.client, self._ours = client, ours  # what is closed at the end
        self._address = client.scheduler.address
        self._started = started  # workers that were started here, by the last of `ours`
        self._shared: dict[int, tuple[Any, Any]] = {}
        self._avoided: set[str] = set()
        self._workers, self._known = 1, -LOOK  # their number, and when it was asked for
        self._some = self._all = time.monotonic()  # when there was a worker, and when there were all, for the last time
        self.alone = False  # this process does the tasks itself

    @staticmethod
    def of(engine: Any) -> Cluster:
        """Of a client, of `local:N`, or of a scheduler's address."""
        from distributed import Client

        if isinstance(engine, Client):
            return Cluster(engine, [])
        if not isinstance(engine, str):
            raise UsageError(f"engine {engine!r}: give a dask.distributed.Client, or the address of a scheduler")
        if engine.startswith("local:"):
            return Cluster._local(engine)
        try:
            client = Client(engine, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise UsageError(
                f"scheduler {engine!r}: no answer ({error}); is it running, and is this its address?"
            ) from error
        return Cluster(client, [client])

    @staticmethod
    def _local(engine: str) -> Cluster:
        from distributed import Client, LocalCluster

        count = engine.removeprefix("local:")
        if not count.isdigit() or not 1 <= int(count) <= 1024:
            raise UsageError(f"scheduler {engine!r}: write local: and a number of worker processes, such as local:4")
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        cluster = LocalCluster(
            n_workers=int(count),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        client = Client(cluster, set_as_default=False)
        return Cluster(client, [client, cluster], int(count))

    @property
    def workers(self) -> int:
        """The threads of all workers, as of a moment ago; one where there are none."""
        self._look_after_workers()
        return max(1, self._workers)

    def _look_after_workers(self) -> None:
        """Count the workers now and then; start those anew that are missing, or do without, if they are ours."""
        now = time.monotonic()
        if self.alone or now - self._known <= LOOK:
            return
        self._workers = int(sum(self._asked(self.client.nthreads).values()))
        self._known = now = time.monotonic()
        self._some = now if self._workers else self._some
        self._all = now if self._workers >= self._started else self._all
        if now - self._all > START_ANEW:
            self._all = now
            with suppress(OSError, RuntimeError):
                self._ours[-1].scale(self._started)
        if now - self._some > (LOST_LOCALLY if self._started else LOST_WORKERS):
            self._do_without(now - self._some)

    def _do_without(self, seconds: float) -> None:
        """There is no worker: go on in this process if they were to be on this machine; else EngineError."""
        if not self._started:
            raise EngineError(f"the scheduler {self._address} has had no worker for {seconds:.0f} s; start some")
        warn(
            f"{self._started} worker processes were started and none is left; this process goes on alone", EngineWarning
        )
        self.alone = True

    def share(self, value: Any) -> Any:
        """A reference to the value: who has it is known to the scheduler."""
        if id(value) not in self._shared:
            self._shared[id(value)] = value, self._scatter(value)
        return _Shared(id(value))

    def _scatter(self, value: Any) -> Any:
        # Under a name of its own, not by its content: where the same content was released a moment before, the
        # scheduler may still be about to forget it, and whoever waits for it waits for ever.
        if self.alone or not self._has_workers():
            return None
        return self._asked(lambda: self.client.scatter([value], broadcast=True, hash=False)[0])

    def _has_workers(self) -> bool:
        """Wait for a worker; False if this process is to do without."""
        try:
            self.client.wait_for_workers(1, timeout=FIRST_WORKER)
        except (TimeoutError, OSError):
            self._require_scheduler()
            self._do_without(FIRST_WORKER)
        return not self.alone

    def _require_scheduler(self) -> None:
        """Wait while the connection to the scheduler is being made again; EngineError if it is lost for good."""
        while self.client.status == "connecting":  # for as long as the client tries
            time.sleep(LOOK)
        if self.client.status != "running":
            raise EngineError(
                f"the scheduler {self._address} is gone; start it again, and give the command again (with --work it "
                "goes on where it was)"
            )

    def run(
        self,
        function: Function,
        shared: Sequence[Any],
        tasks: Sequence[Any],
        limits: Limits,
        progress: ProgressCallback | None = None,
    ) -> Results:
        """See Engine."""
        running = _Running(self, function, shared, tasks, limits)
        try:
            while running.left():
                self._look_after_workers()
                if self.alone:
                    yield running.made_here()
                else:
                    self._asked(running.submit)
                    yield from running.finished()
                stop = limits.struck()
                if stop != Stop.none:
                    raise Stopped(stop)
                if progress is not None:
                    progress({"station": "tasks", **self._asked(running.counts), "workers": self.workers})
        finally:
            if self.client.status == "running":  # without a scheduler nothing is left to cancel
                with suppress(OSError):
                    self.client.cancel(list(running.futures), force=True)

    def _asked(self, question: Callable[[], Answer]) -> Answer:
        """The scheduler's answer; asked again where the connection broke meanwhile."""
        for _ in range(BROKEN):
            self._require_scheduler()
            try:
                return question()
            except OSError:  # a lost connection, by whatever name
                time.sleep(LOOK)
        raise EngineError(f"the connection to the scheduler {self._address} breaks again and again; is it well?")

    def sent(self, task: Any) -> Any:
        """A task as it is handed in: the task itself, or if it is large a reference to it."""
        if len(pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)) < LARGE:
            return task
        if not self._has_workers():
            return task
        return self._asked(lambda: self.client.scatter([task], hash=False)[0])

    def value_of(self, reference: Any) -> Any:
        """A shared value, for a task that is done here."""
        return self._shared[reference.number][0]

    def data_of(self, reference: Any) -> Any:
        """The future of a shared value, scattered anew if the workers that had it are gone."""
        value, future = self._shared[reference.number]
        if future is not None and future.status not in ("finished", "pending"):
            future = self._scatter(value)
            self._shared[reference.number] = value, future
        return future

    def workers_of(self, keys: list[str]) -> list[str]:
        """The addresses of the workers that have these tasks."""
        at_work = self._asked(self.client.processing)
        return [address for address, tasks in at_work.items() if not set(keys).isdisjoint(tasks)]

    def avoid(self, workers: list[str]) -> None:
        """Give no more tasks to workers that hang.

        They are not started anew: on a slow machine Dask gives workers up that do not come back in time.
        """
        self._avoided |= set(workers)

    def not_avoided(self) -> list[str] | None:
        """The workers that tasks may go to; None: all, also where all of them hung once."""
        if not self._avoided:
            return None
        return [address for address in self._asked(self.client.nthreads) if address not in self._avoided] or None

    def close(self) -> None:
        """Release the shared data, and end what was started here."""
        self._shared.clear()
        for ours in self._ours:
            with suppress(OSError, RuntimeError):  # without a scheduler there is nothing to close
                ours.close()


def run_on_worker(request: Request, task: Any, *shared: Any) -> Reply:
    """What runs on a worker, within the memory that Dask leaves it."""
    from distributed import get_worker

    allowed = get_worker().memory_manager.memory_limit
    if allowed:
        own = Limits(**request.limits).within(int(MEMORY_SHARE * allowed))
        request = replace(request, limits=own.elsewhere())
    return run_task(request, task, *shared)


class _Shared:
    """A reference to a shared value."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Running:
    """The tasks of one call: waiting, running, done."""

    def __init__(
        self, cluster: Cluster, function: Function, shared: Sequence[Any], tasks: Sequence[Any], limits: Limits
    ) -> None:
        self.cluster, self.function, self.shared, self.tasks, self.limits = cluster, function, shared, tasks, limits
        self.begun = 0  # the tasks from here on have not been handed in
        self.again: list[int] = []  # to be handed in again
        self.futures: dict[Any, tuple[int, float]] = {}
        self.attempts: Counter[int] = Counter()
        self.longest = 0.0
        self.news = threading.Event()  # some task has ended

    def left(self) -> bool:
        return bool(self.again or self.futures) or self.begun < len(self.tasks)

    def counts(self) -> dict[str, int]:
        held = sum(
            w["metrics"].get("managed_bytes", 0) for w in self.cluster.client.scheduler_info()["workers"].values()
        )
        done = self.begun - len(self.again) - len(self.futures)
        return {"finished": done, "total": len(self.tasks), "running": len(self.futures), "bytes_held": int(held)}

    def submit(self) -> None:
        """Hand in as many tasks as keep the workers busy, and no more: what is left can go to workers yet to come."""
        room = 2 * self.cluster.workers + 2 - len(self.futures)
        while room > 0 and (self.again or self.begun < len(self.tasks)):
            if self.again:
                k = self.again.pop()
            else:
                k, self.begun = self.begun, self.begun + 1
            room -= 1
            if self.attempts[k] == ATTEMPTS:
                raise EngineError(
                    f"a task was lost with its worker {ATTEMPTS} times; do the workers have enough memory?"
                )
            try:
                data = [self.cluster.data_of(reference) for reference in self.shared]
                request, task = Request.of(self.function, self.limits), self.cluster.sent(self.tasks[k])
                where = self.cluster.not_avoided()
                if self.cluster.alone:  # since a moment ago
                    self.again.append(k)
                    return
                submit = self.cluster.client.submit
                future = submit(run_on_worker, request, task, *data, pure=False, retries=0, workers=where)
            except OSError:  # the connection broke: the task still waits
                self.again.append(k)
                raise
            self.attempts[k] += 1
            self.futures[future] = k, time.monotonic()
            future.add_done_callback(lambda _: self.news.set())

    def finished(self) -> Iterator[tuple[int, Any]]:
        """The results that have come; what was lost, or hangs, waits again."""
        self.news.wait(LOOK)
        self.news.clear()
        done = [future for future in self.futures if future.status != "pending"]
        if not done:
            self._give_up_hanging()
        for future in done:
            k, began = self.futures.pop(future)
            reply = self._reply(future)
            if reply is None:
                self.again.append(k)
                continue
            self.longest = max(self.longest, time.monotonic() - began)
            yield k, unpacked(reply)

    def made_here(self) -> tuple[int, Any]:
        """A task that is left, done in this process."""
        self.again = sorted({*self.again, *(k for k, _ in self.futures.values())}, reverse=True)
        self.futures.clear()
        if self.again:
            k = self.again.pop()
        else:
            k, self.begun = self.begun, self.begun + 1
        values = [self.cluster.value_of(reference) for reference in self.shared]
        return k, unpacked(run_task(Request.of(self.function, self.limits), self.tasks[k], *values))

    def _reply(self, future: Any) -> Any:
        """What a task returned, None if it was lost; raises what it raised."""
        try:
            return future.result(timeout=CONNECT)
        except BaseException as error:
            if type(error).__name__ in LOST or isinstance(error, TimeoutError):
                return None
            if isinstance(error, ModuleNotFoundError | AttributeError):
                raise EngineError(
                    f"a worker cannot load sabna ({error}); install the same sabna on all workers"
                ) from error
            raise

    def _give_up_hanging(self) -> None:
        patience = max(HANGS * self.longest, HANGS_SECONDS)
        late = [f for f, (_, began) in self.futures.items() if time.monotonic() - began > patience]
        if late:
            hung = self.cluster.workers_of([future.key for future in late])
            for future in late:
                k, _ = self.futures.pop(future)
                future.cancel(force=True)
                self.again.append(k)
            self.cluster.avoid(hung)
