"""A look at every column before anything is done: what it is, what will be done with it, and what would go through.

A table straight from a spreadsheet has several things wrong with it at once: gaps, a row number, dates, a measured
quantity. Told one at a time each costs a run. A survey names all of them, with the options that would let the table
through: quantities are cut into thirds; identifiers, dates and free text are left out, since no network can be learned
of columns that say something else in every row; rows with gaps are dropped, or gaps made a state where dropping them
would cost half of the rows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sabna.table.columns import AnyColumn, NumberColumn
from sabna.table.numbers import Numbers
from sabna.table.states import MAX_STATES, looks_continuous

# 2024-03-01, 1.3.2024, 03/01/24, each perhaps with a time behind it.
_DATE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})([T ]\d{1,2}:\d{2}.*)?")
# Distinct values looked at to tell dates and free text.
SAMPLE = 50
# A text column is an identifier, or free text, if so many of its rows are different.
MOSTLY = 0.5
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

    @property
    def plan(self) -> str:
        """What will be done with it."""
        return {
            "drop": "refused; leave it out",
            "discretize": f"refused as categories; cut it ({METHOD}), or score quantities (bic-g)",
            "categorical": f"refused, above {MAX_STATES} states; declare it categorical, or leave it out",
        }.get(self.remedy, "nothing to learn" if self.kind == "constant" else "taken as categories")

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

    def found(kind: str, remedy: str = "") -> ColumnLook:
        shown = tuple(str(value) for value in values[:3])
        return ColumnLook(column.name, kind, len(values), missing, shown, remedy)

    if column.declared:
        return found("declared categories")
    if numbers is not None:
        if not looks_continuous(column, numbers):
            kind = "constant" if len(values) < 2 else "whole numbers"
            return found(kind)
        sizes = np.array(numbers, dtype=np.float64)
        ends = float(np.nanmin(sizes)), float(np.nanmax(sizes))
        if (
            len(values) == there
            and np.array_equal(sizes, np.floor(sizes), equal_nan=True)
            and ends[1] - ends[0] < 2 * there
        ):
            return found("identifier", "drop")  # whole numbers, all different, with few left out
        return found("quantity", remedy="discretize")
    texts = [str(value) for value in values[:SAMPLE]]
    if texts and all(_DATE.fullmatch(text) for text in texts):
        remedy = "drop" if len(values) > MAX_STATES else ""
        return found("dates", remedy)
    if len(values) <= MAX_STATES:
        return found("constant" if len(values) < 2 else "categories")
    if len(values) > MOSTLY * there:
        words = sum(" " in text.strip() for text in texts) > len(texts) / 2
        return found("free text" if words else "identifier", remedy="drop")
    return found("many categories", remedy="categorical")


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
                advice.discretize[look.name] = METHOD
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

    def command(self, source: str) -> str:
        """For the shell."""
        words = ["sabna", "learn", source]
        words += ["--missing", self.missing] if self.missing else []
        for name in self.drop:
            words += ["--drop", name]
        for name, method in self.discretize.items():
            words += ["--discretize", f"{name}={method}"]
        for name in self.categorical:
            words += ["--categorical", name]
        return shlex.join(words)

    def call(self, source: str = "data") -> str:
        """For Python."""
        words = [source]
        given: Mapping[str, Any] = vars(self)
        words += [f"{name}={value!r}" for name, value in given.items() if value]
        return f"sabna.learn({', '.join(words)})"

    def text(self, where: str, is_file: bool) -> str:
        """`; try: ...`, empty if there is nothing to say."""
        if not self or len(self.drop) + len(self.discretize) + len(self.categorical) > MOST:
            return ""
        return f"; try: {self.command(where) if is_file else self.call()}"
