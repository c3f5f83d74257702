"""The layers of a breadth-first search as files of a work directory (core/search/bfs_files.h says how it is searched).

    layers-P                the record: the state after the last piece, and which files are needed from there on
    layers-P-nodes-K        the nodes that piece K expanded, of one layer: the way back reads them
    layers-P-children-K-L   the children of piece K, sorted, in layer L; `far` instead of L: those in layers with few

P is the number of the part that is searched. A piece counts once the record names it; what a killed process leaves
besides is removed. Children are removed when their layer is done, the rest when the part is done and the tree is
kept. A damaged file is found by its checksum, and the search of the part begins again (`Lost`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.workdir.folder import WorkDir
from sabna.workdir.plain import give_back, read_plain

LAYERS = "layers"
# Children to a piece, at most; fewer where memory is scarce.
MOST_CHILDREN = 1 << 26
# A layer with at least this share of a piece's children has a file of its own, which can go when the layer is done.
OWN_FILE = 0.05

Arrays = tuple[NDArray[np.uint64], NDArray[np.int64]]


class Lost(Exception):
    """A file that is needed is missing or damaged."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Sorted nodes of some layers: those of layer k stand from begin[k] to begin[k + 1]."""

    sets: NDArray[np.uint64]
    costs: NDArray[np.int64]
    begin: NDArray[np.int64]

    def of_layer(self, layer: int) -> Arrays:
        """The sets and costs of a layer."""
        here = slice(int(self.begin[layer]), int(self.begin[layer + 1]))
        return self.sets[here], self.costs[here]


