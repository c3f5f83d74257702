"""Replicates of the bootstrap, learned one at a time here or by worker processes.

Workers are processes, not threads: between the calls of the core a replicate is Python, and Python runs one thread at a
time. They are started by hand instead of by `multiprocessing`, which would import the user's script again in every
worker and fail where it is not written for that. A worker reads pickled messages from its standard input and writes
replies to its standard output: first the task, then one number after the other. It ends as soon as its input does, in
the middle of a replicate too, so it never outlives who started it, however that ended. Ctrl-C in a terminal reaches it
as well; it is started with signals blocked, and is killed.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Any

import numpy as np

from sabna.alternatives.listing import list_networks
from sabna.base import errors
from sabna.base.errors import DataError, LimitReached, SabnaError
from sabna.base.limits import FREE_MEMORY_SHARE, Limits, free_memory, process_memory
from sabna.base.varsets import members
from sabna.network import Network
from sabna.parents.build import build_parent_graph
from sabna.parents.built import raise_if_stopped
from sabna.parents.graph import ParentGraph
from sabna.parents.kinds import class_knowledge
from sabna.scores.registry import score_type
from sabna.searching.search import search
from sabna.table import MixedTable, NumericTable, Table
from sabna.table.interventions import targets_of

# Workers are started when the replicates left would take longer than this here: half a second is what a start takes.
SECONDS_WORTH_WORKERS = 1.0
# A worker takes some 100 MB before it has read a table; with less than this for each there are fewer of them.
LEAST_MEMORY = 250_000_000
# Best networks of one replicate that are compared under a score that is not score-equivalent.
MOST_TIED = 1_000

Edge = tuple[str, str]

_START = "import sys; sys.path[:] = {path!r}; from sabna.bootstrapping.replicates import serve; serve()"


def resample(table: Any, seed: int, b: int) -> Any:
    """The table of replicate b: as many rows as there are, drawn with replacement; its columns in an order drawn too.

    Where networks of several classes score exactly the same, the order of the columns decides which of them a search
    returns. Drawn anew from the sorted names, that order prefers none of them, and the user's order does not matter.
    """
    generator = np.random.default_rng([seed, b])
    rows = generator.integers(0, table.rows, table.rows)
    by_name = sorted(range(table.n), key=table.names.__getitem__)
    columns = [by_name[k] for k in generator.permutation(table.n)]
    names = tuple(table.names[k] for k in columns)
    if isinstance(table, MixedTable):
        return table.taken(columns, rows)
    was_set = None if table.was_set is None else np.ascontiguousarray(table.was_set[columns][:, rows])
    if isinstance(table, NumericTable):
        values = np.ascontiguousarray(table.values[columns][:, rows])
        return replace(table, names=names, values=values, was_set=was_set)
    assert isinstance(table, Table)
    states = tuple(table.states[k] for k in columns)
    codes = np.ascontiguousarray(table.codes[columns][:, rows])
    return replace(table, names=names, codes=codes, states=states, was_set=was_set)


@dataclass(frozen=True, eq=False)
class Replicate:
    """A best network of one resample, and those of its edges whose direction is not left open.

    `status` is that of the search; `directed` has the edges that all members of the network's Markov equivalence class
    that score as well, and obey the knowledge, have in this direction.
    """

    number: int
    status: str
    network: Network
    directed: frozenset[Edge]


@dataclass(frozen=True, eq=False)
class Replicates:
    """What all replicates share: the table, and the options of `build_parent_graph` and of `search`."""

    table: Any
    seed: int
    scoring: dict[str, Any]
    searching: dict[str, Any]

    def learn(self, b: int, limits: Limits) -> Replicate:
        """Learn replicate b."""
        table = resample(self.table, self.seed, b)
        try:
            graph = build_parent_graph(table, **self.scoring, n_jobs=1, limits=limits)
        except DataError as error:  # true of these rows, not of the table
            raise DataError(f"replicate {b + 1}, a resample of the rows: {error}") from None
        result = search(graph, **self.searching, n_jobs=1, limits=limits)
        if result.status != "optimal":
            return Replicate(b, result.status, result.network, frozenset())
        if score_type(graph.score or "").score_equivalent:
            known = class_knowledge(self.scoring.get("knowledge"), table)
            directed = result.network.cpdag(known, targets_of(table)).compelled
        else:
            directed = directed_among_ties(graph, result.network, limits)
        return Replicate(b, result.status, result.network, directed)


def directed_among_ties(graph: ParentGraph, network: Network, limits: Limits) -> frozenset[Edge]:
    """The edges of a best network that no best network of its class has the other way round.

    For scores that are not score-equivalent. Most of the time the best network is the only one of its class, but bds
    scores the members alike where all configurations of parents occur in the data.
    """
    listed = list_networks(graph, MOST_TIED, 0, limits, n_jobs=1)
    raise_if_stopped(listed.stop, graph.statistics["evaluated"])
    edges = set(network.edges)
    for choice in listed.choices.tolist():
        parents = [[graph.names[p] for p in members(graph.sets[at])] for at in choice]
        other = Network(graph.names, dict(zip(graph.names, parents, strict=True)))
        if other.equivalent_to(network):
            edges -= {(c, p) for p, c in other.edges}
    return frozenset(edges)


def learn_all(
    task: Replicates, numbers: Sequence[int], threads: int, limits: Limits
) -> Generator[Replicate, None, None]:
    """The replicates of these numbers, as they come. Closing the iterator ends the workers at once.

    The first replicates are learned here, to see how long one takes.
    """
    began = time.monotonic()
    for k, b in enumerate(numbers):
        left = len(numbers) - k
        seconds_left = (time.monotonic() - began) / max(k, 1) * left
        workers = min(_workers_that_fit(threads, limits), left)
        if k > 0 and workers > 1 and seconds_left > SECONDS_WORTH_WORKERS:
            yield from _learn_by_workers(task, numbers[k:], workers, limits)
            return
        yield task.learn(b, limits)


def _workers_that_fit(threads: int, limits: Limits) -> int:
    if not sys.executable:  # Python inside another program
        return 1
    return max(1, min(threads, _memory_for_workers(limits) // LEAST_MEMORY))


def _memory_for_workers(limits: Limits) -> int:
    if limits.memory is None:
        return int(FREE_MEMORY_SHARE * free_memory())
    return max(limits.memory - process_memory(), 0)


def _learn_by_workers(task: Replicates, numbers: Sequence[int], count: int, limits: Limits) -> Iterator[Replicate]:
    """The same by worker processes; each has a thread here that waits for it."""
    idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    answers: queue.SimpleQueue[Future[Replicate]] = queue.SimpleQueue()
    limits = limits.within(_memory_for_workers(limits) // count)
    message = pickle.dumps(task)
    workers: list[Worker] = []

    def learn(b: int) -> Replicate:
        worker = idle.get()
        try:
            return worker.learn(b, limits)
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(count)
    try:
        for _ in range(count):
            workers.append(Worker(message))
            idle.put(workers[-1])
        # A few at a time, and answers by a queue: `as_completed` and `wait` hold the locks of all futures for a while,
        # and a Ctrl-C in that while leaves them locked, so that the pool never ends.
        left = iter(numbers)
        for b in islice(left, 2 * count):
            pool.submit(learn, b).add_done_callback(answers.put)
        for _ in numbers:
            answer = answers.get().result()
            for b in islice(left, 1):
                pool.submit(learn, b).add_done_callback(answers.put)
            yield answer
    finally:
        for worker in workers:
            worker.kill()
        pool.shutdown(cancel_futures=True)


class Worker:
    """A process that learns replicates."""

    def __init__(self, task: bytes) -> None:
        with _signals_blocked():
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START.format(path=sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONWARNINGS": "ignore"},  # about the data they have been given here
            )
        self.task: bytes | None = task

    def learn(self, b: int, limits: Limits) -> Replicate:
        """Have replicate b learned; raises what the worker met."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            if self.task is not None:
                self.process.stdin.write(self.task)
                self.task = None
            pickle.dump((b, limits.elsewhere()), self.process.stdin)
            self.process.stdin.flush()
            reply = pickle.load(self.process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self.process.wait()
            if code == -signal.SIGKILL:  # not by us, who would not wait for a reply: by a system short of memory
                raise LimitReached(f"the system killed a worker at replicate {b}", "memory_limit") from None
            raise SabnaError(
                f"a worker ended by itself (exit code {code}) at replicate {b}; try with one job"
            ) from None
        return received(b, reply)

    def kill(self) -> None:
        """End it now."""
        self.process.kill()
        self.process.communicate()


def received(b: int, reply: tuple[Any, ...]) -> Replicate:
    """Replicate b as a worker replied it; raises what the worker met."""
    kind, *details = reply
    if kind == "network":
        status, names, parents, directed = details
        return Replicate(b, status, Network(names, parents), directed)
    if kind == "limit":
        raise LimitReached(*details)
    name, message = details
    raise getattr(errors, name, SabnaError)(message)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """A process started meanwhile never sees Ctrl-C and SIGTERM."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve() -> None:
    """What a worker does: replies to one message after the other."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed goes elsewhere
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, messages), daemon=True).start()
    task = messages.get()
    while True:
        b, left = messages.get()
        reply = reply_to(task, b, Limits(**left))
        try:
            _send(replies, reply)
        except OSError:  # nobody waits for it any more
            os._exit(0)


