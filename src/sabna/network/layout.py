"""Where to draw the variables of a network: in layers, parents above children.

With pygraphviz (extra `layout`) Graphviz does it. Without, the steps are those of Sugiyama, Tagawa and Toda (1981):
networkx gives the layers (topological generations), variables with more children than parents sink towards their
children, long edges get a waypoint on every layer they cross, and the order within the layers is swept up and down by
barycentres as long as crossings vanish. Variables without any edge stand in rows of their own below.

Both end in the same `Layout`, so that whatever draws it need not know. Everything is deterministic.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sabna.network import Network

Point = tuple[float, float]

# Pixels at the natural size of the drawing.
CHARACTER = 7.4
NODE_HEIGHT = 34.0
PADDING = 13.0
LAYER_GAP = 84.0
NODE_GAP = 26.0
WAYPOINT_GAP = 14.0
MARGIN = 18.0
# Longer names are cut in the drawing; the whole name is in the tooltip and the tables.
MAX_LABEL = 24
# Rows of variables without edges are about this wide if the rest is narrower.
ROW_WIDTH = 760.0
SWEEPS = 24


@dataclass(frozen=True)
class Box:
    """A variable: its centre, size and the text in it."""

    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class Layout:
    """Boxes by name, edges as cubic Bézier curves (1 + 3k points), and the size of the whole."""

    boxes: dict[str, Box]
    curves: dict[tuple[str, str], tuple[Point, ...]]
    width: float
    height: float


def label_of(name: str) -> str:
    """A name as drawn: on one line, of bounded length."""
    shown = "".join(c if c.isprintable() else "␣" for c in name) or "(no name)"
    return shown if len(shown) <= MAX_LABEL else shown[: MAX_LABEL - 1] + "…"


def _width(label: str) -> float:
    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in label)
    return max(columns * CHARACTER + 2 * PADDING, 48.0)


def layered_layout(network: Network, graphviz: bool = True) -> Layout:
    """Positions for the drawing of `network`; by Graphviz if it is there and wanted."""
    if graphviz:
        try:
            import pygraphviz
        except ImportError:
            pass
        else:
            return _assemble(network, *_by_graphviz(network, pygraphviz))
    return _assemble(network, *_by_barycentres(network))


def _linked(network: Network) -> list[str]:
    """The variables that have an edge."""
    ends = {v for edge in network.edges for v in edge}
    return [v for v in network.variables if v in ends]


def _assemble(network: Network, centres: dict[str, Point], curves: dict[tuple[str, str], tuple[Point, ...]]) -> Layout:
    """Shift everything to the margin and add the variables without edges below."""
    labels = {v: label_of(v) for v in network.variables}
    widths = {v: _width(labels[v]) for v in network.variables}
    left = min([c[0] - widths[v] / 2 for v, c in centres.items()] + [p[0] for c in curves.values() for p in c] or [0])
    top = min([c[1] - NODE_HEIGHT / 2 for c in centres.values()] or [0.0])
    dx, dy = MARGIN - left, MARGIN - top
    boxes = {v: Box(x + dx, y + dy, widths[v], NODE_HEIGHT, labels[v]) for v, (x, y) in centres.items()}
    moved = {edge: tuple((x + dx, y + dy) for x, y in points) for edge, points in curves.items()}
    right = max([b.x + b.width / 2 for b in boxes.values()] + [x for c in moved.values() for x, _ in c] or [0.0])
    bottom = max([b.y + NODE_HEIGHT / 2 for b in boxes.values()] or [MARGIN - NODE_GAP])
    x, y, row_end = MARGIN, bottom + NODE_GAP + NODE_HEIGHT / 2, max(right, ROW_WIDTH)
    for v in network.variables:
        if v in boxes:
            continue
        if x > MARGIN and x + widths[v] > row_end:
            x, y = MARGIN, y + NODE_HEIGHT + NODE_GAP / 2
        boxes[v] = Box(x + widths[v] / 2, y, widths[v], NODE_HEIGHT, labels[v])
        x += widths[v] + NODE_GAP / 2
        right, bottom = max(right, x - NODE_GAP / 2), y + NODE_HEIGHT / 2
    return Layout({v: boxes[v] for v in network.variables}, moved, right + MARGIN, bottom + MARGIN)


# --- Graphviz ------------------------------------------------------------------------------------------------------


def _by_graphviz(
    network: Network, pygraphviz: Any
) -> tuple[dict[str, Point], dict[tuple[str, str], tuple[Point, ...]]]:
    """The layout of `dot`; names are numbered on the way, so that none can be misread."""
    number = {v: str(k) for k, v in enumerate(network.variables)}
    graph = pygraphviz.AGraph(directed=True, strict=True)
    graph.graph_attr.update(ranksep="0.62", nodesep="0.3")
    for v in _linked(network):
        width = _width(label_of(v)) / 72
        graph.add_node(number[v], label="", shape="box", fixedsize="true", width=width, height=NODE_HEIGHT / 72)
    for parent, child in network.edges:
        graph.add_edge(number[parent], number[child], arrowhead="none")
    if not network.edges:
        return {}, {}
    graph.layout(prog="dot")
    centres = {v: _point(graph.get_node(number[v]).attr["pos"]) for v in _linked(network)}
    curves = {
        (parent, child): tuple(map(_point, graph.get_edge(number[parent], number[child]).attr["pos"].split()))
        for parent, child in network.edges
    }
    return centres, curves


def _point(text: str) -> Point:
    """`x,y` of Graphviz, whose y grows upwards."""
    x, y = text.split(",")[-2:]
    return float(x), -float(y)


# --- layers and barycentres ----------------------------------------------------------------------------------------


def _by_barycentres(network: Network) -> tuple[dict[str, Point], dict[tuple[str, str], tuple[Point, ...]]]:
    layer = _layers(network)
    if not layer:
        return {}, {}
    rows: list[list[Any]] = [[] for _ in range(max(layer.values()) + 1)]
    for v in network.order:
        if v in layer:
            rows[layer[v]].append(v)
    # A chain of cells per edge: the ends and a waypoint (parent, child, layer) on each layer in between.
    chains = {}
    for parent, child in network.edges:
        inner = [(parent, child, k) for k in range(layer[parent] + 1, layer[child])]
        for cell in inner:
            rows[cell[2]].append(cell)
        chains[parent, child] = [parent, *inner, child]
    up: dict[Any, list[Any]] = {cell: [] for row in rows for cell in row}
    down: dict[Any, list[Any]] = {cell: [] for row in rows for cell in row}
    for chain in chains.values():
        for a, b in pairwise(chain):
            down[a].append(b)
            up[b].append(a)
    rows = _ordered(rows, up, down)
    x = _placed(rows, up, down)
    y = {cell: k * LAYER_GAP for k, row in enumerate(rows) for cell in row}
    centres = {v: (x[v], y[v]) for v in layer}
    return centres, {edge: _curve([(x[c], y[c]) for c in chain]) for edge, chain in chains.items()}


def _layers(network: Network) -> dict[str, int]:
    """Topological generations; a variable with more children than parents sinks to just above the nearest child."""
    import networkx as nx

    graph: Any = nx.DiGraph(list(network.edges))
    layer = {v: k for k, generation in enumerate(nx.topological_generations(graph)) for v in generation}
    for v in reversed(network.order):
        children = network.children(v)
        if v in layer and len(children) > len(network.parents[v]):
            layer[v] = min(layer[c] for c in children) - 1
    return layer


def _ordered(rows: list[list[Any]], up: dict[Any, list[Any]], down: dict[Any, list[Any]]) -> list[list[Any]]:
    """Sweep down and up by barycentres; keep the order with the fewest crossings."""
    best, fewest = rows, _crossings(rows, down)
    for sweep in range(SWEEPS):
        rows = [list(row) for row in rows]
        downwards = sweep % 2 == 0
        for k in range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1):
            place = {cell: i for i, cell in enumerate(rows[k - 1 if downwards else k + 1])}
            near = up if downwards else down
            here = {cell: i for i, cell in enumerate(rows[k])}

            def barycentre(cell: Any, near: Any = near, place: Any = place, here: Any = here) -> tuple[float, int]:
                linked = [place[c] for c in near[cell]]
                return (sum(linked) / len(linked) if linked else here[cell], here[cell])

            rows[k].sort(key=barycentre)
        crossings = _crossings(rows, down)
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def _crossings(rows: list[list[Any]], down: dict[Any, list[Any]]) -> int:
    """How many pairs of edges cross between neighbouring layers."""
    total = 0
    for upper, lower in pairwise(rows):
        place = {cell: i for i, cell in enumerate(lower)}
        ends = [end for cell in upper for end in sorted(place[c] for c in down[cell])]
        total += sum(a > b for k, a in enumerate(ends) for b in ends[k + 1 :])
    return total


def _placed(rows: list[list[Any]], up: dict[Any, list[Any]], down: dict[Any, list[Any]]) -> dict[Any, float]:
    """Horizontal places: pull every cell to the mean of its neighbours, without changing the order or touching."""

    def half(cell: Any) -> float:
        return _width(label_of(cell)) / 2 + NODE_GAP / 2 if isinstance(cell, str) else WAYPOINT_GAP

    x: dict[Any, float] = {}
    for row in rows:
        at = 0.0
        for cell in row:
            x[cell] = at + half(cell)
            at = x[cell] + half(cell)
    centre = max(x.values()) / 2
    for row in rows:
        shift = centre - (x[row[0]] + x[row[-1]]) / 2
        for cell in row:
            x[cell] += shift
    for sweep in range(SWEEPS):
        order = rows if sweep % 2 == 0 else rows[::-1]
        for row in order:
            wish = {c: [x[d] for d in (*up[c], *down[c])] for c in row}
            wanted = [sum(wish[c]) / len(wish[c]) if wish[c] else x[c] for c in row]
            x.update(zip(row, _spread(wanted, [half(c) for c in row]), strict=True))
    return x


def _spread(wanted: list[float], halves: list[float]) -> list[float]:
    """The places nearest to those wanted, in this order and apart: isotonic regression by pooling neighbours."""
    offsets = [0.0]
    for a, b in pairwise(halves):
        offsets.append(offsets[-1] + a + b)
    blocks: list[list[float]] = []  # sum and number of the wishes in a block of cells that touch
    for wish, offset in zip(wanted, offsets, strict=True):
        blocks.append([wish - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    starts = [total / count for total, count in blocks for _ in range(int(count))]
    return [start + offset for start, offset in zip(starts, offsets, strict=True)]


def _curve(points: list[Point]) -> tuple[Point, ...]:
    """A curve from the bottom of the first box to the top of the last, upright at every waypoint."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    stops = [(x0, y0 + NODE_HEIGHT / 2), *points[1:-1], (x1, y1 - NODE_HEIGHT / 2)]
    curve: list[Point] = [stops[0]]
    for (ax, ay), (bx, by) in pairwise(stops):
        bend = (by - ay) * 0.45
        curve += [(ax, ay + bend), (bx, by - bend), (bx, by)]
    return tuple(curve)
