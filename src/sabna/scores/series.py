"""Repeated measurements: a long table of series becomes a table of transitions.

A row of the long table is one measurement of one series (`id`) at one time. A row of the table of transitions has the
measurement (`X`) and the `lags` before it (`X[t-1]`, `X[t-2]`, ...). The past is given: its columns have no parents,
and nothing else keeps the network over such rows from being learned as any other, exactly, with knowledge on top. What
is learned is the transition model of a dynamic network (Dean and Kanazawa 1989; Friedman, Murphy and Russell 1998).

Measurements belong together only if they are one step apart; the step is the most frequent distance between neighbours
of a series. Where a distance is another one, no transition leads across, and the warning names series and time.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError, quoted, warn
from sabna.base.limits import Limits
from sabna.scores.reading import read_for_score
from sabna.scores.registry import score_type
from sabna.table import MixedTable, NumericTable, Table
from sabna.table.budget import CODE_BYTES, NUMBER_BYTES, Budget
from sabna.table.calendar import ORDERS, moment_of, order_of, unclear
from sabna.table.columns import AnyColumn, NumberColumn
from sabna.table.interventions import plan_columns
from sabna.table.numbers import number_of
from sabna.table.options import HowToRead, refuse_too_late
from sabna.table.sources import Read, columns_of

# Dates are counted from here.
EPOCH = datetime(1970, 1, 1)
# A month or a quarter of a year.
_MONTH = re.compile(r"(?P<year>\d{4})([-/](?P<month>\d{1,2})|[- ]?Q(?P<quarter>[1-4]))", re.ASCII)
# Distances between times are equal within this share of the step: times may be decimal fractions.
SAME_STEP = 1e-6
# A warning names so many of the places where a series is interrupted.
MOST_NAMED = 3


def past(name: str, lag: int) -> str:
    """The name of a variable, `lag` steps ago.

    >>> past("weight", 1)
    'weight[t-1]'
    """
    return f"{name}[t-{lag}]" if lag else name


@dataclass(frozen=True)
class Clock:
    """What times are counted in: numbers as they are; dates in seconds, in months if all are of one day of the month.

    The first of March is as far from the first of February as that from the first of January, and so are the last days.
    """

    unit: str | None = None

    def told(self, time: float) -> str:
        """A time as the table has it."""
        if self.unit == "months":
            return f"{int(time) // 12}-{int(time) % 12 + 1:02d}"
        if self.unit == "seconds":
            moment = EPOCH + timedelta(seconds=time)
            return moment.date().isoformat() if moment.time() == EPOCH.time() else moment.isoformat(" ")
        return f"{time:.12g}"

    def span(self, step: float) -> str:
        """A distance in words."""
        if self.unit == "months":
            return f"{step:g} month{'s' * (step != 1)}"
        if self.unit == "seconds":
            return str(timedelta(seconds=step)).removesuffix(", 0:00:00")
        return f"{step:g}"


@dataclass(frozen=True)
class Steps:
    """Which rows follow each other: `rows[k]` are those of lag k, ascending in time within a series."""

    rows: tuple[NDArray[np.int64], ...]
    series: int
    step: float
    gaps: tuple[dict[str, Any], ...]  # series, after, before: between these times is more or less than one step
    clock: Clock
    short: int = 0  # series of which no row has the whole past


def read_series(source: Any, score: str, time: str, id: str | None, lags: int, **options: Any) -> Any:
    """The table of transitions of a long table, as `score` needs it; `options` as for `read_for_score`."""
    if isinstance(source, Table | NumericTable | MixedTable):
        refuse_too_late({"time": time})
    read = _read(source, score, options)
    columns, where = list(read.columns), read.where
    names = [column.name for column in columns]
    for option, name in (("time", time), ("id", id)):
        if name is not None and name not in names:
            raise UsageError(f"{option}: there is no column {quoted(name)} in {where}; check its name")
    if time == id:
        raise UsageError(f"`time` and `id` are both {quoted(time)}; name two columns")
    # Neither is a variable, so that leaving them out, or not naming them, says nothing.
    for option in ("columns", "drop"):
        if options.get(option) is not None:
            options[option] = [name for name in options[option] if name not in (time, id)]
    account: dict[str, Any] = {}
    if options.get("missing") == "drop":
        columns, account = _complete_rows(columns, time, id, options)
    by_name = {column.name: column for column in columns}
    times, clock = _times(by_name.pop(time), where, options.get("decimal") or ".")
    ids = ["" for _ in times] if id is None else _values(by_name.pop(id))
    if any(value is None for value in ids):
        raise DataError(
            f"{where}: column {quoted(str(id))} has missing values: no series is known for those rows; fill them in, "
            'or leave out the rows (missing="drop")'
        )
    if not by_name:
        raise DataError(f"{where}: there is no column besides time and id; nothing is measured")
    steps = steps_of(times, ids, lags, where, clock)
    reading = {key: value for key, value in options.items() if key not in ("delimiter", "header", "sheet")}
    table = read_for_score(replace(read, columns=list(by_name.values())), score, **reading)
    return _lagged(replace(table, statistics={**table.statistics, **account}), steps, lags, time, id)


def _complete_rows(
    columns: list[AnyColumn], time: str, id: str | None, options: dict[str, Any]
) -> tuple[list[AnyColumn], dict[str, Any]]:
    """The rows in which no column that is used has a hole, and the account of the others."""
    chosen, dropped = options.get("columns"), options.get("drop") or ()
    plan = options.get("interventions")
    told = () if plan is None else plan_columns(plan)  # an empty cell there says that nothing was set

    def used(name: str) -> bool:
        return name in (time, id) or ((chosen is None or name in chosen) and name not in dropped and name not in told)

    missing = {column.name: column.missing() for column in columns if used(column.name)}
    kept = ~np.logical_or.reduce(list(missing.values()))
    holes = {name: int(where.sum()) for name, where in missing.items() if where.any()}
    account: dict[str, Any] = {"rows_read": len(kept), "dropped_rows": int((~kept).sum())}
    if holes:
        account["missing"] = {"treatment": "drop", "cells": sum(holes.values()), "columns": holes}
    return [column.keep_rows(kept) for column in columns], account


def _read(source: Any, score: str, options: dict[str, Any]) -> Read:
    budget = Budget(options.get("limits") or Limits(), NUMBER_BYTES if score_type(score).continuous else CODE_BYTES)
    return columns_of(source, cast(HowToRead, options), budget)


def _values(column: AnyColumn) -> list[Any]:
    """The value of every row, None where it is missing."""
    if isinstance(column, NumberColumn):
        return [None if math.isnan(x) else x for x in column.numbers.tolist()]
    return [column.values[p] if p >= 0 else None for p in column.positions.tolist()]


def _months(seconds: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Times in months, if all are of one moment of their months."""
    moments = [EPOCH + timedelta(seconds=float(second)) for second in seconds]
    last = all((moment + timedelta(days=1)).day == 1 for moment in moments)
    same = {(0 if last else moment.day, moment.time()) for moment in moments}
    if len(same) != 1:
        return None
    return np.array([12.0 * moment.year + moment.month - 1 for moment in moments])


