"""The two axes of the chart of a proof. Both bend, so that what matters has room; their ticks say by how much.

Time. A search may wait for an hour and close the gap in the last second. So a part of the width (EVEN_SHARE) goes to
the seconds alone, and the rest to what happened: every change of a bound gets the same room. The time before the first
bound, in which the table is read, gets no more than WAIT_SHARE. Straight lines between these points make a scale that
never turns back.

Distance. A gap shrinks by orders of magnitude: from thousands of nats to millionths. So distances from the best score
are drawn by their logarithm, down to a smallest one below which the scale is even and passes through zero.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

# The part of the width that time gets by itself, whatever happens in it.
EVEN_SHARE = 0.3
# The part of the width that the time before the first bound gets at most.
WAIT_SHARE = 0.06
# Orders of magnitude drawn by their logarithm: a gap of 10^-9 of the first one cannot be told from none.
MOST_DECADES = 9
# Distances below this, in nats, are drawn at the best score itself: costs are whole quanta, some 10^-9 nat.
LEAST_DISTANCE = 1e-12
# Changes closer than this part of the run are one: they could not be told apart in floating point either.
INSTANT = 1e-9
# Room that a letter of a label takes at most, and the least between two labels.
LETTER = 7.0
# Steps between ticks of time, in seconds, that read well.
_ROUND_SECONDS = tuple(Decimal(s) for s in (86400, 36000, 18000, 7200, 3600, 1800, 900, 600, 300, 120, 60, 30))
_ROUND_SECONDS += tuple(Decimal((0, (digit,), k)) for k in range(1, -7, -1) for digit in (5, 2, 1))[1:]

Tick = tuple[float, str]


@dataclass(frozen=True)
class TimeAxis:
    """Where times are drawn: `times` ascend from 0 to the end of the run, `places` on the page are theirs."""

    times: tuple[float, ...]
    places: tuple[float, ...]

    @staticmethod
    def of(changes: Sequence[float], end: float, left: float, right: float) -> TimeAxis:
        """For a run that took `end` > 0 seconds, with changes at these times."""
        times = [0.0]
        for t in sorted(changes):
            if times[-1] + INSTANT * end < t < end * (1 - INSTANT):
                times.append(t)
        times.append(end)
        last = len(times) - 1
        shares = [EVEN_SHARE * t / end + (1 - EVEN_SHARE) * k / last for k, t in enumerate(times)]
        wait = shares[1]
        if last > 1 and wait > WAIT_SHARE:
            squeezed = (1 - WAIT_SHARE) / (1 - wait)
            shares = [0.0, *(WAIT_SHARE + squeezed * (share - wait) for share in shares[1:-1]), 1.0]
        return TimeAxis(tuple(times), tuple(left + (right - left) * share for share in shares))

    def place(self, seconds: float) -> float:
        """Where a time is drawn."""
        return _along(self.times, self.places, seconds)

    def value(self, place: float) -> float:
        """The time that is drawn at a place."""
        return _along(self.places, self.times, place)

    def ticks(self, last: str, count: int = 7) -> list[Tick]:
        """Places and labels: round times at the places of exactly these, between 0 and the end, labelled `last`."""
        left, right = self.places[0], self.places[-1]
        apart = (right - left) / count
        ticks: list[Tick] = [(left, "0")]
        free, end = left + 2 * LETTER, right - (len(last) + 1) * LETTER  # what no label has taken
        for k in range(1, count):
            middle = left + k * apart
            seconds, step = roundest(self.value(middle - apart / 3), self.value(middle + apart / 3))
            place, label = self.place(float(seconds)), time_label(seconds, step)
            half = len(label) / 2 * LETTER
            if free <= place - half and place + half <= end:
                ticks.append((place, label))
                free = place + half + LETTER
        return [*ticks, (right, last)]


@dataclass(frozen=True)
class DistanceAxis:
    """Distances from the best score found, `above` it at most and `below` it at most, between two places."""

    top: float
    bottom: float
    above: float
    below: float
    smallest: float

    @staticmethod
    def of(distances: Sequence[float], top: float, bottom: float) -> DistanceAxis:
        """For these distances: better than the best score found is positive."""
        sizes = [abs(d) for d in distances if d]
        largest = max(sizes, default=1.0)
        smallest = min(max(min(sizes, default=1.0), largest * 10.0**-MOST_DECADES), largest / 10)
        least = max(smallest, LEAST_DISTANCE)
        return DistanceAxis(top, bottom, max(0.0, *distances), -min(0.0, *distances), least)

    def _bent(self, distance: float) -> float:
        return math.copysign(math.log10(1 + abs(distance) / self.smallest), distance)

    def _ends(self) -> tuple[float, float]:
        low, high = self._bent(-self.below), self._bent(self.above)
        room = 0.05 * (high - low) or 0.5
        return low - room, high + room

    def place(self, distance: float) -> float:
        """Where a distance is drawn."""
        low, high = self._ends()
        return self.bottom + (self.top - self.bottom) * (self._bent(distance) - low) / (high - low)

    def value(self, place: float) -> float:
        """The distance that is drawn at a place."""
        low, high = self._ends()
        bent = low + (high - low) * (place - self.bottom) / (self.top - self.bottom)
        return math.copysign(self.smallest * (10 ** abs(bent) - 1), bent)

    def ticks(self, apart: float = 21.0) -> list[Tick]:
        """Places and labels of powers of ten on both sides of zero, at least so far apart; zero is not among them."""
        ticks: list[Tick] = []
        for sign, limit in ((1, self.above), (-1, self.below)):
            taken = self.place(0.0)
            for k in _exponents(self.smallest, limit):
                place = self.place(sign * 10.0**k)
                if abs(place - taken) >= apart:
                    size = f"{10.0**k:,.{max(0, -k)}f}" if -6 <= k <= 9 else f"1e{k}"
                    ticks.append((place, ("+" if sign > 0 else "−") + size))
                    taken = place
        return ticks


def _exponents(smallest: float, limit: float) -> Iterator[int]:
    """Of the powers of ten between the two."""
    k = math.ceil(math.log10(smallest))
    while 10.0**k <= limit:
        yield k
        k += 1


def _along(xs: Sequence[float], ys: Sequence[float], x: float) -> float:
    """Straight lines through ascending points; flat beyond their ends."""
    if x <= xs[0]:
        return ys[0]
    if x >= xs[-1]:
        return ys[-1]
    k = bisect_right(xs, x) - 1
    return ys[k] + (ys[k + 1] - ys[k]) * (x - xs[k]) / (xs[k + 1] - xs[k])


def roundest(low: float, high: float) -> tuple[Decimal, Decimal]:
    """The roundest time between two, and the step it is a multiple of.

    >>> [str(roundest(low, high)[0]) for low, high in ((0.31, 0.49), (4.2031, 4.2067), (70, 200))]
    ['0.4', '4.205', '120']
    """
    for step in _ROUND_SECONDS:
        multiple = (Decimal(low) / step).to_integral_value(rounding="ROUND_CEILING") * step
        if multiple <= Decimal(high):
            return multiple, step
    return Decimal(low).quantize(_ROUND_SECONDS[-1]), _ROUND_SECONDS[-1]


def time_label(seconds: Decimal, step: Decimal) -> str:
    """A time with the digits that its step needs.

    >>> time_label(Decimal("0.4"), Decimal("0.1")), time_label(Decimal("4.205"), Decimal("0.005"))
    ('400 ms', '4.205 s')
    >>> time_label(Decimal(4500), Decimal(300)), time_label(Decimal(90), Decimal(30))
    ('1 h 15 min', '1 min 30 s')
    """
    digits = max(0, -step.adjusted())
    if seconds < 1:
        return f"{seconds * 1000:.{max(0, digits - 3)}f} ms"
    if seconds < 60:
        return f"{seconds:.{digits}f} s"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((f"{hours} h", hours), (f"{minutes} min", minutes), (f"{rest:.{digits}f} s", rest))
    return " ".join(text for text, amount in parts if amount)
