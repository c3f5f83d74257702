"""The chart of the proof says what the trace and the result say: its points are decoded back into bounds."""

from __future__ import annotations

import json
import re
import xml.dom.minidom
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sabna
from sabna import Network, Result
from sabna.report.axes import DistanceAxis, TimeAxis, roundest, time_label
from sabna.report.plot import axes, gap_plot
from sabna.report.terminal import summary_text
from sabna.report.words import trace_points
from sabna.result.result import read_result

# Coordinates have two digits.
PIXELS = 0.0051

UNITS = {"h": 3600.0, "min": 60.0, "s": 1.0, "ms": 0.001}


class Chart:
    """A chart read back from its SVG."""

    def __init__(self, result: Result) -> None:
        svg = xml.dom.minidom.parseString(gap_plot(result))
        self.curves = {
            line.getAttribute("class"): [
                (float(x), float(y)) for x, y in (p.split(",") for p in line.getAttribute("points").split())
            ]
            for line in svg.getElementsByTagName("polyline")
        }
        texts = [(t.getAttribute("class"), t) for t in svg.getElementsByTagName("text")]
        self.times = [(float(t.getAttribute("x")), t.firstChild.data) for kind, t in texts if kind == "tick time"]
        self.distances = [
            (float(t.getAttribute("y")), t.firstChild.data) for kind, t in texts if kind == "tick distance"
        ]
        points = trace_points(result)
        found = [(t, result.upper_bound - ub) for t, _, ub in points if ub is not None]
        possible = [(t, result.upper_bound - lb) for t, lb, _ in points if lb is not None]
        self.end = points[-1][0]
        self.time, self.distance = axes(found, possible, self.end)

    def at(self, curve: str, place: float) -> float:
        """How high a curve is drawn just after a place, as the last of its points up to there."""
        return [y for x, y in self.curves[curve] if x <= place + PIXELS][-1]


def result_with(trace: list[Any], lower: float = 90.0, upper: float = 100.0, seconds: float = 10.0) -> Result:
    status = "optimal" if lower == upper else "time_limit"
    quanta = round(upper * 2**30), round(lower * 2**30)
    return Result(Network("AB", {"B": "A"}), status, *quanta, seconds=seconds, statistics={"trace": trace})


def entry(seconds: Any, lower: Any, upper: Any) -> dict[str, Any]:
    return {"seconds": seconds, "lower_bound": lower, "upper_bound": upper}


def parsed(label: str) -> tuple[float, float]:
    """The seconds a label says, and how much its last digit stands for."""
    parts = re.findall(r"([\d.]+) (h|min|ms|s)", label) or [("0", "s")]
    number, unit = parts[-1]
    digits = len(number.partition(".")[2])
    return sum(float(n) * UNITS[u] for n, u in parts), UNITS[unit] * 10.0**-digits


def check(result: Result, entries: list[dict[str, Any]]) -> None:
    """Every entry of a trace stands in the chart, the curves close in and end at the result's bounds."""
    chart = Chart(result)
    for point in entries:
        x = chart.time.place(point["seconds"])
        for curve, bound in (("possible", point["lower_bound"]), ("found", point["upper_bound"])):
            expected = result.upper_bound - bound
            assert abs(chart.distance.place(expected) - chart.at(curve, x)) <= PIXELS
            low, high = (chart.distance.value(chart.at(curve, x) + d) for d in (PIXELS, -PIXELS))
            assert low <= expected <= high
    for curve, bound in (("possible", result.lower_bound), ("found", result.upper_bound)):
        xs, ys = zip(*chart.curves[curve], strict=True)
        assert list(xs) == sorted(xs)
        assert list(ys) == sorted(ys, reverse=curve == "found")
        assert abs(ys[-1] - chart.distance.place(result.upper_bound - bound)) <= PIXELS
        assert abs(chart.time.value(xs[-1]) - chart.end) <= 1e-9
    both_known = max(curve[0][0] for curve in chart.curves.values())
    for x in {x for curve in chart.curves.values() for x, _ in curve if x >= both_known}:
        assert chart.at("possible", x) <= chart.at("found", x) + PIXELS, "nothing better than what is still possible"
    check_ticks(chart, result)


