"""Bootstrap by one process and by several: the same frequencies, limits kept, errors passed on, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import sabna
from sabna.base.errors import KnowledgeError, SabnaError
from sabna.base.limits import Limits
from sabna.bootstrapping import replicates as resampling
from tests.test_gaussian import linear_data
from tests.test_more_scores import random_table


@pytest.fixture
def workers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are started after the first replicate, however little is left to do."""
    monkeypatch.setattr(resampling, "SECONDS_WORTH_WORKERS", 0.0)


@pytest.mark.usefixtures("workers_at_once")
def test_the_frequencies_do_not_depend_on_the_number_of_workers() -> None:
    table = random_table(9, n=5, rows=60)
    one, two = (sabna.bootstrap(table, 12, seed=5, n_jobs=k) for k in (1, 2))
    assert list(two.edges.items()) == list(one.edges.items())
    assert list(two.links.items()) == list(one.links.items())
    assert list(two.compelled.items()) == list(one.compelled.items())
    assert two.replicates == 12
    assert two.status == "done"
    assert sabna.bootstrap(table, 12, seed=6, n_jobs=1).edges != one.edges


@pytest.mark.usefixtures("workers_at_once")
def test_workers_know_the_options() -> None:
    table = linear_data(2, n=4, rows=40)
    known = sabna.Knowledge(required=[(table.names[0], table.names[2])])
    options = {"score": "bic-g", "knowledge": known, "max_parents": 1, "strategy": "astar", "seed": 1}
    one, two = (sabna.bootstrap(table, 6, n_jobs=k, **options) for k in (1, 2))  # type: ignore[arg-type]
    assert one.edges == two.edges
    assert two.edges[table.names[0], table.names[2]] == 1


@pytest.mark.usefixtures("workers_at_once")
def test_an_error_of_a_worker_comes_out_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    task = resampling.Replicates(random_table(1, n=3, rows=20), 0, {"knowledge": {"roots": ["nobody"]}}, {})
    with pytest.raises(KnowledgeError, match="nobody"):
        list(resampling._learn_by_workers(task, range(4), 2, Limits()))  # type: ignore[attr-defined]
    monkeypatch.setattr(resampling, "_START", "raise SystemExit(3)")
    with pytest.raises(SabnaError, match="exit code 3"):
        list(resampling._learn_by_workers(task, range(4), 2, Limits()))  # type: ignore[attr-defined]


@pytest.mark.usefixtures("workers_at_once")
def test_a_time_limit_leaves_what_was_learned() -> None:
    began = time.monotonic()
    found = sabna.bootstrap(random_table(9, n=5, rows=400), 20_000, seed=5, n_jobs=2, time_limit=0.5)
    assert time.monotonic() - began < 30
    assert found.status == "time_limit"
    assert 0 < found.replicates < 20_000
    assert found.asked == 20_000


def test_little_memory_means_fewer_workers() -> None:
    limits = Limits.of(memory_limit=resampling.process_memory() + resampling.LEAST_MEMORY + 10**8)  # type: ignore[attr-defined]
    assert resampling._workers_that_fit(8, limits) == 1


SCRIPT = """
import sabna, sabna.bootstrapping.replicates
sabna.bootstrapping.replicates.SECONDS_WORTH_WORKERS = 0.0
found = sabna.bootstrap("example:asia", {count}, seed=1, n_jobs=2)
print(found.replicates, found.status)
"""


def test_a_script_without_a_main_guard_works() -> None:
    """Libraries that start workers by `multiprocessing` run such a script again in each of them."""
    run = subprocess.run(
        [sys.executable, "-"], input=SCRIPT.format(count=4), capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["4", "done"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupted_bootstrap_gives_what_it_has_and_leaves_no_worker() -> None:
    import psutil

    command = [sys.executable, "-c", SCRIPT.format(count=1_000_000)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    workers: list[psutil.Process] = []
    began = time.monotonic()
    while time.monotonic() - began < 60 and sum(w.cpu_times().user > 0.7 for w in workers) < 2:
        time.sleep(0.1)
        workers = psutil.Process(process.pid).children()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all of them get it
    output = process.communicate(timeout=30)[0].split()
    assert int(output[0]) > 0
    assert output[1] == "interrupted"
    assert len(workers) == 2
    psutil.wait_procs(workers, timeout=10)
    assert not any(w.is_running() for w in workers)


def test_the_command_takes_the_number_of_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    from sabna.cli.app import run

    assert run(["bootstrap", "example:asia", "-B", "4", "--seed", "2", "--jobs", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["replicates"] == 4
