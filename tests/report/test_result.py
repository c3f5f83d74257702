"""The result: JSON and back, printed, shown in a notebook, written to files."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sabna
from sabna import Network, Result
from sabna.base.errors import DataError
from sabna.report.page import render_page
from sabna.report.terminal import bar, summary_text
from tests.network.networks import NETWORKS, asia, hell, large
from tests.report.results import made_up_result


@pytest.mark.parametrize("make", NETWORKS.values(), ids=list(NETWORKS))
def test_json_and_back(make: object, tmp_path: Path) -> None:
    result = made_up_result(make())  # type: ignore[operator]
    result.save(tmp_path / "result.json")
    back = sabna.read_result(tmp_path / "result.json")
    assert back.to_dict() == result.to_dict()
    assert back.network == result.network
    assert back.arcs == result.arcs
    assert back.statistics == result.statistics
    assert str(back) == str(result)
    assert sabna.read_network(tmp_path / "result.json") == result.network


def test_the_promised_keys_are_in_the_json() -> None:
    document = made_up_result(asia()).to_dict()
    promised = (
        "status score cost lower_bound upper_bound gap gap_tolerance n rows score_type parents order parent_graph "
        "search seconds peak_memory_bytes version"
    )
    assert set(promised.split()) <= set(document)
    assert json.loads(json.dumps(document)) == document


@pytest.mark.parametrize("document", [[], {}, {"status": "optimal"}, {"status": "done", "parents": {}}])
def test_what_is_no_result_is_told(document: object) -> None:
    with pytest.raises(DataError):
        Result.from_dict(document)


def test_summary_is_short_and_says_what_is_proven() -> None:
    text = summary_text(made_up_result(asia()))
    assert "✓ proven optimal: BIC -" in text
    assert "8 variables, 8 edges, 300 rows" in text
    assert "gap over time" in text
    stopped = summary_text(made_up_result(large(), "time_limit"))
    assert "◐ stopped at the time limit" in stopped
    assert "at most 8 (" in stopped
    assert len(stopped.splitlines()) < 36
    bare = Result(Network("AB", {"B": "A"}), "optimal", 5, 5)
    assert "B ← A" in summary_text(bare)
    assert "no edges" in summary_text(Result(Network("AB", {}), "optimal", 5, 5))
    assert bar(0) == "▏"


def test_copies_without_parents_are_not_called_independent() -> None:
    """Once a network had no edges, because no parent was allowed, and made the variables "independent"."""
    result = sabna.learn({"a": [0, 1] * 20, "b": [0, 1] * 20}, max_parents=0)
    assert "no edges: no network that was considered scores better" in summary_text(result)
    assert "No edges: no network that was considered scores better." in render_page(result)


def test_summary_prints_any_name() -> None:
    import io

    from rich.console import Console

    from sabna.report.terminal import summary

    out = io.StringIO()
    summary(made_up_result(hell()), Console(file=out, width=80))
    assert "<script>" in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 80


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_notebook_view_is_escaped_and_drawn() -> None:
    html = made_up_result(hell())._repr_html_()
    tags = Tags()
    tags.feed(html)
    assert "script" not in tags.seen
    assert "svg" in tags.seen
    assert "proven optimal" in html
    assert "<svg" in asia()._repr_svg_()


def test_results_compare() -> None:
    one, two = made_up_result(asia()), made_up_result(Network("A", {}, {"A": "xy"}, {"A": [0.5, 0.5]}))
    assert one.compare(one).shd == 0
    with pytest.raises(ValueError, match="same variables"):
        one.compare(two)


def test_save_picks_the_format_by_suffix(tmp_path: Path) -> None:
    result = made_up_result(asia())
    for suffix in ("json", "html", "bif", "dot"):
        result.save(tmp_path / f"x.{suffix}")
    assert (tmp_path / "x.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sabna.read_network(tmp_path / "x.bif") == result.network
