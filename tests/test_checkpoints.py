"""A*, and branch and bound, with a work directory: a search that is cut goes on from where it was, to the bit."""

from __future__ import annotations

import errno
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base.errors import OutputError
from sabna.base.limits import Limits
from sabna.base.stop import Stopped
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part
from sabna.searching.steps import STEPS, checkpoints
from sabna.searching.steps.checkpoints import Checkpoints
from sabna.searching.steps.context import Context, Solved
from sabna.workdir.folder import Saver, WorkDir
from sabna.workdir.plain import read_plain
from sabna.workdir.record import Record
from tests.graphs import graph_of
from tests.repeats import few_or_many
from tests.workdirs import Killed, at_write, check_every_damage

__all__ = ["at_write"]


def triangles(count: int, linked: bool = False) -> ParentGraph:
    """Each variable wants the next of its three, which they cannot all have: A* looks at nearly every set.

    Linked to others they make one component, so that there is something to branch on.
    """
    rng, n = random.Random(1), 3 * count
    lists = []
    for i in range(n):
        lists.append({1 << (i - i % 3 + (i + 1) % 3): 0, 0: rng.randrange(1000, 1003)})
        if linked:
            lists[-1][1 << (i + 4) % n] = rng.randrange(900, 1000)
    return graph_of(lists)


# Some 140,000 successors: the core asks some 34 times whether it is time.
GRAPH = triangles(5)
PLAIN = {"strategy": "astar", "heuristic": "simple", "upper_bound": False, "path_extension": False, "n_jobs": 1}


@pytest.fixture
def at_every_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "BETWEEN", 0.0)
    monkeypatch.setattr(Saver, "due", lambda self: True)


def answer(result: sabna.Result) -> Any:
    counts = {name: result.statistics["search"][name] for name in ("expanded", "generated", "stored")}
    return result.status, result.cost_quanta, result.network.parents, counts


@pytest.mark.usefixtures("at_every_poll")
@few_or_many("step", 14, 9)
def test_a_star_killed_at_any_checkpoint_makes_the_same_steps(tmp_path: Path, at_write: Any, step: int) -> None:
    expected = answer(sabna.search(GRAPH, **PLAIN))
    count = at_write(0, None, False)
    assert answer(sabna.search(GRAPH, work=tmp_path / "whole", **PLAIN)) == expected
    assert count[0] > 20
    assert not list((tmp_path / "whole").glob("reached-*"))  # it is done
    for k in range(3, count[0], step):
        work = tmp_path / str(k)
        for seen in (k, 6):  # and killed again soon after
            at_write(seen, Killed(), seen % 2 == 0)
            with pytest.raises(Killed):
                sabna.search(GRAPH, work=work, **PLAIN)
        at_write(0, None, False)
        assert answer(sabna.search(GRAPH, work=work, **PLAIN)) == expected, k