def check_ticks(chart: Chart, result: Result) -> None:
    for x, label in chart.times[:-1]:
        seconds, _ = parsed(label)
        assert abs(chart.time.place(seconds) - x) <= PIXELS
    seconds, digit = parsed(chart.times[-1][1])
    assert abs(seconds - chart.end) <= digit
    assert abs(chart.time.place(chart.end) - chart.times[-1][0]) <= PIXELS
    widths = [(x, len(label) * 6.5) for x, label in chart.times]
    for (x1, w1), (x2, w2) in pairwise(widths[1:-1]):
        assert x1 + w1 / 2 < x2 - w2 / 2, "labels do not overlap"
    zero = chart.distance.place(0.0)
    shown = {label: y for y, label in chart.distances}
    best = [label for label, y in shown.items() if abs(y - zero) <= PIXELS]
    assert [float(b.replace(",", "").replace("−", "-")) for b in best] == [pytest.approx(-result.upper_bound, abs=0.01)]
    for label, y in shown.items():
        if label not in best:
            distance = float(label.replace(",", "").replace("−", "-"))
            assert abs(chart.distance.place(distance) - y) <= PIXELS
    assert all(abs(a - b) > 11 for a, b in pairwise(sorted(shown.values()))), "labels do not overlap"


@pytest.mark.parametrize("score", ["bic", "bdeu", "fnml"])
def test_every_point_of_a_run_stands_in_its_chart(score: str, tmp_path: Path) -> None:
    result = sabna.learn("example:asia", score, gap_tolerance=0)
    check(result, result.statistics["trace"])
    result.save(tmp_path / "r.json")
    assert gap_plot(read_result(tmp_path / "r.json")) == gap_plot(result)


def test_a_limit_while_scoring_has_a_chart() -> None:
    result = sabna.learn("example:asia", time_limit=0.0)
    assert result.status == "time_limit"
    check(result, result.statistics["trace"])


bounds = st.floats(0, 1e6).flatmap(
    lambda best: st.tuples(
        st.just(best),
        st.lists(
            st.tuples(
                st.integers(0, 10**8).map(lambda ms: ms / 1000),
                st.sampled_from([1e-7, 0.01, 1.0, 300.0]),
                st.sampled_from([0.0, 1e-6, 0.5, 40.0]),
            ),
            min_size=1,
            max_size=30,
        ),
        st.sampled_from([0.0, 1e-7, 3.0, 1e5]),
    )
)


@given(bounds)
def test_any_trace_that_closes_in_stands_in_its_chart(
    case: tuple[float, list[tuple[float, float, float]], float],
) -> None:
    best, steps, gap = case
    upper = round(best * 2**30) / 2**30
    lower = round((best - gap) * 2**30) / 2**30
    times = sorted({t for t, _, _ in steps})
    trace, below, above = [], 0.0, 0.0
    for t, (_, down, up) in reversed(list(zip(times, steps, strict=False))):
        below, above = below + down, above + up
        trace.insert(0, entry(t, lower - below, upper + above))
    result = result_with(trace, lower, upper, seconds=times[-1] + 1.0)
    check(result, trace)


def test_the_action_has_most_of_the_width_even_at_the_end() -> None:
    """An hour in which nothing happens, and then everything: the chart used to show two flat lines and a cliff."""
    trace = [entry(0.5, 0.0, 1000.0)]
    trace += [entry(3595 + k / 10, 100.0 - 1.3**-k, 100.0 + 1.3**-k) for k in range(40)]
    chart = Chart(result_with([*trace, entry(3599.5, 100.0, 100.0)], 100.0, 100.0, seconds=3600.0))
    left, right = chart.times[0][0], chart.times[-1][0]
    assert right - chart.time.place(3594.9) > 0.6 * (right - left)
    assert chart.time.place(3594.9) - left > 0.2 * (right - left), "that it took so long is seen too"
    inside = [parsed(label)[0] for _, label in chart.times[1:-1] if parsed(label)[0] > 3594]
    assert len(inside) >= 2, "and when it happened"
    rough, fine = chart.at("possible", chart.time.place(3595)), chart.at("possible", chart.time.place(3598.9))
    assert fine - rough > 60, "both the first rough gap and the last fine one"
    assert chart.distance.place(0.0) - fine > 2