def _times(column: AnyColumn, where: str, decimal: str) -> tuple[NDArray[np.float64], Clock]:
    """Times as numbers: numbers as they are, dates (table/calendar.py) in seconds or months."""
    values = _values(column)
    out, dates = np.empty(column.rows), 0
    texts = [value for value in dict.fromkeys(values) if isinstance(value, str)]
    order = order_of(texts)
    for row, value in enumerate(values):
        number = None if value is None else number_of(value, decimal)
        if number is None and isinstance(value, str):
            number = _seconds(value, order or ORDERS[0])
            dates += number is not None
        if number is None or not math.isfinite(number):
            place = f"{where}: column {quoted(column.name)}, row {row + 1}"
            if value is None:
                raise DataError(f'{place}: no time is given; fill it in, or leave out such rows (missing="drop")')
            raise DataError(
                f"{place}: {quoted(value)} is no time; write numbers, or dates such as 2024-03-31, 2024-03 or 2024Q1"
            )
        out[row] = number
    if 0 < dates < len(out):
        raise DataError(f"{where}: column {quoted(column.name)} has dates and numbers; write one of them")
    if dates and order is None:
        raise unclear(texts, where, column.name)
    months = _months(out) if dates else None
    if months is not None:
        return months, Clock("months")
    return out, Clock("seconds" if dates else None)


