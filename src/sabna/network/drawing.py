"""The picture of a network as SVG, for notebooks, files and the report.

Compelled edges are solid with a full arrowhead, reversible ones dashed with an open one, so that the difference is not
one of colour. Where strengths are known, stronger edges are wider. In the report a page-wide style sheet colours the
classes used here; alone, the picture brings its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape  # as xml.sax.saxutils does, which would load the network libraries
from typing import TYPE_CHECKING

from sabna.network.layout import Layout, Point
from sabna.network.mangling import xml_character
from sabna.network.slices import drawn_layout

if TYPE_CHECKING:
    from sabna.network import CPDAG, Network

# Readable on a white and on a dark page alike.
STANDALONE_STYLE = """
.sabna-graph .box{fill:#e8f0fb;stroke:#2f6db3;stroke-width:1.4}
.sabna-graph .node text{fill:#12263f;font:13px ui-sans-serif,system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif;
text-anchor:middle;dominant-baseline:central}
.sabna-graph .edge{fill:none;stroke:#6f7f92}
.sabna-graph .reversible{stroke-dasharray:6 4}
.sabna-graph .head{fill:#6f7f92;stroke:#6f7f92}
.sabna-graph .open{fill:#fff}
"""
# The dashes of reversible edges, and the widths of the weakest and the strongest edge, in pixels.
DASH = "6 4"
USUAL_WIDTH, LEAST_WIDTH, MOST_WIDTH = 1.6, 1.0, 4.5
# Where along an edge its label may stand, the first choice first, and pixels between two labels.
LABEL_AT = (0.5, 0.36, 0.64, 0.25, 0.75)
LABEL_ROOM = 20.0
# Room for the arrowhead at the end of an edge.
HEAD = 9.0


def text(value: str) -> str:
    """Any text as the content of an XML element."""
    return escape(_drawable(value), quote=False)


def attribute(value: str) -> str:
    """Any text as a quoted XML attribute."""
    escaped = escape(_drawable(value))
    return '"' + escaped.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;") + '"'


def _drawable(value: str) -> str:
    """XML has no place for control characters, and a picture no use for them."""
    return "".join(c if xml_character(0, c) else "\N{REPLACEMENT CHARACTER}" for c in value)


def describe(network: Network) -> str:
    """The network in a sentence or two, for those who do not see the picture."""
    edges = [f"{parent} to {child}" for parent, child in network.edges]
    shown = "; ".join(edges[:60]) + ("; and more" if len(edges) > 60 else "")
    return f"{len(network.variables)} variables and {len(edges)} edges" + (f": {shown}." if edges else ".")


def widths(network: Network, strengths: Mapping[tuple[str, str], float] | None) -> dict[tuple[str, str], float]:
    """The width of every edge: by the square root of its strength, as the strongest is often a hundred times the least.

    >>> from sabna.network import Network
    >>> widths(Network("abc", {"b": "a", "c": "b"}), {("a", "b"): 100.0, ("b", "c"): 25.0})
    {('a', 'b'): 4.5, ('b', 'c'): 2.75}
    """
    if strengths is None:
        return dict.fromkeys(network.edges, USUAL_WIDTH)
    most = max([*strengths.values(), 1e-9])
    share = {edge: (max(strengths.get(edge, 0.0), 0.0) / most) ** 0.5 for edge in network.edges}
    return {edge: round(LEAST_WIDTH + (MOST_WIDTH - LEAST_WIDTH) * part, 2) for edge, part in share.items()}


def graph_svg(
    network: Network,
    layout: Layout | None = None,
    links: bool = False,
    graph: CPDAG | None = None,
    strengths: Mapping[tuple[str, str], float] | None = None,
    labels: Mapping[tuple[str, str], str] | None = None,
    remarks: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """The drawing alone: an <svg> element with classes and no style. With `links` nodes lead to `#v0`, `#v1`, ...

    `graph` tells the compelled edges where prior knowledge makes the class another than the network's; `strengths` of
    edges make them wide, `labels` stand in their middle, `remarks` are shown where a pointer rests on an edge.
    """
    wide = widths(network, strengths)
    layout = layout or drawn_layout(network)
    compelled = (graph or network.cpdag()).compelled
    position = {v: k for k, v in enumerate(network.variables)}
    width, height = round(layout.width), round(layout.height)
    parts = [
        f'<svg class="sabna-graph" xmlns="http://www.w3.org/2000/svg" role="group" aria-label="The network" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<desc>{text(describe(network))}</desc>",
        "<defs>",
        *(_marker(f"sabna-{kind}", kind) for kind in ("head", "open")),
        "</defs>",
        '<g class="view">',
    ]
    for edge, points in layout.curves.items():
        kind = "compelled" if edge in compelled else "reversible"
        marker = "sabna-head" if edge in compelled else "sabna-open"
        parts.append(
            f'<path class="edge {kind}" data-from="{position[edge[0]]}" data-to="{position[edge[1]]}" '
            f'd="{_path(points)}" marker-end="url(#{marker})" stroke-width="{wide[edge]}">'
            f"<title>{text(' → '.join(edge))} ({kind}){text((remarks or {}).get(edge, ''))}</title></path>"
        )
    for edge, (x, y) in label_places(layout, labels or {}).items():
        label = (labels or {})[edge]
        ends = f'data-from="{position[edge[0]]}" data-to="{position[edge[1]]}"'
        parts.append(f'<text class="label" {ends} x="{x:.1f}" y="{y:.1f}">{text(label)}</text>')
    for name, box in layout.boxes.items():
        k = position[name]
        opening = f'<a class="node" href="#v{k}" data-node="{k}"' if links else f'<g class="node" data-node="{k}"'
        parts.append(
            f"{opening} aria-label={attribute(name)}><title>{text(name)}</title>"
            f'<rect class="box" x="{box.x - box.width / 2:.1f}" y="{box.y - box.height / 2:.1f}" rx="9" '
            f'width="{box.width:.1f}" height="{box.height:.1f}"/>'
            f'<text x="{box.x:.1f}" y="{box.y:.1f}">{text(box.label)}</text>' + ("</a>" if links else "</g>")
        )
    return "".join([*parts, "</g></svg>"])


def label_places(layout: Layout, labels: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], Point]:
    """Where labels of edges stand: in the middle of the curve, or nearer to an end where another label stands there."""
    places: dict[tuple[str, str], Point] = {}
    for edge in labels:
        found = [_along(layout.curves[edge], share) for share in LABEL_AT]
        free = [p for p in found if all(abs(p[0] - q[0]) + abs(p[1] - q[1]) > LABEL_ROOM for q in places.values())]
        places[edge] = (free or found)[0]
    return places


def _along(points: tuple[Point, ...], share: float) -> Point:
    """The point at a share of a curve's pieces (cubic Bézier)."""
    pieces = (len(points) - 1) // 3
    k = min(int(share * pieces), pieces - 1)
    t = share * pieces - k
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    some = points[3 * k : 3 * k + 4]
    return sum(w * x for w, (x, _) in zip(weights, some, strict=True)), sum(
        w * y for w, (_, y) in zip(weights, some, strict=True)
    )


def standalone_svg(
    network: Network,
    graph: CPDAG | None = None,
    strengths: Mapping[tuple[str, str], float] | None = None,
    caption: str = "",
) -> str:
    """The drawing with its style, for a notebook or a file; `caption` goes into the metadata."""
    about = f"<title>{text(caption)}</title><metadata>{text(caption)}</metadata>" if caption else ""
    drawing = graph_svg(network, graph=graph, strengths=strengths).replace("<desc>", f"{about}<desc>", 1)
    return drawing.replace("<defs>", f"<style>{STANDALONE_STYLE}</style><defs>", 1)


def _marker(name: str, kind: str) -> str:
    """An arrowhead: a full triangle, or an open one for edges that may turn round."""
    return (
        f'<marker id="{name}" viewBox="-1 -1 12 12" refX="9.2" refY="5" markerWidth="{HEAD}" markerHeight="{HEAD}" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path class="head {kind}" d="M0 0L10 5L0 10z" '
        'stroke-width="1.4"/></marker>'
    )


def _path(points: tuple[Point, ...]) -> str:
    """A cubic path; the end point stops at the box, where the arrowhead's tip is."""
    head, rest = points[0], points[1:]
    return f"M{head[0]:.1f} {head[1]:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)
