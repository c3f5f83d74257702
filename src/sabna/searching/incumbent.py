"""Networks of the whole graph, put together from networks of its parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sabna.parents.graph import ParentGraph
from sabna.parents.orders import topological_order
from sabna.searching.part import Known, Part


@dataclass(eq=False)
class Incumbent:
    """The best network of the whole known so far; None before there is one."""

    known: Known | None = None

    @property
    def network(self) -> Known:
        """The network, where there must be one."""
        assert self.known is not None
        return self.known

    def offer(self, known: Known) -> bool:
        """A network of the whole; whether it is better."""
        if self.known is not None and known.cost >= self.known.cost:
            return False
        self.known = known
        return True

    def put_in(self, graph: ParentGraph, part: Part, known: Known) -> bool:
        """A network of a part takes the place of what the best has there, unless that costs more or makes a cycle.

        Components of the whole graph (depth 1) make none: no cycle leaves a component.
        """
        if self.known is None:
            return False
        choice = self.known.choice.copy()
        choice[part.members] = known.choice
        cost = int(graph.costs[choice].sum())
        if cost >= self.known.cost or (part.depth > 1 and not topological_order(graph, choice)):
            return False
        self.known = Known(cost, choice)
        return True


def together(part: Part, components: list[Part]) -> Known:
    """The network of a part that the networks of its components make up."""
    choice = np.zeros(part.n, np.int64)
    cost = 0
    for component in components:
        assert component.known is not None
        cost += component.known.cost
        choice[np.searchsorted(part.members, component.members)] = component.known.choice
    return Known(cost, choice)
