"""Work directories: a run that is cut anywhere goes on to the same answer, and nothing damaged is ever believed."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.base.errors import OutputError, SabnaError, UsageError
from sabna.certificate.checker import check_certificate
from sabna.cli.app import run as command
from sabna.parents.graph import ParentGraph
from sabna.table import Table
from sabna.workdir.folder import WorkDir
from tests.test_tree import some_graph, without_tables
from tests.workdirs import Killed, answers, at_write, check_every_damage, saves_always, table_of

__all__ = ["at_write", "saves_always", "without_tables"]


# Whose directory it is.


def test_another_table_other_settings_another_command_and_strangers_are_refused_by_name(tmp_path: Path) -> None:
    work = tmp_path / "work"
    sabna.learn(table_of(1), work=work)
    with pytest.raises(UsageError, match="another table"):
        sabna.learn(table_of(2), work=work)
    with pytest.raises(UsageError, match="score was not given, now 'aic'"):
        sabna.learn(table_of(1), "aic", work=work)
    with pytest.raises(UsageError, match=r"a run of `sabna learn`, not of `sabna bootstrap`"):
        sabna.bootstrap(table_of(1), 2, work=work)
    assert sabna.learn(table_of(1), work=work, n_jobs=1, time_limit=60).is_optimal
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"notes.txt"):
        sabna.learn(table_of(1), work=tmp_path)
    manifest = json.loads((work / "manifest.json").read_text())
    (work / "manifest.json").write_text(json.dumps({**manifest, "format": 0}))
    with pytest.raises(UsageError, match="damaged"):
        sabna.learn(table_of(1), work=work)


def test_a_directory_of_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sabna.learn(table_of(1), work=tmp_path / "work")
    monkeypatch.setattr("sabna.workdir.manifest.FORMAT", 2)
    with pytest.raises(UsageError, match="format 1, and this sabna has format 2"):
        sabna.learn(table_of(1), work=tmp_path / "work")


HOLD = """
import sys
from sabna.workdir.folder import WorkDir
work = WorkDir(sys.argv[1])
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_second_run_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    work = tmp_path / "work"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, work], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    with pytest.raises(UsageError, match=f"process {holder.pid}"):
        sabna.learn(table_of(1), work=work)
    holder.kill()
    holder.communicate()
    assert sabna.learn(table_of(1), work=work).is_optimal


def test_a_run_that_goes_on_writes_its_whole_certificate(tmp_path: Path) -> None:
    """The ledger has not heard what an earlier run did: the proof is found again."""
    work, proof, graph = tmp_path / "work", tmp_path / "proof.cert", tmp_path / "graph.pg"
    sabna.build_parent_graph(table_of(1)).save(graph)
    paused = sabna.learn(table_of(1), work=work, certificate=proof, time_limit=0)
    result = sabna.learn(table_of(1), work=work, certificate=proof)
    assert not paused.is_optimal
    assert result.is_optimal
    assert check_certificate.main([str(proof), str(graph)]) == 0


# Cut anywhere.


@pytest.mark.usefixtures("without_tables", "saves_always")
@pytest.mark.parametrize(("seed", "done"), [(1, False), (5, True), (8, False), (22, True)])
def test_a_search_killed_at_any_write_goes_on_to_the_same_network(
    tmp_path: Path, at_write: Any, seed: int, done: bool
) -> None:
    graph = some_graph(seed, most=9)
    expected = answers(sabna.search(graph, n_jobs=1))
    count = at_write(0, None, False)
    assert answers(sabna.search(graph, n_jobs=1, work=tmp_path / "whole")) == expected
    assert count[0] > 4
    for k in range(1, count[0] + 1):
        work = tmp_path / str(k)
        at_write(k, Killed(), done)
        with pytest.raises(Killed):
            sabna.search(graph, n_jobs=1, work=work)
        at_write(0, None, False)
        assert answers(sabna.search(graph, n_jobs=1, work=work)) == expected, f"write {k}"