def _seconds(text: str, order: str) -> float | None:
    """A date in seconds; None if it is none. Of a month or quarter (2024-03, 2024Q1) its first day.

    >>> [_seconds(text, ORDERS[0]) for text in ("1970-01-02", "1970-02", "1970Q2", "1970-Q2", "soon")]
    [86400.0, 2678400.0, 7776000.0, 7776000.0, None]
    """
    if match := _MONTH.fullmatch(text):
        month = int(match["month"] or 3 * int(match["quarter"] or 0) - 2)
        return (datetime(int(match["year"]), month, 1) - EPOCH).total_seconds() if 1 <= month <= 12 else None
    try:
        moment: datetime | None = datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        moment = moment_of(text, order)
    return None if moment is None else (moment - EPOCH).total_seconds()


def steps_of(
    times: NDArray[np.float64], ids: Iterable[Any], lags: int, where: str = "the table", clock: Clock | None = None
) -> Steps:
    """Which rows follow each other, one step apart.

    >>> steps_of(np.array([3.0, 1.0, 2.0, 6.0]), ["a"] * 4, 1).rows
    (array([2, 0]), array([1, 2]))
    """
    clock = clock or Clock()
    groups: dict[Any, list[int]] = {}
    for row, series in enumerate(ids):
        groups.setdefault(series, []).append(row)
    ordered = {series: sorted(rows, key=lambda row: times[row]) for series, rows in groups.items()}
    distances = Counter[float]()
    grain = 4 * float(np.spacing(np.abs(times).max(initial=0.0)))  # seconds since 1970 have no digits below 1e-6
    for series, rows in ordered.items():
        for a, b in pairwise(rows):
            if times[a] == times[b]:
                raise DataError(
                    f"{where}: rows {min(a, b) + 1} and {max(a, b) + 1} are both of time {clock.told(times[a])}"
                    f"{_of(series)}; a series has one row at a time: "
                    + ("name the column of the series (`id`), or " if series == "" else "")
                    + "leave one of the rows out"
                )
            distances[_rounded(float(times[b] - times[a]), grain)] += 1
    if not distances:
        raise DataError(f"{where}: no series has two rows; transitions need rows that follow each other")
    step = min(distances, key=lambda d: (-distances[d], d))
    if len(distances) > 1 and distances[step] == 1:
        raise DataError(
            f"{where}: the times have no step: no two of the {len(distances):,} distances between neighbouring rows "
            f"are the same ({clock.span(min(distances))} to {clock.span(max(distances))}); round the times to the "
            "unit of the measurements, or number the measurements of each series"
        )
    runs, gaps = list[list[int]](), list[dict[str, Any]]()
    for series, rows in ordered.items():
        runs.append([rows[0]])
        for a, b in pairwise(rows):
            if abs(times[b] - times[a] - step) > max(SAME_STEP * step, grain):
                ends = (clock.told(times[k]) if clock.unit else float(times[k]) for k in (a, b))
                gaps.append({"series": series, **dict(zip(("after", "before"), ends, strict=True))})
                runs.append([])
            runs[-1].append(b)
    long = [run for run in runs if len(run) > lags]
    if not long:
        raise DataError(
            f"{where}: no {lags + 1} rows of a series are {clock.span(step)} apart, its most frequent step; use fewer "
            "lags, or measurements at equal distances"
        )
    rows_of = tuple(np.concatenate([np.array(run[lags - k : len(run) - k]) for run in long]) for k in range(lags + 1))
    first = {run[0] for run in long}
    short = sum(first.isdisjoint(rows) for rows in ordered.values())
    return Steps(rows_of, len(ordered), step, tuple(gaps), clock, short)


