"""Random parent graphs, and their optimum by code that shares nothing with the core."""

from __future__ import annotations

import itertools
import random

import numpy as np

from sabna.base.varsets import words_for
from sabna.parents.graph import ParentGraph


def graph_of(lists: list[dict[int, int]]) -> ParentGraph:
    """A parent graph from one dictionary {set as bits: cost} per variable; drops what a subset beats."""
    n = len(lists)
    words = words_for(n)
    offsets, costs, sets = [0], [], []
    for entries in lists:
        kept: list[int] = []
        for bits, cost in sorted(entries.items(), key=lambda entry: (entry[1], entry[0])):
            if not any(other & ~bits == 0 for other in kept):
                kept.append(bits)
                costs.append(cost)
                sets.append([bits >> (64 * w) & (2**64 - 1) for w in range(words)])
        offsets.append(len(costs))
    return ParentGraph(
        tuple(f"X{i}" for i in range(n)),
        np.array(offsets, dtype=np.int64),
        np.array(costs, dtype=np.int64),
        np.array(sets, dtype=np.uint64).reshape(-1, words),
    )


def random_graph(
    seed: int, n: int, sets: int = 12, largest: int = 3, costs: int = 10**6, empty_sets: bool = True, hard: bool = False
) -> ParentGraph:
    """Few different costs make many ties. Without empty sets a chain keeps the graph solvable.

    `hard`: larger sets are cheaper, so that each variable wants many others and nearly all orders are worth a look.
    """
    rng = random.Random(seed)
    lists = []
    for i in range(n):
        others = [v for v in range(n) if v != i]
        entries = {}
        if empty_sets or i == 0:
            entries[0] = costs
        else:
            entries[1 << (i - 1)] = costs
        for _ in range(rng.randint(0, sets)):
            chosen = rng.sample(others, min(len(others), rng.randint(1, largest)))
            if chosen:
                cost = rng.randrange(-costs, costs) // rng.choice((1, 1, 2))
                entries[sum(1 << v for v in chosen)] = cost // 20 - len(chosen) * costs // 5 if hard else cost
        lists.append(entries)
    return graph_of(lists)


def tables(graph: ParentGraph) -> list[list[int | None]]:
    """d(i, U) for every i and every U, by definition."""
    subsets = np.arange(1 << graph.n)
    result: list[list[int | None]] = []
    for i in range(graph.n):
        least = np.full(1 << graph.n, None)
        for cost, parents in reversed(list(graph.parent_sets(i))):  # cheapest last
            bits = sum(1 << v for v in parents)
            least[subsets & bits == bits] = cost
        result.append(least.tolist())
    return result


def costs_to_go(graph: ParentGraph) -> list[int | None]:
    """For every U the cost of the best way from U to V; None where there is none. Entry 0 is the optimum."""
    d = tables(graph)
    everything = (1 << graph.n) - 1
    to_go: list[int | None] = [None] * (everything + 1)
    to_go[everything] = 0
    for u in range(everything - 1, -1, -1):
        ways = []
        for i in range(graph.n):
            step, rest = d[i][u], to_go[u | 1 << i]
            if not u >> i & 1 and step is not None and rest is not None:
                ways.append(step + rest)
        to_go[u] = min(ways, default=None)
    return to_go


def optimum(graph: ParentGraph) -> int:
    """The cost of the best network."""
    best = costs_to_go(graph)[0]
    assert best is not None
    return best


def every_node(graph: ParentGraph) -> np.ndarray:
    """All nodes of the order lattice (n <= 64), as the core takes them."""
    nodes = np.zeros((1 << graph.n, words_for(graph.n)), dtype=np.uint64)
    nodes[:, 0] = np.arange(1 << graph.n, dtype=np.uint64)
    return nodes


def equivalent_graph(seed: int, n: int, largest: int = 2, costs: int = 1000) -> ParentGraph:
    """Score-equivalent costs: s(i,S) = f(S + i) - f(S). Networks that differ by arcs turned round cost the same."""
    rng, f = random.Random(seed), {0: 0}
    singles = [rng.randint(costs, 2 * costs) for _ in range(n)]
    for size in range(1, largest + 2):
        for members in itertools.combinations(range(n), size):
            gain = sum(rng.randint(-costs // 4, costs // 2) for _ in range(size - 1))
            f[sum(1 << v for v in members)] = sum(singles[v] for v in members) - gain
    lists: list[dict[int, int]] = [{} for _ in range(n)]
    for i in range(n):
        for bits in f:
            if not bits >> i & 1 and bits | 1 << i in f:
                lists[i][bits] = f[bits | 1 << i] - f[bits]
    return graph_of(lists)