@pytest.mark.usefixtures("at_every_poll")
@few_or_many("saving", False, True)
def test_a_damaged_checkpoint_is_not_believed(
    tmp_path: Path, at_write: Any, saving: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it in the way of the next ones."""
    expected = answer(sabna.search(GRAPH, **PLAIN))
    at_write(15, Killed(), True)
    with pytest.raises(Killed):
        sabna.search(GRAPH, work=tmp_path / "w", **PLAIN)
    at_write(0, None, False)
    assert (tmp_path / "w" / "reached-0.work").exists()
    if not saving:
        monkeypatch.setattr(Saver, "due", lambda self: False)
    check_every_damage(tmp_path / "w", lambda: answer(sabna.search(GRAPH, work=tmp_path / "w", **PLAIN)), expected)


@pytest.mark.usefixtures("at_every_poll")
def test_a_full_disk_at_a_checkpoint_leaves_the_one_before(tmp_path: Path, at_write: Any) -> None:
    expected = answer(sabna.search(GRAPH, **PLAIN))
    for k in (3, 4, 9, 20):
        at_write(k, OSError(errno.ENOSPC, "No space left on device"), False)
        with pytest.raises(OutputError, match="free some space"):
            sabna.search(GRAPH, work=tmp_path / str(k), **PLAIN)
        at_write(0, None, False)
        assert answer(sabna.search(GRAPH, work=tmp_path / str(k), **PLAIN)) == expected


@pytest.mark.slow  # for the search must take longer than the limit on any machine
def test_a_pause_in_the_middle_of_a_search_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of the lattice that took longer than the time limit began anew each time, for ever."""
    monkeypatch.setattr(Saver, "due", lambda self: False)  # nothing but the limit makes it save
    loaded, load = list[int](), Checkpoints.load

    def noted(self: Checkpoints) -> Any:
        blocks = load(self)
        loaded.append(int(blocks[0][0]) if blocks else 0)  # expanded by then
        return blocks

    monkeypatch.setattr(Checkpoints, "load", noted)
    graph, work, limit = triangles(8), tmp_path / "w", 1.0
    expected = answer(sabna.search(graph, **PLAIN))
    told = [0.0]  # of all runs together, as `sabna info` tells it
    while not (work / "reached-0.work").exists():  # on a busy machine it may not have come that far
        limit *= 2
        paused = sabna.search(graph, work=work, time_limit=limit, **PLAIN)
        assert paused.status == "time_limit"
        told.append(read_plain(work / "progress.work", Record).seconds)
        assert told[-1] >= told[-2] + 0.9 * limit
    assert answer(sabna.search(graph, work=work, **PLAIN)) == expected
    assert 0 < loaded[-1] <= paused.statistics["search"]["expanded"]


def test_a_checkpoint_is_due_once_before_the_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Saver, "due", lambda self: False)
    with WorkDir(tmp_path / "w") as work:
        assert not Checkpoints(work, 0, Limits()).due(10**12)
        kept = Checkpoints(work, 0, Limits(1000.0))
        assert not kept.due(10**6)
        assert [kept.due(10**12), kept.due(10**12)] == [True, False]


class Files:
    """The files of one part."""

    def __init__(self, work: WorkDir) -> None:
        self.kept = Checkpoints(work, 0, Limits())

    def checkpoints(self, part: Part) -> Checkpoints:
        return self.kept


@pytest.mark.usefixtures("at_every_poll")
@pytest.mark.parametrize(
    ("name", "writes"),
    [
        (decisions.ASTAR, 10),
        (decisions.BRANCH_AND_BOUND, 25),
        pytest.param(decisions.BRANCH_AND_BOUND, 10, marks=pytest.mark.slow),
    ],
)
def test_the_last_steps_of_the_default_strategy_go_on(tmp_path: Path, at_write: Any, name: str, writes: int) -> None:
    part = Part.whole(triangles(9, linked=True))

    def run(files: Files | None) -> Solved:
        result = STEPS[name].run(part, Context(SearchOptions(path_extension=False), Limits(), files=files))  # type: ignore[arg-type]
        assert isinstance(result, Solved)
        return result

    expected = run(None)
    with WorkDir(tmp_path / "w") as work:
        stopped = 0
        while True:
            at_write(writes, Killed(), True)
            try:
                found = run(Files(work))
                break
            except (Killed, Stopped):
                stopped += 1
    assert stopped > 1
    assert (found.cost, found.lower) == (expected.cost, expected.lower)
    assert (found.choice == expected.choice).all()


def test_another_search_does_not_take_it_up(tmp_path: Path) -> None:
    with WorkDir(tmp_path / "w") as work:
        blocks = [np.arange(5, dtype=np.uint64)]
        Checkpoints(work, 0, Limits()).of(np.arange(3), "astar", 7).keep(blocks)
        assert Checkpoints(work, 0, Limits()).of(np.arange(3), "astar", 8).load() == []
        assert Checkpoints(work, 1, Limits()).of(np.arange(3), "astar", 7).load() == []
        loaded = Checkpoints(work, 0, Limits()).of(np.arange(3), "astar", 7).load()
        assert [block.tolist() for block in loaded] == [[0, 1, 2, 3, 4]]
