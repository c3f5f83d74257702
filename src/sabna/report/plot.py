"""The closing of the gap: best score found and best score still possible, over time, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabna.report.words import seconds_text, trace_points

if TYPE_CHECKING:
    from sabna.result.result import Result

WIDTH, HEIGHT = 720.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 92.0, 16.0, 14.0, 40.0

Point = tuple[float, float]


def gap_plot(result: Result) -> str:
    """Two steps that meet when the proof is complete; empty where there is no trace of at least two points."""
    points = trace_points(result)
    found = [(t, -ub) for t, _, ub in points if ub is not None]
    possible = [(t, -lb) for t, lb, _ in points if lb is not None]
    if len(found) < 1 or len(possible) < 1 or points[-1][0] <= points[0][0]:
        return ""
    end = points[-1][0]
    low, high = min(y for _, y in found), max(y for _, y in possible)
    if high <= low:
        high = low + 1.0
    room = (high - low) * 0.06
    low, high = low - room, high + room

    def place(t: float, y: float) -> Point:
        x = LEFT + (WIDTH - LEFT - RIGHT) * t / end
        return x, TOP + (HEIGHT - TOP - BOTTOM) * (high - y) / (high - low)

    upper = [place(t, y) for t, y in _steps(possible, end)]
    lower = [place(t, y) for t, y in _steps(found, end)]
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-labelledby="gap-title">'
        f'<title id="gap-title">Score over {seconds_text(end)}: found, from {found[0][1]:.4f} to {found[-1][1]:.4f}; '
        f"still possible, from {possible[0][1]:.4f} down to {possible[-1][1]:.4f}.</title>",
        *_axes(low, high, end, place),
        f'<polygon class="area" points="{_points(upper + lower[::-1])}"/>',
        f'<polyline class="possible" points="{_points(upper)}"/>',
        f'<polyline class="found" points="{_points(lower)}"/>',
        "</svg>",
    ]
    return "".join(parts)


def _steps(points: list[Point], end: float) -> list[Point]:
    """A bound holds until the next one comes."""
    steps: list[Point] = []
    for t, y in points:
        if steps:
            steps.append((t, steps[-1][1]))
        steps.append((t, y))
    return [*steps, (end, steps[-1][1])]


def _points(points: list[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _axes(low: float, high: float, end: float, place: object) -> list[str]:
    """Grid lines with their numbers."""
    assert callable(place)
    parts = []
    digits = max(0, min(6, 2 - len(str(int(high - low))) + 1)) if high - low >= 1 else 4
    for k in range(5):
        value = low + (high - low) * k / 4
        _, y = place(0.0, value)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{LEFT - 8}" y="{y:.1f}" text-anchor="end" dominant-baseline="central">'
            f"{value:,.{digits}f}</text>"
        )
    for k in range(5):
        x, _ = place(end * k / 4, low)
        anchor = "start" if k == 0 else "end" if k == 4 else "middle"
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="{anchor}">'
            f"{seconds_text(end * k / 4)}</text>"
        )
    return parts
