"""Figures for a paper, by matplotlib (extra `plot`): a network, edge frequencies, two networks compared.

The drawing is that of network/drawing.py: the same layout, compelled edges solid with a full head, reversible ones
dashed with an open one, width by strength. Text stays text in a PDF (fonts are embedded as they are) and scales with
the axes. Colours are those of Okabe and Ito (2008), which people with any colour vision tell apart, and never the only
difference: what they tell, the dash or the width tells too.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna.base.errors import UsageError
from sabna.network import Network
from sabna.network.drawing import DASH, label_places, widths
from sabna.network.layout import Layout, Point
from sabna.network.slices import drawn_layout

if TYPE_CHECKING:
    from sabna.network.equivalence import CPDAG

Edge = tuple[str, str]

# Okabe and Ito.
INK, BLUE, VERMILION, GREEN, GREY = "#12263f", "#0072b2", "#d55e00", "#009e73", "#6f7f92"
BOX, BORDER = "#e8f0fb", "#2f6db3"
# Pixels of the layout in an inch of the figure, and the size of the text in them.
PIXELS = 96.0
TEXT = 13.0
HEAD = 10.0
SOLID = ""
DOTTED = "1 3"


@dataclass(frozen=True)
class Stroke:
    """How an edge is drawn: colour, width in pixels, dashes in pixels (none: solid), and whether its head is full."""

    colour: str = GREY
    width: float = 1.6
    dash: str = SOLID
    full: bool = True
    backwards: bool = False  # against the direction that the layout has it in


def library() -> Any:
    """matplotlib.pyplot, or what to install."""
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise UsageError("figures need matplotlib: pip install 'sabna[plot]'; .svg of a network does without") from None


def axes_for(width: float, height: float, ax: Any) -> Any:
    """The axes given, or new ones on a figure of this size in inches."""
    if ax is not None:
        return ax
    figure = library().figure(figsize=(width, height))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def draw_network(
    network: Network, ax: Any = None, graph: CPDAG | None = None, strengths: Mapping[Edge, float] | None = None
) -> Any:
    """Draw a network on matplotlib axes, new ones if none are given; the axes are returned."""
    compelled = (graph or network.cpdag()).compelled
    wide = widths(network, strengths)
    strokes = {
        edge: Stroke(GREY, wide[edge], SOLID if edge in compelled else DASH, edge in compelled)
        for edge in network.edges
    }
    return draw(drawn_layout(network), strokes, ax)


def draw(
    layout: Layout,
    strokes: Mapping[Edge, Stroke],
    ax: Any = None,
    labels: Mapping[Edge, str] | None = None,
    above: float = 0.0,
) -> Any:
    """Boxes and edges of a layout; `labels` stand on edges, and `above` are pixels left free for a legend."""
    scales_dashes = library().rcParams["lines.scale_dashes"]
    patches, paths = importlib.import_module("matplotlib.patches"), importlib.import_module("matplotlib.path")
    ax = axes_for(layout.width / PIXELS, (layout.height + above) / PIXELS, ax)
    ax.set_xlim(0, layout.width)
    ax.set_ylim(layout.height, -above)
    ax.set_aspect("equal")
    ax.axis("off")
    scale = _scale(ax, layout)
    for edge, points in layout.curves.items():
        stroke = strokes[edge]
        line = points[::-1] if stroke.backwards else points
        codes = [paths.Path.MOVETO] + [paths.Path.CURVE4] * (len(line) - 1)
        width = stroke.width * 0.75 * scale
        # Matplotlib multiplies dashes by the width of the line; on a short wide edge one was left.
        unit = 0.75 * scale / (width if scales_dashes else 1)
        dash = (0, tuple(float(x) * unit for x in stroke.dash.split())) if stroke.dash else "solid"
        ax.add_patch(
            patches.PathPatch(
                paths.Path(_shortened(line), codes),
                facecolor="none",
                edgecolor=stroke.colour,
                linewidth=width,
                linestyle=dash,
            )
        )
        ax.add_patch(
            patches.Polygon(
                _head(line),
                closed=True,
                facecolor=stroke.colour if stroke.full else "white",
                edgecolor=stroke.colour,
                linewidth=scale,
            )
        )
    for edge, (x, y) in label_places(layout, labels or {}).items():
        white = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        words = (labels or {})[edge]
        ax.text(x, y, words, ha="center", va="center", color=INK, fontsize=TEXT * 0.6 * scale, bbox=white)
    for box in layout.boxes.values():
        corner = (box.x - box.width / 2, box.y - box.height / 2)
        style = patches.BoxStyle("Round", pad=0, rounding_size=9)
        ax.add_patch(
            patches.FancyBboxPatch(
                corner, box.width, box.height, boxstyle=style, facecolor=BOX, edgecolor=BORDER, linewidth=scale
            )
        )
        # A name is a name: "$" is no formula here.
        ax.text(
            box.x,
            box.y,
            box.label,
            ha="center",
            va="center",
            color=INK,
            fontsize=TEXT * 0.75 * scale,
            parse_math=False,
        )
    return ax


def _scale(ax: Any, layout: Layout) -> float:
    """How much larger than its natural size the drawing is on these axes."""
    extent, dots = ax.get_window_extent(), ax.figure.dpi
    return float(min(extent.width / dots * PIXELS / layout.width, extent.height / dots * PIXELS / layout.height))


def _direction(points: tuple[Point, ...]) -> tuple[float, float]:
    (x, y), others = points[-1], points[-2::-1]
    for ox, oy in others:
        length = math.hypot(x - ox, y - oy)
        if length > 1e-6:
            return (x - ox) / length, (y - oy) / length
    return 0.0, 1.0


def _head(points: tuple[Point, ...]) -> list[Point]:
    (x, y), (dx, dy) = points[-1], _direction(points)
    back = x - HEAD * dx, y - HEAD * dy
    side = 0.45 * HEAD
    return [(x, y), (back[0] - side * dy, back[1] + side * dx), (back[0] + side * dy, back[1] - side * dx)]


def _shortened(points: tuple[Point, ...]) -> list[Point]:
    """The curve, ending where its head begins."""
    (x, y), (dx, dy) = points[-1], _direction(points)
    return [*points[:-1], (x - 0.8 * HEAD * dx, y - 0.8 * HEAD * dy)]


# --- frequencies of edges --------------------------------------------------------------------------------------------


def draw_matrix(names: tuple[str, ...], frequencies: Mapping[Edge, float], ax: Any = None, title: str = "") -> Any:
    """Frequencies of edges as a matrix: the row is the parent, the column the child."""
    size = max(3.2, 0.28 * len(names) + 1.6)
    if ax is None:
        _, ax = library().subplots(figsize=(size + 0.6, size), layout="constrained")
    place = {name: k for k, name in enumerate(names)}
    matrix = np.full((len(names), len(names)), np.nan)
    matrix[~np.eye(len(names), dtype=bool)] = 0.0
    for (parent, child), share in frequencies.items():
        matrix[place[parent], place[child]] = share
    shades = importlib.import_module("matplotlib").colormaps["Blues"].with_extremes(bad="#dddddd")  # the diagonal
    image = ax.imshow(np.ma.masked_invalid(matrix), vmin=0, vmax=1, cmap=shades)
    ax.set_xticks(range(len(names)), names, rotation=90, parse_math=False)
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_xlabel("child")
    ax.set_ylabel("parent")
    if title:
        ax.set_title(title, parse_math=False)
    ax.figure.colorbar(image, ax=ax, label="frequency")
    return ax


def draw_frequencies(
    names: tuple[str, ...], frequencies: Mapping[Edge, float], ax: Any = None, least: float = 0.5
) -> Any:
    """The edges at least so frequent on a graph, width by frequency; of both directions the more frequent one.

    Numbers on the edges are per cent, of both directions together.
    An edge that is no more frequent one way than the other is dashed. Edges that would close a cycle are left out, the
    least frequent first.
    """
    links = {}
    for (parent, child), share in frequencies.items():
        back = frequencies.get((child, parent), 0.0)
        if share + back >= least and (share > back or (share == back and parent < child)):
            links[parent, child] = (share + back, share > back)
    chosen: dict[str, list[str]] = {name: [] for name in names}
    for (parent, child), _ in sorted(links.items(), key=lambda item: (-item[1][0], item[0])):
        if not _reaches(chosen, child, parent):
            chosen[child].append(parent)
    network = Network(names, chosen)
    strokes = {
        edge: Stroke(GREY, 0.8 + 3.2 * links[edge][0] ** 2, SOLID if links[edge][1] else DASH, links[edge][1])
        for edge in network.edges
    }
    return draw(drawn_layout(network), strokes, ax, {edge: f"{links[edge][0]:.0%}"[:-1] for edge in network.edges})


def _reaches(parents: Mapping[str, list[str]], start: str, end: str) -> bool:
    """Whether a directed way leads from `start` to `end`."""
    waiting, seen = [end], {end}
    while waiting:
        name = waiting.pop()
        if name == start:
            return True
        new = set(parents[name]) - seen
        seen |= new
        waiting += new
    return False


# --- two networks ----------------------------------------------------------------------------------------------------

# Pixels of a line of the legend, and how wide a drawing must be for all four entries in one line.
LEGEND_LINE, LEGEND_WIDTH = 26, 430


def draw_comparison(one: Network, other: Network, ax: Any = None) -> Any:
    """Two networks in one drawing: edges of both, added in the second, lost, and turned round."""
    if set(one.variables) != set(other.variables):
        raise UsageError("two networks are compared over the same variables")
    union = {v: list(parents) for v, parents in one.parents.items()}
    backwards = set()
    for parent, child in other.edges:
        if parent in union[child] or child in union[parent]:
            continue
        if _reaches(union, child, parent):  # the layout needs a graph without cycles
            union[parent].append(child)
            backwards.add((child, parent))
        else:
            union[child].append(parent)
    ours, theirs, strokes = set(one.edges), set(other.edges), {}
    joined = Network(one.variables, union)
    for edge in joined.edges:
        turned = edge[::-1]
        if edge in backwards or (edge not in ours and edge in theirs):
            strokes[edge] = Stroke(BLUE, 3.0, SOLID, True, edge in backwards)
        elif edge in theirs:
            strokes[edge] = Stroke(GREY, 1.6)
        elif turned in theirs:
            strokes[edge] = Stroke(GREEN, 2.2, "9 3 2 3", True, True)
        else:
            strokes[edge] = Stroke(VERMILION, 1.8, DOTTED, False)
    layout = drawn_layout(joined)
    columns = 4 if layout.width > LEGEND_WIDTH else 2
    ax = draw(layout, strokes, ax, above=LEGEND_LINE * 4 / columns)
    lines = importlib.import_module("matplotlib.lines")
    shown = [
        ("in both", GREY, 1.2, "solid"),
        ("added", BLUE, 2.2, "solid"),
        ("lost", VERMILION, 1.4, "dotted"),
        ("turned round", GREEN, 1.6, "dashdot"),
    ]
    handles = [lines.Line2D([], [], color=c, linewidth=w, linestyle=d, label=name) for name, c, w, d in shown]
    ax.legend(handles=handles, loc="upper center", borderaxespad=0.2, ncols=columns, frameon=False, fontsize=8)
    return ax
