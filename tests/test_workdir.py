"""Work directories: a run that is cut anywhere goes on to the same answer, and nothing damaged is ever believed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base import atomic
from sabna.base.errors import OutputError, SabnaError, UsageError
from sabna.certificate.checker import check_certificate
from sabna.cli.app import run as command
from sabna.parents.graph import ParentGraph
from sabna.table import Table
from sabna.workdir import folder
from sabna.workdir.folder import WorkDir
from sabna.workdir.record import picture
from tests.test_tree import some_graph, without_tables

__all__ = ["without_tables"]


class Killed(BaseException):
    """In place of kill -9: nothing of ours catches it, and nothing is cleaned up."""


@pytest.fixture
def saves_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chance to save is taken."""
    monkeypatch.setattr(folder.Saver, "due", lambda self: True)


@pytest.fixture
def at_write(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, BaseException | None, bool], list[int]]]:
    """`at_write(k, error, done)`: the k-th write of a file ends with an error, before or after the file is in place."""
    replace = atomic._replace

    def arrange(k: int, error: BaseException | None, done: bool) -> list[int]:
        count = [0]

        def write(*arguments: Any) -> None:
            count[0] += 1
            if count[0] == k and error is not None and not done:
                raise error
            replace(*arguments)
            if count[0] == k and error is not None and done:
                raise error

        monkeypatch.setattr(atomic, "_replace", write)
        return count

    yield arrange
    monkeypatch.setattr(atomic, "_replace", replace)


def table_of(seed: int, n: int = 6, rows: int = 60) -> Table:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n, rows), dtype=np.uint16)
    codes[1:] ^= codes[:-1] & rng.integers(0, 2, (n - 1, rows), dtype=np.uint16)
    return Table(tuple(f"V{i}" for i in range(n)), codes, (("0", "1"),) * n)


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


def answers(result: sabna.Result) -> tuple[Any, ...]:
    return result.status, result.cost_quanta, result.network.parents


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


