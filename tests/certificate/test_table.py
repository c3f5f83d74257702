"""Protects from scores and lists that are taken on trust: the checker's own scorer, against the table."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shlex
import struct
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.certificate.checker import check_scores as checker
from sabna.cli.app import run
from sabna.examples import example_path
from sabna.parents.graph import ParentGraph
from tests.repeats import first_of


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "data.csv"
    lines = example_path("asia").read_text().splitlines()
    file.write_text("\n".join(lines[:201]) + "\n")
    return file


def checked(graph: ParentGraph, table: Path, score: str | None = None, *more: str) -> tuple[int, str]:
    file, proof = table.with_name("graph.pg"), table.with_name("proof.cert")
    graph.save(file)
    sabna.search(graph, certificate=proof, n_jobs=1)
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        given = [] if score is None else ["--score", score]
        code = checker.main([str(proof), str(file), "--data", str(table), *given, *more])
    return code, told.getvalue()


@pytest.mark.parametrize(
    ("score", "more"), [("bic", {}), ("aic", {}), ("k2", {}), ("bdeu", {"equivalent_sample_size": 2.5})]
)
def test_scores_are_recomputed_and_lists_are_complete(table: Path, score: str, more: dict[str, float]) -> None:
    graph = sabna.build_parent_graph(table, score, n_jobs=1, **more)
    size = ["--equivalent-sample-size", "2.5"] if more else []
    code, words = checked(graph, table, score, *size)
    assert code == 0, words
    assert f"all listed sets, are those of the table under {score}" in words
    assert "the lists are complete" in words
    assert "Note:" not in words


def test_a_cost_that_is_wrong_is_found(table: Path) -> None:
    graph = sabna.build_parent_graph(table, n_jobs=1)
    costs = graph.costs.copy()
    costs[graph.offsets[3] - 1] += 1000
    code, words = checked(replace(graph, costs=costs), table, "bic")
    assert code == 1
    assert "off by 1000 quanta" in words


def test_a_useful_set_that_is_missing_is_found(table: Path) -> None:
    graph = sabna.build_parent_graph(table, n_jobs=1)
    i = int(np.argmax(np.diff(graph.offsets)))
    keep = np.ones(len(graph), bool)
    keep[graph.offsets[i]] = False
    offsets = graph.offsets.copy()
    offsets[i + 1 :] -= 1
    code, words = checked(replace(graph, offsets=offsets, costs=graph.costs[keep], sets=graph.sets[keep]), table, "bic")
    assert code == 1
    assert "a useful parent set is missing" in words


def test_another_score_is_refused_and_what_is_left_open_is_said(table: Path) -> None:
    graph = sabna.build_parent_graph(table, n_jobs=1)
    assert checked(graph, table, "aic")[0] == 1
    code, words = checked(graph, table, "bic", "--sample", "3", "--effort", "5")
    assert code == 0
    assert "Not checked: the costs of the other listed sets" in words
    assert "Not checked: that the lists are complete" in words


def test_what_the_scorer_cannot_compute_is_not_checked_rather_than_refused(table: Path) -> None:
    """A score that it does not know, and a table with holes, used to end as if the certificate were wrong."""
    graph = sabna.build_parent_graph(table, n_jobs=1)
    for score in ("bge", "bcg", "qnml"):
        code, words = checked(graph, table, score)
        assert code == 2
        assert "Checked: no network made of" in words, "the proof itself is checked all the same"
        assert f"NOT CHECKED: the table: the score '{score}' cannot be computed here" in words
        assert "ACCEPTED" not in words
    table.write_text(table.read_text().replace("yes", "", 1))
    code, words = checked(graph, table, "bic")
    assert code == 2
    assert "has missing values" in words


def test_the_score_is_the_one_that_the_graph_names(table: Path) -> None:
    graph = sabna.build_parent_graph(table, "bdeu", equivalent_sample_size=3, n_jobs=1)
    code, words = checked(graph, table)
    assert code == 0, words
    assert "those of the table under bdeu" in words


def test_the_command_checks_and_the_result_says_so(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, proof, result = (str(table.with_name(name)) for name in ("g.pg", "p.cert", "r.json"))
    assert run(["score", str(table), "-o", graph, "-q"]) == 0
    assert run(["learn", str(table), "--certificate", proof, "-o", result, "-q"]) == 0
    told = str(sabna.read_result(result))
    assert "checked: no; to check it: " in told
    monkeypatch.chdir(table.parent)
    for command in re.findall(r"`sabna (.*?)`", told):  # what it says leads there
        assert run(shlex.split(command)) == 0
    assert "ACCEPTED" in capsys.readouterr().out
    assert run(["check", proof, graph, "--data", str(table), "--explain", "--result", result]) == 0
    assert "ACCEPTED" in capsys.readouterr().out
    again = sabna.read_result(result)
    assert "checked: yes" in str(again)
    page = table.with_name("r.html")
    again.save(page)
    assert "checked: yes; to repeat that: `sabna score " in page.read_text()
    searched, network = sabna.search(graph, certificate=proof), table.with_name("s.json")
    searched.save(network)
    assert run(["search", graph, "--certificate", proof, "-o", str(network), "-q"]) == 0
    assert f"`sabna check {proof} {graph}`" in str(sabna.read_result(network))
    assert run(["check", proof, str(table)]) == 2
    other = str(table.with_name("other.pg"))
    assert run(["score", "example:asia", "-o", other, "-q"]) == 0
    assert run(["check", proof, other, "--json"]) == 1
    assert '"refused"' in capsys.readouterr().out


def test_a_mistake_in_the_command_is_not_told_of_the_proof(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once `--sample -1` refused a right proof, `--score` without a table was passed over, and an unreadable result \
    made two objects of --json."""
    graph, proof = (str(table.with_name(name)) for name in ("g.pg", "p.cert"))
    assert run(["score", str(table), "-o", graph, "-q"]) == 0
    assert run(["search", graph, "--certificate", proof, "-q"]) == 0
    for wrong in (["--sample", "-1"], ["--sample", "0"], ["--effort", "-5"], ["--max-parents", "-1"]):
        assert run(["check", proof, graph, "--data", str(table), *wrong]) == 2
        assert f"Invalid value for '{wrong[0]}'" in capsys.readouterr().err
    for alone in (["--score", "bdeu"], ["--sample", "3"], ["--effort", "5"], ["--max-parents", "2"]):
        assert run(["check", proof, graph, *alone]) == 2
        assert f"{alone[0]}: it belongs to --data" in capsys.readouterr().err
    assert run(["check", proof, graph, "--result", "none.json", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["status"] == "error"


@pytest.mark.parametrize(
    "change", first_of([{"parameters": {"equivalent_sample_size": "x"}}, {"score": ["bic"]}, {"parameters": [1]}], 1)
)
def test_a_header_that_makes_no_sense_is_no_crash(table: Path, change: dict[str, object]) -> None:
    """What a .pg file says of its scores may be anything that JSON can say."""
    assert checked(sabna.build_parent_graph(table, "bdeu", n_jobs=1), table)[0] == 0
    file = table.with_name("graph.pg")
    data = file.read_bytes()
    end = 16 + struct.unpack("<I", data[12:16])[0]
    header = json.dumps({**json.loads(data[16:end]), **change}).encode()
    head = data[:12] + struct.pack("<I", len(header)) + header
    body = head + bytes(-len(head) % 64) + data[-(-end // 64) * 64 : -32]
    file.write_bytes(body + hashlib.sha256(body).digest())
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = checker.main([str(table.with_name("proof.cert")), str(file), "--data", str(table)])
    assert code == 2, told.getvalue()
    assert "makes no sense" in told.getvalue()


def test_a_value_longer_than_csv_allows_is_no_crash(table: Path) -> None:
    graph = sabna.build_parent_graph(table, n_jobs=1)
    lines = table.read_text().splitlines()
    lines[1] = "y" * 200_000 + lines[1][lines[1].index(",") :]
    table.write_text("\n".join(lines) + "\n")
    code, words = checked(graph, table)
    assert code == 2
    assert "NOT CHECKED: the table: " in words
