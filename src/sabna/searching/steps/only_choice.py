"""Parts with nothing to choose: one variable, or one parent set for each."""

from __future__ import annotations

from sabna.parents.orders import topological_order
from sabna.searching.decisions import CLOSE, ONLY_CHOICE
from sabna.searching.part import Part
from sabna.searching.steps.context import Closed, Context, Solved, Step


def run(part: Part, context: Context) -> Closed | Solved:
    """The cheapest sets, provided they have no cycle."""
    first = part.graph.offsets[:-1]
    cost = int(part.graph.costs[first].sum())
    if part.n > 1 and not topological_order(part.graph, first):
        return Closed(part.target)
    return Solved(cost, part.origin[first], cost) if cost < part.target else Closed(cost)


def close(part: Part, context: Context) -> Closed:
    """A part whose bound has reached its target, since the target fell."""
    return Closed(part.target)


STEP = Step(ONLY_CHOICE, run)
CLOSING = Step(CLOSE, close)
