"""Breadth-first search with its layers in files: the same network as in memory, however cut, killed or damaged."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.errors import OutputError
from sabna.cli.app import run as command
from sabna.parents.graph import ParentGraph
from sabna.searching.steps import layer_files, plain_search
from sabna.workdir.folder import Saver
from tests.repeats import few_or_many
from tests.test_reading_limits import linux, watched
from tests.test_tree import some_graph
from tests.workdirs import Killed, at_write, check_every_damage

__all__ = ["at_write"]


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Searches in memory have none, and pieces are small; counts the pieces."""
    monkeypatch.setattr(layer_files, "MOST_CHILDREN", 60)
    for name in ("_over_own", "_over_weights"):
        search = getattr(plain_search, name)

        def limited(part: Any, context: Any, heuristic: str, settings: dict[str, Any], search: Any = search) -> Any:
            if "layers" not in settings:
                settings = {**settings, "limits": core.Limits(-1.0, 0)}
            return search(part, context, heuristic, settings)

        monkeypatch.setattr(plain_search, name, limited)
    keep, pieces = layer_files.LayerFiles.keep, [0]

    def counted(self: layer_files.LayerFiles, piece: Any, state: Any) -> None:
        pieces[0] += 1
        keep(self, piece, state)

    monkeypatch.setattr(layer_files.LayerFiles, "keep", counted)
    return pieces


def answers(result: sabna.Result) -> tuple[Any, ...]:
    counts = {k: result.statistics["search"][k] for k in ("expanded", "stored")}
    return result.status, result.cost_quanta, result.network.parents, counts


def in_memory(graph: ParentGraph, **options: Any) -> tuple[Any, ...]:
    return answers(sabna.search(graph, "bfs", n_jobs=1, **options))


OPTIONS: list[dict[str, Any]] = [
    {},
    {"upper_bound": False, "scc_branching": True},
    {"upper_bound": False, "path_extension": False},
    {"heuristic": "pattern", "components": True},
    {"heuristic": "cuts"},
    {"heuristic": "dual-pattern", "n_jobs": 2, "upper_bound": False},
]


@few_or_many("count", 4, 8)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_files_hold_the_same_search(
    tmp_path: Path, options: dict[str, Any], count: int, request: pytest.FixtureRequest
) -> None:
    graphs = [some_graph(seed, most=10) for seed in range(count)]
    threads = {"n_jobs": 1, **options}
    expected = [answers(sabna.search(graph, "bfs", **threads)) for graph in graphs]
    pieces = request.getfixturevalue("small_pieces")
    for seed, graph in enumerate(graphs):
        work, before = tmp_path / str(seed), pieces[0]
        found = answers(sabna.search(graph, "bfs", **threads, work=work))
        if pieces[0] == before:  # proven without a search
            found = (*found[:3], expected[seed][3])
        assert found == expected[seed], seed
        assert not list(work.glob("layers-*"))  # what is done is not kept twice
    assert pieces[0] > 3


def many_nodes(n: int = 10, seed: int = 3) -> ParentGraph:
    """Variables whose best parents leave some hundred nodes to expand, with ties."""
    rng = np.random.default_rng(seed)
    offsets, costs, sets = [0], [], []
    for i in range(n):
        others = [v for v in range(n) if v != i]
        chosen = {0: 900}
        for _ in range(12):
            bits = sum(1 << int(v) for v in rng.choice(others, int(rng.integers(2, 5)), replace=False))
            chosen[bits] = int(rng.integers(0, 12)) * 50
        listed = sorted((cost, bits) for bits, cost in chosen.items())
        kept = [(c, b) for k, (c, b) in enumerate(listed) if not any(o & b == o for _, o in listed[:k])]
        costs += [c for c, _ in kept]
        sets += [[b] for _, b in kept]
        offsets.append(len(costs))
    names = tuple(f"V{i}" for i in range(n))
    return ParentGraph(names, np.array(offsets), np.array(costs), np.array(sets, dtype=np.uint64))


def test_killed_at_any_write_it_goes_on(tmp_path: Path, at_write: Any, request: pytest.FixtureRequest) -> None:
    graph = many_nodes(8)
    expected = in_memory(graph, upper_bound=False)
    request.getfixturevalue("small_pieces")
    count = at_write(0, None, False)
    assert in_memory(graph, upper_bound=False, work=tmp_path / "whole") == expected
    assert count[0] > 30
    for k in range(1, count[0] + 1, 9):
        work = tmp_path / str(k)
        at_write(k, Killed(), k % 2 == 0)
        with pytest.raises(Killed):
            in_memory(graph, upper_bound=False, work=work)
        at_write(0, None, False)
        assert in_memory(graph, upper_bound=False, work=work) == expected, f"write {k}"


