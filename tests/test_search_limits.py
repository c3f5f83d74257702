"""A run that a limit or a signal ends still gives its network and a bound that is right."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import sabna
from sabna.base.errors import Interrupted
from sabna.base.limits import MARGIN
from sabna.parents.graph import ParentGraph
from sabna.result.result import Result
from sabna.searching import decisions

from .graphs import random_graph
from .kills import COMMAND as NOTING
from .kills import surroundings
from .repeats import few_or_many
from .test_search import WAYS, cost_of_network

SABNA = [sys.executable, "-c", "from sabna.cli import main; main()"]


@pytest.fixture(scope="module")
def middling() -> tuple[ParentGraph, int]:
    """A graph that takes some work, and its optimum."""
    graph = random_graph(4, n=15, sets=120, largest=4, costs=10**9, hard=True)
    return graph, sabna.search(graph, "bfs", path_extension=False, gap_tolerance=0).cost_quanta


@pytest.fixture(scope="module")
def hopeless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a graph that no search of the lattice can finish in the time of a test."""
    path = tmp_path_factory.mktemp("graphs") / "hopeless.pg"
    random_graph(9, n=60, sets=200, largest=4, costs=10**9, hard=True).save(path)
    return path


def check_partial(graph: ParentGraph, result: Result, optimum: int) -> None:
    assert result.lower_bound_quanta <= optimum <= result.cost_quanta == cost_of_network(graph, result)
    assert (result.status == "optimal") == (result.cost_quanta == result.lower_bound_quanta)


@pytest.mark.parametrize("seconds", [0.0, 0.005, 0.05])
def test_time_limits(middling: tuple[ParentGraph, int], seconds: float) -> None:
    graph, optimum = middling
    for way in [*WAYS, {"strategy": "auto"}, {"strategy": "astar", "components": True}]:
        result = sabna.search(graph, time_limit=seconds, gap_tolerance=0, **way)
        assert result.status in ("optimal", "time_limit")
        check_partial(graph, result, optimum)
    assert sabna.search(graph, "astar", time_limit=0.0, path_extension=False).status == "time_limit"


def test_memory_limits(middling: tuple[ParentGraph, int]) -> None:
    graph, optimum = middling
    now = sabna.base.limits.process_memory()
    struck = 0
    for way in WAYS:
        for more in (0, MARGIN + 10**5, MARGIN + 3 * 10**6, MARGIN + 5 * 10**6):
            result = sabna.search(graph, memory_limit=now + more, gap_tolerance=0, **way)
            assert result.status in ("optimal", "memory_limit")
            struck += result.status == "memory_limit"
            check_partial(graph, result, optimum)
    assert struck > len(WAYS)


def test_interruption_raises_and_carries_the_result(middling: tuple[ParentGraph, int]) -> None:
    graph, optimum = middling

    def interrupt(report: dict[str, Any]) -> None:
        if report["station"] == "search":
            raise KeyboardInterrupt

    for way in WAYS:
        try:
            result = sabna.search(graph, progress=interrupt, gap_tolerance=0, **way)
        except Interrupted as error:
            result = error.result
            assert result.status == "interrupted"
        check_partial(graph, result, optimum)


def test_an_interruption_of_the_first_local_search_ends_auto() -> None:
    """The core takes the signal; a caller that does not look at why it stopped would go on for hours."""
    calls = 0

    def interrupt_once(report: dict[str, Any]) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise KeyboardInterrupt

    graph = random_graph(9, n=60, sets=200, largest=4, costs=10**9, hard=True)
    with pytest.raises(Interrupted) as caught:
        sabna.search(graph, "auto", progress=interrupt_once, time_limit=20)
    assert calls == 1
    assert caught.value.result.status == "interrupted"
    assert caught.value.result.lower_bound_quanta <= caught.value.result.cost_quanta


