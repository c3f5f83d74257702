"""Exact posteriors beside those of sumu (Viinikka, Hyttinen, Pensar, Koivisto 2020), where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import sabna
from sabna.averaging.posterior import ALL_SETS
from sabna.base.cost import QUANTA_PER_NAT
from sabna.parents.build import build_parent_graph

sumu = pytest.importorskip("sumu", exc_type=ImportError)


@pytest.mark.parametrize("score", ["bdeu", "k2"])
def test_probabilities_of_edges_equal_those_of_sumu(score: str) -> None:
    """Its `aps` gives the logarithm of the probability of every parent set, under the uniform prior."""
    table = sabna.read_table("example:asia")
    n, half = table.n, 1 << (table.n - 1)
    graph = build_parent_graph(table, score, slack=ALL_SETS)
    weights = np.full((n, half), -np.inf)
    for v in range(n):
        part = slice(graph.offsets[v], graph.offsets[v + 1])
        sets, below = graph.sets[part].reshape(-1).astype(np.int64), (1 << v) - 1
        weights[v, sets & below | sets >> 1 & ~below] = -graph.costs[part] / QUANTA_PER_NAT
    assert np.isfinite(weights).all()
    shares = np.exp(sumu.aps(weights, as_dict=False, normalize=True))
    edges = np.zeros((n, n))
    for v in range(n):
        for u in range(n - 1):
            edges[u + (u >= v), v] = shares[v, np.arange(half) >> u & 1 == 1].sum()
    assert np.abs(sabna.posterior(table, score).edges - edges).max() < 1e-9
