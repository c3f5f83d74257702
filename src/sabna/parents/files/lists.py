"""From the lists of a text file to a parent graph: the checks that .jkl and .pss share.

A reader collects, variable by variable, the score, the parents and the line of every entry; `assemble` then rounds the
scores to quanta, sorts, refuses what no parent graph may hold, and drops dominated sets: a set that costs no less than
one of its subsets is of no use, since wherever it fits the subset fits too.
"""

from __future__ import annotations

import codecs
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.errors import ScoreFileError
from sabna.base.texts import shown
from sabna.base.varsets import MAX_VARIABLES, words_for
from sabna.parents.checks import check_total
from sabna.parents.files.names import cut_into_names, decode_name
from sabna.parents.files.numbers import costs_of_scores
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import without_network

# What to do about scores that are too large.
RESCALE = "add a number to all scores of a variable, which changes no choice, or rescale them all"

# Longer words are no numbers of ours or of any program, and Python refuses to convert 4300 digits.
MAX_DIGITS = 400
# What 64 bits hold: the limit of numbers that are only passed on.
MAX_ROWS = (1 << 63) - 1


@dataclass
class Source:
    """A file being read: its name for messages, and its lines."""

    path: str

    def fail(self, line: int, message: str) -> NoReturn:
        """Raise the error of one line (counted from 1)."""
        raise ScoreFileError(f"{self.path}, line {line}: {message}")

    def read_lines(self) -> list[bytes]:
        """The lines of the file, without their ends and without a byte order mark."""
        return read_bytes(self.path).removeprefix(codecs.BOM_UTF8).split(b"\n")

    def number(self, word: bytes, line: int, what: str, most: int | None = None) -> int:
        """A whole number, 0 or more and up to `most`."""
        if not word.isdigit() or len(word) > MAX_DIGITS:
            self.fail(line, f"{what} must be a whole number, not {show(word)}")
        if most is not None and int(word) > most:
            self.fail(line, f"{what} must be at most {most:,}, not {show(word)}")
        return int(word)

    def name(self, word: bytes, line: int) -> str:
        """A variable's name."""
        try:
            return decode_name(word)
        except UnicodeDecodeError:
            self.fail(line, f"the name {show(word)} is not UTF-8; save the file in that encoding")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a parent graph file."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: str | os.PathLike[str], error: OSError) -> ScoreFileError:
    """The error for a file that cannot be opened at all."""
    return ScoreFileError(f"{os.fspath(path)}: cannot be read: {error.strerror or error}; check the name of the file")


def show(word: bytes, limit: int = 60) -> str:
    """A piece of a file for a message: quoted, cut to a readable length."""
    return shown(word.decode("utf-8", "backslashreplace"), limit)


@dataclass
class Entries:
    """The parent sets of one variable as they stand in the file."""

    name: bytes
    line: int
    scores: list[float] = field(default_factory=list)
    words: list[bytes] = field(default_factory=list)
    parents: list[list[bytes]] = field(default_factory=list)
    sizes: list[int | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, source: Source, line: int, score: bytes, size: int | None, parents: list[bytes]) -> None:
        """Take one entry; its parents are looked up once all names are known."""
        try:
            value = float(score)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or b"_" in score or len(score) > MAX_DIGITS:
            source.fail(
                line, f"the score of a parent set of {show(self.name)} must be a finite number, not {show(score)}"
            )
        self.scores.append(value)
        self.words.append(score)
        self.parents.append(parents)
        self.sizes.append(size)
        self.lines.append(line)


def assemble(source: Source, variables: Sequence[Entries], keep_dominated: bool, **known: Any) -> ParentGraph:
    """The parent graph of a file's entries; `known` are further fields of the graph."""
    positions = _positions(source, variables)
    names = tuple(source.name(entries.name, entries.line) for entries in variables)
    for i, name in enumerate(names):
        if len(set(names)) < len(names) and name in names[:i]:  # written once as it is and once coded
            source.fail(variables[i].line, f"a second variable {shown(name)}; rename one")
    words = words_for(len(names))
    costs: list[NDArray[np.int64]] = []
    sets: list[NDArray[np.uint64]] = []
    for i, entries in enumerate(variables):
        bits = _parent_bits(source, entries, positions, i)
        _refuse_duplicates(source, entries, bits)
        sets.append(np.frombuffer(b"".join(b.to_bytes(8 * words, "little") for b in bits), "<u8").reshape(-1, words))
        costs.append(costs_of_scores(entries.scores, entries.words))
        order = np.lexsort([*sets[i].T, costs[i]])
        sets[i], costs[i] = sets[i][order], costs[i][order]
    offsets = np.cumsum([0] + [len(c) for c in costs], dtype=np.int64)
    graph = ParentGraph(names, offsets, np.concatenate(costs), np.concatenate(sets).astype(np.uint64), **known)
    check_total(graph, ScoreFileError, source.path, RESCALE)
    return finish(source.path, graph, keep_dominated)


