"""Texts that a file can hold, names that it can have, and pieces of files for messages."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable

from sabna.base.errors import UsageError

# Characters of a name: readers of CSV, Python's own among them, take no more to a cell.
LONGEST_NAME = 131_072
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether a text can be written as UTF-8: it holds no half of a surrogate pair.

    >>> is_storable("漢字"), is_storable("\\ud800")
    (True, False)
    """
    return text.isascii() or _SURROGATE.search(text) is None


def check_file_name(path: str | os.PathLike[str]) -> None:
    """UsageError if no file can have this name: it is no text, holds a NUL, or half of a surrogate pair."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise UsageError(f"something of type {type(path).__name__} in place of a file: give its path")
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise UsageError(f"{shown(os.fspath(path))}: no file can have this name; check it")


def cut(text: object, limit: int = 200) -> str:
    """The words of another program's error, in a readable length; some repeat a whole file."""
    words = str(text)
    return words if len(words) <= limit else words[:limit] + "..."


def shown(text: object, limit: int = 60) -> str:
    """A piece of a file for a message: quoted, on one line, cut to a readable length.

    >>> shown("no such thing"), shown("7" * 5000, limit=10)
    ("'no such thing'", "'7777777777...'")
    """
    return repr(cut(text, limit)) if isinstance(text, str) else cut(repr(text), limit)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The known name that is most like this one, as a question; empty if none is like it.

    >>> did_you_mean("smoking", ["asia", "smoke"]), did_you_mean("x", ["asia", "smoke"])
    ("did you mean 'smoke'?", '')
    """
    close = difflib.get_close_matches(str(name), list(known), n=1)
    return f"did you mean {shown(close[0])}?" if close else ""
