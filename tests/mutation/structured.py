"""Changes of files that are more than tokens: JSON as a tree, .pg files as a header and arrays under a checksum.

A .pg file with one changed byte is refused by its checksum; what lies behind is only reached by a file that is sealed
again, as a faulty program would write it.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
from collections.abc import Sequence
from typing import Any

HEAD = struct.Struct("<8sII")


def _deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2.5, 1e308, -1e308, float("inf"), float("-inf"), float("nan"), 2**31, 2**62, 2**63,
    -(2**63), 10**30,
    10**400, "", "a", "\ud800", "\x00", "x" * 300, "a -> b", "nan", [], {}, [[]], [None], [[], []], {"": ""},
    {"a": [1]}, [["a", "b"]],
    ["a", "a"], _deep(50), _deep(70), _deep(400),
)  # fmt: skip


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    found, waiting = [], [value]
    while waiting:
        at = waiting.pop()
        items = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
        for key, inner in items:
            found.append((at, key))
            waiting.append(inner)
    return found


def change_tree(value: Any, rng: random.Random) -> Any:
    """One place of the tree changed; the tree is changed itself."""
    places = _places(value)
    if not places:
        return rng.choice(ODD_VALUES)
    container, key = rng.choice(places)
    kind = rng.randrange(6)
    if kind == 0:
        del container[key]
    elif kind == 1:  # another place's value, copied so that no cycle comes about
        source, name = rng.choice(places)
        container[key] = json.loads(json.dumps(source[name]))
    elif kind == 2 and isinstance(container, dict):
        names = [k for c, k in places if isinstance(k, str)] + ["\ud800", "", "x"]
        container[rng.choice(names)] = container.pop(key)
    elif kind == 3 and isinstance(container, list):
        container.insert(key, json.loads(json.dumps(container[key])))
    else:
        container[key] = rng.choice(ODD_VALUES)
    return value


def json_tree(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A JSON file with one place changed."""
    try:
        value = json.loads(content)
        return json.dumps(change_tree(value, rng), ensure_ascii=rng.random() < 0.9).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return content


def seal(body: bytes) -> bytes:
    """A .pg file with a right checksum."""
    return body + hashlib.sha256(body).digest()


def _parts(content: bytes) -> tuple[bytes, bytes]:
    """Header and arrays."""
    length = HEAD.unpack_from(content)[2]
    end = -(-(HEAD.size + length) // 64) * 64
    return content[HEAD.size : HEAD.size + length], content[end:-32]


def _joined(header: bytes, arrays: bytes) -> bytes:
    body = HEAD.pack(b"sabna-pg", 1, len(header)) + header
    return seal(body + b"\0" * (-len(body) % 64) + arrays)


def pg_header(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """One place of the header changed, sealed again."""
    try:
        header, arrays = _parts(content)
        return _joined(json_tree(header, rng, words, others), arrays)
    except struct.error:
        return content


def pg_header_bytes(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """The header changed as text, sealed again."""
    from .mutators import ANYWHERE

    try:
        header, arrays = _parts(content)
        return _joined(rng.choice(ANYWHERE)(header, rng, words, [header]), arrays)
    except struct.error:
        return content


def pg_arrays(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A number of the arrays changed, sealed again."""
    try:
        header, arrays = _parts(content)
    except struct.error:
        return content
    changed = bytearray(arrays)
    if len(changed) >= 8:
        at = 8 * rng.randrange(len(changed) // 8)
        value = int.from_bytes(changed[at : at + 8], "little")
        value = rng.choice(
            (value + 1, value - 1, value ^ 1 << rng.randrange(64), 0, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
        )
        changed[at : at + 8] = (value % 2**64).to_bytes(8, "little")
        other = 8 * rng.randrange(len(changed) // 8)
        if rng.random() < 0.3:
            changed[at : at + 8], changed[other : other + 8] = changed[other : other + 8], changed[at : at + 8]
    return _joined(header, bytes(changed))


def pg_sealed(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Any byte changed, the length cut or grown, sealed again."""
    body = bytearray(content[:-32])
    if body:
        body[rng.randrange(len(body))] = rng.randrange(256)
        if rng.random() < 0.3:
            body = body[: rng.randint(0, len(body))]
    return seal(bytes(body))
