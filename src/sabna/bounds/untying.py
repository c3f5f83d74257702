"""Better networks of tied groups: a few groups at a time are single variables again, the others stay tied.

The best networks untie some groups (tied.py): what one of their columns depends on begins between two others of the
group. Local search over all single columns hardly finds these: once a column is out of its place, its group costs
dozens of nats more until the others have followed. So large neighbourhoods are looked through, as in integer
programming (Shaw 1998): the groups that the best network so far unties, and some drawn at random, are single variables,
all others stay tied, and local search goes on from that network on this graph, which is hardly larger than that of
groups alone. It ends when many draws in a row have brought nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabna.base.varsets import members
from sabna.bounds.tied import TiedGraph
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import network_of_order

if TYPE_CHECKING:
    import networkx as nx

# Groups drawn at random, and in every second draw some that stand side by side: these often have to do with each other.
DRAWN, SIDE_BY_SIDE = 8, 4
# Draws without a better network that end it, in all and for each group, and the most there are.
FRUITLESS, FRUITLESS_PER_GROUP, MOST_DRAWS = 10, 0.4, 200

# Local search on a graph from an order, with a seed: the best order it finds; None where a limit leaves none.
Look = Callable[[ParentGraph, list[int], int], list[int] | None]


def untying(tied: TiedGraph, order: list[int], look: Look, seed: int) -> list[int]:
    """An order of the variables that costs less than `order`, if there is one near enough, else that."""
    graph, draws = tied.graph, random.Random(seed)
    best = network_of_order(graph, order)
    assert best is not None, "an order of a network"
    fruitless = 0
    for number in range(MOST_DRAWS):
        smaller = tied.untied(_untied_by(tied, best[1]) | _drawn(len(tied.groups), draws, number))
        contracted = smaller.contracted()
        found = None if contracted is None else look(contracted, _order_of_groups(smaller, best[1]), seed + number)
        if contracted is None or found is None:
            break
        cost = network_of_order(contracted, found)
        if cost is not None and cost[0] < best[0]:
            order, fruitless = smaller.written_out(found), 0
            improved = network_of_order(graph, order)
            assert improved is not None
            best = improved
        else:
            fruitless += 1
            if fruitless >= max(FRUITLESS, FRUITLESS_PER_GROUP * len(tied.groups)):
                break
    return order


def _drawn(count: int, draws: random.Random, number: int) -> set[int]:
    """Groups that are untied for once."""
    out = set(draws.sample(range(count), min(DRAWN, count)))
    if number % 2:
        first = draws.randrange(max(count - SIDE_BY_SIDE, 0) + 1)
        out |= set(range(first, min(first + SIDE_BY_SIDE, count)))
    return out


def _untied_by(tied: TiedGraph, choice: NDArray[np.int64]) -> set[int]:
    """Groups that a network need not place in one go if it places all others so: as few as tying one by one leaves."""
    import networkx as nx

    cycles = nx.strongly_connected_components(_arcs(tied, choice))
    untied = {g for cycle in cycles if len(cycle) > 1 for g in cycle}
    for g in sorted(untied):
        if nx.is_directed_acyclic_graph(_arcs(tied.untied(untied - {g}), choice)):
            untied.remove(g)
    return untied


def _order_of_groups(tied: TiedGraph, choice: NDArray[np.int64]) -> list[int]:
    """An order in which a network can place the groups."""
    import networkx as nx

    return list(nx.topological_sort(_arcs(tied, choice)))


def _arcs(tied: TiedGraph, choice: NDArray[np.int64]) -> nx.DiGraph[int]:
    """Which groups a network has arcs between."""
    import networkx as nx

    of = tied.group_of()
    arcs: nx.DiGraph[int] = nx.DiGraph()
    arcs.add_nodes_from(range(len(tied.groups)))
    for i, k in enumerate(choice):
        arcs.add_edges_from((of[j], of[i]) for j in members(tied.graph.sets[k]) if of[j] != of[i])
    return arcs