def test_an_older_trace_still_makes_a_chart_that_contradicts_nobody() -> None:
    """It told costs of parts as those of the whole: bounds that cross, rise again, or are missing."""
    trace: list[Any] = [
        entry(0.1, None, None),
        entry(0.2, None, 150.0),
        entry(0.5, 20.0, 12.0),
        entry(0.7, 50.0, 170.0),
        entry(0.8, None, None),
        entry(0.9, 120.0, 110.0),
        entry(1.0, 40.0, 110.0),
    ]
    result = result_with(trace, 90.0, 100.0, seconds=2.0)
    assert trace_points(result) == [
        (0.2, None, 150.0),
        (0.5, 20.0, 150.0),
        (0.7, 50.0, 150.0),
        (0.9, 50.0, 110.0),
        (2.0, 90.0, 100.0),
    ]
    known = [entry(t, lower, upper) for t, lower, upper in trace_points(result) if lower is not None]
    check(result, known)


@pytest.mark.parametrize(
    "trace",
    [
        [],
        None,
        [entry(1.0, None, None)],
        [entry(float("nan"), 1.0, 200.0)],
        [entry(float("inf"), 1.0, 200.0)],
        [entry(-1.0, 1.0, 200.0)],
        [entry("soon", 1.0, 200.0), 17, None, {}],
    ],
)
def test_a_trace_that_says_nothing_makes_no_chart(trace: Any) -> None:
    result = result_with(trace)
    assert gap_plot(result) == ""
    assert "gap over time" not in summary_text(result)


def test_bounds_beyond_numbers_are_left_out() -> None:
    odd = [entry(1.0, float("-inf"), float("nan")), entry(2.0, 50.0, float("inf")), entry(3.0, True, 10**400)]
    result = result_with(odd)
    assert [t for t, _, _ in trace_points(result)] == [2.0, 10.0]
    check(result, [])


def test_one_point_and_no_gap_at_all_make_a_chart() -> None:
    result = result_with([entry(0.5, 100.0, 100.0)], 100.0, 100.0)
    check(result, result.statistics["trace"])
    assert gap_plot(replace(result, seconds=0.0, statistics={"trace": [entry(0.0, 100.0, 100.0)]})) == ""


@given(st.lists(st.floats(0, 1e7), max_size=30), st.floats(1e-3, 1e7))
def test_the_axis_of_time_never_turns_back(changes: list[float], end: float) -> None:
    axis = TimeAxis.of(changes, end, 100.0, 700.0)
    places = [100.0 + 6 * k for k in range(101)]
    values = [axis.value(x) for x in places]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0.0, end)
    for x, t in zip(places, values, strict=True):
        assert axis.place(t) == pytest.approx(x, abs=1e-3)


def test_reading_the_table_took_a_third_of_the_chart() -> None:
    axis = TimeAxis.of([1.0, 1.1, 1.2, 1.3], 1.4, 100.0, 700.0)
    assert axis.place(1.0) == pytest.approx(136.0)
    late = TimeAxis.of([99.0], 100.0, 0.0, 1.0)
    assert late.place(99.0) == pytest.approx(0.06)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30))
def test_the_axis_of_distance_can_be_read_back(distances: list[float]) -> None:
    axis = DistanceAxis.of(distances, 10.0, 260.0)
    for d in (*distances, 0.0):
        y = axis.place(d)
        assert 10.0 <= y <= 260.0
        assert axis.value(y) == pytest.approx(d, rel=1e-6, abs=1e-6 * axis.smallest)


def test_a_distance_too_small_to_divide_made_no_chart_at_all() -> None:
    """A file of bounds apart by the smallest number there is divided by zero."""
    for tiny in (5e-324, 1e-310, 1e-15):
        axis = DistanceAxis.of([tiny, -tiny], 10.0, 260.0)
        assert 10.0 <= axis.place(tiny) <= axis.place(0.0) <= axis.place(-tiny) <= 260.0
        assert axis.ticks() == []


@given(st.floats(0, 1e6), st.floats(1e-5, 1e5))
def test_a_round_time_lies_where_it_was_asked_for(low: float, width: float) -> None:
    seconds, step = roundest(low, low + width)
    assert low <= float(seconds) <= low + width
    if seconds:
        assert parsed(time_label(seconds, step))[0] == pytest.approx(float(seconds), rel=1e-12)


def test_the_report_of_the_command_line_shows_the_run(tmp_path: Path) -> None:
    from sabna.cli.app import run

    out = tmp_path / "r.json"
    assert run(["learn", "example:asia", "--quiet", "-o", str(out)]) == 0
    assert run(["report", str(out), "-o", str(tmp_path / "r.html"), "--quiet"]) == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count('<polyline class="found"') == 1
    trace = json.loads(out.read_text())["trace"]
    assert gap_plot(read_result(out)) in page
    check(read_result(out), trace)
