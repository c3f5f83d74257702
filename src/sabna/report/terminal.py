"""The result in a terminal: a short summary that ends a run, not a dump.

First what was found and what is proven, then how the gap closed, then the edges with their worth, the strongest first.
The same lines make `print(result)`; `summary` only adds colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabna.base.stop import CONVERGED
from sabna.network.layout import label_of
from sabna.report.words import (
    certificate_text,
    is_best,
    is_score_equivalent,
    notes,
    relative_gap,
    rows_text,
    score_name,
    seconds_text,
    settled_by_interventions,
    size_text,
    status_text,
    strength_text,
    trace_points,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sabna.result.result import Result

# A summary fits a screen: beyond this many lines of edges the rest is counted.
MAX_EDGES = 24
BAR_WIDTH = 24
SPARK_WIDTH = 40
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS = "▁▂▃▄▅▆▇█"

# The style of what a reader must know of the data.
NOTE = "yellow"

# A style of rich and a text.
Line = tuple[str, str]


def summary(result: Result, console: Console) -> None:
    """Print the summary of a result."""
    from rich.padding import Padding
    from rich.text import Text

    for style, line in summary_lines(result):
        if style == NOTE:  # the kinds of many columns take several lines
            console.print(Padding(Text(line.strip(), style=style), (0, 0, 0, 2)))
            continue
        console.print(Text(line, style=style), no_wrap=True, overflow="ellipsis", crop=True)


def summary_text(result: Result) -> str:
    """The summary without colours."""
    return "\n".join(line for _, line in summary_lines(result))


def summary_lines(result: Result) -> list[Line]:
    """The lines of the summary with their styles."""
    network = result.network
    rows = f", {rows_text(result)}" if result.rows is not None else ""
    mark = "✓" if result.is_optimal else "◐"
    title = f"{mark} {status_text(result)}: {score_name(result)} {result.score:,.4f}"
    lines = [("bold green" if result.is_optimal else "bold yellow", title)]
    if result.status not in ("optimal", CONVERGED):
        lines.append(("", f"  at most {result.gap:,.4g} ({relative_gap(result)}) below the best possible score"))
    edges = f"{len(network.edges)} edge{'s' * (len(network.edges) != 1)}"
    variables = f"{len(network.variables)} variable{'s' * (len(network.variables) != 1)}"
    lines.append(("", f"  {variables}, {edges}{rows}"))
    lines += [(NOTE, f"  {note}") for note in notes(result)]
    lines.append(("dim", f"  {_effort(result)}"))
    if result.certificate is not None:
        lines.append(("dim", f"  {certificate_text(result)}"))
    spark = gap_sparkline(result)
    if spark:
        lines.append(("dim", f"  gap over time {spark}"))
    return [*lines, ("", ""), *_edge_lines(result)]


def _effort(result: Result) -> str:
    """Time, memory and the size of the work."""
    parts = [seconds_text(result.seconds)]
    if result.peak_memory_bytes:
        parts.append(size_text(result.peak_memory_bytes))
    graph, search = (result.statistics.get(key) or {} for key in ("parent_graph", "search"))
    if "sets" in graph:
        parts.append(f"{graph['sets']:,} parent set{'s' * (graph['sets'] != 1)}")
    if "expanded" in search:
        parts.append(f"{search['expanded']:,} nodes expanded")
    return ", ".join(parts)


def _edge_lines(result: Result) -> list[Line]:
    """The strongest edges with bars, or the variables with their parents where no strengths are known."""
    network = result.network
    if not network.edges:
        return [("", "  no edges" + (": no network that was considered scores better" if is_best(result) else ""))]
    if result.arcs is None:
        listed = [f"  {label_of(c)} ← {', '.join(map(label_of, ps))}" for c, ps in network.parents.items() if ps]
        more = [("dim", f"  … and {len(listed) - MAX_EDGES} more")] if len(listed) > MAX_EDGES else []
        return [*(("", line) for line in listed[:MAX_EDGES]), *more]
    arcs = sorted(result.arcs, key=lambda arc: -(arc.removal_quanta or 0))
    shown = arcs[:MAX_EDGES]
    settled = settled_by_interventions(result)
    signs = ["⇒" if (arc.parent, arc.child) in settled else "→" if arc.compelled else "–" for arc in shown]
    names = [f"{label_of(arc.parent)} {sign} {label_of(arc.child)}" for arc, sign in zip(shown, signs, strict=True)]
    width, most = max(map(len, names)), max(arcs[0].removal or 0.0, 1e-9)
    lines = [("dim", f"  {'edge':{width}}  what the score loses without it")]
    lines += [
        ("", f"  {name:{width}}  {bar(max(arc.removal or 0.0, 0) / most)} {strength_text(arc.removal, most)}")
        for name, arc in zip(names, shown, strict=True)
    ]
    if len(arcs) > MAX_EDGES:
        lines.append(("dim", f"  … and {len(arcs) - MAX_EDGES} weaker edges"))
    if "⇒" in signs:
        lines.append(("dim", "  ⇒ : interventions settle the direction"))
    if any(not arc.compelled for arc in shown):
        lines.append(("dim", f"  – : {_either_way(result)}"))
    return lines


def _either_way(result: Result) -> str:
    """What the sign of a reversible edge means."""
    if is_score_equivalent(result):
        return "direction not settled, an equivalent network has the other one"
    return (
        f"a network with the same independences has the other direction; {score_name(result)} may prefer one of the two"
    )


def bar(share: float) -> str:
    """A horizontal bar for a share between 0 and 1.

    >>> bar(0.5)
    '████████████'
    """
    eighths = round(share * BAR_WIDTH * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()) or "▏"


def gap_sparkline(result: Result) -> str:
    """The gap over time as a row of columns, its logarithm since it shrinks by orders; empty if there is no trace."""
    import math

    points = [(t, ub - lb) for t, lb, ub in trace_points(result) if lb is not None and ub is not None]
    if len(points) < 3 or points[-1][0] <= 0:
        return ""
    floor = max(result.gap_tolerance, 1e-6)
    gaps, k = [], 0
    for column in range(SPARK_WIDTH):
        time = points[-1][0] * (column + 1) / SPARK_WIDTH
        while k + 1 < len(points) and points[k + 1][0] <= time:
            k += 1
        gaps.append(math.log10(max(points[k][1], floor) / floor))
    top = max(gaps) or 1.0
    drawn = "".join(_HEIGHTS[min(int(g / top * 8), 7)] for g in gaps)
    return f"{drawn} {max(points[0][1], 0):.3g} → {max(points[-1][1], 0):.3g} in {seconds_text(points[-1][0])}"
