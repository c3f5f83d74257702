"""How much each edge is worth: what the score loses when the edge is removed or turned round.

The score is a sum over variables: removing a -> b changes the term of b alone, turning it round those of a and b. These
terms are computed anew from the data, in the same integers as everything else; the differences are exactly
those of two full re-scorings. A reversal that would close a cycle is marked instead. In an equivalent network a
reversal costs nothing: the reversible edges of the class that can be turned singly show up with a loss of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sabna.base.cost import QUANTA_PER_NAT
from sabna.parents.builders.mixed import NO_VALUE
from sabna.parents.families import allowed_by_model, family_costs
from sabna.scores.reading import read_for_score

if TYPE_CHECKING:
    from sabna.network.equivalence import CPDAG
    from sabna.network.network import Network

# A variable and its parents, by name; and what gives the costs in quanta of many such.
Family = tuple[str, tuple[str, ...]]
LocalCosts = Callable[[Sequence[Family]], list[int | None]]


@dataclass(frozen=True)
class ArcStrength:
    """An edge, and how many quanta the cost grows without it or with it turned round.

    None: that makes a cycle, or a family that the model or the score does not have (under pnal the smaller family may
    have no value, though the larger one has).
    """

    parent: str
    child: str
    compelled: bool
    removal_quanta: int | None
    reversal_quanta: int | None

    @property
    def removal(self) -> float | None:
        """Loss of score in nats when the edge is removed; None if the family without it has no value."""
        return None if self.removal_quanta is None else self.removal_quanta / QUANTA_PER_NAT

    @property
    def reversal(self) -> float | None:
        """Loss of score in nats when the edge is turned round; None if that cannot be."""
        return None if self.reversal_quanta is None else self.reversal_quanta / QUANTA_PER_NAT

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "parent": self.parent,
            "child": self.child,
            "compelled": self.compelled,
            "removal": self.removal,
            "reversal": self.reversal,
            "removal_quanta": self.removal_quanta,
            "reversal_quanta": self.reversal_quanta,
        }


def strengths(network: Network, costs_of: LocalCosts, graph: CPDAG | None = None) -> tuple[ArcStrength, ...]:
    """The strength of every edge, by child, given the local costs; `graph` if not the network's own class counts."""
    without, turned = {}, {}
    for parent, child in network.edges:
        without[parent, child] = child, tuple(p for p in network.parents[child] if p != parent)
        if not closes_cycle(network, parent, child):
            turned[parent, child] = parent, (*network.parents[parent], child)
    families = [*network.parents.items(), *without.values(), *turned.values()]
    cost = {(v, frozenset(parents)): c for (v, parents), c in zip(families, costs_of(families), strict=True)}
    now = {v: cost[v, frozenset(parents)] for v, parents in network.parents.items()}
    compelled = (graph or network.cpdag()).compelled
    found = []
    for parent, child in network.edges:
        family = without[parent, child]
        removal = _grows(cost[child, frozenset(family[1])], now[child])
        reversal = None
        if (parent, child) in turned:
            added = _grows(cost[parent, frozenset(turned[parent, child][1])], now[parent])
            reversal = None if added is None or removal is None else removal + added
        found.append(ArcStrength(parent, child, (parent, child) in compelled, removal, reversal))
    return tuple(found)


def _grows(then: int | None, now: int | None) -> int | None:
    return None if then is None or now is None else then - now


def closes_cycle(network: Network, parent: str, child: str) -> bool:
    """Whether another way leads from parent to child, so that turning the edge round would close a cycle."""
    waiting = [p for p in network.parents[child] if p != parent]
    seen = set(waiting)
    while waiting:
        v = waiting.pop()
        if v == parent:
            return True
        new = set(network.parents[v]) - seen
        seen |= new
        waiting += new
    return False


def local_costs_of(data: Any, score: str, **options: Any) -> LocalCosts:
    """The exact local costs under a score on a table, by name; None where the model or the score has none."""
    table = read_for_score(data, score)
    position = {name: k for k, name in enumerate(table.names)}

    def costs(families: Sequence[Family]) -> list[int | None]:
        numbered = [(position[child], [position[p] for p in parents]) for child, parents in families]
        inside = [family for family in numbered if allowed_by_model(table, *family)]
        known = iter(family_costs(table, inside, score, **options).tolist())
        found = [next(known) if allowed_by_model(table, *family) else NO_VALUE for family in numbered]
        return [None if cost >= NO_VALUE else cost for cost in found]

    return costs


def arc_strengths(network: Network, data: Any, score: str, **options: Any) -> tuple[ArcStrength, ...]:
    """The strength of every edge under a score, re-scored exactly from `data`."""
    return strengths(network, local_costs_of(data, score, **options))
