"""Names for programs that take fewer of them: reversible without a table.

Most network formats allow identifiers only, while a column may be called anything. A character that a format does not
take is written as `_uHEX_`, its code point in hexadecimal: `a b` becomes `a_u20_b`. An underscore that could be
mistaken for the beginning of such a code (as in `x_u41_`) is encoded as well, so that decoding is the exact inverse.
Names that are fine stay as they are; and since no table is needed, names survive a program that reads the file and
writes it again without its comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_CODE = re.compile(r"_u([0-9a-f]{1,6})_")
_LOOKS_LIKE_CODE = re.compile(r"_(?=u[0-9a-f]{1,6}_)")
# Stands for the empty name: the first number that is no code point.
_EMPTY = "_u110000_"

# Words that a reader of BIF, NET, DSC or DOT may take for its own, whatever their case.
RESERVED = frozenset(
    """belief bn class continuous data decision default digraph discrete edge false for function graph if label meta
    name net network node nodes normal parents position potential probability property state states strict subgraph
    table true type utility values var variable""".split()  # noqa: SIM905
)

Allowed = Callable[[int, str], bool]


def identifier_character(position: int, character: str) -> bool:
    """Letters and underscores, and behind the first place digits, all of ASCII."""
    return character == "_" or (character.isascii() and (character.isalpha() or (position > 0 and character.isdigit())))


def state_character(position: int, character: str) -> bool:
    """As for identifiers, and a digit may come first: states are often called 0 and 1."""
    return identifier_character(1, character)


def xml_character(position: int, character: str) -> bool:
    """What XML 1.0 can carry at all; but for tab and line feed no control characters, no lone surrogates."""
    code = ord(character)
    return code in (9, 10) or 0x20 <= code < 0x7F or 0xA0 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF


def encode(text: str, allowed: Allowed = identifier_character, reserved: frozenset[str] = frozenset()) -> str:
    """`text` with every character that is not `allowed(position, character)` written as `_uHEX_`.

    >>> encode("a b"), encode("lung_cancer"), encode("x_u41_"), encode("Node", reserved=RESERVED)
    ('a_u20_b', 'lung_cancer', 'x_u5f_u41_', '_u4e_ode')
    """
    if not text:
        return _EMPTY
    refused = {k for k, c in enumerate(text) if not allowed(k, c)}
    # Every code begins with an underscore: that is how the refused characters look to what stands before them.
    shadow = "".join("_" if k in refused else c for k, c in enumerate(text))
    refused |= {match.start() for match in _LOOKS_LIKE_CODE.finditer(shadow)}
    if not refused and text.lower() in reserved:
        refused = {0}
    return "".join(f"_u{ord(c):x}_" if k in refused else c for k, c in enumerate(text))


def decode(text: str) -> str:
    """The name that `encode` was given.

    >>> decode("a_u20_b"), decode("lung_cancer"), decode(encode("x_u41_"))
    ('a b', 'lung_cancer', 'x_u41_')
    """

    def character(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        if match[0] == _EMPTY:
            return ""
        # Halves of surrogate pairs are no characters: no name of ours holds one, so this is no code.
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]

    return _CODE.sub(character, text)
