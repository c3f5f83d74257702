"""`sabna score` and `sabna convert`: exit codes, JSON, messages, and what is left on the disk."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.cli.app import run
from tests.test_graph_files_broken import JKL, PSS, pg_bytes
from tests.test_table_files import REFUSED, write

Cli = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command with --json; returns exit code, JSON object and standard error."""

    def call(*arguments: object) -> tuple[int, Any, str]:
        code = run([str(argument) for argument in arguments] + ["--json"])
        captured = capsys.readouterr()
        return code, json.loads(captured.out), captured.err

    return call


def test_score_writes_the_graph_and_says_so(cli: Cli, tmp_path: Path) -> None:
    code, document, _ = cli("score", "example:asia", "-o", tmp_path / "asia.pg")
    assert code == 0
    graph = sabna.read_parent_graph(tmp_path / "asia.pg")
    assert document["status"] == "done"
    assert document["parent_graph"]["sets"] == len(graph)
    assert document["parent_graph"]["evaluated"] >= len(graph)
    assert (document["n"], document["rows"], document["score_type"]) == (8, 2000, "bic")
    assert document["quantum"] == 2.0**-30
    assert {"read_seconds", "code_seconds"} <= document["table"].keys()
    assert document["peak_memory_bytes"] > 0
    assert document["version"] == sabna.__version__


