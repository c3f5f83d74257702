"""sabna's own .pg format: the arrays of a parent graph as they are in memory, to be mapped instead of parsed.

    bytes 0-7     b"sabna-pg"
    bytes 8-11    version, 1
    bytes 12-15   length L of the header
    16 .. 16+L    header: JSON with n, sets, names, score, rows, arities, parameters, quantum, exhaustive
    aligned       offsets  int64  [n + 1]
    aligned       costs    int64  [sets], quanta
    aligned       sets     uint64 [sets, words for n]
    aligned       SHA-256 of everything before

All numbers are little-endian; "aligned" means zero bytes up to a multiple of 64. The length of the file follows
from n and sets, and is compared before anything is read; the checksum covers every byte, so that a cut or a flipped bit
anywhere is an error and never a wrong graph. What the checksum cannot know (a file made by a faulty program) is checked
on the arrays themselves. The arrays of the returned graph are read-only views of the mapped file.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import ScoreFileError
from sabna.base.varsets import MAX_VARIABLES, words_for
from sabna.parents.checks import check_arrays, check_total
from sabna.parents.files.lists import RESCALE, finish, unreadable
from sabna.parents.graph import ParentGraph

MAGIC = b"sabna-pg"
VERSION = 1
ALIGNMENT = 64
_HEAD = struct.Struct("<8sII")
_CHECKSUM = hashlib.sha256().digest_size


def _aligned(position: int) -> int:
    return -(-position // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class _Layout:
    """Where the parts of a file begin."""

    offsets: int
    costs: int
    sets: int
    checksum: int

    @staticmethod
    def of(header_length: int, n: int, sets: int) -> _Layout:
        offsets = _aligned(_HEAD.size + header_length)
        costs = _aligned(offsets + 8 * (n + 1))
        start = _aligned(costs + 8 * sets)
        return _Layout(offsets, costs, start, _aligned(start + 8 * words_for(n) * sets))

    @property
    def size(self) -> int:
        return self.checksum + _CHECKSUM


def write(graph: ParentGraph) -> bytes:
    """The bytes of a .pg file."""
    header = {
        "n": graph.n,
        "sets": len(graph),
        "names": list(graph.names),
        "score": graph.score,
        "rows": graph.rows,
        "arities": None if graph.arities is None else list(graph.arities),
        "parameters": graph.parameters,
        "quantum": 1 / QUANTA_PER_NAT,
        "exhaustive": graph.exhaustive,
    }
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii")
    layout = _Layout.of(len(text), graph.n, len(graph))
    content = bytearray(layout.checksum)
    head = _HEAD.pack(MAGIC, VERSION, len(text)) + text
    content[: len(head)] = head
    for start, array, kind in (
        (layout.offsets, graph.offsets, "<i8"),
        (layout.costs, graph.costs, "<i8"),
        (layout.sets, graph.sets, "<u8"),
    ):
        data = np.ascontiguousarray(array, dtype=kind).tobytes()
        content[start : start + len(data)] = data
    return bytes(content) + hashlib.sha256(content).digest()


def read(path: str | os.PathLike[str], keep_dominated: bool) -> ParentGraph:
    """The parent graph of a .pg file, mapped into memory."""
    name = os.fspath(path)
    try:
        size = os.stat(path).st_size
        if size < _HEAD.size + _CHECKSUM:
            _broken(name, f"it has only {size} bytes")
        content: NDArray[np.uint8] = np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as error:
        raise unreadable(path, error) from error
    magic, version, header_length = _HEAD.unpack(content[: _HEAD.size].tobytes())
    if magic != MAGIC:
        _broken(name, "it does not begin as a .pg file does")
    if version != VERSION:
        _broken(name, f"it is of version {version}, and this sabna reads version {VERSION}")
    if hashlib.sha256(content[:-_CHECKSUM].data).digest() != content[-_CHECKSUM:].tobytes():
        _broken(name, "its checksum does not fit, so that it was cut or changed")
    try:
        header = json.loads(content[_HEAD.size : _HEAD.size + header_length].tobytes())
        graph = _graph(header, header_length, content)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        _broken(name, f"its content makes no sense ({error})")
    check_total(graph, ScoreFileError, name, RESCALE)
    return finish(name, graph, keep_dominated)


def _broken(name: str, reason: str) -> NoReturn:
    raise ScoreFileError(
        f"{name}: not a sound .pg file: {reason}; write it again with `sabna score` or `sabna convert`"
    )


def _graph(header: dict[str, Any], header_length: int, content: NDArray[np.uint8]) -> ParentGraph:
    """The graph in a file whose checksum fits; ValueError where a faulty program wrote it."""
    n, sets = int(header["n"]), int(header["sets"])
    if not 1 <= n <= MAX_VARIABLES or sets < n:
        raise ValueError(f"{n} variables, {sets} sets")
    if header["quantum"] != 1 / QUANTA_PER_NAT:
        raise ValueError(f"quantum {header['quantum']}")
    layout = _Layout.of(header_length, n, sets)
    if layout.size != len(content):
        raise ValueError(f"{len(content)} bytes where {layout.size} are announced")
    words = words_for(n)
    names = tuple(str(name) for name in header["names"])
    graph = ParentGraph(
        names=names,
        offsets=content[layout.offsets : layout.offsets + 8 * (n + 1)].view("<i8"),
        costs=content[layout.costs : layout.costs + 8 * sets].view("<i8"),
        sets=content[layout.sets : layout.sets + 8 * words * sets].view("<u8").reshape(sets, words),
        score=header["score"],
        rows=header["rows"],
        arities=None if header["arities"] is None else tuple(int(a) for a in header["arities"]),
        parameters=dict(header["parameters"]),
        exhaustive=header.get("exhaustive") is True,  # files of before do not say so
    )
    if len(set(names)) != n or (graph.arities is not None and len(graph.arities) != n):
        raise ValueError("names or arities do not fit the number of variables")
    check_arrays(graph)
    return graph
