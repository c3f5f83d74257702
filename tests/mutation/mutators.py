"""Changes of any file, by bytes, by tokens and by lines.

Tokens are what most text formats share: numbers, words, strings, punctuation, blanks. A change never needs to know the
format; what a format's own words are comes as a list.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[-+]?\d[\w.+-]*|\w+|\s+|->|.', re.DOTALL)
NUMBER = re.compile(rb"[-+]?\d")
# A mutant does not grow beyond this, so that all that is slow or large is the reader's doing.
MAX_BYTES = 200_000

NUMBERS = (
    b"0", b"1", b"-1", b"2", b"-0", b"0.5", b"1e308", b"-1e308", b"1e309", b"1e-320", b"nan", b"-nan", b"inf", b"-inf",
    b"Infinity", b"NaN", b"2147483648", b"4294967296", b"9223372036854775807", b"-9223372036854775808",
    b"4611686018427387904",
    b"18446744073709551616", b"100000000", b"1000000000000", b"9" * 30, b"1" * 400, b"7" * 5000, b"0." + b"3" * 5000,
    b"1e400000000", b"1_000", b"0x10", b"1e", b"--1", b"+1", b"01", b"1.", b".5", b"1,5", "\u0663".encode(),
    "²".encode(),
)  # fmt: skip
NASTY = (
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1a", b"\x0b",
    b"\x7f", b"\r", b"\r\n",
    b"\\ud800", b"_ud800_", b"_udfff_", b"_u110000_", b"_uffffff_", b"%00", b"%ED", b"&#0;", b"&#xD800;", b"&a;",
    b"<!--", b"]]>",
    b'"', b"'", b"\\", b"/*", b"//", b"%", b"#", b"\x1b[31m", "é".encode("latin-1"), b"x" * 140_000,
)  # fmt: skip
BRACKETS = ((b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b"<a>", b"</a>"), (b'{"a":', b"}"), (b"[[", b"]]"))
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp037", "utf-7")

Mutator = Callable[[bytes, random.Random, Sequence[bytes], Sequence[bytes]], bytes]


def tokens(content: bytes) -> list[bytes]:
    """The file cut into tokens; joined they are the file."""
    return TOKEN.findall(content)


def _part(rng: random.Random, length: int) -> tuple[int, int]:
    """A stretch of a list, short more often than long."""
    start = rng.randrange(length)
    return start, min(length, start + int(rng.paretovariate(1.0)))


def _in_tokens(change: Callable[[list[bytes], random.Random, Sequence[bytes]], None]) -> Mutator:
    def mutator(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
        parts = tokens(content)
        if parts:
            change(parts, rng, words)
        return b"".join(parts)

    mutator.__name__ = change.__name__
    return mutator


def _in_lines(change: Callable[[list[bytes], random.Random, Sequence[bytes]], None]) -> Mutator:
    def mutator(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
        parts = content.split(b"\n")
        change(parts, rng, words)
        return b"\n".join(parts)

    mutator.__name__ = change.__name__ + "_of_lines"
    return mutator


def delete(parts: list[bytes], rng: random.Random, words: Sequence[bytes]) -> None:
    """A stretch is missing."""
    start, end = _part(rng, len(parts))
    del parts[start:end]


def double(parts: list[bytes], rng: random.Random, words: Sequence[bytes]) -> None:
    """A stretch stands twice."""
    start, end = _part(rng, len(parts))
    parts[start:start] = parts[start:end]


def exchange(parts: list[bytes], rng: random.Random, words: Sequence[bytes]) -> None:
    """Two parts change places."""
    a, b = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[a], parts[b] = parts[b], parts[a]


def overwrite(parts: list[bytes], rng: random.Random, words: Sequence[bytes]) -> None:
    """One part becomes another of the same file, or a word of the format."""
    parts[rng.randrange(len(parts))] = rng.choice(words) if words and rng.random() < 0.5 else rng.choice(parts)


def extreme_number(parts: list[bytes], rng: random.Random, words: Sequence[bytes]) -> None:
    """One number, declared sizes and counts among them, becomes an extreme one."""
    where = [k for k, part in enumerate(parts) if NUMBER.match(part)]
    if where:
        parts[rng.choice(where)] = rng.choice(NUMBERS)


def near_number(parts: list[bytes], rng: random.Random, words: Sequence[bytes]) -> None:
    """A whole number becomes a neighbour: counts that are off by one."""
    where = [k for k, part in enumerate(parts) if part.isdigit() and len(part) < 15]
    if where:
        k = rng.choice(where)
        parts[k] = str(int(parts[k]) + rng.choice((-1, 1, 2, 10))).encode()


def insert(parts: list[bytes], rng: random.Random, words: Sequence[bytes]) -> None:
    """Something strange stands between two parts."""
    parts.insert(rng.randint(0, len(parts)), rng.choice((*NASTY, *words)))


def truncate(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """The file is cut off, at either end."""
    at = rng.randint(0, len(content))
    return content[:at] if rng.random() < 0.8 else content[at:]


def splice(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """The beginning of this file and the end of another."""
    other = rng.choice(others)
    return content[: rng.randint(0, len(content))] + other[rng.randint(0, len(other)) :]


def nest(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A stretch stands in brackets, many deep."""
    parts = tokens(content) or [b""]
    start, end = _part(rng, len(parts))
    left, right = rng.choice(BRACKETS)
    depth = rng.choice((1, 2, 40, 70, 900, 20_000))
    inside = b"".join(parts[start:end])
    return b"".join(parts[:start]) + left * depth + inside + right * depth + b"".join(parts[end:])


def repeat(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A stretch stands many times."""
    parts = tokens(content) or [b""]
    start, end = _part(rng, len(parts))
    inside = b"".join(parts[start:end])
    return b"".join(parts[:start]) + inside * rng.choice((3, 40, 70, 2000)) + b"".join(parts[end:])


def flip(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Some bits are wrong."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 8))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def recode(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """The same text in another encoding."""
    return content.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


ANYWHERE: tuple[Mutator, ...] = (
    *(_in_tokens(c) for c in (delete, double, exchange, overwrite, overwrite, insert)),
    *(_in_tokens(c) for c in (extreme_number, extreme_number, extreme_number, near_number)),
    *(_in_lines(c) for c in (delete, double, exchange)),
    truncate,
    splice,
    nest,
    repeat,
    flip,
    recode,
)
