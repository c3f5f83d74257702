"""Names of variables in the text formats, whose fields are separated by blanks.

A name with a blank, tab, line break or comma would fall apart in a .jkl or .pss file, one that begins with `#` would
be a comment, and an empty one would vanish. Such characters are written as in a web address, `%20` for a blank; a `%`
that stands before two hex digits becomes `%25`, so that reading gives back every name exactly, while other programs see
one word without blanks. The empty name is written as `%22%22`, two quotes. Files of others may hold raw blanks where
the format allows them (`VAR my name`, `my name 3`); lists of parents are then cut into names by looking for the one way
that works.

Everything here is bytes: the formats are separated by ASCII blanks, whereas `str.split` would also cut at a
no-break space inside a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_AWKWARD = re.compile(rb"[\x00-\x20,\x7f]|%(?=[0-9A-Fa-f]{2})|^#")
_CODED = re.compile(rb"%(0[0-9A-F]|1[0-9A-F]|20|23|25|2C|7F)")
# Stands for the empty name, as two quotes would; a name of these six characters has its `%` coded.
_EMPTY = b"%22%22"
# Steps in cutting one list of parents into names: thousands of times what a list of a real file takes.
MAX_STEPS = 1 << 18


def encode_name(name: str) -> bytes:
    """The name as one word of a text file.

    >>> encode_name("blood pressure, high")
    b'blood%20pressure%2C%20high'
    """
    return _AWKWARD.sub(lambda match: b"%%%02X" % match[0][0], name.encode("utf-8")) or _EMPTY


def decode_name(word: bytes) -> str:
    """The name that `encode_name` wrote; words of other programs pass unchanged.

    >>> decode_name(b"blood%20pressure"), decode_name(b"100%")
    ('blood pressure', '100%')
    """
    return "" if word == _EMPTY else _CODED.sub(lambda match: bytes([int(match[1], 16)]), word).decode("utf-8")


def cut_into_names(words: Sequence[bytes], known: Mapping[bytes, int], size: int | None = None) -> list[int] | None:
    """The variables listed by `words`, where names may span several words or be joined by commas.

    `known` maps the names as they stand in the file to variables. None if there is no way, or more than one, to cut
    the words into known names (`size` of them, if given), or if finding out would take too long.
    """
    ways = _ways(words, known, size)
    if not ways and any(b"," in word for word in words):
        ways = _ways(b" ".join(words).replace(b",", b" ").split(), known, size)
    return ways[0] if len(ways) == 1 else None


def _ways(words: Sequence[bytes], known: Mapping[bytes, int], size: int | None) -> list[list[int]]:
    """Up to two ways to cut `words` into known names, found from the end forward with one table entry per position."""
    longest = max((name.count(b" ") + 1 for name in known), default=1)
    limit = min(len(words) if size is None else size, len(known))
    if len(words) * longest * limit > MAX_STEPS:
        return []
    # ways[k][s]: up to two ways to cut words[k:] into s names.
    ways: list[dict[int, list[list[int]]]] = [{} for _ in range(len(words) + 1)]
    ways[len(words)] = {0: [[]]}
    for start in range(len(words) - 1, -1, -1):
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            variable = known.get(b" ".join(words[start:end]))
            if variable is None:
                continue
            for count, tails in ways[end].items():
                if count < limit:
                    here = ways[start].setdefault(count + 1, [])
                    here += [[variable, *tail] for tail in tails][: 2 - len(here)]
    found = ways[0]
    if size is not None:
        return found.get(size, [])
    return [way for count in sorted(found) for way in found[count]][:2]
