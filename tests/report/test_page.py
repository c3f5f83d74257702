"""The report as text: escaped, self-contained, well-formed, small. What a browser makes of it: test_browser.py."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import xml.dom.minidom
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

import sabna
from sabna import Network, Result
from sabna.base.errors import DataError
from sabna.network.drawing import standalone_svg
from sabna.network.layout import layered_layout
from sabna.report.page import render_page
from tests.network.networks import NETWORKS, asia, hell, large, random_dag, with_random_tables
from tests.report.results import made_up_result

VOID = {"input", "meta", "br"}


class Page(HTMLParser):
    """Checks that tags nest, and collects scripts, styles and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert "style" not in values, "the policy forbids style attributes"
        assert not any(name.startswith("on") for name in values)
        for name in ("src", "href", "action"):
            assert (values.get(name) or "#").startswith("#"), values
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"] or ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.text.setdefault(self.open[-1], []).append(data)


@pytest.mark.parametrize("make", NETWORKS.values(), ids=list(NETWORKS))
def test_the_page_holds_together(make: object) -> None:
    html = render_page(made_up_result(make()))  # type: ignore[operator]
    page = Page()
    page.feed(html)
    assert page.open == []
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256("".join(page.text[tag]).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in page.policy
    assert "default-src 'none'" in page.policy
    assert len(re.findall("<script", html)) == 1
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert "https://" not in html


def test_names_are_shown_and_not_run() -> None:
    html = render_page(made_up_result(hell()))
    assert "<script>alert(1)</script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_forty_variables_stay_below_two_megabytes() -> None:
    names = [f"V{k}" for k in range(40)]
    states = {v: [f"state {j}" for j in range(6)] for v in names}
    network = with_random_tables(names, random_dag(40, seed=1, max_parents=4), states)
    result = made_up_result(network)
    assert any(len(table.ravel()) > 6**4 for table in result.network.tables.values())  # type: ignore[union-attr]
    assert len(render_page(result).encode()) < 2_000_000


def test_a_result_without_details_makes_a_page_too() -> None:
    for network in (Network("AB", {"B": "A"}), Network("AB", {}), Network([], {})):
        html = render_page(Result(network, "time_limit", 5 << 30, 4 << 30))
        page = Page()
        page.feed(html)
        assert "Stopped at the time limit" in html


@pytest.mark.parametrize("graphviz", [True, False])
@pytest.mark.parametrize("make", NETWORKS.values(), ids=list(NETWORKS))
def test_boxes_do_not_overlap_and_parents_stand_above(make: object, graphviz: bool) -> None:
    network = make()  # type: ignore[operator]
    layout = layered_layout(network, graphviz)
    boxes = list(layout.boxes.values())
    assert set(layout.curves) == set(network.edges)
    for k, a in enumerate(boxes):
        assert a.width / 2 <= a.x <= layout.width - a.width / 2
        assert a.height / 2 <= a.y <= layout.height - a.height / 2
        for b in boxes[k + 1 :]:
            assert abs(a.x - b.x) >= (a.width + b.width) / 2 - 1 or abs(a.y - b.y) >= (a.height + b.height) / 2 - 1
    for parent, child in network.edges:
        assert layout.boxes[parent].y < layout.boxes[child].y


@pytest.mark.parametrize("graphviz", [True, False])
def test_the_drawing_is_the_same_every_time(graphviz: bool) -> None:
    assert layered_layout(large(), graphviz) == layered_layout(large(), graphviz)


def test_the_drawing_is_well_formed_xml() -> None:
    for make in NETWORKS.values():
        xml.dom.minidom.parseString(standalone_svg(make()))
    xml.dom.minidom.parseString(standalone_svg(Network(["a\x00b\x1b", "\ufffe"], {})).encode("utf-8"))


def test_the_title_is_the_name_of_the_file_not_the_path_of_a_server() -> None:
    result = made_up_result(asia())
    html = render_page(replace(result, run={**result.run, "source": "/srv/home/someone/secret/data.csv"}))
    assert "<h1>Bayesian network of data.csv</h1>" in html


def bootstrapped() -> Any:
    edges = [{"parent": p, "child": c, "strength": 0.8, "direction": 0.6} for p, c in asia().edges[1:]]
    return {"replicates": 50, "n": 8, "edges": edges, "links": []}


def test_strengths_and_confidence_are_in_the_drawing() -> None:
    result = made_up_result(asia()).with_bootstrap(bootstrapped())
    html = render_page(result)
    widths = [float(width) for width in re.findall(r'data-to="\d+" d=[^>]* stroke-width="([0-9.]+)"', html)]
    assert len(widths) == len(asia().edges)
    strongest = max(result.arcs or (), key=lambda arc: arc.removal_quanta)
    edges = [(arc.parent, arc.child) for arc in result.arcs or ()]
    assert max(widths) == 4.5
    drawn = re.findall(r'<path class="edge \w+" data-from="(\d+)" data-to="(\d+)"[^>]*stroke-width="4.5"', html)
    names = asia().variables
    assert [(names[int(a)], names[int(b)]) for a, b in drawn] == [(strongest.parent, strongest.child)]
    labels = re.findall(r'<text class="label"[^>]*>(\d+)</text>', html)
    assert sorted(labels, key=int) == ["0", *["80"] * (len(edges) - 1)], "an edge that no replicate has counts 0"
    assert "of 50 bootstrap replicates" in html
    assert html.count(">80%</td>") == len(edges) - 1
    assert read_result_again(result).statistics["bootstrap"] == result.statistics["bootstrap"]
    assert 'class="label"' not in render_page(made_up_result(asia()))


def read_result_again(result: Result) -> Result:
    return Result.from_dict(json.loads(json.dumps(result.to_dict())))


def test_a_bootstrap_of_something_else_is_refused() -> None:
    with pytest.raises(DataError, match="no bootstrap"):
        made_up_result(asia()).with_bootstrap({"edges": 5})
    with pytest.raises(DataError, match="other variables"):
        made_up_result(asia()).with_bootstrap({**bootstrapped(), "n": 9})


def test_the_legend_says_what_a_score_can_tell() -> None:
    """Under k2 equivalent networks score differently, and the page said that the data cannot tell the direction."""
    result = made_up_result(asia())
    assert "the data cannot tell the direction" in render_page(result)
    for score in ("k2", "fnml", "pnal"):
        html = render_page(replace(result, score_type=score))
        assert "the data cannot tell the direction" not in html
        assert "no score-equivalent score" in html


def test_an_edge_that_cannot_be_turned_says_why() -> None:
    """Once every edge without a reversal was said to close a cycle."""
    table = sabna.read_mixed([["a", 0.1], ["b", 1.5], ["a", 0.2], ["b", 1.4]] * 20)
    mixed = sabna.learn(table, "bcg")
    assert mixed.network.edges == (("V1", "V2"),)
    html = render_page(mixed)
    assert ">not possible</td>" in html
    assert ">cycle</td>" not in html
    rows = {"a": [0, 1] * 60, "b": [0, 1, 1, 1] * 30, "c": [0, 1, 0, 1] * 30}
    chain = Network("abc", {"b": "a", "c": "ab"}).fit(rows)
    assert ">cycle</td>" in render_page(made_up_result(chain))