def damages(path: Path) -> Iterator[Callable[[], Any]]:
    content = path.read_bytes()
    for at in (0, len(content) // 2, len(content) - 1):
        yield lambda at=at: path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    yield lambda: path.write_bytes(content[: len(content) // 2])
    yield lambda: path.write_bytes(b"")
    yield path.unlink


def check_every_damage(work: Path, again: Callable[[], Any], expected: Any) -> None:
    """After any damage to any file the answer is the same, or the run is refused in words."""
    names = [p.name for p in work.iterdir()]
    kept = {name: (work / name).read_bytes() for name in names}
    for name in names:
        (work / name).write_bytes(kept[name])
        for damage in list(damages(work / name)):
            for path in work.iterdir():
                path.unlink()
            for other, content in kept.items():
                (work / other).write_bytes(content)
            damage()
            if name == "manifest.json":
                with pytest.raises(UsageError, match="manifest"):
                    again()
            else:
                assert again() == expected, name


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


# The command line.


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code = command([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_resume_needs_nothing_but_the_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, work, out = tmp_path / "data.csv", tmp_path / "work", tmp_path / "out.json"
    asia = Path(sabna.__file__).parent / "examples" / "asia.csv"
    data.write_bytes(asia.read_bytes())
    expected = sabna.learn("example:asia", max_parents=2)
    code, paused = run_json(capsys, "learn", data, "--max-parents", "2", "--work", work, "-o", out, "--time-limit", "0")
    assert (code, paused["status"]) == (10, "time_limit")
    data.unlink()
    out.unlink()
    moved = tmp_path / "elsewhere"
    os.rename(work, moved)
    code, described = run_json(capsys, "info", moved)
    assert (code, described["kind"], described["command"]) == (0, "work directory", "learn")
    code, resumed = run_json(capsys, "resume", moved)
    assert (code, resumed["cost_quanta"]) == (0, expected.cost_quanta)
    assert sabna.read_result(out).network.parents == expected.network.parents
    assert command(["info", str(moved)]) == 0
    assert "gap 0.000000" in capsys.readouterr().out


def test_columns_of_numbers_are_kept_with_how_they_were_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their preparation has numbers for keys, which stopped the run at its first file."""
    data = tmp_path / "data.csv"
    data.write_text("a,b\n" + "".join(f"{k % 2},{(k // 2) % 3}\n" for k in range(40)))
    code, first = run_json(capsys, "learn", data, "--work", tmp_path / "w")
    again = run_json(capsys, "resume", tmp_path / "w")
    assert (code, again[0], again[1]["cost_quanta"]) == (0, 0, first["cost_quanta"])


def test_resume_of_the_other_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = tmp_path / "g.pg"
    for name, arguments in {
        "score": ["score", "example:asia", "-o", graph],
        "search": ["search", graph],
        "kbest": ["kbest", "example:asia", "-k", "3"],
        "list": ["kbest", graph, "-k", "3"],
        "bootstrap": ["bootstrap", "example:asia", "-B", "2"],
    }.items():
        code = command([*map(str, arguments), "--work", str(tmp_path / name), "--json"])
        said = capsys.readouterr()
        first = json.loads(said.out)
        assert (code, said.err) == (0, ""), name  # a new folder is not told as a damaged one
        code, again = run_json(capsys, "resume", tmp_path / name)
        assert code == 0
        for key in ("cost_quanta", "parents", "networks", "edges", "n", "rows"):
            assert again.get(key) == first.get(key), (name, key)
        told = run_json(capsys, "info", tmp_path / name)[1]
        assert told["run"] in ("done", "optimal"), name  # a run that ended is not told as killed
        assert told["input"]["source"] or name == "list"


def test_every_command_pauses_at_its_time_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = tmp_path / "g.pg"
    sabna.build_parent_graph("example:asia").save(graph)
    for name, arguments in {
        "score": ["score", "example:asia", "-o", tmp_path / "h.pg"],
        "search": ["search", graph],
        "kbest": ["kbest", "example:asia", "-k", "3"],
        "bootstrap": ["bootstrap", "example:asia", "-B", "2"],
    }.items():
        code, paused = run_json(capsys, *arguments, "--work", tmp_path / name, "--time-limit", "0")
        assert (code, paused["status"]) == (10, "time_limit"), name
        assert run_json(capsys, "info", tmp_path / name)[1]["run"] == "time_limit", name
        assert run_json(capsys, "resume", tmp_path / name)[0] == 0, name


def test_info_knows_how_a_run_ended_that_left_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pause before anything was finished was told as "done"; a kill after a pause as a pause."""
    data = tmp_path / "data.csv"
    data.write_text("x,k\n" + "".join(f"{k * k % 17 / 3},{'ab'[k % 2]}\n" for k in range(40)))
    work = tmp_path / "w"
    assert command(["learn", str(data), "--score", "bcg", "--work", str(work), "--time-limit", "0", "--quiet"]) == 10
    assert run_json(capsys, "info", work)[1]["run"] == "time_limit"
    (work / "lock").write_text("process 1 on some machine\n")  # as a run leaves it that is killed
    assert run_json(capsys, "info", work)[1]["run"] == "killed"
    assert command(["resume", str(work), "--quiet"]) == 0
    assert run_json(capsys, "info", work)[1]["run"] == "optimal"


def test_a_refused_command_does_not_change_what_info_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that had ended was told as failed once another command had been refused in its folder."""
    work = tmp_path / "w"
    assert command(["learn", "example:asia", "--max-parents", "2", "--work", str(work), "--quiet"]) == 0
    for other in (
        ["learn", "example:asia", "--max-parents", "3"],
        ["score", "example:asia", "-o", str(tmp_path / "g.pg")],
    ):
        assert command([*other, "--work", str(work)]) == 2
    told = capsys.readouterr().err
    assert "max_parents was '2', now '3'" in told
    assert "a run of `sabna learn`, not of `sabna score`" in told
    assert run_json(capsys, "info", work)[1]["run"] == "optimal"


def test_resume_writes_the_dialect_that_was_asked_for(tmp_path: Path) -> None:
    out, work = tmp_path / "out.bif", str(tmp_path / "w")
    data = tmp_path / "data.csv"
    data.write_text("a,b\n" + "".join(f"{'is so' if k % 2 else 'x'},{(k // 2) % 3}\n" for k in range(40)))
    given = [str(data), "-o", str(out), "--quiet", "--dialect", "pyagrum"]
    assert command(["learn", *given]) == 0
    expected = out.read_text()
    assert command(["learn", *given[:-2], "--quiet"]) == 0
    assert out.read_text() != expected
    assert command(["learn", *given, "--work", work]) == 0
    out.unlink()
    assert command(["resume", work, "--quiet"]) == 0
    assert out.read_text() == expected


def test_resume_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.csv").write_text("a,b\n0,1\n")
    for name, words in (
        ("nothing", "there is no such folder"),
        ("file.csv", "a file, not a folder"),
        ("empty", "no manifest"),
    ):
        assert command(["resume", str(tmp_path / name)]) == 2
        assert words in capsys.readouterr().err
    assert command(["info", str(tmp_path / "nothing")]) == 2
    assert "no such file or folder" in capsys.readouterr().err
    assert not (tmp_path / "nothing").exists()
    sabna.learn(table_of(1), work=tmp_path / "w")
    (tmp_path / "w" / "table.work").write_bytes(b"")
    assert command(["resume", str(tmp_path / "w")]) == 2
    assert "missing or damaged" in capsys.readouterr().err


def test_a_run_killed_before_its_table_was_kept_resumes_from_the_source(
    tmp_path: Path, at_write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the manifest and the table there is an instant at which only the source has it."""
    data, graph = tmp_path / "data.csv", tmp_path / "g.pg"
    data.write_text("a,b,c\n" + "".join(f"{k % 2},{k // 2 % 2},{k * k % 3}\n" for k in range(60)))
    sabna.build_parent_graph(data).save(graph)
    for name, given in {
        "learn": [data, "--discretize", "c=quantile:2"],
        "score": [data, "-o", tmp_path / "made.pg"],
        "bootstrap": [data, "-B", "2"],
        "kbest": [data, "-k", "3", "--columns", "a", "--columns", "b"],
        "search": [graph],
    }.items():
        work = tmp_path / name
        at_write(1, Killed(), True)
        assert command([name, *map(str, given), "--work", str(work), "--quiet"]) != 0
        at_write(0, None, False)
        capsys.readouterr()
        assert sorted(path.name for path in work.iterdir()) == ["lock", "manifest.json"]
        expected = run_json(capsys, name, *given)[1]
        again = run_json(capsys, "resume", work)[1]
        for key in ("cost_quanta", "parents", "networks", "edges", "sets"):
            assert again.get(key) == expected.get(key), (name, key)
        assert [path for path in work.iterdir() if path.name in ("table.work", "parents.pg")], name


def test_a_source_that_has_changed_is_not_taken_for_the_table_of_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, work = tmp_path / "data.csv", tmp_path / "w"
    data.write_text("a,b\n" + "".join(f"{k % 2},{k // 2 % 2}\n" for k in range(60)))
    assert command(["learn", str(data), "--work", str(work), "--quiet"]) == 0
    data.write_text("a,b\n" + "".join(f"{k % 2},{k // 3 % 2}\n" for k in range(60)))
    assert command(["resume", str(work), "--quiet"]) == 0  # its own copy counts
    (work / "table.work").unlink()
    assert command(["resume", str(work), "--quiet"]) == 2
    assert "a run on another table" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_ends_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for work in (tmp_path / "file", tmp_path / "file" / "below", ""):
        with pytest.raises(SabnaError):
            sabna.learn(table_of(1), work=work)


def test_info_on_a_killed_run_does_not_say_running(
    tmp_path: Path, at_write: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record said "running" for ever: it cannot know that its process is gone, the lock does."""
    monkeypatch.setattr(folder.Saver, "due", lambda self: True)
    work = tmp_path / "w"
    count = at_write(0, None, False)
    sabna.learn(table_of(1), work=tmp_path / "whole")
    at_write(count[0] - 1, Killed(), True)
    with pytest.raises(Killed):
        sabna.learn(table_of(1), work=work)
    at_write(0, None, False)
    code, told = run_json(capsys, "info", work)
    assert (code, told["run"], told["at_work"]) == (0, "killed", None)
    assert command(["info", str(work)]) == 0
    shown = capsys.readouterr().out
    assert "it was killed" in shown
    assert "running (" not in shown
    assert "gap in nats" in shown  # the picture
    with WorkDir(work):
        assert run_json(capsys, "info", work)[1]["run"] == "running"
        assert command(["info", str(work)]) == 0
        assert f"running (process {os.getpid()}" in capsys.readouterr().out
    sabna.learn(table_of(1), work=work)
    assert run_json(capsys, "info", work)[1]["run"] == "optimal"


def test_the_picture_falls_with_the_gap() -> None:
    points = [{"seconds": float(t), "lower_bound": -(10.0 ** (4 - t)), "upper_bound": 0.0} for t in range(5)]
    lines = picture(points, 5.0)
    assert lines[0].count("#") < lines[-3].count("#") == 60
    assert "logarithmic" in lines[-1]
    assert picture([{"seconds": 0.0, "lower_bound": 1.0, "upper_bound": 1.0}], 1.0) == []


def test_an_open_directory_is_taken_as_it_is(tmp_path: Path) -> None:
    with WorkDir(tmp_path / "w") as work:
        graph: ParentGraph = sabna.build_parent_graph(table_of(1), work=work)
        assert len(graph) > 0
        with pytest.raises(UsageError, match="another run"):
            WorkDir(tmp_path / "w")
