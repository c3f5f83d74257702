"""A table that is refused: all its problems in one message, with the options that would let it through.

Told one at a time, each problem costs a run. So a refusal, whatever raised it, also lists every other column that would
be refused, and ends with options that let the table through: those that were given and, for each column, its remedy
(survey.py). Rows with gaps are dropped; where that would cost half of the rows of a table of categories, gaps become a
state instead; of a table with quantities, columns with gaps in more than half of the rows are left out first, and more
until some rows are complete.

Columns are looked at with all their rows. Under `missing="drop"` a column that is to be left out takes its gaps with
it, and rows come back; a column that is let through in all rows is let through in some of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError
from sabna.table.columns import AnyColumn
from sabna.table.decimals import Evidence
from sabna.table.discretize import Plan
from sabna.table.survey import LEAVE_OUT, MANY_STATES, METHOD, ColumnLook, lines_of, look_at, sign_of

# Of more dates a part is taken, though they could be taken as categories.
MANY_DATES = 31
# Columns that the options name one by one; beyond that quantities are cut together, and kinds left out as kinds.
MOST = 12
# Columns that a refusal tells of one by one.
MOST_LINES = 20


@dataclass
class Advice:
    """Options of reading to be added to those that were given."""

    missing: str | None = None
    decimal: str | None = None
    drop: list[str] = field(default_factory=list)
    leave_out: list[str] = field(default_factory=list)
    discretize: dict[str, str] = field(default_factory=dict)  # by column; "" stands for all
    categorical: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.options())

    def options(self) -> dict[str, Any]:
        """Those that say something, as Python takes them."""
        plan: Any = self.discretize
        if "" in plan:
            plan = [method if not name else f"{name}={method}" for name, method in plan.items()]
        named = {
            "missing": self.missing,
            "decimal": self.decimal,
            "leave_out": self.leave_out,
            "drop": self.drop,
            "discretize": plan,
            "categorical": self.categorical,
        }
        return {name: value for name, value in named.items() if value}

    def flags(self) -> list[str]:
        """For the shell."""
        words = []
        for name, value in (("missing", self.missing), ("decimal", self.decimal)):
            words += [f"--{name}", value] if value else []
        for name, values in (("leave-out", self.leave_out), ("drop", self.drop)):
            for value in values:
                words += [f"--{name}", value]
        for name, method in self.discretize.items():
            words += ["--discretize", f"{name}={method}" if name else method]
        for name in self.categorical:
            words += ["--categorical", name]
        return words


@dataclass
class Problems:
    """What is wrong with a table of columns that is to become one of `kinds`.

    `categorical`, `plan`, `missing` and `decimal` are the options that were given.
    """

    where: str
    columns: list[AnyColumn]
    kinds: str = "discrete"
    categorical: set[str] = field(default_factory=set)
    plan: Plan | None = None
    missing: str = "error"
    decimal: str | None = None
    _looks: list[ColumnLook] | None = None
    _advice: Advice | None = None
    _total: int = 0

    def __post_init__(self) -> None:
        self._total = len(self.columns)

    def note_before_dropping(self) -> None:
        """Look now, where rows are about to be dropped."""
        if self.missing == "drop" and any(column.missing().any() for column in self.columns):
            self._see()

    def _see(self) -> tuple[list[ColumnLook], Advice]:
        """All columns, and what lets them through; the columns are not needed any more afterwards."""
        if self._looks is None or self._advice is None:
            sign = sign_of(self.columns, self.decimal)
            looks = {column.name: look_at(column, self.where, sign) for column in self.columns}
            self._advice = self._advise(looks, sign)
            self._looks = list(looks.values())
        return self._looks, self._advice

    def looks(self) -> list[ColumnLook]:
        """Every column."""
        return self._see()[0]

    def refused(self) -> list[ColumnLook]:
        """Those that cannot be taken as they are."""
        return [look for look in self.looks() if look.note or self._remedy(look)]

    def advice(self) -> Advice:
        """What lets the table through."""
        return self._see()[1]

    def leaves_nothing(self) -> bool:
        """Whether all columns would have to be left out."""
        looks, advice = self._see()
        kinds = {LEAVE_OUT[word] for word in advice.leave_out}
        return sum(look.name in advice.drop or look.kind in kinds for look in looks) == self._total

    def refusal(self, error: DataError, about: str | None = None) -> DataError:
        """The error with all other problems and what lets the table through; `about` is the column that it names."""
        refused, advice = self.refused(), self.advice()
        message = str(error.args[0]) if error.args else ""
        if any(look.name != about for look in refused):
            lines = lines_of(refused[:MOST_LINES], self.kinds)
            if len(refused) > MOST_LINES:
                lines.append(f"  and {len(refused) - MOST_LINES:,} more columns; look shows them all")
            message = "\n".join([f"{message}\nnot taken as they are:", *lines])
        if self.leaves_nothing() and self.kinds == "continuous":
            message += '\nno column holds numbers: use a score of categories, such as score="bic"'
        if self.leaves_nothing() or not advice:
            return DataError(message)
        return DataError(message, advice.options(), advice.flags())

    def _remedy(self, look: ColumnLook) -> str:
        if self.kinds != "continuous":
            if look.name in self.categorical and look.kind != "empty":
                return ""
            if self.plan is not None and self.plan.by_column.get(look.name, self.plan.overall).kind != "none":
                named = look.name in self.plan.by_column
                if named or look.kind == "quantity" or self.plan.overall.kind == "mean":
                    return ""
        return look.remedy(self.kinds)

    def _advise(self, looks: dict[str, ColumnLook], sign: str) -> Advice:
        """The options; columns that are left out for the sake of others get a note in `looks`."""
        advice = Advice()
        for look in looks.values():
            remedy = self._remedy(look)
            if remedy == "discretize":
                advice.discretize[look.name] = look.method
            elif remedy:
                getattr(advice, remedy).append(look.name)
        self._settle_useless(advice, looks)
        self._settle_sign(advice, looks, sign)
        self._settle_gaps(advice, looks)
        if all(c.declared or c.evidence() == Evidence() for c in self.columns if c.name not in advice.drop):
            advice.decimal = None  # the columns written in one are left out: nothing is left that a sign is for
        cut = [name for name, method in advice.discretize.items() if method == METHOD]
        if len(cut) > MOST and (self.plan is None or self.plan.overall.kind == "none"):
            rest = {name: method for name, method in advice.discretize.items() if name not in cut}
            advice.discretize = {"": METHOD, **rest}
        if len(advice.drop) > MOST:
            for word, kind in LEAVE_OUT.items():
                if any(looks[name].kind == kind for name in advice.drop) and word != "dates":
                    advice.leave_out.append(word)
                    advice.drop = [name for name in advice.drop if looks[name].kind != kind]
        return advice

    def _settle_useless(self, advice: Advice, looks: dict[str, ColumnLook]) -> None:
        """Leave out what has another value in every row; take of dates what comes back; cut what has many states."""
        for name, look in list(looks.items()):
            named = name in self.categorical or (self.plan is not None and name in self.plan.by_column)
            if named or self._remedy(look) or self.kinds == "continuous" or self._total < 2:
                continue
            if look.kind in ("identifier", "free text"):
                self._move(advice.drop, name, advice, looks, "another value in every row; better leave it out")
            elif look.kind == "dates" and look.method != METHOD and look.distinct > MANY_DATES:
                looks[name] = replace(look, note=f"nearly another one in every row; take the {look.method}")
                advice.discretize[name] = look.method
            elif self.kinds == "discrete" and look.kind == "whole numbers" and look.distinct > MANY_STATES:
                advice.discretize[name] = look.method

    def _settle_sign(self, advice: Advice, looks: dict[str, ColumnLook], sign: str) -> None:
        """Name the decimal sign where the table does not decide it, and columns written in the other one."""
        if self.decimal is not None:
            sign = "comma" if self.decimal == "." else "point"
            for column in self.columns:
                if not column.declared and column.evidence().one_notation not in (None, "", self.decimal):
                    note = f"written with a decimal {sign}: give the other `decimal`, or leave it out"
                    looks[column.name] = replace(looks[column.name], note=note)
            return
        taken = [c for c in self.columns if not c.declared and c.name not in self.categorical]
        evidence = {c.name: c.evidence() for c in taken if c.name not in advice.drop}
        other = [name for name, found in evidence.items() if found.one_notation not in (None, "", sign)]
        if other:
            advice.decimal = sign
            for name in other:
                word = "comma" if sign == "." else "point"
                if self.kinds == "discrete" and not looks[name].remedy():
                    self._move(advice.categorical, name, advice, looks, f"written with a decimal {word}: categories")
                else:
                    self._move(advice.drop, name, advice, looks, f"written with a decimal {word}; leave it out")
        elif any(found.surely_comma for found in evidence.values()):
            advice.decimal = ","
        else:  # perhaps a comma between thousands, which only the owner knows
            for name, found in evidence.items():
                if found.comma and not found.text:
                    note = f"{found.comma}: a decimal comma (`decimal`), or one between thousands? Or leave it out"
                    self._move(advice.drop, name, advice, looks, note)

    def _settle_gaps(self, advice: Advice, looks: dict[str, ColumnLook]) -> None:
        """What is to become of gaps, and in tables with quantities of columns that hold little else."""
        kept = [column for column in self.columns if column.name not in advice.drop]
        gaps = {column.name: int(np.count_nonzero(column.missing())) for column in kept}
        if self.missing not in ("error", "drop") or not any(gaps.values()):
            return
        if self.kinds != "discrete":
            for name in sorted(gaps, key=lambda name: -gaps[name]):
                if len(kept) > 1 and (2 * gaps[name] > kept[0].rows or not _complete(kept).any()):
                    self._move(advice.drop, name, advice, looks, "missing in too many rows; leave it out")
                    kept = [column for column in kept if column.name != name]
        complete = _complete(kept)
        if complete.all():
            return
        many = 2 * int(complete.sum()) >= len(complete) or self.kinds != "discrete"
        if self.missing == "error" or not complete.any():
            advice.missing = "drop" if many else "category"
        if "drop" in (self.missing, advice.missing) and self.kinds != "continuous":
            for name, look in looks.items():  # without the rows that are dropped all its cells may be numbers
                settled = name in self.categorical or name in advice.drop or self._remedy(look)
                if look.kind == "numbers and text" and not settled:
                    advice.categorical.append(name)

    @staticmethod
    def _move(to: list[str], name: str, advice: Advice, looks: dict[str, ColumnLook], note: str) -> None:
        """Let a column through in another way than by its own remedy."""
        for names in (advice.drop, advice.categorical):
            if name in names:
                names.remove(name)
        advice.discretize.pop(name, None)
        to.append(name)
        looks[name] = replace(looks[name], note=note)


def _complete(columns: list[AnyColumn]) -> NDArray[np.bool_]:
    """Of each row whether no column has a gap in it."""
    complete = np.ones(columns[0].rows, dtype=bool)
    for column in columns:
        complete &= ~column.missing()
    return complete
