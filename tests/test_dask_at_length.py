"""Dask at length, with a real scheduler and two worker processes on loopback: instances, killed workers, bootstrap."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.engine.cluster import Cluster
from sabna.engine.opening import opened_engine
from tests.conftest import SHARED
from tests.graphs import random_graph
from tests.test_engine import two_workers
from tests.test_tree import side_by_side

pytestmark = pytest.mark.slow
FOLDERS = ("uci", "paper", "paper/lit", "larger")
# Quantiles leave these with a column of one value, or of too many.
NOT_BY_QUANTILES = ("segment", "bands")
# Wide tables are cut to so many columns, so that every instance ends in seconds.
COLUMNS = 36


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with two_workers() as made:
        yield made


def instances() -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted((SHARED / "data" / folder).glob("*.csv"))]
    return [path for path in found if path.stem != "known-costs"]


def settings_for(path: Path) -> dict[str, Any]:
    """At most 3 parents; of the larger tables 2, and their first columns."""
    if path.parent.name != "larger":
        cut = "mean" if path.stem in NOT_BY_QUANTILES else "quantile:3"
        return {"max_parents": 3, **({} if ".bin" in path.name else {"discretize": cut})}
    names = path.read_text().split("\n", 1)[0].split(",")
    return {"max_parents": 2, "columns": names[:COLUMNS]}


@pytest.mark.parametrize("path", instances(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_same_cost_and_status_as_threads(path: Path, client: Any) -> None:
    settings = settings_for(path)
    here = sabna.learn(path, n_jobs=2, **settings)
    there = sabna.learn(path, engine=client, n_jobs=1, **settings)
    assert here.status == there.status == "optimal"
    assert (here.cost_quanta, here.network.edges) == (there.cost_quanta, there.network.edges)


def test_a_worker_killed_in_the_middle_of_a_search_ten_times() -> None:
    """The tasks of a worker that dies go to another one, and the answer stays; no worker is waited for in vain."""
    pytest.importorskip("distributed")
    graph = side_by_side([random_graph(seed, 21, sets=150, largest=4, hard=True) for seed in range(4)])
    expected = sabna.search(graph, n_jobs=1)
    killed = 0
    with opened_engine("local:2") as engine:
        assert isinstance(engine, Cluster)
        for _ in range(10):
            waiting = True

            def kill(report: dict[str, Any]) -> None:
                nonlocal killed, waiting
                alive = engine.client.run(os.getpid, on_error="ignore") if waiting else {}
                if alive and (report.get("running") or 0) > 1:  # tasks are under way
                    os.kill(next(iter(alive.values())), signal.SIGKILL)
                    killed, waiting = killed + 1, False

            result = sabna.search(graph, engine=engine, n_jobs=1, progress=kill)
            assert (result.status, result.cost_quanta) == ("optimal", expected.cost_quanta)
            assert result.network.edges == expected.network.edges
            until = time.monotonic() + 300
            while not engine.client.nthreads() and time.monotonic() < until:
                assert engine.workers == 1  # and those that are missing are started anew
                time.sleep(0.5)
        assert not engine.alone
    assert killed == 10


def test_a_bootstrap_of_200_has_the_same_frequencies_everywhere(client: Any) -> None:
    def frequencies(**where: Any) -> Any:
        found = sabna.bootstrap("example:asia", 200, seed=7, **where)
        return found.edges, found.compelled

    expected = frequencies(n_jobs=1)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert frequencies(engine=processes) == expected
    assert frequencies(engine=client) == expected