def finish(path: str, graph: ParentGraph, keep_dominated: bool) -> ParentGraph:
    """Drop dominated sets unless they are to be kept, and make sure that some network exists.

    A graph built with slack holds dominated sets on purpose, for networks that are nearly as good as the best.
    """
    if not keep_dominated:
        graph = without_dominated(graph)
    stuck = without_network(graph)
    if stuck:
        names = ", ".join(shown(graph.names[i]) for i in stuck[:5]) + (", ..." if len(stuck) > 5 else "")
        raise ScoreFileError(
            f"{path}: no network can be made of these parent sets: every set of {names} needs another of these "
            f"{len(stuck)} variables; add the empty set to at least one of them"
        )
    return graph


def without_dominated(graph: ParentGraph) -> ParentGraph:
    """The graph without dominated sets, unless it was built with slack."""
    if "slack" in graph.parameters:
        return graph
    left = core.prune_dominated(*graph.arrays)
    if len(left.costs) == len(graph):  # the arrays at hand, perhaps mapped from a file, stay as they are
        return graph
    return replace(graph, offsets=left.offsets, costs=left.costs, sets=left.sets)


def _positions(source: Source, variables: Sequence[Entries]) -> dict[bytes, int]:
    """Name -> variable; refuses too many, duplicate and empty ones."""
    if not variables:
        raise ScoreFileError(f"{source.path}: there is no variable in it; is this a parent graph file?")
    if len(variables) > MAX_VARIABLES:
        source.fail(
            variables[MAX_VARIABLES].line, f"variable {MAX_VARIABLES + 1}: at most {MAX_VARIABLES} are possible"
        )
    positions: dict[bytes, int] = {}
    for i, entries in enumerate(variables):
        if entries.name in positions:
            first = variables[positions[entries.name]].line
            source.fail(
                entries.line, f"a second variable {show(entries.name)} (the first is in line {first}); rename one"
            )
        if not entries.scores:
            source.fail(
                entries.line,
                f"variable {show(entries.name)} has no parent set; list at least one, such as the empty one",
            )
        positions[entries.name] = i
    return positions


def _parent_bits(source: Source, entries: Entries, positions: dict[bytes, int], child: int) -> list[int]:
    """The parents of every entry as bits."""
    bit = {name: 1 << i for name, i in positions.items()}
    result = []
    for parents, size, line in zip(entries.parents, entries.sizes, entries.lines, strict=True):
        try:
            members = [bit[name] for name in parents]
        except KeyError:
            members = []
        if len(members) != len(parents) or (size is not None and len(members) != size):
            members = [1 << i for i in _look_closer(source, entries, parents, size, line, positions)]
        bits = 0
        for member in members:
            bits |= member
        if bits >> child & 1:
            source.fail(line, f"{show(entries.name)} is listed as its own parent; remove this set")
        if bits.bit_count() != len(members):
            source.fail(line, f"a parent of {show(entries.name)} is listed twice in one set; remove one")
        result.append(bits)
    return result


def _look_closer(
    source: Source, entries: Entries, parents: list[bytes], size: int | None, line: int, positions: dict[bytes, int]
) -> list[int]:
    """Parents whose words are not names one by one: names with blanks or commas between them, or a mistake."""
    found = cut_into_names(parents, positions, size)
    if found is not None:
        return found
    unknown = [word for word in parents if word not in positions]
    if size is not None and len(parents) != size and not unknown:
        source.fail(
            line,
            f"{size} parents are announced for {show(entries.name)}, but {len(parents)} are listed; correct the count",
        )
    if not unknown:
        source.fail(line, f"the parents of {show(entries.name)} cannot be told apart; avoid blanks in names")
    source.fail(
        line, f"unknown parent {show(unknown[0])} of {show(entries.name)}; every parent must be a variable of the file"
    )


def _refuse_duplicates(source: Source, entries: Entries, bits: list[int]) -> None:
    if len(set(bits)) == len(bits):
        return
    seen: dict[int, int] = {}
    for k, line in zip(bits, entries.lines, strict=True):
        if k in seen:
            source.fail(line, f"the same parents of {show(entries.name)} as in line {seen[k]}; keep one of them")
        seen[k] = line
