"""The state of a search: a tree of parts, and what is known of the whole.

A node is a part. An open node waits for its next step. A *split* node has components below it: its cost is the sum of
theirs. A *branch* node has alternatives below it: its cost is that of the cheapest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sabna.base.cost import INFINITE
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import network_of_order
from sabna.searching.incumbent import Incumbent
from sabna.searching.part import Known, Part, simple_bound

OPEN, SPLIT, BRANCH, DONE = "open", "split", "branch", "done"


@dataclass(eq=False)
class Node:
    """A part in the tree. Done: `part.known` is its best network below the target it was given, None if there is none.

    `bound` is a lower bound of the part's networks, as far as they are below its target.
    """

    part: Part
    parent: int | None
    bound: int
    kind: str = OPEN
    children: tuple[int, ...] = ()
    total: int = 0  # sum of the children's bounds
    cap: int = INFINITE  # the target when it was split or branched: networks that lost sets before cost no less
    turns: tuple[int, ...] = ()  # the children of a split, small ones first
    networks: bool = False  # of a split: whether the children have their first networks
    done: int = 0  # components done, with a network


@dataclass(eq=False)
class State:
    """All that a search knows, as plain data: pickled between two steps and read again, it goes on as it would have."""

    graph: ParentGraph
    tolerance: int
    nodes: list[Node]
    best: Incumbent
    found: Incumbent = field(default_factory=Incumbent)
    counts: dict[str, float] = field(default_factory=dict)
    largest_searched: tuple[int, int] = (0, 0)  # size and number of a part
    window: list[int] = field(default_factory=list)  # the parts that are worked on, in the order they were chosen
    ranked: list[int] = field(default_factory=list)  # those to be chosen next, the next one last

    @staticmethod
    def of(graph: ParentGraph, tolerance: int, order: list[int]) -> State:
        """Nothing done yet; `order` is any order of the variables that has a network."""
        first = network_of_order(graph, order)
        assert first is not None
        root = replace(Part.whole(graph), slack=tolerance)
        return State(graph, tolerance, [Node(root, None, simple_bound(graph))], Incumbent(Known(*first)))

    @property
    def lower(self) -> int:
        """The proven lower bound of the whole."""
        return self.nodes[0].bound
