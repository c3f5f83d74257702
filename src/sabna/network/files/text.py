"""What the text formats share: words and strings in, numbers and names out.

BIF, NET, DSC and DOT have the same kind of words, quoted strings, punctuation and comments. One scanner cuts them all
into tokens with their line numbers; the parsers above it are a few lines each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np

from sabna.base.errors import DataError
from sabna.network.mangling import RESERVED, Allowed, encode, identifier_character

# What stands for itself, by format; in BIF `=` may be part of a state (`>=7.5`).
BIF_MARKS = "{}()[]|,;"
NET_MARKS = "{}()[]|,;="
DSC_MARKS = "{}()[]|,;=:"
DOT_MARKS = "{}[],;="


def _tokens(marks: str) -> re.Pattern[str]:
    """Blanks and comments, strings, punctuation, words; DOT has an arrow besides."""
    arrow, no_arrow = ("->|--|", "(?!->|--)") if marks == DOT_MARKS else ("", "")
    marks = re.escape(marks)
    return re.compile(
        rf"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
          | "(?P<string>(?:[^"\\]|\\.)*)"
          | (?P<mark>{arrow}[{marks}])
          | (?P<word>(?:{no_arrow}[^\s"{marks}])+)""",
        re.VERBOSE | re.DOTALL,
    )


def decode_text(content: bytes, path: str) -> str:
    """The text of a file: UTF-8, with or without a mark, or else Latin-1, as older programs write."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


class Scanner:
    """The tokens of a file, one after the other. Strings lose their quotes and escapes."""

    def __init__(self, text: str, path: str, marks: str) -> None:
        self.path = path
        self.tokens: list[str] = []
        self.lines: list[int] = []
        self.quoted: list[bool] = []
        self.at = 0
        pattern = _tokens(marks)
        place, line = 0, 1
        while place < len(text):
            match = pattern.match(text, place)
            if match is None:
                raise DataError(f"{path}, line {line}: cannot make sense of {text[place : place + 20]!r}")
            if match.lastgroup != "blank":
                string = match["string"]
                self.tokens.append(match[0] if string is None else re.sub(r"\\(.)", r"\1", string, flags=re.DOTALL))
                self.lines.append(line)
                self.quoted.append(string is not None)
            line += match[0].count("\n")
            place = match.end()

    def error(self, message: str) -> DataError:
        """For a parser to raise: what is wrong at the token read last."""
        line = self.lines[min(max(self.at - 1, 0), len(self.lines) - 1)] if self.lines else 1
        return DataError(f"{self.path}, line {line}: {message}")

    def peek(self) -> str:
        """The next token; empty at the end of the file."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def more(self) -> bool:
        """Whether tokens are left."""
        return self.at < len(self.tokens)

    def next(self) -> str:
        """Take the next token."""
        if not self.more():
            raise self.error("the file ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, *wanted: str) -> None:
        """Take the tokens that must come next."""
        for token in wanted:
            found = self.next()
            if found.lower() != token or self.quoted[self.at - 1]:
                raise self.error(f"{token!r} must stand here, not {found!r}")

    def take(self, token: str) -> bool:
        """Take the next token if it is this one, unquoted."""
        if self.more() and self.peek().lower() == token and not self.quoted[self.at]:
            self.at += 1
            return True
        return False

    def until(self, end: str) -> list[str]:
        """Take all tokens up to `end`, and `end` too."""
        found = []
        while not self.take(end):
            found.append(self.next())
        return found

    def skip_block(self) -> None:
        """Take a block in braces, whatever is in it."""
        self.expect("{")
        depth = 1
        while depth:
            depth += 1 if self.take("{") else -1 if self.take("}") else 0 * len(self.next())

    def names_until(self, end: str) -> list[str]:
        """Take names up to `end`; commas between them do not matter."""
        return [token for token in self.until(end) if token != ","]

    def numbers_until(self, end: str) -> list[float]:
        """Take numbers up to `end`."""
        try:
            return [float(token) for token in self.names_until(end)]
        except ValueError as error:
            raise self.error(f"a number must stand here ({error})") from error


def number(value: float) -> str:
    """All digits of a probability, without an exponent, which not every reader takes."""
    return np.format_float_positional(value, unique=True, trim="0")


def numbers(values: Iterable[float], separator: str = ", ") -> str:
    """A row of a table."""
    return separator.join(map(number, values))


def encode_names(names: Iterable[str], allowed: Allowed = identifier_character) -> dict[str, str]:
    """Names as identifiers, different even for readers that do not tell capital letters from small ones."""
    encoded: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        word = encode(name, allowed, RESERVED)
        if word.lower() in taken:
            word = encode(name, _with_first_letters_coded(allowed, name, taken))
        taken.add(word.lower())
        encoded[name] = word
    return encoded


def _with_first_letters_coded(allowed: Allowed, name: str, taken: set[str]) -> Callable[[int, str], bool]:
    """A stricter alphabet under which `name` looks like none of the names taken."""
    for length in range(1, len(name) + 1):

        def stricter(k: int, c: str, length: int = length) -> bool:
            return k >= length and allowed(k, c)

        if encode(name, stricter).lower() not in taken:
            break
    return stricter
