"""Engines: the same answers from threads, processes and Dask workers, whatever happens to the workers.

Dask runs with a real scheduler and two real worker processes, on the loopback interface alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sabna
from sabna.base.errors import EngineError, EngineWarning, UsageError
from sabna.base.limits import Limits
from sabna.base.stop import Stopped
from sabna.cli.app import run as command
from sabna.engine import cluster
from sabna.engine.engine import Reply, Request, run_task, unpacked
from sabna.engine.opening import opened_engine
from sabna.parents.build import build_partial_graph
from sabna.parents.builders import levels
from tests import test_groups as in_groups
from tests.repeats import first_of
from tests.test_levels import SCORING, content, noisy
from tests.test_side_by_side import STRATEGIES, graphs, small, way_of


def square(limits: Limits, task: int, base: int) -> int:
    return base + task * task


def hang_or_die(limits: Limits, task: int, folder: str) -> int:
    """The first time a task comes, it kills its worker."""
    seen = Path(folder) / str(task)
    if not seen.exists():
        seen.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def wait_for(limits: Limits, task: int, file: str) -> int:
    """Ends when the file is gone, also with the folder of its test; or after a minute."""
    until = time.monotonic() + 60
    while Path(file).exists() and time.monotonic() < until:
        time.sleep(0.02)
    return task


def fail(limits: Limits, task: int) -> int:
    raise UsageError(f"task {task}")


@contextmanager
def two_workers() -> Iterator[Any]:
    """A client of a scheduler with two worker processes."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with two_workers() as made:
        yield made


def check(engine: Any) -> None:
    """Results by position, an error as it was raised, a limit in time."""
    with opened_engine(engine) as opened:
        assert opened is not None
        base = opened.share(100)
        assert dict(opened.run(square, [base], range(20), Limits())) == {k: 100 + k * k for k in range(20)}
        with pytest.raises(UsageError, match="task 0"):
            list(opened.run(fail, [], [0], Limits()))


def test_threads_and_processes_run_tasks() -> None:
    with ThreadPoolExecutor(2) as threads:
        check(threads)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        check(processes)
        expected = sabna.bootstrap("example:asia", 3, seed=1, n_jobs=1).edges
        assert sabna.bootstrap("example:asia", 3, seed=1, engine=processes).edges == expected


def test_dask_workers_run_tasks(client: Any, tmp_path: Path) -> None:
    check(client)
    waiting = tmp_path / "waiting"
    waiting.touch()
    with opened_engine(client.scheduler.address) as opened:
        assert opened is not None
        assert opened.workers == 2
        with pytest.raises(Stopped):  # while its tasks still run
            list(opened.run(wait_for, [opened.share(str(waiting))], [1, 2, 3], Limits(seconds=0.5)))
        waiting.unlink()


