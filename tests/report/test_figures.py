"""Figures: what they show is what the result says, text is text, and the same result gives the same file."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import sabna
from sabna import Network
from sabna.base.errors import UsageError
from sabna.cli.app import run
from sabna.network.drawing import widths
from sabna.report.plotting import caption
from tests.repeats import first_of

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def asia() -> Any:
    return sabna.learn("example:asia")


def test_the_svg_has_text_width_dash_and_caption(asia: Any, tmp_path: Path) -> None:
    asia.save(tmp_path / "x.svg")
    tree = ElementTree.parse(tmp_path / "x.svg")
    space = "{http://www.w3.org/2000/svg}"
    assert [t.text for t in tree.iter(f"{space}text")] == list(asia.network.variables)
    assert next(tree.iter(f"{space}metadata")).text == caption(asia)
    assert "proven optimal" in caption(asia)
    wide = widths(asia.network, {(a.parent, a.child): a.removal for a in asia.arcs})
    drawn = {}
    for path in tree.iter(f"{space}path"):
        if "edge" in path.get("class", ""):
            ends = tuple(asia.network.variables[int(path.get(key, ""))] for key in ("data-from", "data-to"))
            drawn[ends] = float(path.get("stroke-width", "0"))
            assert ("reversible" in path.get("class", "")) == (ends not in asia.cpdag().compelled)
    assert drawn == wide


@pytest.mark.parametrize("suffix", first_of([".pdf", ".png"], 1))
def test_figures_are_the_same_every_time(asia: Any, suffix: str, tmp_path: Path) -> None:
    one, two = tmp_path / f"1{suffix}", tmp_path / f"2{suffix}"
    asia.save(one)
    asia.save(two)
    assert one.read_bytes() == two.read_bytes()
    if suffix == ".pdf":
        assert b"/FontFile2" in one.read_bytes()  # a font, not outlines
        assert b"/Title" in one.read_bytes()


def test_the_command_writes_figures(tmp_path: Path) -> None:
    for name in ("x.svg", "x.pdf", "x.png"):
        assert run(["learn", "example:asia", "-o", str(tmp_path / name), "-q"]) == 0
        assert (tmp_path / name).stat().st_size > 1000


def test_the_axes_given_are_drawn_on(asia: Any) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2)
    assert asia.plot(axes[0]) is axes[0]
    assert {t.get_text() for t in axes[0].texts} == set(asia.network.variables)
    boxes_and_edges = len(asia.network.variables) + 2 * len(asia.network.edges)
    assert len(axes[0].patches) == boxes_and_edges
    assert asia.plot_gap(axes[1]) is axes[1]
    assert axes[1].get_lines()[0].get_ydata()[-1] == pytest.approx(0.0)  # the best score found in the end
    assert axes[1].get_lines()[1].get_ydata()[-1] == pytest.approx(asia.upper_bound - asia.lower_bound)
    assert f"{asia.score:,.1f}" in axes[1].get_ylabel()
    plt.close(figure)


def test_nothing_of_a_figure_is_cut_off(asia: Any) -> None:
    """Once the legend of a comparison stood above the figure, and the label of the bounds was longer than its axis."""
    import matplotlib.pyplot as plt

    lost = sabna.Network(asia.network.variables, {})
    for axes in (asia.plot_comparison(lost), asia.plot_gap()):
        figure = axes.figure
        figure.canvas.draw()
        words = [*axes.get_legend().get_texts(), axes.yaxis.label, *axes.texts]
        for text in words:
            box = text.get_window_extent()
            assert not text.get_text() or (box.x0 >= 0 and box.y0 >= 0)
            assert not text.get_text() or (box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1), text.get_text()
        plt.close(figure)


def test_confidence_stands_on_the_edges(asia: Any) -> None:
    import matplotlib.pyplot as plt

    found = sabna.bootstrap("example:asia", 5, seed=1)
    axes = found.plot(kind="graph")
    numbers = [t.get_text() for t in axes.texts if t.get_text() not in asia.network.variables]
    assert numbers
    assert all(50 <= int(number) <= 100 for number in numbers)
    plt.close(axes.figure)


def test_what_is_no_network_is_not_compared(asia: Any) -> None:
    for call in (asia.plot_comparison, asia.compare, asia.network.compare):
        with pytest.raises(UsageError, match="network"):
            call("x")
    with pytest.raises(sabna.base.errors.DataError, match="no bootstrap"):
        asia.with_bootstrap("x")


def test_a_dollar_in_a_name_is_no_formula(tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    axes = sabna.learn({"$x_$": [0, 1] * 20, "b$": [0, 1] * 20}).plot()
    axes.figure.savefig(tmp_path / "x.png")
    plt.close(axes.figure)


def test_two_networks_in_one_drawing(asia: Any) -> None:
    """Every kind of difference, edges that would close a cycle included."""
    import matplotlib.pyplot as plt

    from sabna.report.figures import BLUE, GREEN, GREY, VERMILION, draw_comparison

    one = Network("abcd", {"b": "a", "c": "b", "d": "c"})
    two = Network("abcd", {"b": "ad", "d": "c"})
    axes = draw_comparison(one, two)
    colours = [matplotlib.colors.to_hex(p.get_edgecolor()) for p in axes.patches[: 2 * 4 : 2]]
    assert sorted(colours) == sorted([GREY, GREY, VERMILION, BLUE])  # a-b and c-d, b-c, d-b against the layout
    turned = draw_comparison(one, Network("abcd", {"b": "ac", "d": "c"}))
    assert GREEN in [matplotlib.colors.to_hex(p.get_edgecolor()) for p in turned.patches]
    with pytest.raises(UsageError, match="same variables"):
        asia.plot_comparison(one)
    plt.close("all")


def test_frequencies_as_a_matrix_and_on_the_graph() -> None:
    import matplotlib.pyplot as plt

    found = sabna.bootstrap("example:asia", 8)
    matrix = found.plot().images[0].get_array()
    for (parent, child), share in found.edges.items():
        assert matrix[found.names.index(parent), found.names.index(child)] == share
    links = sum(f >= 0.5 for f in found.links.values())
    axes = found.plot(kind="graph")
    assert len(axes.patches) <= len(found.names) + 2 * links
    assert sabna.kbest("example:asia", 3).plot().images
    with pytest.raises(UsageError, match="matrix or graph"):
        found.plot(kind="cake")
    plt.close("all")


def test_without_matplotlib_the_svg_is_written_and_the_rest_says_what_to_install(
    asia: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once a ModuleNotFoundError of `result.plot()`, where other parts of matplotlib were asked for first."""
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.patches", "matplotlib.path", "matplotlib.lines"):
        monkeypatch.setitem(sys.modules, name, None)
    asia.save(tmp_path / "x.svg")
    found = sabna.bootstrap("example:asia", 2)
    graph = lambda: found.plot(kind="graph")  # noqa: E731
    for call in (lambda: asia.save(tmp_path / "x.pdf"), asia.plot, asia.plot_gap, found.plot, graph):
        with pytest.raises(UsageError, match=re.escape("pip install 'sabna[plot]'")):
            call()


def test_dashes_of_a_wide_edge_were_longer_than_the_edge(asia: Any) -> None:
    """Matplotlib multiplies dashes by the width; in the SVG they are of one length."""
    from matplotlib.patches import PathPatch

    for scales in (True, False):
        with matplotlib.rc_context({"lines.scale_dashes": scales}):
            edges = [p for p in asia.plot().patches if isinstance(p, PathPatch) and p.get_linestyle() != "solid"]
        drawn = {tuple(round(x, 6) for x in p._dash_pattern[1]) for p in edges if p._dash_pattern[1]}
        assert len(drawn) == 1
        assert len({p.get_linewidth() for p in edges}) > 1
