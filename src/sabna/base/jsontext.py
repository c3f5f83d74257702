"""JSON, and TOML, of files that may come from anywhere.

Python's reader takes more than we can use: NaN, Infinity and numbers beyond a double, the same key twice (the last one
wins without a word), halves of surrogate pairs, with which no file can be written again, and lists nested so deep that
whatever walks through them later runs out of stack. Here all of these are a ValueError, in words for the user.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any, NoReturn

from sabna.base.texts import is_storable, shown

# The deepest of our own: a result's tables, one level for each of at most 31 parents.
MAX_DEPTH = 60
# Digits of a whole number; ours have up to 19. Python itself refuses more than 4300, in words for programmers.
MAX_DIGITS = 400


def load_json(content: bytes | str) -> Any:
    """The value of a JSON text; ValueError says what is wrong with it."""
    try:
        text = content if isinstance(content, str) else content.decode(json.detect_encoding(content))
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_int=_whole_number, object_pairs_hook=_without_repeated_keys
        )
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    check_plain(value)
    return value


def load_toml(text: str) -> Any:
    """The table of a TOML text; ValueError says what is wrong with it."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None


def check_plain(value: Any) -> None:
    """ValueError unless this is JSON through and through, with finite numbers and texts that a file can hold."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += item.keys()
                below += item.values()
            elif isinstance(item, list | tuple):
                below += item
            elif isinstance(item, str):
                if not is_storable(item):
                    raise ValueError(f"{shown(item)} holds half of a surrogate pair, which is no character")
            elif isinstance(item, float):
                if not math.isfinite(item):
                    raise ValueError(f"{item} is no finite number")
            elif item is not None and not isinstance(item, int):
                raise ValueError(f"{shown(item)} is nothing that JSON knows")
        level = below


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no finite number")


def _whole_number(word: str) -> int:
    if len(word) > MAX_DIGITS:
        raise ValueError(f"a whole number of {len(word)} digits")
    return int(word)


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for k, key in enumerate(keys) if key in keys[:k])
        raise ValueError(f"the key {shown(twice)} stands twice in one object")
    return found