@pytest.mark.usefixtures("saves_always")
def test_a_full_disk_ends_with_exit_code_6_and_what_was_written_stays(
    tmp_path: Path, at_write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = answers(sabna.learn("example:asia"))
    whole = at_write(0, None, False)
    assert command(["learn", "example:asia", "--work", str(tmp_path / "whole"), "--quiet"]) == 0
    for k in range(1, whole[0] + 1):
        work = str(tmp_path / str(k))
        at_write(k, OSError(errno.ENOSPC, "No space left on device"), False)
        assert command(["learn", "example:asia", "--work", work, "--quiet"]) == OutputError.exit_code
        assert "free some space" in capsys.readouterr().err
        at_write(0, None, False)
        assert answers(sabna.learn("example:asia", work=work)) == expected


def calls(table: Table) -> dict[str, Callable[..., Any]]:
    """The calls that keep their work, each with what must be the same."""
    graph = sabna.build_parent_graph(table)

    def listed(**more: Any) -> Any:
        return sabna.kbest(table, 5, n_jobs=1, **more).scores.tolist()

    return {
        "score": lambda **more: sabna.build_parent_graph(table, n_jobs=1, **more).costs.tolist(),
        "search": lambda **more: answers(sabna.search(graph, n_jobs=1, **more)),
        "kbest": listed,
        "bootstrap": lambda **more: sabna.bootstrap(table, 3, n_jobs=1, **more).edges,
    }


@pytest.mark.usefixtures("saves_always")
@pytest.mark.parametrize("name", ["score", "search", "kbest", "bootstrap"])
def test_a_full_disk_at_every_write_of_the_other_commands(tmp_path: Path, at_write: Any, name: str) -> None:
    call = calls(table_of(4, rows=30))[name]
    expected = call()
    count = at_write(0, None, False)
    assert call(work=tmp_path / "whole") == expected
    for k in range(1, count[0] + 1):
        at_write(k, OSError(errno.ENOSPC, "No space left on device"), False)
        with pytest.raises(OutputError, match="free some space"):
            call(work=tmp_path / str(k))
        at_write(0, None, False)
        assert call(work=tmp_path / str(k)) == expected


@pytest.mark.usefixtures("saves_always")
def test_every_file_of_a_search_damaged_in_turn(tmp_path: Path, at_write: Any) -> None:
    graph, work = sabna.build_parent_graph(table_of(4, rows=30)), tmp_path / "work"
    expected = answers(sabna.search(graph, n_jobs=1))
    at_write(4, Killed(), True)
    with pytest.raises(Killed):
        sabna.search(graph, n_jobs=1, work=work)
    at_write(0, None, False)
    assert (work / "tree.work").exists()
    check_every_damage(work, lambda: answers(sabna.search(graph, n_jobs=1, work=work)), expected)


def test_every_file_of_a_paused_search_damaged_in_turn(tmp_path: Path) -> None:
    """The best network and bound of a pause are among them."""
    graph, work = sabna.build_parent_graph(table_of(4, rows=30)), tmp_path / "work"
    expected = answers(sabna.search(graph, n_jobs=1))
    assert sabna.search(graph, n_jobs=1, work=work, time_limit=0.0).status == "time_limit"
    assert (work / "best.work").exists()
    check_every_damage(work, lambda: answers(sabna.search(graph, n_jobs=1, work=work)), expected)


def test_every_file_of_a_learning_damaged_in_turn(tmp_path: Path) -> None:
    work, table = tmp_path / "work", table_of(3)
    expected = answers(sabna.learn(table))
    assert answers(sabna.learn(table, work=work)) == expected
    check_every_damage(work, lambda: answers(sabna.learn(table, work=work)), expected)


def test_bootstrap_and_kbest_cut_and_damaged(tmp_path: Path, at_write: Any) -> None:
    table = table_of(4, rows=30)
    expected = sabna.bootstrap(table, 4, n_jobs=1).edges
    work = tmp_path / "boot"
    at_write(3, Killed(), True)
    with pytest.raises(Killed):
        sabna.bootstrap(table, 4, n_jobs=1, work=work)
    at_write(0, None, False)
    assert sabna.bootstrap(table, 4, n_jobs=1, work=work).edges == expected
    check_every_damage(work, lambda: sabna.bootstrap(table, 4, n_jobs=1, work=work).edges, expected)
    best = sabna.kbest(table, 5)
    work = tmp_path / "best"
    for _ in range(2):
        assert (sabna.kbest(table, 5, work=work).scores == best.scores).all()
    check_every_damage(work, lambda: sabna.kbest(table, 5, work=work).scores.tolist(), best.scores.tolist())


@pytest.mark.usefixtures("saves_always")
def test_replicates_that_are_kept_are_not_learned_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(4, rows=30)
    expected = sabna.bootstrap(table, 4, n_jobs=1, work=tmp_path / "w").to_dict()
    monkeypatch.setattr("sabna.bootstrapping.replicates.Replicates.learn", None)
    again = sabna.bootstrap(table, 4, n_jobs=1, work=tmp_path / "w").to_dict()
    assert {**again, "seconds": 0} == {**expected, "seconds": 0}


def test_a_finished_graph_is_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sabna.build_parent_graph(table_of(1), work=tmp_path / "w")
    monkeypatch.setattr("sabna.parents.build._build", None)
    again = sabna.build_parent_graph(table_of(1), work=tmp_path / "w")
    assert all((a == b).all() for a, b in zip(first.arrays, again.arrays, strict=True))
    assert (again.statistics, again.parameters, again.score) == (first.statistics, first.parameters, first.score)


def test_a_folder_that_cannot_be_made_ends_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for work in (tmp_path / "file", tmp_path / "file" / "below", ""):
        with pytest.raises(SabnaError):
            sabna.learn(table_of(1), work=work)


def test_an_open_directory_is_taken_as_it_is(tmp_path: Path) -> None:
    with WorkDir(tmp_path / "w") as work:
        graph: ParentGraph = sabna.build_parent_graph(table_of(1), work=work)
        assert len(graph) > 0
        with pytest.raises(UsageError, match="another run"):
            WorkDir(tmp_path / "w")
