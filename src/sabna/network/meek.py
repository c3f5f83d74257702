"""The members of an equivalence class that obey prior knowledge, or that interventions do not tell apart.

Knowledge that rules out one direction of a reversible edge directs it; Meek's four rules ("Causal inference and causal
explanation with background knowledge", UAI 1995) then direct what follows, and he proved that nothing else does: what
is still undirected occurs in both directions among the members that obey. Knowledge about single edges is meant
(required and forbidden edges, tiers, roots, leaves); limits on the number of parents are left aside.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sabna.network.equivalence import CPDAG, Edge
from sabna.parents.knowledge import Knowledge


def direct_by_knowledge(found: CPDAG, knowledge: Any) -> CPDAG:
    """The class with the edges directed that the knowledge directs.

    >>> from sabna import Network
    >>> chain = Network("ABC", {"B": ["A"], "C": ["B"]})
    >>> sorted(chain.cpdag({"roots": ["A"]}).by_knowledge)
    [('A', 'B'), ('B', 'C')]
    """
    known = Knowledge.of(knowledge)
    directed, open_edges = set(found.compelled), set(found.reversible)
    for a, b in sorted(found.reversible):
        if known.rules_out(b, a) or (a, b) in known.required:
            _direct(a, b, directed, open_edges)
        elif known.rules_out(a, b) or (b, a) in known.required:
            _direct(b, a, directed, open_edges)
    while _apply_rules(directed, open_edges):
        pass
    added = frozenset(directed - found.compelled)
    return CPDAG(frozenset(directed), frozenset(open_edges), added, found.by_interventions)


def direct_by_interventions(found: CPDAG, edges: Iterable[Edge], targets: Iterable[Iterable[str]]) -> CPDAG:
    """The interventional class (Hauser and Bühlmann 2012): `edges` are those of the network.

    An intervention on one end of an edge and not on the other settles its direction: networks of the class share it.
    What follows from that, follows by Meek's rules, as the directions are knowledge that the network itself obeys.

    >>> from sabna import Network
    >>> chain = Network("ABC", {"B": ["A"], "C": ["B"]})
    >>> sorted(chain.cpdag(targets=[["B"]]).by_interventions)
    [('A', 'B'), ('B', 'C')]
    >>> sorted(chain.cpdag(targets=[["A", "B", "C"]]).reversible)
    [('A', 'B'), ('B', 'C')]
    """
    sets = [frozenset(target) for target in targets]
    directed, open_edges = set(found.compelled), set(found.reversible)
    for a, b in sorted(edges):
        if (min(a, b), max(a, b)) in open_edges and any((a in target) != (b in target) for target in sets):
            _direct(a, b, directed, open_edges)
    while _apply_rules(directed, open_edges):
        pass
    added = frozenset(directed - found.compelled)
    return CPDAG(frozenset(directed), frozenset(open_edges), found.by_knowledge, added)


def _direct(a: str, b: str, directed: set[Edge], open_edges: set[Edge]) -> None:
    open_edges.discard((min(a, b), max(a, b)))
    directed.add((a, b))


def _apply_rules(directed: set[Edge], open_edges: set[Edge]) -> bool:
    """Direct one edge that a rule directs; False if there is none."""
    for pair in sorted(open_edges):
        for a, b in (pair, pair[::-1]):
            if _must_point(a, b, directed, open_edges):
                _direct(a, b, directed, open_edges)
                return True
    return False


def _must_point(a: str, b: str, directed: set[Edge], open_edges: set[Edge]) -> bool:
    def undirected(x: str, y: str) -> bool:
        return (min(x, y), max(x, y)) in open_edges

    def joined(x: str, y: str) -> bool:
        return (x, y) in directed or (y, x) in directed or undirected(x, y)

    others = {v for edge in directed | open_edges for v in edge} - {a, b}
    # 1. c -> a - b without c, b joined: b -> a would make a new collider.
    if any((c, a) in directed and not joined(c, b) for c in others):
        return True
    # 2. a -> c -> b: b -> a would close a cycle.
    if any((a, c) in directed and (c, b) in directed for c in others):
        return True
    into_b = sorted(c for c in others if (c, b) in directed and undirected(a, c))
    # 3. a - c -> b and a - d -> b, c and d not joined.
    if any(not joined(c, d) for k, c in enumerate(into_b) for d in into_b[k + 1 :]):
        return True
    # 4. a - d -> c -> b with a joined to c, and d, b not joined.
    return any(
        undirected(a, d) and (d, c) in directed and (c, b) in directed and joined(a, c) and not joined(d, b)
        for c in others
        for d in others - {c}
    )
