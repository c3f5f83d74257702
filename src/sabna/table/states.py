"""From a column to codes and states: the order of states, the check for continuous columns, missing values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, quoted
from sabna.table.columns import AnyColumn, Column, NumberColumn, look_up
from sabna.table.numbers import Numbers, number_text, whole

# A column with more distinct values than this looks continuous (or like a row number or a free text), unless the user
# says it is categorical or its type declares its states. The largest alphabets of categories in usual benchmark data
# (26 letters, 41 countries) lie below, measured quantities above.
MAX_STATES = 64
# Codes are 16 bits wide, and a variable with more states than rows could ever fill is a mistake.
MAX_ARITY = 65535


def looks_continuous(column: AnyColumn, numbers: Numbers | None) -> str | None:
    """Why a column looks continuous, or None if it does not."""
    if isinstance(column, NumberColumn):
        shown = column.shown()
        broken = shown[shown != np.floor(shown)]
        if len(broken):
            return f"numbers such as {number_text(float(broken.min()))}"
        distinct = len(np.unique(shown))
        return f"{distinct} distinct values, more than {MAX_STATES}" if distinct > MAX_STATES else None
    if numbers is not None:
        broken = next((number for number in sorted(numbers) if not whole(number)), None)
        if broken is not None:
            return f"numbers such as {number_text(broken)}"
    distinct = len(set(column.values if numbers is None else numbers))
    return f"{distinct} distinct values, more than {MAX_STATES}" if distinct > MAX_STATES else None


def is_code(column: AnyColumn, numbers: Numbers | None) -> bool:
    """Whether a column beside quantities is a category in a code: its type is text, its cells are few whole numbers."""
    return column.typed_text and numbers is not None and looks_continuous(column, numbers) is None


def code(
    column: AnyColumn,
    numbers: Numbers | None,
    where: str,
    codes: NDArray[np.uint16],
    keep_order: bool = False,
) -> tuple[str, ...]:
    """Write the codes of a column and return its states. `keep_order`: its values are states in their final order.

    Numbers stand by value, everything else by text, a state for missing values last.
    """
    if isinstance(column, NumberColumn):
        column = column.distinct()
        numbers = [float(value) for value in column.values]
    if keep_order or column.declared:
        states, place = [str(value) for value in column.values], np.arange(len(column.values))
        if len(set(states)) < len(states):
            raise DataError(
                f"{where}, column {quoted(column.name)}: two declared states have the same name; rename one"
            )
    elif numbers is not None:
        ordered = sorted(set(numbers))  # 1 and 1.0 are one
        position = {number: k for k, number in enumerate(ordered)}
        states, place = [number_text(number) for number in ordered], np.array([position[number] for number in numbers])
    else:
        texts = [str(value) for value in column.values]
        states = sorted(set(texts))
        position_of = {text: k for k, text in enumerate(states)}
        place = np.array([position_of[text] for text in texts], dtype=np.int64)
    if (column.positions < 0).any():
        states.append(_free_name("missing", states))
    if len(states) > MAX_ARITY:
        raise DataError(
            f"{where}, column {quoted(column.name)}: {len(states)} states, but at most {MAX_ARITY} are possible; "
            "leave it out"
        )
    _check_texts(column, states, where)
    table = np.append(place, len(states) - 1).astype(np.uint16)  # the last entry serves position -1
    look_up(table, column.positions, codes)
    return tuple(states)


def _check_texts(column: Column, states: list[str], where: str) -> None:
    """Refuse texts that no file can hold, such as half of a pair of surrogates."""
    try:
        "".join(states).encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(f"{where}, column {quoted(column.name)}: a value is no valid text; correct it") from None


def _free_name(name: str, taken: list[str]) -> str:
    """The name, in brackets if a state has it already."""
    while name in taken:
        name = f"({name})"
    return name