def _receive(stream: IO[bytes], messages: queue.SimpleQueue[Any]) -> None:
    """Queue the messages; end this process when there are no more, whatever it is doing."""
    try:
        while True:
            messages.put(pickle.load(stream))
    finally:
        os._exit(0)


def reply_to(task: Replicates, b: int, limits: Limits) -> tuple[Any, ...]:
    """Replicate b, or what was met instead, as plain data."""
    try:
        found = task.learn(b, limits)
    except LimitReached as error:
        return "limit", str(error), error.status
    except MemoryError:
        return "limit", f"the system gave no more memory at replicate {b}", "memory_limit"
    except SabnaError as error:
        return "error", type(error).__name__, str(error)
    except Exception as error:
        return "error", "SabnaError", f"replicate {b}: {type(error).__name__}: {error}"
    parents = {v: list(ps) for v, ps in found.network.parents.items()}
    return "network", found.status, found.network.variables, parents, found.directed


def learn_elsewhere(limits: Limits, b: int, task: Replicates) -> tuple[Any, ...]:
    """What an engine runs: replicate b, or what was met instead, as plain data."""
    return reply_to(task, b, limits)


def _send(stream: IO[bytes], reply: tuple[Any, ...]) -> None:
    pickle.dump(reply, stream)
    stream.flush()
