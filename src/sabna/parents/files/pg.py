"""sabna's own .pg format: the arrays of a parent graph as they are in memory, to be mapped instead of parsed.

    bytes 0-7     b"sabna-pg"
    bytes 8-11    version, 1
    bytes 12-15   length L of the header
    16 .. 16+L    header: JSON with n, sets, names, score, rows, arities, parameters, quantum, exhaustive
    aligned       offsets  int64  [n + 1]
    aligned       costs    int64  [sets], quanta
    aligned       sets     uint64 [sets, words]; 1, 2, 4, 8, 32 words for n <= 64, 128, 256, 512, 2048
    aligned       SHA-256 of everything before

All numbers are little-endian; "aligned" means zero bytes up to a multiple of 64. The length of the file follows
from n and sets, and is compared before anything is read; the checksum covers every byte, so that a cut or a flipped bit
anywhere is an error and never a wrong graph. What the checksum cannot know (a file made by a faulty program) is checked
on the arrays themselves. The arrays of the returned graph are read-only views of the mapped file (the sets of 129 to
256 variables are a wider copy, as the core takes them).
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import ScoreFileError
from sabna.base.jsontext import load_json
from sabna.base.texts import shown
from sabna.base.varsets import MAX_VARIABLES, words_for, words_in_files
from sabna.parents.checks import check_arrays, check_total
from sabna.parents.files.lists import MAX_ROWS, RESCALE, finish, unreadable
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Knowledge
from sabna.table.states import MAX_ARITY

MAGIC = b"sabna-pg"
VERSION = 1
ALIGNMENT = 64
_HEAD = struct.Struct("<8sII")
# Beyond it a whole number cannot be made a double.
LARGEST_DOUBLE = 1e308
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
        return _Layout(offsets, costs, start, _aligned(start + 8 * words_in_files(n) * sets))

    @property
    def size(self) -> int:
        return self.checksum + _CHECKSUM


def write(graph: ParentGraph) -> bytes:
    """The bytes of a .pg file."""
    graph = _with_ties_in_order(graph)
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
        (layout.sets, graph.sets[:, : words_in_files(graph.n)], "<u8"),
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
        header = load_json(content[_HEAD.size : _HEAD.size + header_length].tobytes())
        graph = _graph(_checked_header(header), header_length, content)
        if keep_dominated or "slack" in graph.parameters:  # otherwise the second one counts as dominated
            _refuse_repeated_sets(graph)
    except (ValueError, IndexError) as error:
        _broken(name, f"its content makes no sense ({error})")
    check_total(graph, ScoreFileError, name, RESCALE)
    return finish(name, graph, keep_dominated)


def _broken(name: str, reason: str) -> NoReturn:
    raise ScoreFileError(
        f"{name}: not a sound .pg file: {reason}; write it again with `sabna score` or `sabna convert`"
    )


def _checked_header(header: Any) -> dict[str, Any]:
    """The header with every field of the kind it must be; ValueError names the one that is not."""
    if not isinstance(header, dict):
        raise ValueError("the header is no object")
    n, sets, names = header.get("n"), header.get("sets"), header.get("names")
    score, rows, arities = header.get("score"), header.get("rows"), header.get("arities")
    parameters = header.get("parameters")
    sound = {
        "n": _is_whole(n, 1, MAX_VARIABLES),
        "sets": _is_whole(sets, 1, MAX_ROWS),
        "names": isinstance(names, list) and all(isinstance(name, str) for name in names) and len(set(names)) == n,
        "quantum": header.get("quantum") == 1 / QUANTA_PER_NAT,
        "score": score is None or (isinstance(score, str) and score != ""),
        "rows": rows is None or _is_whole(rows, 0, MAX_ROWS),
        "arities": arities is None
        or (isinstance(arities, list) and len(arities) == n and all(_is_whole(a, 0, MAX_ARITY) for a in arities)),
        "parameters": isinstance(parameters, dict),
    }
    wrong = [key for key, fine in sound.items() if not fine or key not in header]
    if wrong:
        raise ValueError(f"{wrong[0]}: {shown(header.get(wrong[0]))}")
    _check_parameters(parameters or {})
    return header


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _check_parameters(parameters: dict[str, Any]) -> None:
    """Those that are used later must be what they are taken for; others are only shown."""
    for key in ("slack", "equivalent_sample_size"):
        value = parameters.get(key, 0)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < LARGEST_DOUBLE:
            raise ValueError(f"{key} {shown(value)}")
    limits = parameters.get("max_parents", 0)  # one number, or one for each of some variables
    for limit in limits.values() if isinstance(limits, dict) else [limits]:
        if not _is_whole(limit, 0, MAX_ROWS):
            raise ValueError(f"max_parents {shown(limit)}")
    known = parameters.get("knowledge", {})
    if not isinstance(known, dict):  # a text would be taken for the name of a file
        raise ValueError(f"knowledge {shown(known)}")
    Knowledge.of(known)


def _graph(header: dict[str, Any], header_length: int, content: NDArray[np.uint8]) -> ParentGraph:
    """The graph in a file whose checksum fits; ValueError where a faulty program wrote it."""
    n, sets = header["n"], header["sets"]
    layout = _Layout.of(header_length, n, sets)
    if layout.size != len(content):
        raise ValueError(f"{len(content)} bytes where {layout.size} are announced")
    words = words_in_files(n)
    lists = content[layout.sets : layout.sets + 8 * words * sets].view("<u8").reshape(sets, words)
    if words != words_for(n):
        lists = np.pad(lists, ((0, 0), (0, words_for(n) - words)))
        lists.flags.writeable = False
    graph = ParentGraph(
        names=tuple(header["names"]),
        offsets=content[layout.offsets : layout.offsets + 8 * (n + 1)].view("<i8"),
        costs=content[layout.costs : layout.costs + 8 * sets].view("<i8"),
        sets=lists,
        score=header["score"],
        rows=header["rows"],
        arities=None if header["arities"] is None else tuple(header["arities"]),
        parameters=header["parameters"],
        exhaustive=header.get("exhaustive") is True,  # files of before do not say so
    )
    check_arrays(graph)
    _check_ties(graph)
    return graph


def _check_ties(graph: ParentGraph) -> None:
    """Sets of the same cost stand in their own order, the last word counting most."""
    a, b = graph.sets[:-1], graph.sets[1:]
    differ = a != b
    last = graph.sets.shape[1] - 1 - np.argmax(differ[:, ::-1], axis=1)  # the highest word that differs
    row = np.arange(len(a))
    falls = a[row, last] >= b[row, last]
    inside = np.ones(len(a), dtype=bool)
    inside[graph.offsets[1:-1] - 1] = False
    if (falls & inside & (graph.costs[:-1] == graph.costs[1:])).any():
        raise ValueError("order of sets that cost the same")


def _with_ties_in_order(graph: ParentGraph) -> ParentGraph:
    """The graph as our builders make it; arrays of a user may leave the order of ties open."""
    try:
        _check_ties(graph)
    except ValueError:
        child = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
        order = np.lexsort([*graph.sets.T, graph.costs, child])
        return replace(graph, costs=graph.costs[order], sets=graph.sets[order])
    return graph


def _refuse_repeated_sets(graph: ParentGraph) -> None:
    for i in range(graph.n):
        here = np.asarray(graph.sets[graph.offsets[i] : graph.offsets[i + 1]])
        here = here[np.lexsort(here.T)]
        if (here[1:] == here[:-1]).all(axis=1).any():
            raise ValueError(f"a set of {graph.names[i]!r} stands twice")
