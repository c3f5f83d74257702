"""The Markov equivalence class of a network, as a completed partially directed acyclic graph (CPDAG).

Networks that state the same independencies cannot be told apart by data, and BIC, AIC and BDeu score them alike. The
class is drawn with an arrow where all its members agree on the direction (a compelled edge) and a plain line where they
do not (a reversible edge).

Chickering, "A transformational characterization of equivalent Bayesian network structures", UAI 1995: visit the edges
by the position of their child, then from the nearest parent back; an edge x -> y is compelled when a compelled w -> x
has no w -> y beside it, or when another parent of y is not joined to x. Each edge is labelled once, so no rule is
applied over and over as in Meek's formulation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabna.network.network import Network

Edge = tuple[str, str]


@dataclass(frozen=True)
class CPDAG:
    """Compelled edges (parent, child), and reversible ones as pairs in alphabetical order.

    `by_knowledge` are the compelled edges that prior knowledge directs, `by_interventions` those that interventions
    direct; the independencies alone would not.
    """

    compelled: frozenset[Edge]
    reversible: frozenset[Edge]
    by_knowledge: frozenset[Edge] = frozenset()
    by_interventions: frozenset[Edge] = frozenset()

    def is_compelled(self, parent: str, child: str) -> bool:
        """Whether all members of the class have this edge in this direction."""
        return (parent, child) in self.compelled

    def __repr__(self) -> str:
        return f"CPDAG({len(self.compelled)} compelled edges, {len(self.reversible)} reversible)"


def cpdag(network: Network) -> CPDAG:
    """The equivalence class of `network`.

    >>> from sabna import Network
    >>> chain = Network("ABC", {"B": ["A"], "C": ["B"]}).cpdag()
    >>> sorted(chain.reversible), sorted(chain.compelled)
    ([('A', 'B'), ('B', 'C')], [])
    >>> sorted(Network("ABC", {"B": ["A", "C"]}).cpdag().compelled)
    [('A', 'B'), ('C', 'B')]
    """
    compelled = _compelled_edges(network)
    reversible = {(min(e), max(e)) for e in network.edges if e not in compelled}
    return CPDAG(frozenset(compelled), frozenset(reversible))


def _compelled_edges(network: Network) -> set[Edge]:
    parents = {v: set(ps) for v, ps in network.parents.items()}
    position = {v: k for k, v in enumerate(network.order)}
    compelled: set[Edge] = set()
    reversible: set[Edge] = set()
    for y in network.order:
        for x in sorted(parents[y], key=position.__getitem__, reverse=True):
            if (x, y) not in compelled and (x, y) not in reversible:
                _label(x, y, parents, compelled, reversible)
    return compelled


def _label(x: str, y: str, parents: dict[str, set[str]], compelled: set[Edge], reversible: set[Edge]) -> None:
    """Label x -> y, and with it whatever edges into y the same reason settles."""
    for w in parents[x]:
        if (w, x) in compelled:
            if w not in parents[y]:
                compelled |= {(p, y) for p in parents[y]}
                return
            compelled.add((w, y))
    # Every parent of x that is left is joined to y; is there a parent of y that is not joined to x?
    target = compelled if parents[y] - {x} - parents[x] else reversible
    target |= {(p, y) for p in parents[y] if (p, y) not in compelled and (p, y) not in reversible}
