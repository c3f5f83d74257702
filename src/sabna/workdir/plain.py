"""Plain data as a file: dataclasses, numbers, texts, tuples, lists, dictionaries and arrays, without pickle.

    bytes 0-7     b"sabna-wk"
    bytes 8-15    length L of the header, little-endian
    16 .. 16+L    header: JSON of the value; arrays are named by their number and listed with kind, shape and place
    aligned       the arrays, little-endian, each at a multiple of 64 bytes
    the end       SHA-256 of everything before

In the header a tuple is a JSON array; whatever JSON cannot tell apart is an object with one key: {"list": [...]},
{"dict": {...}}, {"pairs": [...]}, {"set": [...]}, {"array": 3}, {"known": "graph"}, {"Part": {fields}}. An array that
several owners hold is written once. `known` are values that reader and writer have from elsewhere, such as the parent
graph.

Reading makes nothing but the dataclasses that the type hints of the wanted class lead to: a file from elsewhere can be
refused, but cannot run anything. Fields that the file lacks get their defaults, so a class may gain fields; a field
that the class does not know makes the file unreadable (`Unreadable`). Arrays are read-only views of the mapped file.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import mmap
import os
import struct
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

MAGIC = b"sabna-wk"
ALIGNMENT = 64
_HEAD = struct.Struct("<8sQ")
_CHECKSUM = hashlib.sha256().digest_size
# Kinds of arrays that are written and read.
KINDS = ("<i8", "<u8", "<i4", "<u4", "<u2", "<f8", "|u1", "|b1")

Value = TypeVar("Value")


class Unreadable(Exception):
    """The file is cut, changed, or of another kind; the text says which."""


def write_plain(value: Any, known: Mapping[str, Any] | None = None) -> list[bytes | memoryview]:
    """The bytes of a file with this value, in pieces; arrays are not copied."""
    writer = _Writer({id(held): name for name, held in (known or {}).items()})
    text = json.dumps({"value": writer.encoded(value), "arrays": writer.described}, separators=(",", ":")).encode()
    pieces: list[bytes | memoryview] = [_HEAD.pack(MAGIC, len(text)), text]
    at = _HEAD.size + len(text)
    for array in writer.arrays:
        pieces += [bytes(-at % ALIGNMENT), array.reshape(-1).view(np.uint8).data]
        at += -at % ALIGNMENT + array.nbytes
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return [*pieces, digest.digest()]


class _Writer:
    """Collects the arrays of a value while it is written."""

    def __init__(self, known: dict[int, str]) -> None:
        self.known = known
        self.arrays: list[NDArray[Any]] = []
        self.described: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.held: list[Any] = []  # so that no identity is used twice

    def encoded(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if id(value) in self.known:
            return {"known": self.known[id(value)]}
        if isinstance(value, tuple):
            return [self.encoded(item) for item in value]
        if isinstance(value, list):
            return {"list": [self.encoded(item) for item in value]}
        if isinstance(value, frozenset):
            return {"set": [self.encoded(item) for item in sorted(value)]}
        if isinstance(value, dict):
            if all(isinstance(key, str) for key in value):
                return {"dict": {key: self.encoded(item) for key, item in value.items()}}
            return {"pairs": [[self.encoded(key), self.encoded(item)] for key, item in value.items()]}
        if isinstance(value, np.ndarray):
            return {"array": self.number_of(value)}
        if isinstance(value, np.generic):
            return value.item()
        if dataclasses.is_dataclass(value):
            fields = {f.name: self.encoded(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
            return {type(value).__name__: fields}
        raise TypeError(f"{type(value).__name__} is no plain data")

    def number_of(self, array: NDArray[Any]) -> int:
        if id(array) not in self.numbers:
            data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            if data.dtype.str not in KINDS:
                raise TypeError(f"an array of {array.dtype} is no plain data")
            self.numbers[id(array)] = len(self.arrays)
            self.arrays.append(data)
            self.held.append(array)
            self.described.append([data.dtype.str, list(array.shape)])
        return self.numbers[id(array)]


def read_plain(
    path: str | os.PathLike[str],
    kind: type[Value],
    known: Mapping[str, Any] | None = None,
    written_here: bool = False,
) -> Value:
    """The value of class `kind` in a file; `Unreadable` if it is not whole, FileNotFoundError if there is none.

    Of a file that this process has just written the checksum is not computed again.
    """
    size = os.stat(path).st_size
    if size < _HEAD.size + _CHECKSUM:
        raise Unreadable("it is cut")
    content: NDArray[np.uint8] = np.memmap(path, dtype=np.uint8, mode="r")
    if not written_here and _digest(path, size - _CHECKSUM) != content[-_CHECKSUM:].tobytes():
        raise Unreadable("its checksum does not fit")
    magic, length = _HEAD.unpack(content[: _HEAD.size].tobytes())
    if magic != MAGIC:
        raise Unreadable("it is of another kind")
    header = json.loads(content[_HEAD.size : _HEAD.size + length].tobytes())
    try:
        arrays = _arrays(header["arrays"], content, _HEAD.size + length)
        value = _Reader(classes_of(kind), arrays, dict(known or {})).decoded(header["value"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"it was written by another version of this program ({error})") from error
    if not isinstance(value, kind):
        raise Unreadable("it holds something else")
    return value


def _digest(path: str | os.PathLike[str], size: int) -> bytes:
    """Of the first bytes of a file, read piece by piece: pages of a mapped file would count as memory in use."""
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while size > 0 and (piece := file.read(min(size, 1 << 20))):
            digest.update(piece)
            size -= len(piece)
    return digest.digest()


def _arrays(described: list[Any], content: NDArray[np.uint8], at: int) -> list[NDArray[Any]]:
    arrays = []
    for kind, shape in described:
        if kind not in KINDS:
            raise ValueError(f"an array of {kind}")
        at += -at % ALIGNMENT
        size = int(np.dtype(kind).itemsize * int(np.prod(shape, dtype=np.int64)))
        arrays.append(np.asarray(content[at : at + size]).view(kind).reshape(shape))
        at += size
    return arrays


def give_back(array: NDArray[Any]) -> None:
    """Give the pages of the mapped file that an array stands in back to the system; they are read again when needed."""
    root: Any = array
    while root is not None and not isinstance(root, mmap.mmap):
        root = getattr(root, "base", None)
    if root is not None and hasattr(root, "madvise"):
        root.madvise(mmap.MADV_DONTNEED)


class _Reader:
    """Makes a value of what a header says."""

    def __init__(self, classes: Mapping[str, type], arrays: list[NDArray[Any]], known: dict[str, Any]) -> None:
        self.classes, self.arrays, self.known = classes, arrays, known

    def decoded(self, value: Any) -> Any:
        if isinstance(value, list):
            return tuple(self.decoded(item) for item in value)
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind == "list":
            return [self.decoded(item) for item in content]
        if kind == "set":
            return frozenset(self.decoded(item) for item in content)
        if kind == "dict":
            return {key: self.decoded(item) for key, item in content.items()}
        if kind == "pairs":
            return {self.decoded(key): self.decoded(item) for key, item in content}
        if kind == "array":
            return self.arrays[content]
        if kind == "known":
            return self.known[content]
        return self.classes[kind](**{name: self.decoded(item) for name, item in content.items()})


# What `classes_of` has found: type hints take a while to look through, and a run reads hundreds of files.
_FOUND: dict[type, Mapping[str, type]] = {}


def classes_of(kind: type) -> Mapping[str, type]:
    """The dataclasses that the type hints of a dataclass lead to, itself included, by name."""
    if kind in _FOUND:
        return _FOUND[kind]
    found: dict[str, type] = {}
    waiting: list[Any] = [kind]
    while waiting:
        hint = waiting.pop()
        waiting += typing.get_args(hint)
        if dataclasses.is_dataclass(hint) and isinstance(hint, type) and hint.__name__ not in found:
            found[hint.__name__] = hint
            hints = typing.get_type_hints(hint)
            waiting += [hints[f.name] for f in dataclasses.fields(hint) if f.init]
    _FOUND[kind] = found
    return found
