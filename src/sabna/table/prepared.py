"""New rows as a table: prepared as those were that a network was learned from, so that it can be fitted anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sabna.base.errors import DataError, quoted
from sabna.table.mixed import NO_CODE, MixedTable
from sabna.table.numeric import NumericTable
from sabna.table.preparation import Preparation
from sabna.table.recode import MISSING
from sabna.table.table import Table


def prepared_table(preparation: Preparation, source: Any, names: Iterable[str]) -> Table | NumericTable | MixedTable:
    """New rows as a table with the old states; the policy for missing values is that of the old rows.

    What the old rows did not show is refused: a table cannot hold it.
    """
    wanted = tuple(names)
    found = preparation.new_rows(source, wanted)
    absent = [name for name in wanted if name not in found]
    if absent:
        raise DataError(f"the data has no column {absent[0]!r}; the network needs one for each of its variables")
    complete = np.ones(len(found[wanted[0]]), dtype=bool)
    for name, column in found.items():
        gone = np.isnan(column) if preparation.columns[name] is None else column == MISSING
        if preparation.missing == "available":
            continue
        if gone.any() and preparation.missing != "drop":
            raise DataError(f"missing values in column {quoted(name)}; leave out such rows")
        complete &= ~gone
    found = {name: column[complete] for name, column in found.items()}
    codings = {name: preparation.columns[name] for name in wanted}
    numbers = [name for name, coding in codings.items() if coding is None]
    if len(numbers) == len(codings) and preparation.missing != "available":
        return NumericTable(wanted, np.array([found[name] for name in wanted]), preparation=preparation)
    for name, coding in codings.items():
        if coding is not None and (found[name] == coding.unseen).any():
            raise DataError(
                f"column {quoted(name)} holds values that the network does not know; read the data anew with "
                "read_table, whose states then count"
            )
    if numbers or preparation.missing == "available":
        columns: list[Any] = [
            found[name] if coding is None else np.where(found[name] == MISSING, NO_CODE, found[name]).astype(np.uint16)
            for name, coding in codings.items()
        ]
        kinds = tuple(None if coding is None else coding.states for coding in codings.values())
        return MixedTable(wanted, tuple(columns), kinds, preparation=preparation)
    codes = np.array([found[name] for name in wanted]).astype(np.uint16)
    states = tuple(coding.states for coding in codings.values() if coding is not None)
    return Table(wanted, codes, states, preparation=preparation)
