"""A look at every column before anything is done: what it is, what will be done with it, and what would go through.

A table straight from a spreadsheet has several things wrong with it at once: gaps, a row number, dates, a measured
quantity. Told one at a time each costs a run. A survey names all of them, with the options that would let the table
through: quantities are cut into thirds; of dates the month, weekday or hour is taken; identifiers and free text are
left out, since no network can be learned of columns that say something else in every row; rows with gaps are dropped,
or gaps made a state where dropping them would cost half of the rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError
from sabna.table.calendar import is_date, useful_part
from sabna.table.columns import AnyColumn, NumberColumn
from sabna.table.numbers import Numbers
from sabna.table.states import MAX_STATES, looks_continuous

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
# Columns that a suggestion names; beyond them it would be longer than anyone reads.
MOST = 12
# What a quantity is cut into unless told otherwise.
METHOD = "quantile:3"


@dataclass(frozen=True)
class ColumnLook:
    """One column: its kind, distinct values, missing cells, some values, and how it can be let through."""

    name: str
    kind: str
    distinct: int
    missing: int
    examples: tuple[str, ...] = ()
    remedy: str = ""  # drop, discretize, categorical, or empty if it goes through as it is
    method: str = METHOD  # of discretize

    @property
    def plan(self) -> str:
        """What will be done with it."""
        return {
            "drop": "refused; leave it out",
            "discretize": f"refused as categories; take the {self.method}, or leave it out"
            if self.kind == "dates"
            else f"refused as categories; cut it ({METHOD}), or score it as a quantity (bic-g; bcg beside categories)",
            "categorical": f"refused, above {MAX_STATES} states; declare it categorical, or leave it out",
        }.get(self.remedy) or {
            "constant": "nothing to learn",
            "identifier": "taken as categories, another in every row; better leave it out",
            "free text": "taken as categories, another in every row; better leave it out",
            "dates": f"taken as categories; discretize takes a part of it ({self.method})",
        }.get(self.kind, "taken as categories")

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "distinct": self.distinct,
            "missing": self.missing,
            "examples": list(self.examples),
            "plan": self.plan,
        }


def look_at(column: AnyColumn, numbers: Numbers | None) -> ColumnLook:
    """What a column is. `numbers` are its values as numbers, None if they are none."""
    missing = int(np.count_nonzero(column.missing()))
    if isinstance(column, NumberColumn):
        values: list[Any] = np.unique(column.shown()).tolist()
    else:
        values = list(column.values)
    there = column.rows - missing

    def found(kind: str, remedy: str = "", method: str = METHOD) -> ColumnLook:
        shown = tuple(str(value) for value in values[:3])
        return ColumnLook(column.name, kind, len(values), missing, shown, remedy, method)

    all_differ = len(values) == there >= FEW_ROWS

    if column.declared:
        return found("declared categories")
    if numbers is not None:
        continuous = looks_continuous(column, numbers) is not None
        if all_differ and _counts_up(np.array(numbers, dtype=np.float64), there):
            return found("identifier", "drop" if continuous else "")
        if continuous:
            return found("quantity", remedy="discretize")
        return found("constant" if len(values) < 2 else "whole numbers")
    texts = [str(value) for value in values]
    few = len(values) <= MAX_STATES
    if texts and all(is_date(text) for text in texts[:SAMPLE]) and all(is_date(text) for text in texts):
        part = useful_part(texts)
        return found("dates", "" if few else "discretize" if part else "drop", part or METHOD)
    sample = texts[:SAMPLE]
    prose = sum(" " in text.strip() for text in sample) > len(sample) / 2
    if few and not all_differ:
        return found("constant" if len(values) < 2 else "categories")
    if few or len(values) > MOSTLY * there:
        return found("free text" if prose else "identifier", "" if few else "drop")
    return found("many categories", remedy="categorical")


def _counts_up(numbers: NDArray[np.float64], there: int) -> bool:
    """Whether numbers, all different, are whole with few left out between."""
    whole = np.array_equal(numbers, np.floor(numbers), equal_nan=True)
    return whole and float(np.nanmax(numbers) - np.nanmin(numbers)) < 2 * there


@dataclass
class Advice:
    """The options under which a table would go through."""

    missing: str | None = None
    drop: list[str] = field(default_factory=list)
    discretize: dict[str, str] = field(default_factory=dict)
    categorical: list[str] = field(default_factory=list)

    @staticmethod
    def of(looks: Iterable[ColumnLook], gaps: Sequence[AnyColumn] = ()) -> Advice:
        """From the columns that need something; `gaps` are all columns, where gaps are a problem too."""
        advice = Advice()
        for look in looks:
            if look.remedy == "discretize":
                advice.discretize[look.name] = look.method
            elif look.remedy:
                getattr(advice, look.remedy).append(look.name)
        kept = [column for column in gaps if column.name not in advice.drop]
        if kept and any(column.missing().any() for column in kept):
            complete = np.ones(kept[0].rows, dtype=bool)
            for column in kept:
                complete &= ~column.missing()
            advice.missing = "drop" if 2 * int(complete.sum()) >= len(complete) else "category"
        return advice

    def __bool__(self) -> bool:
        return bool(self.missing or self.drop or self.discretize or self.categorical)

    def flags(self) -> list[str]:
        """For the shell."""
        words = ["--missing", self.missing] if self.missing else []
        for name in self.drop:
            words += ["--drop", name]
        for name, method in self.discretize.items():
            words += ["--discretize", f"{name}={method}"]
        for name in self.categorical:
            words += ["--categorical", name]
        return words

    def call(self, source: str, given: Mapping[str, Any]) -> str:
        """For Python, with the options of reading that were given already."""
        wanted = dict(given)
        if self.missing:
            wanted["missing"] = self.missing
        if self.discretize:
            wanted["discretize"] = _joined_plan(given.get("discretize"), self.discretize)
        for name, more in (("drop", self.drop), ("categorical", self.categorical)):
            if more:
                before = given.get(name, ())
                wanted[name] = [*([before] if isinstance(before, str) else before), *more]
        words = [source, *(f"{name}={_literal(value)}" for name, value in wanted.items())]
        return f"sabna.learn({', '.join(words)})"

    def added_to(self, error: DataError) -> DataError:
        """An error with the options that would let the table through, if there are any, by themselves."""
        if not self or len(self.drop) > MOST:
            return error
        given = {"missing": self.missing, "drop": self.drop}
        words = ", ".join(f"{name}={_literal(value)}" for name, value in given.items() if value)
        return DataError(str(error.args[0]), words, self.flags())

    def error(self, message: str, source: str, given: Mapping[str, Any]) -> DataError:
        """The refusal of a table, with what would go through if it is not too long to be read."""
        if not self or len(self.drop) + len(self.discretize) + len(self.categorical) > MOST:
            return DataError(message)
        return DataError(message, self.call(source, given), self.flags())


def flags_for_both_kinds(looks: Sequence[ColumnLook], columns: Sequence[AnyColumn]) -> list[str]:
    """For the shell: quantities as they are beside categories; nothing if the table has not both.

    Whole numbers of few values are taken as codes. Where half of the rows have gaps the score is left to `available`.
    """
    kinds = {look.kind for look in looks}
    if "quantity" not in kinds or not kinds & {"categories", "declared categories", "many categories", "whole numbers"}:
        return []
    drop = [look.name for look in looks if look.kind in LEAVE_OUT.values()]
    codes = [look.name for look in looks if look.kind == "whole numbers" and look.distinct <= FEW_VALUES]
    codes += [look.name for look in looks if look.remedy == "categorical"]
    complete = np.ones(columns[0].rows, dtype=bool)
    for column in columns:
        if column.name not in drop:
            complete &= ~column.missing()
    missing = None if complete.all() else "drop" if 2 * int(complete.sum()) >= len(complete) else "available"
    score = [] if missing == "available" else ["--score", "bcg"]
    return [*score, *Advice(missing, drop, categorical=codes).flags()]


def _joined_plan(given: Any, more: Mapping[str, str]) -> Any:
    """The methods of discretisation that were given, and some more."""
    if given in (None, "none"):
        return dict(more)
    if isinstance(given, Mapping):
        return {**given, **more}
    return [*([given] if isinstance(given, str) else given), *(f"{name}={method}" for name, method in more.items())]


def _literal(value: Any) -> str:
    """A value as Python writes it, texts in double quotes."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple | set):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