@dataclass(frozen=True, eq=False)
class Layers:
    """The record: `children` and `nodes` are files with the layers that they have nodes of, and their bytes."""

    state: dict[str, Any]
    pieces: int = 0
    children: dict[str, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    nodes: dict[str, tuple[tuple[int, ...], int]] = field(default_factory=dict)


class LayerFiles:
    """The files of the search of one part over n variables; the core calls `resume`, `keep`, `runs` and `nodes`."""

    def __init__(self, work: WorkDir, part: int, n: int, kept: Callable[[LayerFiles], None] | None = None) -> None:
        self.work, self.name, self.n = work, f"{LAYERS}-{part}", n
        self.most_children = MOST_CHILDREN
        self._kept = kept  # called after each piece
        self._written: set[str] = set()  # by this process
        self._open: list[Nodes] = []
        self._made = (0, 0)  # bytes of children and nodes expanded, in this layer
        self.record = work.load(self.name, Layers)

    # What the core calls.

    def resume(self) -> dict[str, Any] | None:
        """The state to go on from; None if there is none."""
        self._remove_all_but(self._needed())
        return None if self.record is None else self.record.state

    def keep(self, piece: core.LayerPiece, state: dict[str, Any]) -> None:
        """Keep a piece: its files, then the record that names them, and remove what is needed no more."""
        before = self.record or Layers(state)
        number = before.pieces + 1
        children, nodes = dict(before.children), dict(before.nodes)
        if len(piece.costs):
            begin = np.where(np.arange(self.n + 2) > piece.layer, len(piece.costs), 0)
            nodes |= self._save(f"nodes-{number}", piece.words, piece.costs, begin)
        if len(piece.child_costs):
            made = self._save_children(number, piece)
            children |= made
            size = sum(bytes_ for _, bytes_ in made.values())
            self._made = self._made[0] + size, self._made[1] + len(piece.costs)
        if before.state["layer"] != state["layer"]:
            self._made = 0, 0
        done = [name for name, (layers, _) in children.items() if max(layers) < state["layer"]]
        for name in done:
            del children[name]
        self.record = Layers(state, number, children, nodes)
        self.work.save(self.name, self.record)
        for name in done:
            self.work.remove(name)
        for opened in self._open:
            give_back(opened.costs)
        if self._kept is not None:
            self._kept(self)

    def runs(self, layer: int) -> list[Arrays]:
        """The children that were made in a layer."""
        assert self.record is not None
        return self._opened(self.record.children, layer)

    def nodes(self, layer: int) -> list[Arrays]:
        """The expanded nodes of a layer."""
        assert self.record is not None
        return self._opened(self.record.nodes, layer)

    # What others ask.

    @property
    def layer(self) -> int:
        """The layer that is expanded; 0 before the first piece."""
        return 0 if self.record is None else int(self.record.state["layer"])

    @property
    def bytes(self) -> int:
        """Of all files."""
        record = self.record or Layers({})
        return sum(size for _, size in [*record.children.values(), *record.nodes.values()])

    def bytes_to_come(self, left: int) -> int:
        """What this layer will still write, if its `left` nodes have as many children as those so far; 0: unknown."""
        made, expanded = self._made
        return made * left // expanded if expanded else 0

    def forget(self) -> None:
        """Remove all files: nothing is kept of this search."""
        self.record, self._open = None, []
        self._remove_all_but(set())

    # Files.

    def _save_children(self, number: int, piece: core.LayerPiece) -> dict[str, tuple[tuple[int, ...], int]]:
        """A file for every layer with many children, and one for the others."""
        begin = piece.child_begin
        counts = np.diff(begin)
        made: dict[str, tuple[tuple[int, ...], int]] = {}
        far = np.zeros(len(piece.child_costs), bool)
        sets = piece.child_words.reshape(len(piece.child_costs), -1)
        for layer in np.flatnonzero(counts).tolist():
            here = slice(int(begin[layer]), int(begin[layer + 1]))
            if counts[layer] < OWN_FILE * len(piece.child_costs):
                far[here] = True
                continue
            own = np.where(np.arange(self.n + 2) > layer, counts[layer], 0)
            made |= self._save(f"children-{number}-{layer}", sets[here], piece.child_costs[here], own)
        if far.any():
            left = np.where(counts < OWN_FILE * len(piece.child_costs), counts, 0)
            ends = np.concatenate([[0], np.cumsum(left)])
            made |= self._save(f"children-{number}-far", sets[far], piece.child_costs[far], ends)
        return made

    def _save(
        self, name: str, words: NDArray[np.uint64], costs: NDArray[np.int64], begin: NDArray[Any]
    ) -> dict[str, tuple[tuple[int, ...], int]]:
        whole = f"{self.name}-{name}"
        nodes = Nodes(words.reshape(len(costs), -1), costs, np.asarray(begin, np.int64))
        self.work.save(whole, nodes)
        self._written.add(whole)
        layers = tuple(np.flatnonzero(np.diff(nodes.begin)).tolist())
        return {whole: (layers, self.work.file(whole).stat().st_size)}

    def _opened(self, files: dict[str, tuple[tuple[int, ...], int]], layer: int) -> list[Arrays]:
        """What these files have of a layer, mapped, in the order in which they were written."""
        self._open = []
        runs = []
        names = [name for name, (layers, _) in files.items() if layer in layers]
        _allow_open_files(len(names))
        for name in names:
            path, ours = self.work.file(name), name in self._written
            found = self.work.reading(name, lambda p=path, o=ours: read_plain(p, Nodes, written_here=o))  # type: ignore[misc]
            if found is None:
                raise Lost
            self._open.append(found)
            runs.append(found.of_layer(layer))
            give_back(found.costs)  # the checksum has read all of it, and to look where a layer begins maps much, too
        return runs

    def _needed(self) -> set[str]:
        return set() if self.record is None else {self.name, *self.record.children, *self.record.nodes}

    def _remove_all_but(self, needed: set[str]) -> None:
        for path in [*self.work.path.glob(f"{self.name}-*"), self.work.file(self.name)]:
            if path.stem not in needed:
                self.work.remove(path.stem)


def forget_layers(work: WorkDir, parts: list[int] | None = None) -> None:
    """Remove the files of the parts, or of all: they are done, and that is kept."""
    for path in work.path.glob(f"{LAYERS}-*"):
        if parts is None or int(path.stem.split("-")[1]) in parts:
            work.remove(path.stem)


def _allow_open_files(more: int) -> None:
    """A mapped file is an open file; systems allow some hundred of them unless asked for more."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = more + 256
        if soft != resource.RLIM_INFINITY and soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
