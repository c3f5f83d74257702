"""Scoring variable by variable with a work directory: the same graph in groups, and finished groups are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.parents.build import build_partial_graph
from sabna.parents.builders import groups, levels
from sabna.parents.graph import ParentGraph
from sabna.table.numeric import NumericTable
from sabna.workdir.folder import WorkDir
from tests.repeats import few_or_many
from tests.test_interventions import set_table
from tests.test_levels import table_of
from tests.test_mixed_scores import mixed_table
from tests.workdirs import Killed, at_write, check_every_damage

__all__ = ["at_write"]


@pytest.fixture(autouse=True)
def every_piece_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "WORTH_KEEPING", 0.0)
    monkeypatch.setattr(levels, "MOST_SETS", 7)
    monkeypatch.setattr(levels, "LEAST_SETS", 7)
    monkeypatch.setattr(levels, "WORTH_KEEPING", 0.0)


def numbers() -> NumericTable:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(7, 60))
    values[1:] += 0.7 * values[:-1]
    return NumericTable(tuple(f"V{i}" for i in range(7)), values)


CATEGORIES = table_of(1, 9, 60)
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "required": (CATEGORIES, {"knowledge": {"required": [(f"V{i}", f"V{i + 1}") for i in range(0, 8, 2)]}}),
    "all required": (CATEGORIES, {"knowledge": {"required": [(f"V{i}", f"V{i + 1}") for i in range(8)]}}),
    "forbidden": (CATEGORIES, {"knowledge": {"forbidden": [("V0", "V1"), ("V3", "V2")], "roots": ["V4"]}}),
    "slack": (CATEGORIES, {"slack": 1.0, "max_parents": 2}),
    "fnml": (CATEGORIES, {"score": "fnml", "max_parents": 3}),
    "bic-g": (numbers(), {"score": "bic-g"}),
    "bge": (numbers(), {"score": "bge", "knowledge": {"required": [("V0", "V6")]}}),
    "bcg": (mixed_table(2, n=6), {"score": "bcg"}),
    "bic, set": (set_table("bic", 1, n=6), {"score": "bic"}),
    "bic-g, set": (set_table("bic-g", 1, n=6), {"score": "bic-g"}),
    "bge, set": (set_table("bge", 1, n=6), {"score": "bge"}),
    "bcg, set": (set_table("bcg", 1, n=6), {"score": "bcg"}),
}


def build(name: str, **more: Any) -> ParentGraph:
    table, options = CASES[name]
    return sabna.build_parent_graph(table, **{"n_jobs": 1, **options, **more})


def content(graph: ParentGraph) -> tuple[Any, ...]:
    return *(array.tobytes() for array in graph.arrays), graph.parameters, graph.exhaustive, sorted(graph.statistics)


@pytest.mark.parametrize("name", CASES)
def test_groups_make_the_same_graph(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = content(build(name))
    kept = list[str]()
    save = WorkDir.save

    def noted(self: WorkDir, file: str, *rest: Any) -> None:
        kept.append(file)
        save(self, file, *rest)

    monkeypatch.setattr(WorkDir, "save", noted)
    assert content(build(name, work=tmp_path / "w")) == expected
    pieces = [file for file in kept if file.startswith(("group-", "shard-"))]
    assert len(pieces) > 1
    assert len(set(pieces)) == len(pieces)  # no piece of one part is taken for one of another
    assert not [p for p in (tmp_path / "w").iterdir() if p.name.startswith(("group-", "shard-", "level-"))]
    with ThreadPoolExecutor(2) as threads:
        assert content(build(name, engine=threads)) == expected


@few_or_many("step", 3, 1)
@pytest.mark.parametrize("name", ["required", "forbidden", "slack", "bic-g", "bcg", "bic, set"])
def test_scoring_in_groups_killed_at_any_write_goes_on(tmp_path: Path, at_write: Any, name: str, step: int) -> None:
    expected = content(build(name))
    count = at_write(0, None, False)
    build(name, work=tmp_path / "whole")
    for k in range(1, count[0] + 1, step):
        at_write(k, Killed(), k % 2 == 0)
        with pytest.raises(Killed):
            build(name, work=tmp_path / str(k))
        at_write(0, None, False)
        assert content(build(name, work=tmp_path / str(k))) == expected, k


@pytest.mark.parametrize("name", ["required", "bic-g"])
def test_damaged_groups_are_built_again(tmp_path: Path, at_write: Any, name: str) -> None:
    expected = content(build(name))
    at_write(8, Killed(), True)
    with pytest.raises(Killed):
        build(name, work=tmp_path / "w")
    at_write(0, None, False)
    assert list((tmp_path / "w").glob("group-*"))
    check_every_damage(tmp_path / "w", lambda: content(build(name, work=tmp_path / "w")), expected)


@pytest.mark.parametrize("name", ["required", "fnml", "bic-g", "bcg"])
def test_groups_that_are_kept_are_not_built_again(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after some groups, a run has bounds of all variables, and the next one builds the rest only."""
    table, options = CASES[name]
    built, most = list[list[int]](), 1
    run = groups.build_in_groups

    def counted(build: Any, *rest: Any) -> Any:
        def once(children: list[int], threads: int, left: Any, *more: Any) -> Any:
            if len(children) == 2 and left.seconds != 0:  # not what gives every variable its first set
                built.append(children)
                if len(built) == most + 1:
                    raise Killed
            return build(children, threads, left, *more)

        return run(once, *rest)

    for module in ("constrained", "gaussian", "mixed"):
        monkeypatch.setattr(f"sabna.parents.builders.{module}.build_in_groups", counted)
    with pytest.raises(Killed):
        build(name, work=tmp_path / "w")
    first, most = built[0], 1000
    built.clear()
    graph = build(name, work=tmp_path / "w")
    assert built
    assert first not in built
    assert content(graph) == content(build(name))
    paused = build_partial_graph(table, **{"n_jobs": 1, **options}, limits=sabna.base.limits.Limits(0.0))
    assert paused.status == "time_limit"
