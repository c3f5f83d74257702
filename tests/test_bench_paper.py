"""The benchmark of the paper: its tables, its file of runs, its picture. The runs themselves are faked."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from sabna.base.errors import DataError, SabnaError, UsageError
from sabna.bench import paper
from sabna.bench.paper_tables import plot, tables


def fake(arguments: list[str], ok: Any = ()) -> tuple[dict[str, Any], float]:
    if arguments[0] == "score":
        return {"n": 26, "rows": 159, "parent_graph": {"sets": 2391, "seconds": 0.04}}, 0.1
    stopped = "bfs" in arguments
    search = {"seconds": 75.0, "stored": 1843832, "generated": 22_000_000, "bytes_per_node": 22.1}
    return {
        "status": "memory_limit" if stopped else "optimal",
        "search": search,
        "peak_memory_bytes": 120_000_000,
        "cost": 1585.76,
        "lower_bound": 1585.76,
    }, 4.0


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[dict[str, Any], list[paper.Measurement]]:
    monkeypatch.setattr(paper, "run_command", fake)
    (tmp_path / "lit").mkdir()
    (tmp_path / "lit/autos.csv").touch()
    return paper.run_paper(tmp_path, ["autos"], None, 60.0, "1GB", lambda _: None)


def test_the_four_tables_have_our_figures_beside_the_papers(measured: Any) -> None:
    text = tables(*measured)
    assert "| Autos   | 26 | 159 | 2,391" in text
    runtime = next(line for line in text.splitlines() if "1m15s" in line)
    assert [cell.strip() for cell in runtime.strip("|").split("|")] == [
        *("Autos", "M", "3m54s", "1m15s", "37s", "1m15s", "1m15s", "13s", "1m15s")
    ]
    assert "1.84 (M)" in text
    assert "0.12" in text


def test_runs_as_csv_and_picture(measured: Any, tmp_path: Path) -> None:
    paper.write_csv(tmp_path / "runs.csv", measured[1])
    rows = list(csv.DictReader((tmp_path / "runs.csv").open()))
    assert [row["method"] for row in rows] == [method.name for method in paper.METHODS]
    assert rows[0]["mark"] == "M"
    plot(tmp_path / "runs.svg", measured[1])
    assert "<svg" in (tmp_path / "runs.svg").read_text()
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        plot(tmp_path / "runs.gif", measured[1])


def test_a_run_that_fails_does_not_lose_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def sometimes(arguments: list[str], ok: Any = ()) -> tuple[dict[str, Any], float]:
        if "pattern" in arguments or (arguments[0] == "score" and "water" in arguments[1]):
            raise SabnaError("exit 1: no luck")
        return fake(arguments, ok)

    monkeypatch.setattr(paper, "run_command", sometimes)
    (tmp_path / "lit").mkdir()
    (tmp_path / "lit/autos.csv").touch()
    (tmp_path / "water.bin.csv").touch()
    heard: list[str] = []
    scored, runs = paper.run_paper(tmp_path, ["autos", "water"], None, 60.0, "1GB", heard.append)
    assert any("no luck" in line for line in heard)
    assert [run.mark for run in runs[:5]] == ["M", "error", "", "", ""]
    text = tables(scored, runs)
    cells = [cell.strip() for cell in next(line for line in text.splitlines() if "1m15s" in line).strip("|").split("|")]
    assert cells == ["Autos", "M", "3m54s", "error", "37s", "1m15s", "1m15s", "13s", "1m15s"]
    paper.write_csv(tmp_path / "runs.csv", runs)
    assert [row["mark"] for row in csv.DictReader((tmp_path / "runs.csv").open())][5:] == ["error"] * 5
    plot(tmp_path / "runs.svg", runs)
    assert "Autos" in (tmp_path / "runs.svg").read_text()


def test_wrong_names_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose from Mushroom, Autos"):
        paper.run_paper(tmp_path, ["Cars"], None, 1.0, "1GB", print)
    with pytest.raises(DataError, match="--data must name the folder"):
        paper.run_paper(tmp_path, ["Autos"], None, 1.0, "1GB", print)
