"""`sabna resume` and `sabna info`: a run goes on from its directory alone, and what is told of it is how it ended."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.cli.app import run as command
from sabna.workdir import folder
from sabna.workdir.folder import WorkDir
from sabna.workdir.record import picture
from tests.workdirs import Killed, at_write, run_json, table_of

__all__ = ["at_write"]


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


def test_a_pause_says_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Users were told to raise the limit or to bound the parents, where `sabna resume` goes on."""
    scoring = ["score", "example:asia", "-o", str(tmp_path / "g.pg"), "--time-limit", "0"]
    assert command([*scoring]) == 10
    assert "raise it, or bound the parents with --max-parents" in capsys.readouterr().err
    way = f"what was done is kept, and `sabna resume {tmp_path / 'w'}` goes on"
    commands = (
        scoring,
        ["bootstrap", "example:asia", "--time-limit", "0"],
        ["learn", "example:asia", "--time-limit", "0"],
    )
    for arguments in commands:
        assert command([*arguments, "--work", str(tmp_path / "w")]) == 10
        told = capsys.readouterr().err
        assert way in told
        assert "raise it" not in told
        shutil.rmtree(tmp_path / "w")
    assert command(["learn", "example:asia", "--work", str(tmp_path / "w")]) == 0
    assert "resume" not in capsys.readouterr().err


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
