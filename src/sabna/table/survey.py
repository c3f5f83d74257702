"""What every column of a table is, and what a network can be learned of: the kinds of columns.

A table straight from a spreadsheet has several things wrong with it at once: gaps, a row number, dates, a measured
quantity with a remark in one of its cells. `look_at` tells what a column is from its distinct values; `remedy` says
what lets it through, which depends on the table that is wanted:

- `discrete`: quantities are cut into thirds; of dates the month, weekday or hour is taken; identifiers, free text,
  numbers with other cells among them and empty columns are left out;
- `mixed`: the same, but quantities stay as they are;
- `continuous`: everything that is no number is left out.

How the remedies of all columns become options is told in advice.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, quoted
from sabna.table.calendar import is_date, useful_part
from sabna.table.columns import AnyColumn, NumberColumn
from sabna.table.decimals import Evidence
from sabna.table.numbers import Numbers, number_of, numbers_of
from sabna.table.states import MAX_STATES, is_code, looks_continuous

# Kinds of columns that can be left out unnamed, by the word of the option `leave_out`.
LEAVE_OUT = {"identifiers": "identifier", "text": "free text", "dates": "dates"}
# Distinct values looked at to tell dates and free text.
SAMPLE = 50
# A text column is an identifier, or free text, if so many of its rows are different; below MAX_STATES values, if all
# of at least so many rows are.
MOSTLY = 0.5
FEW_ROWS = 12
# Whole numbers of so few values may be codes of categories.
FEW_VALUES = 5
# A text column is one of numbers with other cells among them if at least so many of its values are numbers, and at
# least so large a share.
SOME_NUMBERS = 8
NEARLY_ALL = 0.8
# Whole numbers of more values than this are rather a quantity than categories: every state costs parameters.
MANY_STATES = 20
# Cells that are whole numbers in a column whose type is text: a category, also beside quantities.
TEXT_OF_NUMBERS = "numbers as text"
# What a quantity is cut into unless told otherwise.
METHOD = "quantile:3"


@dataclass(frozen=True)
class ColumnLook:
    """One column: its kind, distinct values, missing cells, some values, and what lets it through."""

    name: str
    kind: str
    distinct: int
    missing: int
    examples: tuple[str, ...] = ()
    numeric: bool = False  # whether all its values are numbers
    method: str = METHOD  # of discretize
    odd: str = ""  # the first value that does not belong to the others
    note: str = ""  # what is to be done with it for the sake of the other columns

    def remedy(self, kinds: str = "discrete") -> str:
        """drop, discretize or categorical; empty if a table of these kinds takes the column as it is."""
        if self.kind in ("empty", "infinite numbers", "unclear numbers"):
            return "drop"
        if kinds == "continuous":
            return "" if self.numeric else "drop"
        if self.kind == "declared categories" or (kinds == "mixed" and self.numeric):
            return ""
        if self.kind == "quantity":
            return "discretize"
        if self.distinct <= MAX_STATES:
            return ""
        if self.kind == "dates":
            return "discretize" if self.method != METHOD else "drop"
        return "categorical" if self.kind == "many categories" else "drop"

    def plan(self, kinds: str = "discrete") -> str:
        """What will be done with it."""
        remedy = self.remedy(kinds)
        if self.note:
            return self.note
        if kinds == "continuous":
            return "refused, no numbers; leave it out" if remedy else "taken as a quantity"
        if self.kind == "unclear numbers":
            return f"refused: {self.odd}; correct it, or leave the column out"
        if self.kind == "infinite numbers":
            return "refused: a number is infinite; correct it, or leave the column out"
        if self.kind == "numbers and text":
            doing = "refused" if remedy else "taken as categories"
            return f"{doing}: {quoted(self.odd, 40)} is no number; correct such cells, or leave the column out"
        if remedy == "discretize" and self.kind == "dates":
            return f"refused as categories; take the {self.method}, or leave it out"
        if remedy == "discretize":
            return f"refused as categories; cut it ({METHOD}), or score it as a quantity (bic-g; bcg beside categories)"
        if remedy == "categorical":
            return f"refused, above {MAX_STATES} states; declare it categorical, or leave it out"
        if remedy == "drop":
            return "refused; leave it out"
        if kinds == "mixed" and self.numeric and self.kind != TEXT_OF_NUMBERS:
            return "taken as a quantity"
        if self.kind == "whole numbers" and self.distinct > MANY_STATES:
            return (
                f"taken as categories, though {self.distinct} states hide what depends on it; better cut it ({METHOD})"
            )
        return {
            "constant": "nothing to learn",
            "identifier": "taken as categories, another in every row; better leave it out",
            "free text": "taken as categories, another in every row; better leave it out",
            "dates": f"taken as categories; discretize takes a part of it ({self.method})",
        }.get(self.kind, "taken as categories")

    def line(self, kinds: str = "discrete", name_width: int = 0, kind_width: int = 0) -> str:
        """The column in one line."""
        gaps = f", {self.missing:,} missing" if self.missing else ""
        shown = ", ".join(text if len(text) <= 20 else f"{text[:17]}..." for text in self.examples)
        values = f"{self.distinct:,} value{'s' * (self.distinct != 1)}" + (f" ({shown})" if shown else "")
        return f"{quoted(self.name):{name_width}}  {self.kind:{kind_width}}  {values}{gaps}: {self.plan(kinds)}"

    def to_dict(self, kinds: str = "discrete") -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "distinct": self.distinct,
            "missing": self.missing,
            "examples": list(self.examples),
            "plan": self.plan(kinds),
        }


def lines_of(looks: Sequence[ColumnLook], kinds: str = "discrete") -> list[str]:
    """The columns in a line each, one below the other."""
    if not looks:
        return []
    name, kind = max(len(quoted(look.name)) for look in looks), max(len(look.kind) for look in looks)
    return [f"  {look.line(kinds, name, kind)}" for look in looks]


def sign_of(columns: Sequence[AnyColumn], decimal: str | None = None) -> str:
    """The decimal sign in which most columns of numbers are written; the point where as many are in either."""
    if decimal is not None:
        return decimal
    found = [column.evidence().one_notation for column in columns if not column.declared]
    return "," if found.count(",") > found.count(".") else "."


def look_at(column: AnyColumn, where: str = "", decimal: str = ".") -> ColumnLook:
    """What a column is; `decimal` is the decimal sign of the table."""
    missing = int(np.count_nonzero(column.missing()))
    if isinstance(column, NumberColumn):
        values: list[Any] = np.unique(column.shown()).tolist()
    else:
        values = list(column.values)

    def found(kind: str, **more: Any) -> ColumnLook:
        shown = tuple(f"{value:.6g}" if isinstance(value, float) else str(value) for value in values[:3])
        return ColumnLook(column.name, kind, len(values), missing, shown, **more)

    if column.declared:
        return found("declared categories")
    if not values:
        return found("empty")
    evidence = column.evidence()
    if not evidence.text and (trouble := _trouble(evidence)):
        return found("unclear numbers", odd=trouble)
    try:
        numbers = numbers_of(column, where, decimal)
    except DataError:
        return found("infinite numbers")
    there = column.rows - missing
    all_differ = len(values) == there >= FEW_ROWS
    if numbers is not None:
        return found(_kind_of_numbers(column, numbers, values, there), numeric=True)
    texts = [str(value) for value in values]
    few = len(values) <= MAX_STATES
    if all(is_date(text) for text in texts[:SAMPLE]) and all(is_date(text) for text in texts):
        return found("dates", method=useful_part(texts) or METHOD)
    words = [value for value in values if number_of(value, ".") is None and number_of(value, ",") is None]
    if words and len(values) - len(words) >= max(SOME_NUMBERS, NEARLY_ALL * len(values)):
        return found("numbers and text", odd=str(words[0]))
    if few and not all_differ:
        return found("constant" if len(values) < 2 else "categories")
    if few or len(values) > MOSTLY * there:
        sample = texts[:SAMPLE]
        prose = sum(" " in text.strip() for text in sample) > len(sample) / 2
        return found("free text" if prose else "identifier")
    return found("many categories")


def _kind_of_numbers(column: AnyColumn, numbers: Numbers, values: Sequence[Any], there: int) -> str:
    if len(values) == there >= FEW_ROWS and _counts_up(np.array(numbers, dtype=np.float64), there):
        return "identifier"
    if looks_continuous(column, numbers) is not None:
        return "identifier" if _codes(values) and len(values) > MOSTLY * there else "quantity"
    if len(values) < 2:
        return "constant"
    return TEXT_OF_NUMBERS if is_code(column, numbers) else "whole numbers"


def _counts_up(numbers: NDArray[np.float64], there: int) -> bool:
    """Whether numbers, all different, are whole with few left out between."""
    whole = np.array_equal(numbers, np.floor(numbers), equal_nan=True)
    return whole and float(np.nanmax(numbers) - np.nanmin(numbers)) < 2 * there


def _codes(values: Sequence[Any]) -> bool:
    """Whether numbers are written as codes are: digits of equal length, some with a nought in front (01067)."""
    digits = all(isinstance(value, str) and value.isdigit() and len(value) == len(values[0]) for value in values)
    return digits and len(values[0]) > 1 and any(value.startswith("0") for value in values)


def _trouble(evidence: Evidence) -> str:
    """What keeps a column of numbers in text from being read in one notation."""
    if evidence.grouped:
        return f"{evidence.grouped} has thousands separators"
    if evidence.elsewhere:
        return f"{evidence.elsewhere} has a sign that is no ASCII character"
    if evidence.measured:
        return f"{evidence.measured} has a unit"
    if evidence.point and evidence.comma:
        return f"{evidence.point} and {evidence.comma} have different decimal signs"
    return ""
