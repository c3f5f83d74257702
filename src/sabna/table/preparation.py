"""What was done to a table before it was scored, kept so that new rows get the same treatment.

States, cuts of discretisation, kinds of columns, the decimal sign and the policy for missing values are part of what a
network says: "above 7.3" is a state only together with its cut. So a table carries its `Preparation`, the network
learned from it keeps it, and its JSON holds it under `preparation` (with a version; a file without it is read as
before). Columns of numbers that were scored as numbers have no coding: they are taken as they are, in their own unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, quoted
from sabna.base.limits import Limits
from sabna.table.budget import CODE_BYTES, Budget
from sabna.table.columns import AnyColumn, NumberColumn, look_up
from sabna.table.missing import TREATMENTS
from sabna.table.numbers import number_of
from sabna.table.recode import Coding
from sabna.table.sources import columns_of

# Of the JSON object. A file of a later version is refused by name rather than misread.
VERSION = 1


@dataclass(frozen=True)
class Preparation:
    """How the columns of a table were read: a Coding for categories, None for numbers that stay numbers."""

    columns: Mapping[str, Coding | None]
    missing: str = "error"
    decimal: str = "."

    def new_rows(self, source: Any, wanted: Iterable[str]) -> dict[str, NDArray[Any]]:
        """The columns of `source` that are wanted and there: codes of categories, numbers with NaN where missing.

        `source` is what `read_table` takes.
        """
        read = columns_of(source, {}, Budget(Limits(), CODE_BYTES))
        found = {column.name: column for column in read.columns}
        decimal = self._sign(found)
        out: dict[str, NDArray[Any]] = {}
        for name in wanted:
            if name not in found or name not in self.columns:
                continue
            coding = self.columns[name]
            out[name] = (
                _numbers(found[name], decimal, read.where) if coding is None else coding.codes(found[name], decimal)
            )
        here = [name for name in found if name in self.columns]
        if not out and here:
            raise DataError(
                f"{read.where}: of the variables of the network it has {_listed(here)} alone, which is not looked at; "
                "give at least one column of the others"
            )
        if not out:
            raise DataError(
                f"{read.where}: none of its columns ({_listed(found)}) is a variable of the network "
                f"({_listed(self.columns)}); check the names"
            )
        return out

    def _sign(self, found: Mapping[str, AnyColumn]) -> str:
        """The decimal sign of new rows: that of the old ones, unless all numbers in text are written with the other."""
        numeric = [c for name, c in found.items() if name in self.columns and _holds_numbers(self.columns[name])]
        shown = {column.evidence().one_notation for column in numeric} - {"", None}
        other = "," if self.decimal == "." else "."
        return other if shown == {other} else self.decimal

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        columns = {name: {"kind": "quantity"} if c is None else c.to_dict() for name, c in self.columns.items()}
        return {"version": VERSION, "missing": self.missing, "decimal": self.decimal, "columns": columns}

    @staticmethod
    def from_dict(fields: Any) -> Preparation:
        """Back from JSON; ValueError says what is wrong."""
        if not isinstance(fields, dict) or not isinstance(fields.get("columns"), dict):
            raise ValueError("preparation must be an object with the columns")
        if fields.get("version") != VERSION:
            raise ValueError(f"preparation has the version {fields.get('version')!r}; this sabna reads {VERSION}")
        missing, decimal = fields.get("missing"), fields.get("decimal")
        if missing not in TREATMENTS or decimal not in (".", ","):
            raise ValueError("preparation needs the policy for missing values and the decimal sign")
        columns: dict[str, Coding | None] = {}
        for name, column in fields["columns"].items():
            if not isinstance(column, dict):
                raise ValueError(f"preparation of {quoted(name)} must be an object")
            try:
                columns[name] = None if column.get("kind") == "quantity" else Coding.from_dict(column)
            except ValueError as error:
                raise ValueError(f"preparation of {quoted(name)}: {error}") from None
        return Preparation(columns, str(missing), str(decimal))


def _holds_numbers(coding: Coding | None) -> bool:
    return coding is None or (coding.numeric and coding.cuts is not None)


def _numbers(column: AnyColumn, decimal: str, where: str) -> NDArray[np.float64]:
    """The numbers of a column, NaN where missing."""
    if isinstance(column, NumberColumn):
        return column.numbers
    numbers = [number_of(value, decimal) for value in column.values]
    for value, number in zip(column.values, numbers, strict=True):
        if number is None or not np.isfinite(float(number)):
            raise DataError(f"{where}: column {quoted(column.name)} holds {quoted(value)}; the network needs numbers")
    return look_up(np.array([*numbers, np.nan], dtype=np.float64), column.positions)


def _listed(names: Iterable[str]) -> str:
    some = list(names)
    return ", ".join(map(quoted, some[:5])) + (", ..." if len(some) > 5 else "")
