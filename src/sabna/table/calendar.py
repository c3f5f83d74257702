"""Dates as categories: the year, quarter, month, weekday, day of the month or hour of a date.

A date is nearly another one in every row, and no network can be learned of that; the part of it that comes back can be
learned. States stand in the order of the calendar, and only those that occur.

Dates are read as ISO 8601 writes them (`2024-03-31`, `2024-03-31T10:15`), also with the year first and slashes, or
with the year last: `31.3.2024` has the day first; of `3/31/2024` the order of day and month is found in the column,
and a column in which both orders are possible is refused unless the part asked for does not depend on it. Times of day
alone (`10:15`) have an hour. A time zone behind the time is passed over: the clock on the wall counts. Of years of two
digits those from 69 on belong to the 20th century, as in POSIX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sabna.base.errors import DataError, quoted

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
PARTS = ("year", "quarter", "month", "weekday", "day", "hour")
# Orders of day and month where the year comes last.
ORDERS = ("day first", "month first")

_TIME = r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(:(?P<second>[0-5]\d(\.\d+)?))?\s*(Z|[+-]\d{2}:?\d{2})?"
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})[-/](?P<month>\d{{1,2}})[-/](?P<day>\d{{1,2}})([T ]+{_TIME})?", re.ASCII)
_YEAR_LAST = re.compile(
    rf"(?P<one>\d{{1,2}})(?P<sign>[./-])(?P<two>\d{{1,2}})(?P=sign)(?P<year>\d{{4}}|\d{{2}})([T ]+{_TIME})?", re.ASCII
)
_ONLY_TIME = re.compile(_TIME, re.ASCII)


@dataclass(frozen=True)
class Calendar:
    """A part of dates, and which of day and month comes first where the year is last; None where that is not known."""

    part: str
    order: str | None = None

    def state(self, text: str) -> str | None:
        """The state of a date; None if the text is no date, or has not this part.

        >>> [Calendar(part).state("2024-03-31 10:15") for part in PARTS]
        ['2024', 'Q1', 'Mar', 'Sun', '31', '10']
        >>> Calendar("month", "month first").state("3/31/24"), Calendar("month").state("soon")
        ('Mar', None)
        """
        if self.part == "hour":
            found = _ONLY_TIME.fullmatch(text) or _YEAR_FIRST.fullmatch(text) or _YEAR_LAST.fullmatch(text)
            return None if found is None else f"{int(found['hour'] or 0):02d}"
        moment = _date(text, self.order)
        if moment is None:
            return None
        return {
            "year": f"{moment.year:04d}",
            "quarter": f"Q{(moment.month + 2) // 3}",
            "month": MONTHS[moment.month - 1],
            "weekday": WEEKDAYS[moment.weekday()],
            "day": f"{moment.day:02d}",
        }[self.part]

    def ordered(self, states: Iterable[str]) -> list[str]:
        """States in the order of the calendar."""
        names = {"month": MONTHS, "weekday": WEEKDAYS}.get(self.part)
        return sorted(set(states), key=names.index if names else None)


def _date(text: str, order: str | None) -> date | None:
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    elif match := _YEAR_LAST.fullmatch(text):
        one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
        if len(match["year"]) == 2:
            year += 1900 if year >= 69 else 2000
        month_first = order == "month first" and match["sign"] != "."
        month, day = (one, two) if month_first else (two, one)
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:  # no 30th of February, no month 13
        return None


def moment_of(text: str, order: str | None) -> datetime | None:
    """The moment that a date stands for, the clock on the wall; midnight if it has no time of day.

    >>> moment_of("31.3.2024 10:15", None)
    datetime.datetime(2024, 3, 31, 10, 15)
    """
    day = _date(text, order)
    found = _YEAR_FIRST.fullmatch(text) or _YEAR_LAST.fullmatch(text)
    if day is None or found is None:
        return None
    clock = {"hours": int(found["hour"] or 0), "minutes": int(found["minute"] or 0)}
    return datetime.combine(day, time()) + timedelta(**clock, seconds=float(found["second"] or 0))


def is_date(text: str) -> bool:
    """Whether a text is a date, with or without a time, in either order."""
    return any(_date(text, order) is not None for order in ORDERS)


def order_of(texts: Iterable[str]) -> str | None:
    """Which of day and month comes first in dates with the year last; None if both orders are possible, or neither.

    >>> order_of(["1/2/2024", "1/31/2024"]), order_of(["2024-01-31"]), order_of(["1/2/2024"])
    ('month first', 'day first', None)
    """
    slashed = [text for text in texts if (match := _YEAR_LAST.fullmatch(text)) and match["sign"] != "."]
    if not slashed:
        return "day first"
    possible = [order for order in ORDERS if all(_date(text, order) is not None for text in slashed)]
    return possible[0] if len(possible) == 1 else None


def calendar_of(texts: Sequence[str], part: str, where: str, name: str) -> Calendar:
    """How to take this part of the dates of a column; DataError if some are no dates, or not clear."""
    order = order_of(texts)
    calendar = Calendar(part, order)
    wrong = [text for text in texts if calendar.state(text) is None]
    if wrong:
        raise DataError(
            f"{where}, column {quoted(name)}: {quoted(wrong[0])} is no date whose {part} can be told; write dates as "
            "2024-03-31 or 2024-03-31 10:15, or leave the cell empty"
        )
    if order is None and part not in ("year", "hour"):
        raise unclear(texts, where, name)
    return calendar


def unclear(texts: Iterable[str], where: str, name: str) -> DataError:
    """The refusal of dates in which day and month may be either way round."""
    return DataError(
        f"{where}, column {quoted(name)}: whether {quoted(next(t for t in texts if _YEAR_LAST.fullmatch(t)))} has "
        "the day or the month first is not clear from the column; write dates as 2024-03-31"
    )


def useful_part(texts: Sequence[str]) -> str | None:
    """The part of some dates to suggest: the coarsest of month, weekday and hour that has more than one state."""
    order = order_of(texts)
    if order is None:
        return "year" if len({Calendar("year").state(text) for text in texts}) > 1 else None
    for part in ("month", "weekday", "hour"):
        states = {Calendar(part, order).state(text) for text in texts}
        if None not in states and len(states) > 1:
            return part
    return None