def test_json_may_stand_anywhere_and_text_is_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "--json", "example:asia", "-o", str(tmp_path / "a.jkl")]) == 0
    json.loads(capsys.readouterr().out)
    assert run(["score", "example:asia", "-o", str(tmp_path / "a.jkl")]) == 0
    assert "a.jkl: " in capsys.readouterr().out
    assert run(["score", "example:asia", "-o", str(tmp_path / "a.jkl"), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_options_reach_the_builder(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "g.pg"
    assert (
        cli("score", "example:asia", "-o", out, "--score", "bdeu", "--equivalent-sample-size", 2, "--jobs", 1)[0] == 0
    )
    assert sabna.read_parent_graph(out).parameters == {"equivalent_sample_size": 2.0}
    assert cli("score", "example:asia", "-o", out, "--max-parents", 2, "--max-parents", "dysp=1")[0] == 0
    graph = sabna.read_parent_graph(out)
    largest = {name: max(len(p) for _, p in graph.parent_sets(i)) for i, name in enumerate(graph.names)}
    assert largest["dysp"] == 1
    assert max(largest.values()) == 2
    data = write(tmp_path, "a;b;c\n0.5;x;1\n1.5;;1\n2.5;y;2\n")
    assert cli("score", data, "-o", out, "--discretize", "a=mean", "--missing", "drop", "--delimiter", ";")[0] == 0
    assert sabna.read_parent_graph(out).rows == 2
    assert cli("score", data, "-o", out, "--categorical", "V1", "--missing", "category", "--no-header")[0] == 0
    assert sabna.read_parent_graph(out).names == ("V1", "V2", "V3")


ODD = {
    "one row": "a,b\n0,1\n",
    "one column": "a\n0\n1\n0\n",
    "one row and one column": "a\n0\n",
    "constant": "a,b\n0,1\n0,0\n0,1\n",
    "all constant": "a,b\n0,1\n0,1\n",
    "duplicate columns": "a,b\n0,0\n1,1\n0,0\n1,1\n",
    "overflowing product of arities": ",".join(f"x{i}" for i in range(40))
    + "\n"
    + "".join(",".join(str((r * (i + 1)) % 60) for i in range(40)) + "\n" for r in range(60)),
    "names from hell": '<script>alert(1)</script>,"a ""b"" c","x,y;z",ünïcode,META,"new\tline",=1+1,variable {\n'
    + "".join(f"{r % 2},{r % 3},{r // 2 % 2},0,1,{r % 5},{r % 2},{r // 3 % 2}\n" for r in range(30)),
}


@pytest.mark.parametrize("suffix", ["jkl", "pss", "pg"])
@pytest.mark.parametrize("case", ODD)
@pytest.mark.filterwarnings("ignore::sabna.base.errors.DataWarning")
def test_odd_but_legal(cli: Cli, tmp_path: Path, case: str, suffix: str) -> None:
    out = tmp_path / f"g.{suffix}"
    code, document, _ = cli("score", write(tmp_path, ODD[case]), "-o", out)
    assert code == 0
    names = sabna.read_table(tmp_path / "t.csv").names
    graph = sabna.read_parent_graph(out)
    assert graph.names == names
    assert document["parent_graph"]["sets"] == len(graph) >= graph.n
    content = out.read_bytes()
    graph.save(out)
    assert out.read_bytes() == content


def test_constant_columns_are_noted_once(cli: Cli, tmp_path: Path) -> None:
    _, _, err = cli("score", write(tmp_path, ODD["constant"]), "-o", tmp_path / "g.pg")
    assert err.count("constant column") == 1


# Where the remedy is an option, the command names it as it is typed.
AS_TYPED = {
    "missing": r"columns 'a' \(2\), 'b' \(2\), first in row 1; use --missing drop",
    "many values": r"column 'n' looks continuous \(65 distinct values, more than 64\).*--categorical n",
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_tables_exit_with_3(cli: Cli, tmp_path: Path, case: str) -> None:
    content, message = REFUSED[case]
    message = AS_TYPED.get(case, message)
    code, document, err = cli("score", write(tmp_path, content), "-o", tmp_path / "g.pg")
    assert code == 3
    assert (document["status"], document["code"]) == ("error", 3)
    assert re.search(message, document["message"])
    assert document["message"] in err
    assert os.listdir(tmp_path) == ["t.csv"]


def test_tables_that_are_not_there_exit_with_3(cli: Cli, tmp_path: Path) -> None:
    for source in (tmp_path, tmp_path / "none.csv"):
        code, document, _ = cli("score", source, "-o", tmp_path / "g.pg")
        assert code == 3
        assert str(source) in document["message"]


@pytest.mark.parametrize("case", JKL)
def test_broken_score_files_exit_with_4(cli: Cli, tmp_path: Path, case: str) -> None:
    content, message = JKL[case]
    code, document, _ = cli("convert", write(tmp_path, content, "g.jkl"), tmp_path / "g.pg")
    assert code == document["code"] == 4
    assert re.search(message, document["message"])
    assert os.listdir(tmp_path) == ["g.jkl"]


def test_other_broken_score_files_exit_with_4(cli: Cli, tmp_path: Path) -> None:
    content = pg_bytes(tmp_path)
    flipped = bytearray(content)
    flipped[100] ^= 4
    for name, broken in (("a.pg", content[:-40]), ("b.pg", bytes(flipped)), ("c.pss", PSS["self parent"][0])):
        code, document, _ = cli("convert", write(tmp_path, broken, name), tmp_path / "out.jkl")
        assert code == document["code"] == 4
        assert name in document["message"]
    for source in (tmp_path / "none.jkl", tmp_path / "none.pg"):
        assert cli("convert", source, tmp_path / "out.jkl")[0] == 4
    assert not (tmp_path / "out.jkl").exists()


def test_wrong_usage_exits_with_2_before_any_work(cli: Cli, tmp_path: Path) -> None:
    for arguments in (
        ["score", "example:asia", "-o", tmp_path / "g.txt"],
        ["score", "example:asia"],
        ["score", "example:africa", "-o", tmp_path / "g.pg"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--score", "bid"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--max-parents", "two"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--max-parents", "nobody=2"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--jobs", "0"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--missing", "guess"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--discretize", "median"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--memory-limit", "much"],
        ["score", "example:asia", "-o", tmp_path / "g.pg", "--no-such-option"],
        ["convert", tmp_path / "none.txt", tmp_path / "g.pg"],
        ["no-such-command"],
    ):
        code, document, _ = cli(*arguments)
        assert (code, document["status"], document["code"]) == (2, "error", 2)
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_written_exit_with_6(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "folder.pg").mkdir()
    (tmp_path / "file").write_text("")
    places = [tmp_path / "none" / "g.pg", tmp_path / "folder.pg", tmp_path / "file" / "g.pg", Path("/proc/g.pg")]
    if Path("/dev/full").exists():
        (tmp_path / "full.pg").symlink_to("/dev/full")
        places.append(tmp_path / "full.pg")
    before = sorted(os.listdir(tmp_path))
    for place in places:
        code, document, _ = cli("score", "example:asia", "-o", place)
        assert code == document["code"] == 6
        assert f"{place}: could not be written: " in document["message"]
    assert sorted(os.listdir(tmp_path)) == before


def test_a_limit_exits_with_10_and_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    for options, status in ((["--time-limit", 0], "time_limit"), (["--memory-limit", "1MB"], "memory_limit")):
        code, document, _ = cli("score", "example:greenhouse", "-o", tmp_path / "g.pg", *options)
        assert (code, document["code"], document["status"]) == (10, 10, status)
        if status == "time_limit":
            assert "evaluated" in document["parent_graph"]
        else:  # less than the program itself takes
            assert "takes about" in document["message"]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("stop", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_says_so(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: signal.Signals, expected: int
) -> None:
    """typer turns a KeyboardInterrupt into an exit of its own, without a word and with the code of Ctrl-C."""
    from sabna.cli.signals import Signals, signals

    def build(*_: object, **__: object) -> None:
        signal.raise_signal(stop)

    # A shell starts what it runs in the background with SIGINT ignored, tests too.
    before = {number: signal.signal(number, signals.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr("sabna.parents.build.build_parent_graph", build)
    monkeypatch.setattr(signals, "__dict__", Signals().__dict__)
    try:
        code, document, err = cli("score", "example:asia", "-o", tmp_path / "g.pg")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert code == document["code"] == expected
    assert "stopped before the result was complete" in err
    assert os.listdir(tmp_path) == []


def test_convert_between_all_formats(cli: Cli, tmp_path: Path) -> None:
    first = tmp_path / "a.pg"
    cli("score", "example:greenhouse", "-o", first)
    for path in ("a.jkl", "b.pss", "c.pg", "d.pss"):
        code, document, _ = cli("convert", first, tmp_path / path)
        assert code == 0
        first = tmp_path / path
    assert document["parent_graph"]["sets"] == len(sabna.read_parent_graph(tmp_path / "a.pg"))
    assert (tmp_path / "b.pss").read_text().count("VAR ") == 17


def test_examples_are_listed(cli: Cli) -> None:
    code, document, _ = cli("examples")
    assert code == 0
    assert {"asia", "greenhouse"} <= {example["name"] for example in document["examples"]}


def test_the_installed_command(tmp_path: Path) -> None:
    """As users call it: one JSON object on standard output, messages on standard error, no traceback."""
    command = [sys.executable, "-c", "from sabna.cli import main; main()"]
    good = subprocess.run(
        [*command, "score", "example:asia", "-o", "g.pg", "--json"], cwd=tmp_path, capture_output=True
    )
    assert good.returncode == 0
    assert json.loads(good.stdout)["status"] == "done"
    bad = subprocess.run([*command, "score", "none.csv", "-o", "g.pg", "--json"], cwd=tmp_path, capture_output=True)
    assert bad.returncode == 3
    assert json.loads(bad.stdout)["code"] == 3
    assert b"Traceback" not in bad.stderr
    assert bad.stderr.startswith(b"sabna: none.csv: cannot be read")
