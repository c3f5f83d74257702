"""New rows in the states of a column that was read before: the same categories, the same cuts.

Reading new rows by themselves would cut columns at their own quantiles and number their own states. A `Coding` holds
what reading did with one column: which state a value, an interval, or a missing value became. Values below the first
interval and above the last belong to these. A cell of a new row is one of three things:

    a state      its code, counted from 0
    unseen       a value, or an interval, that no row of the table showed: the code `unseen`, one more than the last
    missing      the code of the state for missing values if the table had one, else MISSING
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.table.calendar import ORDERS, PARTS, Calendar
from sabna.table.columns import AnyColumn, NumberColumn, Value
from sabna.table.numbers import number_of

Key = int | float | str
Ints = NDArray[np.int64]

# The code of a cell without a value, where the column has no state for those.
MISSING = -1


@dataclass(frozen=True)
class Coding:
    """How one column was coded: its states, and the state of each key.

    The key of a value is its number if the column held numbers, else its text; with `cuts` the interval it falls in,
    with `calendar` the part of the date.
    """

    states: tuple[str, ...]
    numeric: bool
    code_of: Mapping[Key, int]
    code_of_missing: int | None = None
    cuts: tuple[float, ...] | None = None
    cut_belongs_above: bool = True
    calendar: Calendar | None = None

    @staticmethod
    def of_states(states: Sequence[str], numeric: bool | None = None, last_is_missing: bool = False) -> Coding:
        """The coding of a column whose states are its values; the last may stand for missing ones.

        `numeric` says whether they are numbers; if it is not known, they are where every state is one.

        >>> Coding.of_states(["1", "2.5"]).codes_of([1.0, "2.50", "x", None])
        array([ 0,  1,  2, -1])
        """
        known = states[:-1] if last_is_missing else states
        numbers = [number_of(state) for state in known]
        as_numbers = bool(numbers) and None not in numbers if numeric is None else numeric
        keys: Sequence[Any] = numbers if as_numbers else known
        code_of = {key: k for k, key in enumerate(keys) if key is not None}
        return Coding(tuple(states), as_numbers, code_of, len(known) if last_is_missing else None)

    @property
    def unseen(self) -> int:
        """The code of what no row of the table showed."""
        return len(self.states)

    def key(self, value: Value, decimal: str = ".") -> Key | None:
        """What values of the same state have in common; None for text in a column of numbers, or of dates."""
        if self.calendar is not None:
            return self.calendar.state(str(value))
        if not self.numeric:
            return str(value)
        number = number_of(value, decimal)
        if number is None or self.cuts is None:
            return number
        return int(np.searchsorted(self.cuts, number, side="right" if self.cut_belongs_above else "left"))

    def codes_of(self, values: Sequence[Value | None], decimal: str = ".") -> Ints:
        """The codes of some values."""
        missing = MISSING if self.code_of_missing is None else self.code_of_missing
        return np.array([missing if v is None else self._code(v, decimal) for v in values], dtype=np.int64)

    def _code(self, value: Value, decimal: str) -> int:
        key = self.key(value, decimal)
        return self.unseen if key is None else self.code_of.get(key, self.unseen)

    def codes(self, column: AnyColumn, decimal: str = ".") -> Ints:
        """The codes of new rows."""
        shown = column.distinct() if isinstance(column, NumberColumn) else column
        return self.codes_of([*shown.values, None], decimal)[shown.positions]  # the last entry serves position -1

    def to_dict(self) -> dict[str, Any]:
        """For JSON. Codes are left out where the states are the values."""
        plain = Coding.of_states(self.states, self.numeric, self.code_of_missing is not None)
        fields: dict[str, Any] = {"kind": "number" if self.numeric else "text", "states": list(self.states)}
        if self.calendar is not None:
            fields |= {"kind": "date", "part": self.calendar.part, "order": self.calendar.order}
        if self.code_of_missing is not None:
            fields["missing"] = self.states[self.code_of_missing]
        if self.cuts is not None:
            fields |= {"cuts": list(self.cuts), "a_cut_belongs": "above" if self.cut_belongs_above else "below"}
        if self.code_of != plain.code_of:
            fields["codes"] = [[key, code] for key, code in self.code_of.items()]
        return fields

    @staticmethod
    def from_dict(fields: Any) -> Coding:
        """Back from JSON; ValueError says what is wrong."""
        kind, states = fields.get("kind"), fields.get("states")
        if kind not in ("number", "text", "date") or not _texts(states) or len(set(states)) != len(states):
            raise ValueError("a column needs its kind (number, text or date) and its states, all different")
        missing = fields.get("missing")
        if missing is not None and (missing != states[-1]):
            raise ValueError("the state for missing values must be the last one")
        cuts = fields.get("cuts")
        if cuts is not None and not (_numbers(cuts) and sorted(set(cuts)) == cuts):
            raise ValueError("cuts must be numbers, ascending")
        coding = Coding.of_states(states, kind == "number", missing is not None)
        codes = dict(coding.code_of) if "codes" not in fields else _codes(fields["codes"], len(states))
        above = fields.get("a_cut_belongs", "above") == "above"
        calendar = _calendar(fields) if kind == "date" else None
        cut_at = None if cuts is None else tuple(cuts)
        return Coding(coding.states, coding.numeric, codes, coding.code_of_missing, cut_at, above, calendar)


def _calendar(fields: Mapping[str, Any]) -> Calendar:
    part, order = fields.get("part"), fields.get("order")
    if part not in PARTS or order not in (*ORDERS, None):
        raise ValueError("a column of dates needs the part that was taken, and the order of day and month")
    return Calendar(str(part), order)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, int | float) and not isinstance(x, bool) for x in value)


def _codes(value: Any, states: int) -> dict[Key, int]:
    """Keys with their codes out of JSON."""
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise ValueError("codes must be a list of pairs")
    for key, code in value:
        if not isinstance(key, int | float | str) or not isinstance(code, int) or not 0 <= code < states:
            raise ValueError("codes must pair values with the numbers of states")
    return dict(value)
