"""Draws the figure of docs/how-it-works.md: order lattice, parent graph, and the lattice that path extension leaves.

The costs come from a small parent graph through `ParentGraph.d`, the optimal path and the extensions are computed from
it; nothing is placed by hand but the layers. Run by `make docs`; a test checks that the file in docs/img is current.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from sabna import ParentGraph

N = 4
NAMES = tuple(f"X{i + 1}" for i in range(N))
# Costs of the candidate parent sets of each variable, in whole nats for the eye.
CANDIDATES: tuple[dict[tuple[int, ...], int], ...] = (
    {(1, 3): 3, (2,): 5, (): 8},
    {(2,): 2, (0,): 4, (): 6},
    {(0, 3): 3, (): 4},
    {(2,): 2, (0, 1): 4, (): 7},
)
Node = frozenset[int]


def parent_graph() -> ParentGraph:
    """The example as a parent graph."""
    offsets, costs, sets = [0], [], []
    for candidates in CANDIDATES:
        for parents, cost in sorted(candidates.items(), key=lambda item: item[1]):
            costs.append(cost << 30)
            sets.append([sum(1 << p for p in parents)])
        offsets.append(len(costs))
    return ParentGraph(
        NAMES, np.array(offsets, dtype=np.int64), np.array(costs, dtype=np.int64), np.array(sets, dtype=np.uint64)
    )


def d(graph: ParentGraph, i: int, U: Node) -> int:
    """d(i, U) in nats."""
    best = graph.d(i, U)
    assert best is not None
    return best[0] >> 30


def extended(graph: ParentGraph, U: Node) -> Node:
    """U after optimal path extension."""
    while True:
        whole = [i for i in range(N) if i not in U and d(graph, i, U) == d(graph, i, frozenset(range(N)) - {i})]
        if not whole:
            return U
        U = U | {whole[0]}


def lattice() -> list[list[Node]]:
    """All sets of variables, by size."""
    return [[frozenset(c) for c in combinations(range(N), k)] for k in range(N + 1)]


def optimal_path(graph: ParentGraph) -> list[Node]:
    """The shortest way from the empty set to all variables, by dynamic programming over the layers."""
    best: dict[Node, tuple[int, list[Node]]] = {frozenset(): (0, [frozenset()])}
    for layer in lattice()[1:]:
        for U in layer:
            best[U] = min(
                ((best[U - {i}][0] + d(graph, i, U - {i}), [*best[U - {i}][1], U]) for i in sorted(U)),
                key=lambda way: way[0],
            )
    return best[frozenset(range(N))][1]


def compacted(graph: ParentGraph) -> dict[Node, list[Node]]:
    """The nodes a search with path extension can reach, and where their edges lead."""
    edges: dict[Node, list[Node]] = {}
    waiting = [extended(graph, frozenset())]
    while waiting:
        U = waiting.pop()
        if U not in edges:
            edges[U] = sorted({extended(graph, U | {i}) for i in range(N) if i not in U}, key=sorted)
            waiting += edges[U]
    return edges


# --- drawing ---------------------------------------------------------------------------------------------------------

WIDTH, STEP, TOP = 300.0, 86.0, 64.0


def place(U: Node) -> tuple[float, float]:
    layer = lattice()[len(U)]
    return WIDTH * (layer.index(U) + 0.5) / len(layer), TOP + STEP * len(U)


def label(U: Node) -> str:
    return "".join(str(i + 1) for i in sorted(U)) or "∅"


def drawn_lattice(edges: dict[Node, list[Node]], path: list[Node], title: str) -> str:
    on_path = set(pairwise(path))
    parts = [f'<text class="title" x="{WIDTH / 2}" y="24">{title}</text>']
    for U, targets in edges.items():
        for V in targets:
            (x1, y1), (x2, y2) = place(U), place(V)
            bold = (U, V) in on_path or (U in path and V in path and len(V) - len(U) > 1)
            parts.append(
                f'<line class="{"bold" if bold else "thin"}" x1="{x1:.0f}" y1="{y1 + 15:.0f}" '
                f'x2="{x2:.0f}" y2="{y2 - 15:.0f}"/>'
            )
    for U in edges:
        x, y = place(U)
        kind = "on" if U in path else "off"
        parts.append(f'<rect class="{kind}" x="{x - 21:.0f}" y="{y - 14:.0f}" width="42" height="28" rx="8"/>')
        parts.append(f'<text class="{kind}" x="{x:.0f}" y="{y + 5:.0f}">{label(U)}</text>')
    return "".join(parts)


def drawn_parent_graph(graph: ParentGraph) -> str:
    parts = [f'<text class="title" x="{WIDTH / 2}" y="24">(b) parent graph</text>']
    y = 70.0
    for i in range(N):
        x = 44.0
        parts.append(f'<text class="name" x="8" y="{y + 5:.0f}">X{i + 1}</text>')
        for cost, parents in graph.parent_sets(i):
            parts.append(f'<rect class="off" x="{x:.0f}" y="{y - 17:.0f}" width="78" height="34" rx="6"/>')
            inside = "{" + ",".join(str(p + 1) for p in parents) + "}" if parents else "∅"
            parts.append(f'<text class="off" x="{x + 39:.0f}" y="{y + 5:.0f}">{inside} : {cost >> 30}</text>')
            x += 84
        y += 84
    return "".join(parts)


STYLE = """
text{font:14px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:#16202c}
.title{font-weight:600;fill:#5b6b7d}.name{text-anchor:start;font-weight:600;fill:#5b6b7d}
rect.off{fill:#e8f0fb;stroke:#2f6db3;stroke-width:1.2}rect.on{fill:#2f6db3;stroke:#2f6db3}text.on{fill:#fff;font-weight:600}
.thin{stroke:#9aa8b8;stroke-width:1.2}.bold{stroke:#2f6db3;stroke-width:3.2}
"""


def figure() -> tuple[str, int, int]:
    """The SVG, and how many nodes and edges path extension saves."""
    graph = parent_graph()
    everything = {U: [U | {i} for i in range(N) if i not in U] for layer in lattice() for U in layer}
    path, small = optimal_path(graph), compacted(graph)
    nodes = len(everything) - len(small)
    edges = sum(map(len, everything.values())) - sum(map(len, small.values()))
    height = TOP + STEP * N + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * WIDTH + 80:.0f} {height:.0f}" role="img">',
        "<title>Order lattice of four variables, a parent graph, and the lattice after path extension</title>",
        f"<style>{STYLE}</style>",
        f"<g>{drawn_lattice(everything, path, '(a) order lattice')}</g>",
        f'<g transform="translate({WIDTH + 40:.0f} 0)">{drawn_parent_graph(graph)}</g>',
        f'<g transform="translate({2 * WIDTH + 80:.0f} 0)">',
        drawn_lattice(small, path, "(c) after path extension"),
        "</g>",
        "</svg>\n",
    ]
    return "".join(parts), nodes, edges


if __name__ == "__main__":
    drawing, saved_nodes, saved_edges = figure()
    target = Path(__file__).parents[1] / "img" / "figure-1.svg"
    target.write_text(drawing, encoding="utf-8")
    print(f"{target}: {saved_nodes} nodes and {saved_edges} edges fewer")
