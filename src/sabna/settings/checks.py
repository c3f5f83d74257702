"""What the values of options may be: each check returns the value as the package uses it, or raises UsageError.

Messages do not name the option; whoever looks a check up in the table does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sabna.base.errors import UsageError
from sabna.base.jsontext import load_json, load_toml
from sabna.base.limits import parse_size
from sabna.base.progress import Told
from sabna.base.texts import check_file_name
from sabna.scores.registry import score_type

# More threads than any machine of our users has; a larger number is a slip of the finger.
MOST_JOBS = 1024
# More bytes than any machine has.
MOST_MEMORY = 2**60

Check = Callable[[Any], Any]


def argument(name: str, value: Any, check: Check) -> Any:
    """An argument that is no option of the table, checked like one; the message names it."""
    try:
        return check(value)
    except UsageError as error:
        raise UsageError(f"{name} {repr(value)[:40]}: {error}") from None


def plain(value: Any) -> Any:
    """A number of numpy as one of Python; anything else as it is."""
    return value.item() if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 else value


def one_of(*choices: str) -> Check:
    """A word out of some."""

    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise UsageError(f"choose one of {', '.join(choices)}")
        return value

    return check


def several_of(*choices: str) -> Check:
    """Words out of some."""

    def check(value: Any) -> Any:
        words = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [None]
        if not all(isinstance(word, str) and word in choices for word in words):
            raise UsageError(f"choose from {', '.join(choices)}")
        return words

    return check


def sheet_name(value: Any) -> Any:
    """A sheet of a workbook: its name, or its number counted from 1."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "" or value == 0:
        raise UsageError("write the name of a sheet, or its number counted from 1")
    return value


def whole(least: int, most: int) -> Check:
    """A whole number between two, both included."""

    def check(value: Any) -> Any:
        number = plain(value)
        if isinstance(number, bool) or not isinstance(number, int | float) or number != number // 1:
            raise UsageError(f"write a whole number from {least} to {most}")
        if not least <= number <= most:
            raise UsageError(f"write a whole number from {least} to {most}")
        return int(number)

    return check


def interventions(value: Any) -> Any:
    """The name of a column, or conditions and what they set: columns, their values, and lists of variables.

    A name that ends in .toml or .json is that of a file with such a mapping.
    """
    if isinstance(value, str | os.PathLike) and os.fspath(value).lower().endswith((".toml", ".json")):
        value = _mapping_in(os.fspath(value))
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, Mapping) or not value:
        raise UsageError('write the name of a column, or a mapping such as {"condition": {"3": ["Akt"]}}')
    plan: dict[str, dict[str, list[str]]] = {}
    for column, conditions in value.items():
        if not isinstance(column, str) or not isinstance(conditions, Mapping):
            raise UsageError('write columns, their values and what they set: {"condition": {"3": ["Akt"]}}')
        plan[column] = {}
        for condition, targets in conditions.items():
            names = [targets] if isinstance(targets, str) else targets
            if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
                raise UsageError(f"condition {condition!r}: write a list of the variables that it sets")
            plan[column][str(condition)] = list(names)
    return plan


def _mapping_in(path: str) -> Any:
    """What a TOML or JSON file holds."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        if path.lower().endswith(".json"):
            return load_json(content)
        return load_toml(content.decode())
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # of either format, or of the encoding
        raise UsageError(f"the file cannot be understood: {error}") from None


def number(least: float, most: float) -> Check:
    """A number between two, both included."""

    def check(value: Any) -> Any:
        value = plain(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise UsageError(f"write a number from {least:g} to {most:g}")
        return value

    return check


def folder(value: Any) -> Any:
    """The name of a folder; it need not be there."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise UsageError("write the name of a folder")
    check_file_name(value)
    return value


def engine(value: Any) -> Any:
    """Where work is done: threads by their number, an executor, a client, or an address; opened when work begins."""
    if isinstance(value, bool) or (isinstance(value, int) and not 1 <= value <= MOST_JOBS):
        raise UsageError(f"write a number of threads from 1 to {MOST_JOBS}, or an address such as local:4")
    if isinstance(value, str) and not value.startswith(("tcp://", "tls://", "ucx://", "local:")):
        raise UsageError("write tcp://host:port, or local: and a number of processes")
    return value


def positive(value: Any) -> Any:
    """A finite number above 0."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not (0 < value <= sys.float_info.max):
        raise UsageError("write a number above 0")
    return float(value)


def switch(value: Any) -> Any:
    """True or False."""
    if not isinstance(value, bool) and not (hasattr(value, "dtype") and value.dtype == bool):
        raise UsageError("write True or False")
    return bool(value)


def optional(check: Check) -> Check:
    """None, or what `check` takes."""
    return lambda value: None if value is None else check(value)


def jobs(value: Any) -> Any:
    """-1 for all cores, or a number of threads."""
    number = plain(value)
    if isinstance(number, int | float) and number == -1:
        return -1
    try:
        return whole(1, MOST_JOBS)(value)
    except UsageError:
        raise UsageError(f"write a number of threads from 1 to {MOST_JOBS}, or -1 for all cores") from None


def size(value: Any) -> Any:
    """Bytes, or a text such as 4GiB."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise UsageError("write bytes, or a number and a unit, such as 500MB or 4GiB")
    if not 0 <= parse_size(value) <= MOST_MEMORY:
        raise UsageError("write at most 1 EiB")
    return value


def score_name(value: Any) -> Any:
    """The name of a score, or an alias."""
    if not isinstance(value, str):
        raise UsageError("write the name of a score, such as bic")
    score_type(value)
    return value


def column_name(value: Any) -> Any:
    """The name of a column."""
    if not isinstance(value, str):
        raise UsageError("write the name of a column")
    return value


def column_names(value: Any) -> Any:
    """Names of columns."""
    names = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [None]
    if not all(isinstance(name, str) for name in names):
        raise UsageError("write names of columns")
    return names


def parent_counts(value: Any) -> Any:
    """Limits of the number of parents: one for all, by variable, or texts such as "3" and "age=1"."""
    count = whole(0, 2**31)
    if isinstance(value, Mapping):
        return {name: count(limit) for name, limit in value.items()}
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return None if value is None else count(value)
    for text in value:
        number = text.rpartition("=")[2] if isinstance(text, str) else ""  # a name may hold "="
        if not (number.isascii() and number.isdigit()):
            raise UsageError(f"{text!r}: write a number, or NAME=NUMBER")
    return list(value)


def plan(value: Any) -> Any:
    """How to discretise: one method, methods by column, or texts such as "mean" and "age=quantile:3"."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and all(isinstance(text, str) for pair in value.items() for text in pair):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        texts = list(value)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise UsageError("write a method such as quantile:3, or methods by column")


def character(value: Any) -> Any:
    """One character, or the name of one that cannot be typed."""
    if not isinstance(value, str) or (len(value) != 1 and value not in ("tab", "\\t")):
        raise UsageError("write one character, such as ';' (`tab` for a tab)")
    return value


def file_name(value: Any) -> Any:
    """The name of a file, as text."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value) or not isinstance(os.fspath(value), str):
        raise UsageError("write the name of a file")
    check_file_name(value)
    return os.fspath(value)


def anything(value: Any) -> Any:
    """Checked where it is used."""
    return value


def callback(value: Any) -> Any:
    """A function."""
    if not callable(value):
        raise UsageError("give a function of one argument, a ProgressReport")
    return value if isinstance(value, Told) else Told(value)
