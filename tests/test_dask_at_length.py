"""Dask at length, with a real scheduler and two worker processes on loopback: instances, killed workers, bootstrap."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import sabna
from tests.conftest import SHARED
from tests.test_engine import two_workers

pytestmark = pytest.mark.slow
FOLDERS = ("uci", "paper", "paper/lit", "larger")
# Wide tables are cut to so many columns, so that every instance ends in seconds.
COLUMNS = 36


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with two_workers() as made:
        yield made


def instances() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((SHARED / "data" / folder).glob("*.csv"))]


def settings_for(path: Path) -> dict[str, Any]:
    """At most 3 parents; of the larger tables 2, and their first columns."""
    if path.parent.name != "larger":
        return {"max_parents": 3, **({} if ".bin" in path.name else {"discretize": "quantile:3"})}
    names = path.read_text().split("\n", 1)[0].split(",")
    return {"max_parents": 2, "columns": names[:COLUMNS]}


@pytest.mark.parametrize("path", instances(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_same_cost_and_status_as_threads(path: Path, client: Any) -> None:
    settings = settings_for(path)
    here = sabna.learn(path, n_jobs=2, **settings)
    there = sabna.learn(path, engine=client, n_jobs=1, **settings)
    assert here.status == there.status == "optimal"
    assert (here.cost_quanta, here.network.edges) == (there.cost_quanta, there.network.edges)


def test_a_worker_killed_in_the_middle_of_a_search_ten_times(client: Any) -> None:
    """The task goes to another worker, and the answer stays; the search branches, so that there are tasks to lose."""
    graph = sabna.build_parent_graph(SHARED / "data/larger/win95pts-300.csv", max_parents=4)
    expected = sabna.search(graph, n_jobs=1)
    killed = 0
    while killed < 10:
        over = threading.Event()
        seen = threading.Event()

        def watch(report: dict[str, Any], seen: threading.Event = seen) -> None:
            if report.get("workers") and report.get("running"):
                seen.set()

        def kill(over: threading.Event = over, seen: threading.Event = seen) -> None:
            nonlocal killed
            while not over.is_set():
                if seen.wait(0.1):
                    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
                    killed += 1
                    seen.clear()
                    time.sleep(1.0)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            result = sabna.search(graph, engine=client, n_jobs=1, progress=watch)
        finally:
            over.set()
            killer.join()
        assert (result.status, result.cost_quanta) == ("optimal", expected.cost_quanta)
        assert result.network.edges == expected.network.edges


def test_a_bootstrap_of_200_has_the_same_frequencies_everywhere(client: Any) -> None:
    def frequencies(**where: Any) -> Any:
        found = sabna.bootstrap("example:asia", 200, seed=7, **where)
        return found.edges, found.compelled

    expected = frequencies(n_jobs=1)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert frequencies(engine=processes) == expected
    assert frequencies(engine=client) == expected
