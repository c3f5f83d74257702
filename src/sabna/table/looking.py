"""A look at a table before anything is learned from it: what every column is, and what would go through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sabna.base.calls import added_to, call_text
from sabna.table.advice import Advice, Problems
from sabna.table.budget import CODE_BYTES
from sabna.table.options import HowToRead, reader
from sabna.table.sources import Read, read_columns
from sabna.table.survey import FEW_VALUES, TEXT_OF_NUMBERS, ColumnLook, lines_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class TableLook:
    """What a table holds: `columns` one by one, and the `call` of `sabna.learn` that takes it; None if none does.

    `call_for_quantities` takes its quantities as they are (score bcg beside categories, else bic-g); None if there
    are none.
    """

    where: str
    rows: int
    columns: tuple[ColumnLook, ...]
    call: str | None
    call_for_quantities: str | None
    advice: Advice
    score: str  # of the second call
    beside: Advice | None

    def __str__(self) -> str:
        return self.text(self.call, self.call_for_quantities)

    def text(self, goes_through: str | None, as_they_are: str | None) -> str:
        """All columns in a line each, and what goes through."""
        count = len(self.columns)
        head = f"{self.where}: {self.rows:,} row{'s' * (self.rows != 1)}, {count} column{'s' * (count != 1)}"
        goes_through = goes_through or "nothing, as no column can be taken as it is; correct them first"
        lines = [head, *lines_of(self.columns), *self._turned(), f"goes through: {goes_through}"]
        return "\n".join([*lines, f"with quantities as they are: {as_they_are}"] if as_they_are else lines)

    def _turned(self) -> list[str]:
        """A word where the variables may stand in the rows: more quantities than rows, all else names."""
        quantities = sum(look.kind == "quantity" for look in self.columns)
        named = all(look.kind in ("quantity", "identifier", "free text") for look in self.columns)
        if quantities <= self.rows or not named:
            return []
        told = f"{quantities} quantities in {self.rows} rows"
        return [f"{told}: rows are observations; if the variables stand in the rows, transpose the table first"]


@reader
def look(source: Any, **how: Unpack[HowToRead]) -> TableLook:
    """Tell of every column of a table its kind, its states and missing values, and what will be done with it.

    `source`, the options and `limits` are those of `read_table`. Printed, the last line is a call that goes through.

    >>> print(look({"age": [31.5, 40.2, None], "ill": ["yes", "no", "yes"]}))
    data frame: 3 rows, 2 columns
      'age'  quantity    2 values (31.5, 40.2), 1 missing: refused as categories; cut it (quantile:3), or score it as \
a quantity (bic-g; bcg beside categories)
      'ill'  categories  2 values (yes, no): taken as categories
    goes through: sabna.learn(data, missing="drop", discretize={"age": "quantile:3"})
    with quantities as they are: sabna.learn(data, score="bcg", missing="drop")
    """
    read, _ = read_columns(source, how, CODE_BYTES)
    decimal = how.get("decimal")
    problems = Problems(read.where, read.columns, decimal=decimal)
    looks, advice = tuple(problems.looks()), problems.advice()
    usual = {"header": True, "limits": how.get("limits")}
    given = {name: value for name, value in how.items() if value != usual.get(name) and (value or name in usual)}
    call = None
    if not problems.leaves_nothing():
        call = call_text("learn", source, (), added_to(given, advice.options()))
    score, beside = _with_quantities(read, looks, decimal)
    other = None
    if beside is not None:
        other = call_text("learn", source, (), added_to({"score": score, **given}, beside.options()))
    return TableLook(read.where, read.columns[0].rows, looks, call, other, advice, score, beside)


def _with_quantities(read: Read, looks: Iterable[ColumnLook], decimal: str | None) -> tuple[str, Advice | None]:
    """The score that takes quantities as they are, and what lets the table through; of whole numbers few are codes."""
    kinds = {look.kind for look in looks}
    if "quantity" not in kinds:
        return "", None
    if not kinds & {"categories", "declared categories", "many categories", "whole numbers", TEXT_OF_NUMBERS}:
        problems = Problems(read.where, read.columns, "continuous", decimal=decimal)
        return "bic-g", None if problems.leaves_nothing() else problems.advice()
    codes = {look.name for look in looks if look.kind == "whole numbers" and look.distinct <= FEW_VALUES}
    problems = Problems(read.where, read.columns, "mixed", codes, decimal=decimal)
    advice = problems.advice()
    if problems.leaves_nothing():
        return "bcg", None
    advice.categorical += [name for name in sorted(codes) if name not in advice.drop]
    return "bcg", advice