def _rounded(distance: float, grain: float) -> float:
    """A distance to the digits it has, at most nine, where times are multiples of a quarter of `grain`.

    >>> _rounded(0.0999999046, 1e-6), _rounded(0.1, 1e-16)
    (0.1, 0.1)
    """
    digits = math.floor(math.log10(min(max(distance / grain, 10.0), 1e9)))
    return float(f"{distance:.{digits}g}")


def _of(series: Any) -> str:
    whole = isinstance(series, float) and series.is_integer()
    return "" if series == "" else f" of series {int(series) if whole else quoted(series)}"


def _lagged(table: Any, steps: Steps, lags: int, time: str, id: str | None) -> Any:
    """The table of transitions: the past first, the earliest of it at the head."""
    places = [(k, i) for k in range(lags, -1, -1) for i in range(table.n)]
    names = tuple(past(table.names[i], k) for k, i in places)
    if len(set(names)) != len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise DataError(f"column {quoted(double)} has the name of another column's past; rename it")
    if steps.gaps:

        def told(time: Any) -> str:
            return time if isinstance(time, str) else f"{time:.12g}"

        shown = "; ".join(
            f"{told(gap['after'])} to {told(gap['before'])}{_of(gap['series'])}" for gap in steps.gaps[:MOST_NAMED]
        )
        step = steps.clock.span(steps.step)
        more = f"; and {len(steps.gaps) - MOST_NAMED} more" if len(steps.gaps) > MOST_NAMED else ""
        one = len(steps.gaps) == 1
        counted = "1 distance between rows is" if one else f"{len(steps.gaps)} distances between rows are"
        lost = len(steps.gaps) > len(steps.rows[0])
        advice = (
            "; if these rows belong together, round the times to the unit of the measurements, or number the "
            "measurements of each series"
        )
        warn(
            f"{counted} not the step of {step} ({shown}{more}): no transition leads across {'it' if one else 'them'}"
            f"{advice if lost else ''}",
        )
    about = {
        "time": time,
        "id": id,
        "lags": lags,
        "series": steps.series,
        "step": steps.step,
        **({"unit": steps.clock.unit} if steps.clock.unit else {}),
        "transitions": len(steps.rows[0]),
        "short": steps.short,
        "gaps": list(steps.gaps),
    }
    statistics = {**table.statistics, "time": about}
    preparation = table.preparation
    if preparation is not None:
        codings = {past(name, k): coding for k in range(lags + 1) for name, coding in preparation.columns.items()}
        preparation = replace(preparation, columns=codings)
    was_set = None
    if table.was_set is not None:
        was_set = np.stack([table.was_set[i, steps.rows[k]] for k, i in places])
    if isinstance(table, NumericTable):
        values = np.stack([table.values[i, steps.rows[k]] for k, i in places])
        return NumericTable(names, values, statistics, preparation, was_set)
    states = tuple(table.states[i] for _, i in places)
    if isinstance(table, MixedTable):
        columns = tuple(table.columns[i][steps.rows[k]] for k, i in places)
        return MixedTable(names, columns, states, statistics, preparation, was_set)
    codes = np.stack([table.codes[i, steps.rows[k]] for k, i in places])
    return Table(names, codes, states, statistics, preparation, was_set)


def past_names(table: Any) -> list[str]:
    """The columns of a table of transitions that are of the past: they have no parents."""
    lags = table.statistics["time"]["lags"]
    return list(table.names[: table.n // (lags + 1) * lags])
