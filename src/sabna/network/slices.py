"""Where to draw a network of steps of time: every step is a column, the earliest on the left; a variable keeps its row.

Rows are in an order in which parents come first. Edges out of the past leave a box on the right and enter their child
on the left; past a step in between they run in the gap between two rows. Edges of the present run down to the next row,
or in a bow on the right to one further down. So no edge is drawn across a box, where it would look like two.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from sabna.network.layout import LAYER_GAP, MARGIN, NODE_GAP, NODE_HEIGHT, Box, Layout, Point, layered_layout
from sabna.network.unrolling import lag_of

if TYPE_CHECKING:
    from sabna.network import Network

ROW = NODE_HEIGHT + NODE_GAP
# How far bows of the present stand out: to the row after the next, and for every row more.
BOW, WIDER_BOW = 24.0, 10.0
# How far curves between columns run straight before they turn, as a share of the way.
BEND = 0.45


def drawn_layout(network: Network, graphviz: bool = True) -> Layout:
    """Positions for the drawing of any network; steps of time stand side by side."""
    lags = {v: lag_of(v, network) for v in network.variables}
    if not any(lags.values()):
        return layered_layout(network, graphviz)
    row = _rows(network, [v for v, lag in lags.items() if lag == 0])
    natural = layered_layout(type(network)(network.variables, {}), graphviz=False).boxes  # the sizes of the boxes
    boxes, sides, x = dict[str, Box](), dict[int, tuple[float, float]](), MARGIN
    for lag in range(max(lags.values()), -1, -1):
        column = [v for v in network.variables if lags[v] == lag]
        widest = max((natural[v].width for v in column), default=0.0)
        sides[lag] = x, x + widest
        for v in column:
            y = MARGIN + NODE_HEIGHT / 2 + row[v.removesuffix(f"[t-{lag}]") if lag else v] * ROW
            boxes[v] = Box(x + widest / 2, y, natural[v].width, NODE_HEIGHT, natural[v].label)
        x += widest + LAYER_GAP
    curves = {}
    for parent, child in network.edges:
        start, end = boxes[parent], boxes[child]
        path = _across(start, end, sides, lags[parent]) if lags[parent] else _within(start, end, sides[0][1])
        curves[parent, child] = path
    right = max([sides[0][1], *(px for points in curves.values() for px, _ in points)])
    height = 2 * MARGIN + NODE_HEIGHT + (len(row) - 1) * ROW
    return Layout({v: boxes[v] for v in network.variables}, curves, right + MARGIN, height)


def _rows(network: Network, now: list[str]) -> dict[str, int]:
    """Parents before children, else as the variables are listed."""
    rows = dict[str, int]()
    while len(rows) < len(now):
        ready = (v for v in now if v not in rows and all(p in rows or p not in now for p in network.parents[v]))
        rows[next(ready)] = len(rows)
    return rows


def _across(start: Box, end: Box, sides: dict[int, tuple[float, float]], lag: int) -> tuple[Point, ...]:
    """From the right side of a box of the past to the left side of one of the present."""
    stops = [(start.x + start.width / 2, start.y)]
    for between in range(lag - 1, 0, -1):
        straight = start.y + (end.y - start.y) * (lag - between) / lag
        gap = MARGIN + NODE_HEIGHT + NODE_GAP / 2  # below the first row
        y = gap + max(round((straight - gap) / ROW), 0) * ROW
        stops += [(sides[between + 1][1], stops[-1][1]), (sides[between][0], y)]
    stops += [(sides[1][1], stops[-1][1]), (sides[0][0], end.y), (end.x - end.width / 2, end.y)]
    return _path(stops)


def _within(start: Box, end: Box, side: float) -> tuple[Point, ...]:
    """Down to the box in the next row, or in a bow on the right."""
    apart = round((end.y - start.y) / ROW)
    if apart == 1:
        return _path([(start.x, start.y + NODE_HEIGHT / 2), (end.x, end.y - NODE_HEIGHT / 2)])
    out = side + (BOW + WIDER_BOW * (apart - 2)) * 4 / 3  # a curve reaches three quarters of the way to these points
    first = _path([(start.x + start.width / 2, start.y), (side, start.y)])
    last = _path([(side, end.y), (end.x + end.width / 2, end.y)])
    return (*first, (out, start.y), (out, end.y), *last)


def _path(stops: Iterable[Point]) -> tuple[Point, ...]:
    """A curve through points: level where it meets them, straight between points of one height or one column."""
    places = list(stops)
    points = [places[0]]
    for (ax, ay), (bx, by) in pairwise(places):
        if (ax, ay) == (bx, by):
            continue
        bend = (bx - ax) * BEND
        if ax == bx:
            points += [(ax, ay + (by - ay) / 3), (bx, by - (by - ay) / 3), (bx, by)]
        else:
            points += [(ax + bend, ay), (bx - bend, by), (bx, by)]
    return tuple(points)
