"""Where to draw a network of steps of time: every step in a column of its own, the earliest on the left.

The past is given, so that nothing leads into it: its steps are plain columns of boxes. The present is laid out in
layers, as any network, to the right of them. Edges out of the past run from the right side of a box to the left side of
their child.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabna.network.layout import LAYER_GAP, MARGIN, NODE_GAP, NODE_HEIGHT, Box, Layout, Point, layered_layout
from sabna.network.unrolling import lag_of

if TYPE_CHECKING:
    from sabna.network import Network


def drawn_layout(network: Network, graphviz: bool = True) -> Layout:
    """Positions for the drawing of any network; steps of time stand side by side."""
    lags = {v: lag_of(v, network) for v in network.variables}
    if not any(lags.values()):
        return layered_layout(network, graphviz)
    now = [v for v, lag in lags.items() if lag == 0]
    inside = {v: [p for p in network.parents[v] if lags[p] == 0] for v in now}
    present = layered_layout(type(network)(now, inside), graphviz)
    natural = layered_layout(type(network)(network.variables, {}), graphviz=False).boxes  # the sizes of the boxes
    boxes, x = dict[str, Box](), MARGIN
    height = present.height
    for lag in range(max(lags.values()), 0, -1):
        column = [v for v in network.variables if lags[v] == lag]
        widest = max((natural[v].width for v in column), default=0.0)
        for k, v in enumerate(column):
            y = MARGIN + NODE_HEIGHT / 2 + k * (NODE_HEIGHT + NODE_GAP)
            boxes[v] = Box(x + widest / 2, y, natural[v].width, NODE_HEIGHT, natural[v].label)
            height = max(height, y + NODE_HEIGHT / 2 + MARGIN)
        x += widest + LAYER_GAP
    for v, box in present.boxes.items():
        boxes[v] = Box(box.x + x, box.y, box.width, box.height, box.label)
    curves = {edge: tuple((a + x, b) for a, b in points) for edge, points in present.curves.items()}
    for parent, child in network.edges:
        if (parent, child) not in curves:
            curves[parent, child] = _across(boxes[parent], boxes[child])
    return Layout(
        {v: boxes[v] for v in network.variables},
        {edge: curves[edge] for edge in network.edges},
        x + present.width,
        height,
    )


def _across(start: Box, end: Box) -> tuple[Point, ...]:
    """A curve from the right side of a box to the left side of another."""
    a, b = (start.x + start.width / 2, start.y), (end.x - end.width / 2, end.y)
    bend = (b[0] - a[0]) * 0.45
    return a, (a[0] + bend, a[1]), (b[0] - bend, b[1]), b
