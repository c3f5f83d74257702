"""A derivation for what a search has settled without leaving one: found by the bounds of the default strategy.

Breadth-first search, and A* over the whole graph, keep millions of sets; a list of them would be a large certificate.
But a certificate may justify a claim in any valid way. Once the optimum is known, the default strategy with that cost
as its target ("nothing below is left") is quick: its bounds have nothing to look for. So each part that a plain search
has closed is handed to it, and what it proves goes into the certificate in the place of the search.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from sabna.base.limits import Limits
from sabna.base.stop import Stopped
from sabna.parents.orders import placing_order
from sabna.searching import events
from sabna.searching.ledger import Ledger, Unproven
from sabna.searching.outcome import SearchOptions
from sabna.searching.state import State
from sabna.searching.strategies.auto import Auto
from sabna.searching.tree import Tree


def complete(ledger: Ledger, options: SearchOptions, limits: Limits) -> None:
    """Prove what the ledger's tree has left unproven, as far as the limits allow."""
    for part in ledger.unproven:
        _prove(ledger, part, options, limits)


def without_networks(ledger: Ledger) -> events.Listener:
    """The ledger, deaf to networks: those of a part are none of the whole."""
    return lambda event: None if isinstance(event, events.NetworkFound) else ledger(event)


def _prove(ledger: Ledger, unproven: Unproven, options: SearchOptions, limits: Limits) -> None:
    part, graph = unproven.part, unproven.part.graph
    state = State.of(graph, 0, placing_order(graph)[0])
    state.nodes[0].part = replace(state.nodes[0].part, target=unproven.lower)
    inner = ledger.inside(unproven)
    own = SearchOptions(tolerance=0, threads=options.threads, seed=options.seed)
    tree = Tree(state, Auto(), own, limits, (without_networks(inner),), ledger=True)
    inner.file.note("completed", f"the search of part {unproven.number} is replaced by a derivation from bounds")
    try:
        with closing(tree):
            while tree.step():
                pass
    except Stopped:
        pass
    inner.finish()
    ledger.entries[part.id].proven = max(ledger.entries[part.id].proven, inner.proven())
