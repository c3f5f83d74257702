"""What the text formats share: words and strings in, numbers and names out.

BIF, NET, DSC and DOT have the same kind of words, quoted strings, punctuation and comments. One scanner cuts them all
into tokens with their line numbers; the parsers above it are a few lines each.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterable

import numpy as np

from sabna.base.errors import DataError
from sabna.base.texts import shown
from sabna.network.mangling import RESERVED, Allowed, encode, identifier_character

# What stands for itself, by format; in BIF `=` may be part of a state (`>=7.5`).
BIF_MARKS = "{}()[]|,;"
NET_MARKS = "{}()[]|,;="
DSC_MARKS = "{}()[]|,;=:"
DOT_MARKS = "{}[],;="
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


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
    """The text of a file: UTF-8 or UTF-16 if marked, UTF-8 if it is, or else Latin-1, as older programs write."""
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: begins as UTF-16 and is not: {error}; save it as UTF-8") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def as_number(word: str) -> float:
    """A finite number as files write it; ValueError otherwise (Python by itself takes nan, 1_000 and Arabic digits).

    >>> as_number("1e-3"), as_number(".5")
    (0.001, 0.5)
    """
    value = float(word) if _NUMBER.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"a finite number must stand here, not {shown(word)}")
    return value


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
            if match is None or (match["word"] or "").startswith("/*"):
                what = "a comment or a string is not closed" if text[place] in '"/' else "cannot make sense of"
                raise DataError(f"{path}, line {line}: {what}: {text[place : place + 20]!r}")
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

    def unexpected(self, wanted: str) -> DataError:
        """For a parser to raise: something else must stand where the next token is."""
        found = self.next()
        return self.error(f"{wanted} must stand here, not {shown(found)}")

    def peek(self) -> str:
        """The next token; empty at the end of the file."""
        return self.tokens[self.at] if self.more() else ""

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
            if not self.take(token):
                raise self.unexpected(repr(token))

    def take(self, token: str) -> bool:
        """Take the next token if it is this one, unquoted."""
        if self.more() and self.peek().lower() == token and not self.quoted[self.at]:
            self.at += 1
            return True
        return False

    def until(self, end: str) -> list[str]:
        """Take all tokens up to `end`, and `end` too."""
        return self.names_until(end, comma="")

    def skip_statement(self) -> None:
        """Take a statement of no interest, with the `;` at its end; a brace shows that this is missing."""
        while not self.take(";"):
            if self.next() in ("{", "}") and not self.quoted[self.at - 1]:
                raise self.error("';' is missing before this brace")

    def skip_block(self) -> None:
        """Take a block in braces, whatever is in it."""
        self.expect("{")
        depth = 1
        while depth:
            depth += 1 if self.take("{") else -1 if self.take("}") else 0 * len(self.next())

    def names_until(self, end: str, also: str = "", comma: str = ",") -> list[str]:
        """Take names up to `end`; commas between them do not matter, nor do the marks in `also`."""
        found = []
        while not self.take(end):
            token = self.next()
            if self.quoted[self.at - 1] or token not in comma + also:
                found.append(token)
        return found

    def states_until(self, end: str, count: int | None) -> list[str]:
        """Take states up to `end`: what stands between commas, blanks included; or single words where `count` says so.

        Without a count, single words if there is no comma.
        """
        words: list[str] = []
        between: list[list[str]] = [[]]
        while not self.take(end):
            token = self.next()
            if token == "," and not self.quoted[self.at - 1]:
                between.append([])
            else:
                words.append(token)
                between[-1].append(token)
        parted = [" ".join(part) for part in between if part]
        as_parted = len(between) > 1 if count is None else len(parted) == count
        return parted if as_parted else words

    def numbers_until(self, end: str, also: str = "") -> list[float]:
        """Take numbers up to `end`, likewise."""
        try:
            return [as_number(token) for token in self.names_until(end, also)]
        except ValueError as error:
            raise self.error(str(error)) from error

    def whole_until(self, end: str) -> int:
        """Take one whole number, and `end` behind it."""
        word = self.next()
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            raise self.error(f"a whole number of at most nine digits must stand here, not {shown(word)}")
        self.expect(end)
        return int(word)


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
