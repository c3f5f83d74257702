"""Reads the conditional tables of a BIF network, as far as forward sampling for the benchmarks needs them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sabna.base.errors import DataError


@dataclass(frozen=True)
class Node:
    """A variable with `probabilities[parent states..., state]`."""

    name: str
    parents: tuple[str, ...]
    probabilities: np.ndarray[Any, Any]


def read_bif(path: Path) -> list[Node]:
    """The nodes of a network, parents first (in the order of the file as far as that allows)."""
    text = path.read_text()
    states = {
        match[1]: [state.strip() for state in match[2].split(",")]
        for match in re.finditer(r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}", text)
    }
    nodes: dict[str, Node] = {}
    for match in re.finditer(r"probability\s*\(\s*([^)|]+?)\s*(?:\|\s*([^)]*?)\s*)?\)\s*\{([^}]*)\}", text):
        parents = tuple(p.strip() for p in (match[2] or "").split(",") if p.strip())
        nodes[match[1]] = Node(match[1], parents, _probabilities(match[1], parents, match[3], states))
    if not nodes or set(nodes) != set(states):
        raise DataError(f"{path}: not a network in BIF that this benchmark can read")
    return _parents_first(list(nodes.values()))


def _probabilities(
    name: str, parents: tuple[str, ...], body: str, states: dict[str, list[str]]
) -> np.ndarray[Any, Any]:
    table = np.zeros([len(states[p]) for p in (*parents, name)])
    for entry in filter(str.strip, body.split(";")):
        match = re.fullmatch(r"\s*(?:table|\(([^)]*)\))\s*(.*)", entry, flags=re.S)
        if match is None:
            continue
        given = [state.strip() for state in match[1].split(",")] if match[1] else []
        at = tuple(states[p].index(state) for p, state in zip(parents, given, strict=True))
        table[at] = [float(value) for value in match[2].split(",")]
    return table


def _parents_first(nodes: list[Node]) -> list[Node]:
    placed: dict[str, Node] = {}
    while len(placed) < len(nodes):
        ready = [node for node in nodes if node.name not in placed and all(p in placed for p in node.parents)]
        if not ready:
            raise DataError("the network has a cycle")
        placed |= {node.name: node for node in ready}
    return list(placed.values())
