"""The closing of the gap: best score found and best score still possible, over time, as SVG.

Both are drawn by their distance from the best score that was found in the end: the line in the middle. What was still
possible lies above it, what had been found before lies below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabna.report.axes import DistanceAxis, TimeAxis
from sabna.report.words import seconds_text, trace_points

if TYPE_CHECKING:
    from sabna.result.result import Result

WIDTH, HEIGHT = 720.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 104.0, 16.0, 14.0, 40.0

Point = tuple[float, float]


def gap_plot(result: Result) -> str:
    """Two steps that meet when the proof is complete; empty where there is no trace."""
    points = trace_points(result)
    found = [(t, result.upper_bound - ub) for t, _, ub in points if ub is not None]
    possible = [(t, result.upper_bound - lb) for t, lb, _ in points if lb is not None]
    if not points or points[-1][0] <= 0:
        return ""
    end = points[-1][0]
    time, distance = axes(found, possible, end)
    upper = [(time.place(t), distance.place(d)) for t, d in _steps(possible)]
    lower = [(time.place(t), distance.place(d)) for t, d in _steps(found)]
    # Between the two lies the gap, from the time on when both are known.
    begin = time.place(max(found[0][0], possible[0][0]))
    area = [(x, y) for x, y in upper if x >= begin] + [(x, y) for x, y in lower[::-1] if x >= begin]
    score = -result.upper_bound
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-labelledby="gap-title">'
        f'<title id="gap-title">Score over {seconds_text(end)}: found, from {score + found[0][1]:.4f} to {score:.4f}; '
        f"still possible, from {score + possible[0][1]:.4f} down to {score + possible[-1][1]:.4f}.</title>",
        *_grid(time, distance, score, end),
        f'<polygon class="area" points="{_points(area)}"/>',
        f'<polyline class="possible" points="{_points(upper)}"/>',
        f'<polyline class="found" points="{_points(lower)}"/>',
        "</svg>",
    ]
    return "".join(parts)


def axes(found: list[Point], possible: list[Point], end: float) -> tuple[TimeAxis, DistanceAxis]:
    """The axes for curves of times and distances."""
    changes = sorted({t for curve in (found, possible) for t in _changes(curve)})
    distances = [d for _, d in found + possible]
    return TimeAxis.of(changes, end, LEFT, WIDTH - RIGHT), DistanceAxis.of(distances, TOP, HEIGHT - BOTTOM)


def _changes(curve: list[Point]) -> list[float]:
    """The times at which a curve begins or changes."""
    return [t for k, (t, d) in enumerate(curve) if k == 0 or d != curve[k - 1][1]]


def _steps(points: list[Point]) -> list[Point]:
    """A bound holds until the next one comes."""
    steps: list[Point] = []
    for t, y in points:
        if steps:
            steps.append((t, steps[-1][1]))
        steps.append((t, y))
    return steps


def _points(points: list[Point]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def _grid(time: TimeAxis, distance: DistanceAxis, score: float, end: float) -> list[str]:
    """Lines with their numbers: distances in nats, and in the middle the score itself."""
    parts = []
    for y, label in distance.ticks():
        parts += [_line(LEFT, y, WIDTH - RIGHT, y, "grid"), _number(LEFT - 8, y, label)]
    zero = distance.place(0.0)
    parts += [
        _line(LEFT, zero, WIDTH - RIGHT, zero, "grid best"),
        _number(LEFT - 8, zero, _score_label(score)),
    ]
    below = HEIGHT - BOTTOM
    for k, (x, label) in enumerate(time.ticks(seconds_text(end))):
        anchor = "start" if k == 0 else "end" if x == WIDTH - RIGHT else "middle"
        parts.append(_line(x, TOP, x, below + 5, "grid"))
        parts.append(f'<text class="tick time" x="{x:.2f}" y="{below + 20:.0f}" text-anchor="{anchor}">{label}</text>')
    return parts


def _score_label(score: float) -> str:
    """As many digits as there is room for."""
    shown = [f"{score:,.2f}", f"{score:,.0f}", f"{score:.6e}"]
    return next((text for text in shown if len(text) <= 13), shown[-1]).replace("-", "−")


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.2f}" x2="{x2:.2f}" y1="{y1:.2f}" y2="{y2:.2f}"/>'


def _number(x: float, y: float, label: str) -> str:
    return (
        f'<text class="tick distance" x="{x:.2f}" y="{y:.2f}" text-anchor="end" dominant-baseline="central">'
        f"{label}</text>"
    )