def test_scoring_and_bootstrap_on_dask_workers(client: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(levels, "MOST_SETS", 16)
    monkeypatch.setattr(levels, "LEAST_SETS", 16)
    table = noisy()
    expected = content(sabna.build_parent_graph(table, **SCORING))
    assert content(sabna.build_parent_graph(table, **SCORING, engine=client)) == expected
    assert content(sabna.build_parent_graph(table, **SCORING, engine=client, work=tmp_path / "w")) == expected
    here = sabna.bootstrap("example:asia", 6, seed=1, n_jobs=1)
    there = sabna.bootstrap("example:asia", 6, seed=1, engine=client)
    assert (here.edges, here.compelled) == (there.edges, there.compelled)


@pytest.mark.parametrize("name", first_of(["required", "bge", "bcg", "slack", "fnml", "bic-g", "bic-g, set"], 3))
def test_scoring_variable_by_variable_on_dask_workers(client: Any, name: str, tmp_path: Path) -> None:
    """A variable is a task: numbers, mixed tables, and what goes through the slow builder."""
    expected = in_groups.content(in_groups.build(name))
    assert in_groups.content(in_groups.build(name, engine=client)) == expected
    assert in_groups.content(in_groups.build(name, engine=client, work=tmp_path / "w")) == expected
    table, options = in_groups.CASES[name]
    with opened_engine(client) as opened:
        paused = build_partial_graph(table, **{"n_jobs": 1, **options}, limits=Limits(0.0), engine=opened)
    assert paused.status == "time_limit"
    assert all(list(paused.graph.parent_sets(i)) for i in range(paused.graph.n))


def test_the_search_on_dask_workers_takes_the_same_way(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds, struck sets and networks in the same order; a large task travels past the scheduler."""
    small(monkeypatch.setattr)
    client.run(small)
    monkeypatch.setattr("sabna.engine.cluster.LARGE", 10_000)
    with opened_engine(client) as opened:
        graph, strategy = graphs()[1][0], STRATEGIES[1]
        assert way_of(graph, strategy, engine=opened) == way_of(graph, strategy)


@pytest.mark.slow
def test_workers_that_die_cost_their_tasks_only(client: Any, tmp_path: Path) -> None:
    """Every task kills its worker the first time; shared data die with the workers."""
    with opened_engine(client) as opened:
        assert opened is not None
        shared = opened.share(str(tmp_path))
        assert dict(opened.run(hang_or_die, [shared], range(3), Limits())) == {0: 0, 1: 1, 2: 2}


class Pending:
    """A future that never comes."""

    status, key = "pending", "a task"

    def add_done_callback(self, called: Any) -> None:
        """It never is."""


class NoWorkers:
    """A client of a scheduler that has lost its workers, and the cluster that was to start them."""

    status = "running"

    def __init__(self) -> None:
        self.scheduler = SimpleNamespace(address="tcp://somewhere:1")
        self.scaled: list[int] = []

    def nthreads(self) -> dict[str, int]:
        return {}

    def scheduler_info(self) -> dict[str, Any]:
        return {"workers": {}}

    def wait_for_workers(self, *_: Any, **__: Any) -> None:
        """As if there were one."""

    def scatter(self, values: list[Any], **_: Any) -> list[Any]:
        return [Pending() for _ in values]

    def submit(self, *_: Any, **__: Any) -> Any:
        return Pending()

    def cancel(self, *_: Any, **__: Any) -> None:
        """Nothing runs."""

    def scale(self, count: int) -> None:
        self.scaled.append(count)

    def close(self) -> None:
        """Nothing was started."""


def test_workers_of_this_machine_that_do_not_come_back_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask gives up a worker that is not back in time: the run waited for ever, or ended with an error."""
    monkeypatch.setattr(cluster, "LOOK", 0.01)
    monkeypatch.setattr(cluster, "START_ANEW", 0.05)
    monkeypatch.setattr(cluster, "LOST_LOCALLY", 0.3)
    lost = NoWorkers()
    engine = cluster.Cluster(lost, [lost], 2)  # type: ignore[arg-type]
    shared = engine.share(100)
    with pytest.warns(EngineWarning, match="2 worker processes were started and none is left"):
        assert dict(engine.run(square, [shared], range(9), Limits())) == {k: 100 + k * k for k in range(9)}
    assert lost.scaled[0] == 2
    assert dict(engine.run(square, [engine.share(7)], [3], Limits())) == {0: 16}  # and so from then on
    with pytest.raises(UsageError, match="task 0"):
        list(engine.run(fail, [], [0], Limits()))


def test_a_scheduler_without_workers_for_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from a run that waits for ever for workers that somebody else is to start."""
    monkeypatch.setattr(cluster, "LOOK", 0.01)
    monkeypatch.setattr(cluster, "LOST_WORKERS", 0.2)
    engine = cluster.Cluster(NoWorkers(), [])  # type: ignore[arg-type]
    with pytest.raises(EngineError, match="tcp://somewhere:1 has had no worker for"):
        list(engine.run(square, [engine.share(100)], range(9), Limits()))


def test_a_worker_with_another_version_is_an_error() -> None:
    assert run_task(Request(square, {}, "0.0.0"), 1, 1).other_version == sabna.__version__
    with pytest.raises(EngineError, match="install the same version"):
        unpacked(Reply(other_version="0.0.0"))


def hang_once(limits: Limits, task: int, folder: str) -> int:
    """The first time the task 1 comes, it does not end."""
    seen = Path(folder) / "seen"
    if task == 1 and not seen.exists():
        seen.write_text("")
        time.sleep(600)
    return task


SCHEDULER = """
import asyncio, sys
from distributed import Scheduler, Worker

async def main(port):
    async with Scheduler(host="127.0.0.1", port=port, dashboard=False) as scheduler:
        async with Worker(scheduler.address, nthreads=1, dashboard=False) as worker, Worker(
            scheduler.address, nthreads=1, dashboard=False
        ) as other:
            print(scheduler.address, flush=True)
            await asyncio.sleep(3600)

asyncio.run(main(int(sys.argv[1])))
"""


@contextmanager
def own_scheduler(port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A scheduler with two workers, in one process that can be killed; its address."""
    pytest.importorskip("distributed")
    command_line = [sys.executable, "-c", SCHEDULER, str(port)]
    with subprocess.Popen(command_line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.slow
def test_a_worker_that_hangs_is_given_no_more_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from a run that waits for ever, and from a task that goes back to the worker that hangs."""
    monkeypatch.setattr("sabna.engine.cluster.HANGS_SECONDS", 3.0)
    monkeypatch.setattr("sabna.engine.cluster.HANGS", 0.0)
    with own_scheduler() as (_, address), opened_engine(address) as opened:
        assert opened is not None
        list(opened.run(square, [opened.share(1)], range(4), Limits()))  # both workers have loaded what they need
        began = time.monotonic()
        shared = opened.share(str(tmp_path))
        assert dict(opened.run(hang_once, [shared], range(8), Limits())) == {k: k for k in range(8)}
        assert (tmp_path / "seen").exists()
        assert time.monotonic() - began < 500  # the task that hangs takes ten minutes


@pytest.mark.slow
def test_a_scheduler_that_dies_in_the_middle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The run ends in words, keeps what it has, and goes on elsewhere; one that is there again in time is taken."""
    monkeypatch.setattr("sabna.engine.cluster.CONNECT", 5.0)
    with own_scheduler() as (process, address):

        def kill(report: dict[str, Any]) -> None:
            if report.get("running"):
                process.kill()

        with pytest.raises(EngineError, match=f"the scheduler {address} is gone"):
            sabna.bootstrap("example:asia", 30, seed=1, engine=address, work=tmp_path / "w", progress=kill)
    again = sabna.bootstrap("example:asia", 30, seed=1, n_jobs=1, work=tmp_path / "w")
    assert again.edges == sabna.bootstrap("example:asia", 30, seed=1, n_jobs=1).edges
    monkeypatch.setattr("sabna.engine.cluster.CONNECT", 60.0)
    with own_scheduler() as (process, address), opened_engine(address) as opened:
        assert opened is not None
        results = opened.run(square, [opened.share(100)], range(40), Limits())
        first = dict([next(results)])
        process.kill()
        process.wait()
        with own_scheduler(int(address.rsplit(":", 1)[1])):
            assert first | dict(results) == {k: 100 + k * k for k in range(40)}


@pytest.mark.parametrize("engine", ["somewhere", "local:0", "local:x", 0, True, object()])
def test_engines_that_cannot_be_are_refused_in_words(engine: Any) -> None:
    if isinstance(engine, str) and engine.startswith("local:"):
        pytest.importorskip("distributed")
    with pytest.raises(UsageError):
        sabna.learn("example:asia", engine=engine)


def test_a_scheduler_that_is_no_address_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["learn", "example:asia", "--scheduler", "foo"]) == 2
    assert "foo: write tcp://host:port" in capsys.readouterr().err


def test_a_number_of_threads_is_an_engine() -> None:
    assert sabna.learn("example:asia", engine=1).cost_quanta == sabna.learn("example:asia").cost_quanta


def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("sabna.engine.cluster.CONNECT", 0.5)
    assert command(["learn", "example:asia", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "no answer" in capsys.readouterr().err
