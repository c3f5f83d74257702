"""The notation of numbers in text: decimal point or decimal comma.

A file is written in one notation, so one decision holds for all its columns. It is made from the columns whose every
cell is a number in some notation:

- `1.5` speaks for the point, `12,5` for the comma; `7` and `-3e5` for neither;
- `1,234` may be a thousand or a decimal comma; alone it decides nothing;
- `1,234.5`, `1.234,5` and `1 234,5` have thousands separators, which are not read; nor are a minus sign or a decimal
  sign from elsewhere in Unicode (`−1.5`), and fractions that all have the same unit (`1.5 kg`, `2,5%`).

What is clear is read: commas alone, in a file whose cells are not separated by commas. Everything else is refused by
name of the columns: if such cells were taken for text, each would become a category of its own, and nobody would be
told. `decimal` decides for a file, `categorical` takes the cells of a column as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sabna.base.errors import DataError, UsageError, quoted, warn

_EXPONENT = r"(?:[eE][+-]?\d+)?"
# What counts as a number in text. Python's float() would also take "1_000".
POINT = re.compile(rf"[+-]?(?:\d+(?:\.\d*)?|\.\d+){_EXPONENT}")
COMMA = re.compile(rf"[+-]?(?:\d+(?:,\d*)?|,\d+){_EXPONENT}")
_WHOLE = re.compile(rf"[+-]?\d+{_EXPONENT}")
_ONE_THOUSAND = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
# Three digits between equal separators, then perhaps a fraction: 1,234,567  1.234,5  1 234  1'234.5
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:([.,'’ \u00a0\u202f])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d*)?")

# Signs of other alphabets, and what they stand for: minus sign, en dash, Arabic decimal and thousands separators.
_ELSEWHERE = str.maketrans({"\u2212": "-", "\u2013": "-", "\u066b": ".", "\u066c": ","})
_MEASURED = re.compile(r"([+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+))\s*([^\d\s.,+-][^\d]*)")

DECIMALS = (".", ",")


@dataclass
class Evidence:
    """What the texts of a column show: an example of each notation, or that some are no numbers at all.

    `comma` is any text with one comma, `surely_comma` one that cannot be a thousand, `elsewhere` a number with signs of
    another alphabet, `measured` a fraction with the `unit` of all texts ("": numbers alone).
    """

    text: bool = False
    point: str | None = None
    comma: str | None = None
    surely_comma: str | None = None
    grouped: str | None = None
    elsewhere: str | None = None
    measured: str | None = None
    unit: str | None = None

    def note(self, value: str) -> None:
        """Take one more text into account."""
        if self.unit:
            self._note_measured(value)
        elif _WHOLE.fullmatch(value):
            self.unit = ""
        elif POINT.fullmatch(value):
            self.unit = ""
            self.point = self.point or value
        elif COMMA.fullmatch(value):
            self.unit = ""
            self.comma = self.comma or value
            if not self.surely_comma and not _ONE_THOUSAND.fullmatch(value):
                self.surely_comma = value
        elif _GROUPED.fullmatch(value):
            self.grouped = self.grouped or value
        elif self._is_elsewhere(value):
            self.elsewhere = self.elsewhere or value
        else:
            self._note_measured(value)

    @staticmethod
    def _is_elsewhere(value: str) -> bool:
        known = value.translate(_ELSEWHERE)
        return known != value and any(form.fullmatch(known) for form in (POINT, COMMA, _GROUPED))

    def _note_measured(self, value: str) -> None:
        """A number with the unit of those before it, or a text."""
        found = _MEASURED.fullmatch(value)
        if found is None or self.unit not in (None, found[2]):
            self.text = True
            return
        self.unit = found[2]
        if "." in found[1] or "," in found[1]:
            self.measured = self.measured or value

    @property
    def one_notation(self) -> str | None:
        """The notation that all texts share, "" if any will do; None if there is none."""
        if self.text or self.grouped or self.elsewhere or self.unit or (self.point and self.comma):
            return None
        return "." if self.point else "," if self.comma else ""


def evidence_of(values: Iterable[str]) -> Evidence:
    """The evidence of all these texts; stops at the first that is no number."""
    found = Evidence()
    for value in values:
        found.note(value)
        if found.text:
            break
    return found


def check_decimal(decimal: str | None) -> None:
    """Refuse what is no decimal sign."""
    if decimal is not None and decimal not in DECIMALS:
        raise UsageError(f"decimal {decimal!r}: write '.' or ','")


def notation(
    columns: Sequence[tuple[str, Evidence]], decimal: str | None, delimiter: str | None, where: str, remedy: str
) -> str:
    """The decimal sign of a table, from the evidence of its columns by name.

    `delimiter` is that of a CSV file, None for other sources. `remedy` says how a column can be kept out of this.
    """
    of_numbers = [(name, found) for name, found in columns if not found.text]
    _refuse_mixtures(of_numbers, where, remedy)
    points = [(name, found.point) for name, found in of_numbers if found.point]
    commas = [(name, found.comma) for name, found in of_numbers if found.comma]
    if decimal is None and points and commas:
        raise DataError(
            f"{where}: column {quoted(points[0][0])} has numbers with a point ({points[0][1]}), column "
            f"{quoted(commas[0][0])} with a comma ({commas[0][1]}); say which is the decimal sign (`decimal`), and "
            f"{remedy} for the other column"
        )
    if decimal is not None or not commas:
        chosen = decimal or "."
        for name, example in commas if chosen == "." else points:
            raise DataError(
                f"{where}: column {quoted(name)} holds numbers with a decimal {'comma' if chosen == '.' else 'point'} "
                f"({example}), but the decimal sign is {chosen!r}; correct `decimal`, or {remedy}"
            )
        return chosen
    surely = [(name, found.surely_comma) for name, found in of_numbers if found.surely_comma]
    name, example = (surely or commas)[0]
    if not surely:
        raise DataError(
            f"{where}: column {quoted(name)} holds {example}: a decimal comma, or a comma between thousands? Use "
            f'decimal="," for decimal commas; otherwise write the numbers without separators, or {remedy}'
        )
    if delimiter in (None, ","):
        raise DataError(
            f'{where}: column {quoted(name)} holds {example}: use decimal="," if these are numbers with a decimal '
            f"comma; otherwise {remedy}"
        )
    warn(
        f"{where}: numbers are read with a decimal comma (column {quoted(name)}: {example}); where that is wrong, "
        f"{remedy}",
    )
    return ","


def _refuse_mixtures(columns: Sequence[tuple[str, Evidence]], where: str, remedy: str) -> None:
    """Refuse columns that are numbers in no one notation."""
    for name, found in columns:
        if found.grouped:
            raise DataError(
                f"{where}: column {quoted(name)} holds {found.grouped}, a number with thousands separators; write the "
                f"numbers without, or {remedy}"
            )
        if found.elsewhere:
            raise DataError(
                f"{where}: column {quoted(name)} holds {found.elsewhere}, a number with a sign that is no ASCII "
                f"character; write '-' for minus and '.' or ',' for the decimal sign, or {remedy}"
            )
        if found.measured:
            raise DataError(
                f"{where}: column {quoted(name)} holds {found.measured}, a number with a unit; write the numbers "
                f"without, or {remedy}"
            )
        if found.point and found.comma:
            raise DataError(
                f"{where}: column {quoted(name)} holds both {found.point} and {found.comma}; use one decimal sign "
                f"throughout (the comma would be a decimal comma), or {remedy}"
            )
