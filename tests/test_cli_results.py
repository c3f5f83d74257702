"""The commands around results: report, info, estimate, convert, completion; and what they must not import."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.cli.app import run
from sabna.estimating import estimate, extrapolate
from sabna.table import Table
from tests.network.networks import asia, hell
from tests.report.results import made_up_result


def test_report_of_a_saved_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_up_result(hell()).save(tmp_path / "r.json")
    assert run(["report", str(tmp_path / "r.json")]) == 0
    assert str(tmp_path / "r.html") in capsys.readouterr().out
    assert "<!DOCTYPE html>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert run(["report", str(tmp_path / "r.json"), "-o", str(tmp_path / "r.pdf")]) == 2
    (tmp_path / "x.json").write_text("{}")
    assert run(["report", str(tmp_path / "x.json")]) == 3
    assert run(["report", str(tmp_path / "missing.json")]) == 3


def test_learn_writes_a_report_and_report_makes_the_same(tmp_path: Path) -> None:
    """What the result keeps is all that the page needs; only the output's name differs in the command."""
    for name in ("a.html", "a.json"):
        assert run(["learn", "example:asia", "-q", "-o", str(tmp_path / name)]) == 0
    result = sabna.read_result(tmp_path / "a.json")
    assert result.is_optimal
    assert result.network.is_fitted
    assert result.arcs
    assert sum(result.local_costs.values()) == result.cost_quanta  # type: ignore[union-attr]
    assert len(result.run["data_sha256"]) == 64
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "example:asia" in page
    assert "Proven optimal" in page


def test_info_of_every_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = made_up_result(asia())
    result.save(tmp_path / "r.json")
    result.save(tmp_path / "n.bif")
    result.network.save(tmp_path / "n.json")
    sabna.build_parent_graph("example:asia").save(tmp_path / "g.pg")
    for name, kind in (("r.json", "result"), ("n.bif", "network"), ("n.json", "network"), ("g.pg", "parent graph")):
        assert run(["info", str(tmp_path / name)]) == 0
        assert "8 variables" in capsys.readouterr().out
        assert run(["info", str(tmp_path / name), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert (document["kind"], document["n"]) == (kind, 8)
    assert run(["info", str(tmp_path / "x.docx")]) == 2


def test_convert_of_networks(tmp_path: Path) -> None:
    made_up_result(hell()).save(tmp_path / "r.json")
    steps = ["r.json", "a.bif", "b.net", "c.dsc", "d.xml", "e.graphml", "f.dot"]
    for source, target in pairwise(steps):
        assert run(["convert", str(tmp_path / source), str(tmp_path / target), "--quiet"]) == 0
    assert sabna.read_network(tmp_path / "f.dot") == hell()
    assert run(["convert", str(tmp_path / "f.dot"), str(tmp_path / "g.bif")]) == 2, "no parameters in a .dot file"


def test_estimate_is_exact_for_small_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["estimate", "example:asia", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["exact"]
    assert document["sets"]["low"] == len(sabna.build_parent_graph("example:asia"))
    assert run(["estimate", "example:asia"]) == 0
    assert "sabna learn example:asia --time-limit" in capsys.readouterr().out


def test_estimate_named_a_command_without_the_options_it_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["estimate", "example:asia", "--score", "bdeu", "--max-parents", "2", "--drop", "asia"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    words = shlex.split(line)
    assert words[:5] == ["sabna", "learn", "example:asia", "--score", "bdeu"]
    assert run([*words[1:], "-q"]) == 0


def test_estimate_brackets_what_it_cannot_build() -> None:
    """With next to no time the whole graph is out of reach; the forecast must still be a range with advice."""
    codes = np.random.default_rng(0).integers(0, 2, size=(30, 400)).astype(np.uint16)
    table = Table(tuple(f"V{k}" for k in range(30)), codes, (("0", "1"),) * 30)
    forecast = estimate(table, "bdeu", seconds=0.3)
    assert not forecast.exact
    assert 0 < forecast.sets.low <= forecast.sets.high
    assert forecast.seconds.low <= forecast.seconds.middle <= forecast.seconds.high
    assert {"time_limit", "memory_limit"} <= set(forecast.advice())


def test_growth_between_a_power_and_an_exponential_is_bracketed() -> None:
    sizes = [6, 7, 9, 11, 14, 18]
    low, high = extrapolate(sizes, [size**3.0 for size in sizes], 30)
    assert low <= 30**3 * 1.01
    assert high * 1.01 >= 30**3
    low, high = extrapolate(sizes, [1.3**size for size in sizes], 30)
    assert low <= 1.3**30 <= high * 1.01


def in_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_heavy_libraries_load_when_used() -> None:
    """The start of a command must not wait for libraries that it does not need."""
    loaded = in_python("import sabna, sys; print(*sys.modules)").split()
    assert not {"numpy", "pyarrow", "networkx", "typer", "rich", "jinja2", "highspy", "sklearn"} & set(loaded)
    loaded = in_python("from sabna.cli.app import run; import sys; run(['--help']); print(*sys.modules)").split()
    assert not {"numpy", "pyarrow", "highspy"} & set(loaded)
    loaded = in_python(
        "from sabna.cli.app import run; import sys; run(['learn', 'example:asia', '-q']); print(*sys.modules)"
    ).split()
    assert not {"pandas", "networkx", "jinja2", "sklearn", "matplotlib", "polars"} & set(loaded)


def test_completion_knows_the_commands() -> None:
    command = Path(sys.executable).parent / "sabna"
    asked = {"_SABNA_COMPLETE": "complete_bash", "COMP_WORDS": "sabna es", "COMP_CWORD": "1"}
    done = subprocess.run([command], env=os.environ | asked, capture_output=True, text=True)
    assert done.stdout.split() == ["estimate"]


def test_help_groups_commands_and_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for words in ("Learn", "Look and estimate", "Files and data", "Examples", "sabna learn data.csv"):
        assert words in text


def test_a_result_never_replaces_the_table_it_is_made_from(tmp_path: Path) -> None:
    """An adjacency matrix is a .csv too: `learn data.csv -o data.csv` once destroyed the data."""
    table = tmp_path / "data.csv"
    table.write_text("a,b\n0,1\n1,0\n")
    assert run(["learn", str(table), "-o", str(table), "--quiet"]) == 2
    assert table.read_text() == "a,b\n0,1\n1,0\n"
