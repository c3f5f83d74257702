"""The exceptions of sabna, each with the exit code of the command line.

    Exception
    └── SabnaError                1   something is wrong inside sabna
        ├── UsageError            2   an option or argument cannot be
        ├── DataError             3   the table cannot be read or scored as it is
        ├── ScoreFileError        4   a parent graph file is broken
        ├── KnowledgeError        5   the prior knowledge contradicts itself, or no network fits
        ├── OutputError           6   a result could not be written
        ├── EngineError           7   the workers or the scheduler of an engine failed
        └── LimitReached         10   a time or memory limit struck where no partial answer exists
    UserWarning
    ├── DataWarning                   a table that is legal but odd
    └── EngineWarning                 a run goes on, but not where it was asked to
    KeyboardInterrupt
    └── Interrupted             130   Ctrl-C; carries what was found by then as `result`

Messages name the file, row, column or variable, and end with what to do about it: options as they are written in
Python (`missing="drop"`, or `` `decimal` `` without a value), which the command line turns into its own words.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_PACKAGE = f"{Path(__file__).parents[1]}/"


def quoted(text: object, most: int = 80) -> str:
    """A name or value for a message: in quotes, and no longer than a reader can bear.

    >>> quoted("age"), quoted("x" * 100, most=10)
    ("'age'", "'xxxxxx...")
    """
    shown = repr(text)
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."


# Characters of a call or command that is shown to be tried: of one with longer names the message says enough.
LONGEST_SUGGESTION = 1000


def with_suggestion(message: str, suggestion: str) -> str:
    """A message that ends with what to try, if there is anything; below a list that is a line of its own."""
    if not suggestion or len(suggestion) > LONGEST_SUGGESTION:
        return message
    return message + ("\n" if "\n" in message else "; ") + f"try: {suggestion}"


class SabnaError(Exception):
    """Base class: catch this for anything sabna raises on purpose.

    >>> import sabna
    >>> try:
    ...     sabna.learn("no such file.csv")
    ... except sabna.SabnaError as error:
    ...     print(type(error).__name__, error.exit_code)
    DataError 3
    """

    exit_code = 1


class UsageError(SabnaError, ValueError):
    """An option or argument that cannot be, alone or together with another."""

    exit_code = 2


class DataError(SabnaError, ValueError):
    """A table that cannot be read, or not be scored as it is.

    Where it is known what would go through, `options` are those to add to a call, `flags` those to add to a command;
    `call` is the whole call, if it is known what was called.
    """

    exit_code = 3

    def __init__(self, message: str = "", options: Mapping[str, Any] | None = None, flags: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.options, self.flags = dict(options or {}), tuple(flags)
        self.call = ", ".join(f"{name}={value!r}" for name, value in self.options.items())

    def __str__(self) -> str:
        return with_suggestion(super().__str__(), self.call)


class DataWarning(UserWarning):
    """A table that can be used as it is, but holds something its owner may want to know about."""


class EngineWarning(UserWarning):
    """A run goes on, but not where it was asked to."""


def warn(message: str, kind: type[UserWarning] = DataWarning) -> None:
    """Warn at the line of the caller's own program that called sabna, not at a line of ours."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)


class ScoreFileError(SabnaError, ValueError):
    """A parent graph file (.pg, .jkl, .pss) that cannot be read."""

    exit_code = 4


class KnowledgeError(SabnaError, ValueError):
    """Prior knowledge that contradicts itself, or parent sets of which no network can be made."""

    exit_code = 5


class OutputError(SabnaError, OSError):
    """A result that could not be written; nothing half-written stays behind."""

    exit_code = 6


class EngineError(SabnaError):
    """Workers that are lost again and again or have another sabna, or a scheduler that is gone."""

    exit_code = 7


class LimitReached(SabnaError):
    """A time or memory limit struck before there was anything to return.

    `status` is "time_limit" or "memory_limit"; `statistics` holds the counts so far.
    """

    exit_code = 10

    def __init__(self, message: str, status: str, statistics: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.statistics = statistics or {}


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. `result` holds the best network and the bounds known by then, or None."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result