def test_pieces_that_are_kept_are_not_searched_again(tmp_path: Path, at_write: Any, small_pieces: list[int]) -> None:
    graph = many_nodes()
    count = at_write(0, None, False)
    in_memory(graph, upper_bound=False, work=tmp_path / "whole")
    whole, small_pieces[0] = small_pieces[0], 0
    at_write(count[0] - 5, Killed(), True)
    with pytest.raises(Killed):
        in_memory(graph, upper_bound=False, work=tmp_path / "w")
    at_write(0, None, False)
    small_pieces[0] = 0
    in_memory(graph, upper_bound=False, work=tmp_path / "w")
    assert whole > 10 > 4 >= small_pieces[0]


def test_every_file_damaged_in_turn(tmp_path: Path, at_write: Any, request: pytest.FixtureRequest) -> None:
    graph, work = many_nodes(8), tmp_path / "w"
    expected = in_memory(graph, upper_bound=False)
    request.getfixturevalue("small_pieces")
    at_write(7, Killed(), True)
    with pytest.raises(Killed):
        in_memory(graph, upper_bound=False, work=work)
    at_write(0, None, False)
    kinds = {path.stem.split("-")[2] for path in work.glob("layers-0-*")}
    assert kinds == {"nodes", "children"}
    check_every_damage(work, lambda: in_memory(graph, upper_bound=False, work=work), expected)


def test_a_full_disk_ends_with_exit_code_6_and_everything_stays(
    tmp_path: Path, at_write: Any, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    graph, file, work = many_nodes(), tmp_path / "g.pg", tmp_path / "w"
    graph.save(file)
    given = ["search", str(file), "--strategy", "bfs", "--no-upper-bound", "--work", str(work), "--quiet"]
    expected = in_memory(graph, upper_bound=False)
    request.getfixturevalue("small_pieces")
    for k in (12, 9, 7):  # one run, stopped again and again
        at_write(k, OSError(errno.ENOSPC, "No space left on device"), False)
        assert command(given) == OutputError.exit_code
        assert "free some space" in capsys.readouterr().err
    at_write(0, None, False)
    assert in_memory(graph, upper_bound=False, work=work) == expected


@pytest.mark.usefixtures("small_pieces")
def test_progress_tells_layers_and_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Saver, "due", lambda self: True)
    told: list[dict[str, Any]] = []
    kept: list[int] = []
    keep = layer_files.LayerFiles.keep

    def noted(self: layer_files.LayerFiles, piece: Any, state: Any) -> None:
        keep(self, piece, state)
        kept.append(sum(path.stat().st_size for path in tmp_path.glob("w/layers-0-*")))
        assert self.bytes == kept[-1]
        assert self.bytes_to_come(10) >= 0

    monkeypatch.setattr(layer_files.LayerFiles, "keep", noted)
    result = sabna.search(many_nodes(), "bfs", n_jobs=1, upper_bound=False, work=tmp_path / "w", progress=told.append)
    assert result.is_optimal
    assert max(kept) > 0
    assert all({"layer", "bytes_in_files", "bytes_to_come"} <= set(report) for report in told if report.get("layer"))


def test_a_memory_limit_that_memory_cannot_keep(tmp_path: Path) -> None:
    """Without anything forced: a limit that the search in memory breaks, and files keep."""
    graph = many_nodes()
    expected = in_memory(graph)
    limit = core.Limits(-1.0, 40_000)

    class Tight(sabna.base.limits.Limits):
        def left(self, **_: Any) -> core.Limits:
            return limit

    assert sabna.search(graph, "bfs", upper_bound=False, limits=Tight()).status == "memory_limit"
    found = answers(sabna.search(graph, "bfs", n_jobs=1, limits=Tight(), work=tmp_path / "w", upper_bound=False))
    assert found[:2] == expected[:2]


@pytest.mark.slow
@linux
@pytest.mark.parametrize("limit", [85_000_000, 95_000_000])
def test_files_that_are_read_count_against_the_memory_limit(limit: int, tmp_path: Path) -> None:
    """Where one page of a mapped file is touched the system maps up to two megabytes: 168 MB were held under 95."""
    rng = np.random.default_rng(5)
    columns = rng.integers(0, 2, (23, 80))
    for k in range(2, 23):
        columns[k] = np.where(rng.random(80) < 0.25, columns[k], columns[k - 1] ^ columns[k - 2])
    path = tmp_path / "twenty-three.pg"
    sabna.build_parent_graph(columns.T, "bic", max_parents=4).save(path)
    bare = ["--strategy", "bfs", "--no-upper-bound", "--no-path-extension", "--jobs", 1, "--json", "--quiet"]
    limits = ["--memory-limit", limit, "--work", tmp_path / "work"]
    program = "import sys; from sabna.cli.app import run; sys.exit(run(sys.argv[1:]))"
    run = watched("-c", program, "search", path, *bare, *limits)
    assert run.code == 0
    assert run.document["status"] == "optimal"
    assert run.peak <= limit
    assert run.document["cost_quanta"] == sabna.search(str(path)).cost_quanta
