"""What results, lists of networks and bootstraps say of edges, by the definitions, over all networks there are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import sabna
from sabna.bootstrapping.replicates import resample

from ..all_networks import all_networks
from .model import acyclic
from .problems import QUANTA_PER_NAT

# All networks of every replicate are tried; 25 of three variables.
MOST_RESAMPLED = 3

Edge = tuple[str, str]


def same(got: Any, want: Any) -> bool:
    """Equal, numbers but for rounding; of two mappings what one of them lacks is 0."""
    if isinstance(got, dict):
        return all(same(got.get(key, 0.0), want.get(key, 0.0)) for key in {*got, *want})
    if isinstance(got, float):
        return abs(got - want) <= 1e-9 and got <= 1
    return bool(got == want)


def told_of_a_list(found: Any, every: list[tuple[int, tuple[int, ...]]]) -> Iterator[tuple[str, Any, Any]]:
    """What the list of the best networks says beside their costs, and what is true; `every`: costs and parents."""
    costs = sorted(cost for cost, _ in every)
    best, listed = costs[0], len(found)
    total = sum(math.exp((best - cost) / QUANTA_PER_NAT) for cost in costs[:listed])
    for k, cost in enumerate(costs[:listed]):
        yield f"weight {k}", float(found.weights[k]), math.exp((best - cost) / QUANTA_PER_NAT) / total
    patterns = [found.network(k).cpdag() for k in range(listed)]
    classes = Counter((frozenset(c.compelled), frozenset(c.reversible)) for c in patterns)
    yield "classes", sorted(len(c.networks) for c in found.classes), sorted(classes.values())
    yield "weight of the classes", [c.weight <= 1 for c in found.classes], [True] * len(found.classes)
    as_last = costs.count(costs[listed - 1])
    missing = sum(cost <= costs[listed - 1] for cost in costs) - listed
    yield "cut in a tie", found.cut_in_tie, as_last > 0 and missing > 0
    if found.tied_not_listed is not None:
        yield "tied and not listed", found.tied_not_listed, missing
    if found.within >= 0:
        near = sum(cost - best <= found.within for cost in costs)
        yield "networks within the complete factor are listed", near <= listed, True
    if found.counted:
        edges, counted = Counter[Edge](), sorted(every)[: found.counted]
        yield "networks counted", counted[-1][0] < min([*costs[found.counted :], math.inf]), True
        whole = sum(math.exp((best - cost) / QUANTA_PER_NAT) for cost, _ in counted)
        for cost, parents in counted:
            for i, bits in enumerate(parents):
                for p in range(len(parents)):
                    if bits >> p & 1:
                        edge = found.graph.names[p], found.graph.names[i]
                        edges[edge] += math.exp((best - cost) / QUANTA_PER_NAT) / whole  # type: ignore[assignment]
        yield "edges", found.edge_frequencies, dict(edges)


def told_of_edges(result: Any, exact: list[dict[int, int]]) -> Iterator[tuple[str, int | None, int | None]]:
    """Costs of the variables, and what the cost grows by without an edge and with it turned round; what is true."""
    names = result.network.variables
    bits = {v: sum(1 << names.index(p) for p in parents) for v, parents in result.network.parents.items()}
    if result.local_costs is None or result.arcs is None:
        return
    yield "sum of the local costs", sum(result.local_costs.values()), result.cost_quanta
    for i, v in enumerate(names):
        yield f"cost of {v}", result.local_costs[v], exact[i].get(bits[v])
    yield "edges", len(result.arcs), len(result.network.edges)
    for arc in result.arcs:
        p, c = names.index(arc.parent), names.index(arc.child)
        less, more = bits[arc.child] & ~(1 << p), bits[arc.parent] | 1 << c
        removal, added = _grows(exact[c], less, bits[arc.child]), _grows(exact[p], more, bits[arc.parent])
        turned = [{arc.child: less, arc.parent: more}.get(v, bits[v]) for v in names]
        possible = removal is not None and added is not None and acyclic(tuple(turned))
        yield f"{arc.parent} -> {arc.child} removed", arc.removal_quanta, removal
        yield f"{arc.parent} -> {arc.child} turned", arc.reversal_quanta, removal + added if possible else None  # type: ignore[operator]


def _grows(costs: dict[int, int], then: int, now: int) -> int | None:
    return costs[then] - costs[now] if then in costs else None


def shares(
    table: Any, replicates: int, seed: int, score: str, known: dict[str, Any] | None, size: dict[str, float]
) -> tuple[dict[Edge, float], dict[Edge, float]] | None:
    """Links and edges of a bootstrap: an edge that all best networks have one way counts 1, otherwise 1/2 each way.

    None where the best networks of a replicate do not join the same variables: which of them counts is not settled.
    """
    links, edges = Counter[Edge](), Counter[Edge]()
    for b in range(replicates):
        best = _best(resample(table, seed, b), score, known, size)
        joined = {frozenset((min(edge), max(edge)) for edge in network) for network in best}
        if len(joined) != 1:
            return None
        for a, c in next(iter(joined)):
            links[a, c] += 1
            forth = sum((a, c) in network for network in best) / len(best)
            forth = forth if forth in (0, 1) else 0.5
            edges[a, c] += forth  # type: ignore[assignment]
            edges[c, a] += 1 - forth  # type: ignore[assignment]
    return (
        {link: count / replicates for link, count in links.items()},
        {edge: count / replicates for edge, count in edges.items()},
    )


def _best(table: Any, score: str, known: dict[str, Any] | None, size: dict[str, float]) -> list[set[Edge]]:
    """The edges of every network of least cost."""
    names, knowledge = table.names, sabna.Knowledge.of(known)
    cost: dict[tuple[int, tuple[int, ...]], int] = {}
    for i in range(table.n):
        others = [v for v in range(table.n) if v != i]
        for family in (s for k in range(table.n) for s in combinations(others, k)):
            network = sabna.Network(names, {names[i]: [names[p] for p in family]})
            try:
                cost[i, family] = network.score(table, score, **size).local_costs[names[i]]
            except sabna.SabnaError:
                continue  # no such edge under this score, or too few rows for it
    every: dict[tuple[tuple[int, ...], ...], int] = {}
    for parents in all_networks(table.n):
        named = {names[i]: [names[p] for p in ps] for i, ps in enumerate(parents)}
        if all(family in cost for family in enumerate(parents)) and not knowledge.violations(named):
            every[parents] = sum(cost[family] for family in enumerate(parents))
    least = min(every.values())
    return [
        {(names[p], names[i]) for i, ps in enumerate(parents) for p in ps} for parents, c in every.items() if c == least
    ]
