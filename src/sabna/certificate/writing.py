"""Writes a certificate, line by line, while the run goes on.

The format is documented in docs/proof.md, and read by the checker (checker/check_certificate.py), which shares no code
with this file. A line is a word and fields `name=value`; a list of integers stands as it is (3,7,8) or, if it is long,
as ~ and base64 of zlib of the differences between neighbours. Lines are flushed event by event, so that a run that is
killed leaves a certificate of what it had proven. The last line, `end`, has the SHA-256 of everything before it.

A certificate speaks of the parent graph as a file holds it: all sets, cheapest first, ties by the set. `canonical` says
where the sets of the searched graph stand there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import OutputError
from sabna.base.texts import shown
from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]

# Lists up to this length stand as they are, for the eye.
PLAIN_UP_TO = 40


def list_text(values: Iterable[int] | Ints) -> str:
    """A list of integers as the text of a field.

    >>> list_text([3, 7, 8])
    '3,7,8'
    """
    plain = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if len(plain) <= PLAIN_UP_TO:
        return ",".join(map(str, plain))
    numbers = np.array(plain, np.int64)
    differences = np.diff(numbers, prepend=np.int64(0)).astype("<i8")
    return "~" + base64.b64encode(zlib.compress(differences.tobytes(), 6)).decode()


def in_order(graph: ParentGraph) -> Ints:
    """The order of a graph's sets in a certificate: by variable, cost, and set. Most graphs stand in it already."""
    child = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    together = child[1:] == child[:-1]
    falls = together & (graph.costs[1:] < graph.costs[:-1])
    tied = together & (graph.costs[1:] == graph.costs[:-1])
    for word in reversed(graph.sets.T):
        falls |= tied & (word[1:] < word[:-1])
        tied &= word[1:] == word[:-1]
    if not falls.any():
        return np.arange(len(graph))
    order: Ints = np.lexsort([*graph.sets.T, graph.costs, child])
    return order


def fingerprint(graph: ParentGraph) -> str:
    """SHA-256 of a graph's content: names, lists, costs; the same whatever the file format."""
    order = in_order(graph)
    content = hashlib.sha256(json.dumps(graph.names).encode())
    for array in (np.diff(graph.offsets), graph.costs[order], graph.sets[order, : -(-graph.n // 64)]):
        content.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return content.hexdigest()


def places(searched: ParentGraph, whole: ParentGraph) -> Ints:
    """Where the sets of `searched`, some of those of `whole`, stand in a certificate about `whole`."""
    order = in_order(whole)
    if searched is whole:
        return np.argsort(order, kind="stable")
    graphs = (whole, searched)
    child = np.concatenate([np.repeat(np.arange(graph.n), np.diff(graph.offsets)) for graph in graphs])
    sets = np.concatenate([whole.sets[order], searched.sets])
    child[: len(order)] = child[order]
    # Sorted by variable and set, each set of `searched` comes after its equals in `whole`, of which the first is meant.
    ranked = np.lexsort([np.arange(len(child)), *sets.T, child])
    new = np.ones(len(child), bool)
    new[1:] = (child[ranked[1:]] != child[ranked[:-1]]) | (sets[ranked[1:]] != sets[ranked[:-1]]).any(axis=1)
    first = ranked[np.maximum.accumulate(np.where(new, np.arange(len(child)), 0))]
    place = np.zeros(len(child), np.int64)
    place[ranked] = first
    return place[len(order) :]


class CertificateFile:
    """A certificate being written. Numbers of clusters, weights and patterns are given here."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.hash = hashlib.sha256()
        self.bytes = 0
        self.ended: str | None = None  # the checksum, once it is complete
        self._rows: dict[tuple[Any, ...], int] = {}  # clusters and cuts
        self._weights = 0  # how many there are, patterns included
        try:
            self.file: BinaryIO = open(self.path, "wb")  # noqa: SIM115
        except OSError as error:
            raise self._failed(error) from error
        self._write(b"sabna-certificate 2\n")

    def _failed(self, error: OSError) -> OutputError:
        return OutputError(f"{self.path}: the certificate cannot be written: {error.strerror or error}")

    def _write(self, data: bytes) -> None:
        try:
            self.file.write(data)
        except OSError as error:
            raise self._failed(error) from error
        self.hash.update(data)
        self.bytes += len(data)

    def flush(self) -> None:
        """What was written by now is to survive the program."""
        try:
            self.file.flush()
        except OSError as error:
            raise self._failed(error) from error

    def line(self, word: str, **fields: int | str | Iterable[int] | Ints) -> None:
        """One line; lists of integers become text."""
        texts = (
            f"{name}={value if isinstance(value, int | str) else list_text(value)}" for name, value in fields.items()
        )
        self._write(" ".join([word, *texts]).encode() + b"\n")

    def note(self, what: str, text: str) -> None:
        """A line for the reader; blanks of the text become %20."""
        coded = "".join(c if "!" <= c <= "~" and c != "%" else "".join(f"%{b:02X}" for b in c.encode()) for c in text)
        self.line("note", about=what, text=coded)

    def cluster(self, members: tuple[int, ...], k: int) -> int:
        """The number of a cluster, which is written when it is first used."""
        return self._row("cluster", members, (k,), k=k, members=members)

    def cut(self, rows: tuple[int, ...], times: tuple[int, ...]) -> int:
        """The number of a cut by halves, written when first used: the rows that it is made of, with multipliers."""
        return self._row("cut", rows, times, rows=rows, times=times, divisor=2)

    def local_cut(self, group: tuple[int, ...], of: tuple[int, ...], entries: list[tuple[int, int, int]]) -> int:
        """The number of a local cut, written when first used: variables, the block of each, families, coefficients."""
        member, before, a = zip(*entries, strict=True)
        blocks = {} if of == tuple(range(len(group))) else {"of": of}  # single variables need no word
        return self._row(
            "local", group, of, member, before, a, group=group, **blocks, member=member, before=before, a=a
        )

    def _row(self, word: str, *key: tuple[int, ...], **fields: int | tuple[int, ...]) -> int:
        if (row := (word, *key)) not in self._rows:
            self._rows[row] = len(self._rows) + 1
            self.line(word, id=len(self._rows), **fields)
        return self._rows[row]

    def numbered(self, word: str, **fields: int | str | Iterable[int] | Ints) -> int:
        """A line that bounds refer to by its number: weights or pattern."""
        self._weights += 1
        self.line(word, id=self._weights, **fields)
        return self._weights

    def end(self, lower: int, cost: int, tolerance: int, status: str) -> None:
        """The claim, and the checksum."""
        self.line("claim", status=status, lower=lower, cost=cost, tolerance=tolerance)
        self.ended = self.hash.hexdigest()
        self.line("end", sha256=self.ended)
        self.close()

    def close(self) -> None:
        """Close the file as it is."""
        try:
            self.file.close()
        except OSError as error:
            raise self._failed(error) from error

    def __repr__(self) -> str:
        return f"CertificateFile({shown(self.path)})"