def test_an_error_in_the_progress_callback_is_passed_on() -> None:
    def fail(report: dict[str, Any]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sabna.search(random_graph(9, n=40, sets=100, largest=4, hard=True), "astar", progress=fail)


def test_progress_tells_bounds_that_close_in(middling: tuple[ParentGraph, int]) -> None:
    graph, optimum = middling
    reports: list[dict[str, Any]] = []
    result = sabna.search(graph, "astar", path_extension=False, gap_tolerance=0, progress=reports.append)
    searching = [r for r in reports if r["station"] == "search"]
    assert searching
    lower = [r["lower"] for r in searching]
    assert lower == sorted(lower)
    assert lower[-1] <= optimum
    assert result.statistics["trace"][-1]["lower_bound"] == result.lower_bound


def test_a_limit_while_scoring_leaves_a_network_and_a_valid_bound() -> None:
    rng = np.random.default_rng(3)
    data = rng.integers(0, 2, (400, 12))
    best = sabna.learn(data, gap_tolerance=0)
    result = sabna.learn(data, time_limit=0.0)
    assert result.status == "time_limit"
    assert result.lower_bound_quanta <= best.cost_quanta <= result.cost_quanta
    assert len(result.network.variables) == 12


def run(arguments: list[str]) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON object."""
    done = subprocess.run([*SABNA, *arguments, "--json"], stdout=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, json.loads(done.stdout)


def run_and_signal(
    arguments: list[str], number: signal.Signals, note: Path, station: str = "", after: float = 0.2
) -> tuple[int, dict[str, Any], float]:
    """Exit code, JSON object, and the seconds from the signal to the end.

    The signal comes some seconds of CPU after the run has noted its station, or its beginning if none is named.
    """
    command = [*NOTING, *arguments, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings(note))
    watched, until = psutil.Process(process.pid), MOST_CPU
    while process.poll() is None and (used := sum(watched.cpu_times()[:2])) < until:
        if until == MOST_CPU and note.exists() and note.read_text().startswith(station):
            until = used + after
        time.sleep(0.02)
    process.send_signal(number)
    sent = time.monotonic()
    output, _ = process.communicate(timeout=60)
    return process.returncode, json.loads(output), time.monotonic() - sent


def check_document(document: dict[str, Any], status: str) -> None:
    assert document["status"] == status
    assert len(document["parents"]) == 60
    assert document["lower_bound"] <= document["upper_bound"] == document["cost"]
    assert document["gap"] > 0


# Seconds from a signal to the end of the process: a fraction of one on an idle machine; a loaded one is given more.
PATIENCE = 5.0
# Seconds of CPU after which a signal comes to a run that has not noted its station.
MOST_CPU = 30.0


@pytest.mark.parametrize(
    ("strategy", "station", "number", "code"),
    [
        ("astar", "plain astar", signal.SIGINT, 130),
        pytest.param("bfs", "plain bfs", signal.SIGTERM, 143, marks=pytest.mark.slow),
        ("auto", decisions.CLUSTER_PROGRAM, signal.SIGTERM, 143),
    ],
)
def test_signals_end_the_command_with_its_result(
    hopeless: Path, strategy: str, station: str, number: signal.Signals, code: int, tmp_path: Path
) -> None:
    arguments = ["search", str(hopeless), "--strategy", strategy]
    returned, document, seconds = run_and_signal(arguments, number, tmp_path / "note", station)
    assert returned == code
    check_document(document, "interrupted")
    assert seconds < PATIENCE


def test_a_signal_while_scoring_ends_learn_with_its_result(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = "\n".join(",".join(map(str, row)) for row in rng.integers(0, 2, (3000, 60)))
    (tmp_path / "noise.csv").write_text(",".join(f"v{i}" for i in range(60)) + "\n" + rows + "\n")
    arguments = ["learn", str(tmp_path / "noise.csv"), "--score", "bdeu"]
    returned, document, seconds = run_and_signal(arguments, signal.SIGINT, tmp_path / "note", "scoring")
    assert returned == 130
    check_document(document, "interrupted")
    assert document["search"]["expanded"] == 0  # it was still scoring
    assert seconds < PATIENCE


def test_the_command_keeps_its_time_limit(hopeless: Path) -> None:
    code, document = run(["search", str(hopeless), "--strategy", "astar", "--time-limit", "1"])
    assert code == 10
    check_document(document, "time_limit")


@few_or_many("limit", 140_000_000, 200_000_000)
def test_the_command_keeps_its_memory_limit(hopeless: Path, limit: int) -> None:
    arguments = ["search", str(hopeless), "--strategy", "astar", "--no-upper-bound", "--memory-limit", str(limit)]
    code, document = run(arguments)
    assert code == 10
    check_document(document, "memory_limit")
    assert document["peak_memory_bytes"] <= limit
