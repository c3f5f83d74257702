"""Orders of the variables and the networks that belong to them.

An order stands for the best network that agrees with it: every variable takes its first fit, the first listed set whose
members all come before it. A network stands for the orders in which parents come first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabna._native import core

if TYPE_CHECKING:
    from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]


def placing_order(graph: ParentGraph) -> tuple[list[int], list[int]]:
    """An order in which every variable has a fit, as far as there is one, and the variables that can never be placed.

    Greedy closure: place any variable that has a set among those placed, until nothing changes. Placing one never takes
    away another's chance, so no other order places more.
    """
    order: list[int] = []
    left = list(range(graph.n))
    placed = np.zeros(graph.sets.shape[1], dtype=np.uint64)
    while left:
        fits = [
            i for i in left if not (graph.sets[graph.offsets[i] : graph.offsets[i + 1]] & ~placed).any(axis=1).all()
        ]
        if not fits:
            break
        for i in fits:
            placed[i >> 6] |= np.uint64(1 << (i & 63))
        order += fits
        left = [i for i in left if not int(placed[i >> 6]) >> (i & 63) & 1]
    return order, left


def without_network(graph: ParentGraph) -> list[int]:
    """The variables that can never be placed; empty if some network exists."""
    return placing_order(graph)[1]


def network_of_order(graph: ParentGraph, order: list[int]) -> tuple[int, Ints] | None:
    """Cost and parent sets (positions) of the best network that agrees with an order; None if there is none."""
    available = np.zeros((graph.n, graph.sets.shape[1]), np.uint64)
    for k, i in enumerate(order[:-1], start=1):
        available[k] = available[k - 1]
        available[k, i >> 6] |= np.uint64(1 << (i & 63))
    variables = np.array(order, np.int64)
    positions = core.best_parents(*graph.arrays, variables, available, False).positions
    if (positions < 0).any():
        return None
    choice = np.empty(graph.n, np.int64)
    choice[variables] = positions
    return int(graph.costs[choice].sum()), choice


def topological_order(graph: ParentGraph, choice: Ints) -> tuple[int, ...]:
    """An order of the variables in which the chosen parents come first; () if they form a cycle."""
    parents = [0] * graph.n
    for k, words in enumerate(graph.sets[choice].T.tolist()):
        for i, word in enumerate(words):
            parents[i] |= word << (64 * k)
    order: list[int] = []
    placed, waiting = 0, list(range(graph.n))
    while waiting:
        ready = [i for i in waiting if not parents[i] & ~placed]
        if not ready:
            return ()
        order += ready
        for i in ready:
            placed |= 1 << i
        waiting = [i for i in waiting if not placed >> i & 1]
    return tuple(order)
