"""Scoring in slices: the same graph to the bit as in one go, however levels are cut, kept, damaged or interrupted."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base.errors import OutputError
from sabna.base.limits import Limits
from sabna.base.stop import Stop, Stopped
from sabna.parents.build import build_partial_graph
from sabna.parents.builders import levels
from sabna.parents.graph import ParentGraph
from sabna.table import Table
from sabna.workdir.folder import WorkDir
from tests.repeats import few_or_many
from tests.workdirs import Killed, at_write, check_every_damage

__all__ = ["at_write"]


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of few sets, so that small tables have many."""
    monkeypatch.setattr(levels, "MOST_SETS", 7)
    monkeypatch.setattr(levels, "LEAST_SETS", 7)
    monkeypatch.setattr(levels, "WORTH_KEEPING", 0.0)


def table_of(seed: int, n: int, rows: int, most: int = 3) -> Table:
    """Columns that depend on each other, with ties, duplicates and a constant."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n, rows), np.uint16)
    for i in range(n):
        codes[i] = rng.integers(0, most, rows) if i % 3 == 0 else (codes[i - 1] + (rng.random(rows) < 0.2)) % most
    codes[n // 2] = codes[0]
    codes[n - 1] = 0
    return Table(tuple(f"V{i}" for i in range(n)), codes, tuple(tuple(map(str, range(most))) for _ in range(n)))


def content(graph: ParentGraph) -> tuple[Any, ...]:
    counts = {key: graph.statistics[key] for key in ("evaluated", "counted", "sets")}
    return *(array.tobytes() for array in graph.arrays), counts, graph.parameters, graph.exhaustive


def noisy() -> Table:
    """Independent columns: under aic few sets are left out, so that levels have several slices."""
    codes = np.random.default_rng(5).integers(0, 2, (9, 400), dtype=np.uint16)
    return Table(tuple(f"V{i}" for i in range(9)), codes, (("0", "1"),) * 9)


SCORING: dict[str, Any] = {"score": "aic", "max_parents": 3}

CASES = [
    (1, 9, 120, "bic", {}),
    (2, 8, 60, "bdeu", {}),
    (3, 10, 80, "aic", {"max_parents": 3}),
    (4, 1, 5, "bic", {}),
    (5, 3, 1, "bic", {}),
    (6, 70, 30, "bic", {"max_parents": 2}),
]


@pytest.mark.parametrize(("seed", "n", "rows", "score", "options"), CASES)
def test_slices_make_the_same_graph(tmp_path: Path, seed: int, n: int, rows: int, score: str, options: Any) -> None:
    table = table_of(seed, n, rows)
    expected = content(sabna.build_parent_graph(table, score, **options))
    assert content(sabna.build_parent_graph(table, score, work=tmp_path / "w", **options)) == expected
    assert not list((tmp_path / "w").glob("shard-*"))  # all that is left is the graph
    with ThreadPoolExecutor(2) as threads:
        assert content(sabna.build_parent_graph(table, score, engine=threads, **options)) == expected


@few_or_many("step", 2, 1)
@pytest.mark.parametrize("done", [False, True])
def test_scoring_killed_at_any_write_goes_on(tmp_path: Path, at_write: Any, done: bool, step: int) -> None:
    table = noisy()
    expected = content(sabna.build_parent_graph(table, **SCORING))
    count = at_write(0, None, False)
    assert content(sabna.build_parent_graph(table, **SCORING, work=tmp_path / "whole")) == expected
    assert count[0] > 12
    for k in range(1, count[0] + 1, step):
        at_write(k, Killed(), done)
        with pytest.raises(Killed):
            sabna.build_parent_graph(table, **SCORING, work=tmp_path / str(k))
        at_write(0, None, False)
        assert content(sabna.build_parent_graph(table, **SCORING, work=tmp_path / str(k))) == expected, f"write {k}"


def test_a_full_disk_at_every_write_of_scoring(tmp_path: Path, at_write: Any) -> None:
    """Shards and joined levels, too: the run ends in words, and what was written before is of use."""
    table = noisy()
    expected = content(sabna.build_parent_graph(table, **SCORING))
    count = at_write(0, None, False)
    sabna.build_parent_graph(table, **SCORING, work=tmp_path / "whole")
    for k in range(1, count[0] + 1):
        at_write(k, OSError(errno.ENOSPC, "No space left on device"), False)
        with pytest.raises(OutputError, match="free some space"):
            sabna.build_parent_graph(table, **SCORING, work=tmp_path / str(k))
        at_write(0, None, False)
        assert content(sabna.build_parent_graph(table, **SCORING, work=tmp_path / str(k))) == expected, f"write {k}"


def test_every_shard_damaged_in_turn(tmp_path: Path, at_write: Any) -> None:
    table, work = noisy(), tmp_path / "w"
    expected = content(sabna.build_parent_graph(table, **SCORING))
    count = at_write(0, None, False)
    sabna.build_parent_graph(table, **SCORING, work=tmp_path / "whole")
    at_write(count[0] - 3, Killed(), True)  # in the last level: shards, and levels that are joined already
    with pytest.raises(Killed):
        sabna.build_parent_graph(table, **SCORING, work=work)
    at_write(0, None, False)
    names = {path.name.split("-")[0] for path in work.glob("*-*")}
    assert names == {"shard", "level"}
    check_every_damage(work, lambda: content(sabna.build_parent_graph(table, **SCORING, work=work)), expected)


def test_walked_slices_are_not_walked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_write: Any) -> None:
    table = noisy()
    count = at_write(0, None, False)
    whole = sabna.build_parent_graph(table, **SCORING, work=tmp_path / "whole")
    at_write(count[0] - 2, Killed(), True)
    with pytest.raises(Killed):
        sabna.build_parent_graph(table, **SCORING, work=tmp_path / "w")
    at_write(0, None, False)
    walked: list[int] = []
    keep = levels.Shard.of
    monkeypatch.setattr(levels.Shard, "of", lambda made: walked.append(1) or keep(made))
    assert content(sabna.build_parent_graph(table, **SCORING, work=tmp_path / "w")) == content(whole)
    assert len(walked) <= 2


def test_a_pause_in_the_first_seconds_keeps_the_slices_of_its_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first seconds are not worth a file each, but a pause must not lose what it has."""
    table, work = noisy(), tmp_path / "w"
    monkeypatch.setattr(levels, "WORTH_KEEPING", 1e9)
    expected = content(sabna.build_parent_graph(table, **SCORING))
    assert content(sabna.build_parent_graph(table, **SCORING, work=tmp_path / "whole")) == expected
    walked = levels._Building._walked

    def stopped(building: Any, missing: list[int]) -> Iterator[Any]:
        yield from walked(building, missing[:3])
        if len(missing) > 3:
            raise Stopped(Stop.time_limit)

    with monkeypatch.context() as patched, WorkDir(work) as kept:
        patched.setattr(levels._Building, "_walked", stopped)
        assert build_partial_graph(table, limits=Limits(), work=kept, **SCORING).status == "time_limit"
    assert len(list(work.glob("shard-*"))) == 3
    with WorkDir(work) as kept:
        assert content(build_partial_graph(table, limits=Limits(), work=kept, **SCORING).graph) == expected


def test_a_limit_leaves_true_bounds_and_a_pause(tmp_path: Path) -> None:
    table = table_of(8, 8, 80)
    best = sabna.learn(table)
    built = build_partial_graph(table, "bic", limits=Limits(seconds=0.0), work=WorkDir(tmp_path / "x"))
    assert built.status == "time_limit"
    least = np.minimum(built.graph.costs[built.graph.offsets[:-1]], built.floor).sum()
    assert least <= best.cost_quanta
    for _ in range(2):
        stopped = sabna.learn(table, work=tmp_path / "w", time_limit=0.0)
        assert stopped.lower_bound_quanta <= best.cost_quanta <= stopped.cost_quanta
    assert sabna.learn(table, work=tmp_path / "w").network.parents == best.network.parents


def test_bounds_told_while_scoring_are_those_of_the_builder_in_memory(tmp_path: Path) -> None:
    table = table_of(9, 9, 90)
    traces = []
    for work in (None, tmp_path / "w"):
        told: list[Any] = []
        result = sabna.learn(table, work=work, n_jobs=1, progress=told.append)
        assert result.is_optimal
        points = result.statistics["trace"]
        traces.append((points[0]["lower_bound"], points[0]["upper_bound"]))
    assert traces[0] == traces[1]
