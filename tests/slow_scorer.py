"""An independent scorer, straight from the formulas, and the parent graph by scoring every subset.

It shares nothing with the core: dictionaries of counts, floating point, no pruning.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np

from sabna.table import Table

ESS = 2.5


def random_table(rng: np.random.Generator, n: int, rows: int, largest_arity: int = 4, dependent: bool = True) -> Table:
    """Columns of mixed arities, some of them functions of earlier ones with noise, some states never seen."""
    arities = rng.integers(1, largest_arity + 1, n)
    codes = np.zeros((n, rows), dtype=np.uint16)
    for v in range(n):
        codes[v] = rng.integers(0, arities[v], rows)
        if dependent and v >= 1 and rng.random() < 0.8:
            parents = rng.choice(v, size=min(v, int(rng.integers(1, 4))), replace=False)
            noise = rng.random(rows) < rng.choice([0.0, 0.1, 0.4])
            codes[v] = np.where(noise, codes[v], codes[parents].astype(int).sum(axis=0) % arities[v])
    return Table(
        tuple(f"v{v}" for v in range(n)), codes, tuple(tuple(str(s) for s in range(a)) for a in arities.tolist())
    )


def slow_cost(table: Table, child: int, parents: tuple[int, ...], score: str) -> float:
    """Minus the score of one family, in nats."""
    r = table.arities[child]
    q = math.prod(table.arities[p] for p in parents)
    rows = list(zip(*(table.codes[p].tolist() for p in parents), strict=True)) if parents else [()] * table.rows
    cells = Counter(rows)
    joint = Counter(zip(rows, table.codes[child].tolist(), strict=True))
    if score in ("bic", "aic"):
        loglik = sum(c * math.log(c / cells[cell]) for (cell, _), c in joint.items())
        weight = math.log(table.rows) / 2 if score == "bic" else 1.0
        return -loglik + weight * (r - 1) * q
    a, b = (ESS / q, ESS / (q * r)) if score == "bdeu" else (float(r), 1.0)
    total = sum(math.lgamma(a + c) - math.lgamma(a) for c in cells.values())
    return total - sum(math.lgamma(b + c) - math.lgamma(b) for c in joint.values())


def subsets(variables: list[int], largest: int) -> list[tuple[int, ...]]:
    """All subsets up to a size, smaller first."""
    return [s for k in range(min(largest, len(variables)) + 1) for s in combinations(variables, k)]


def graph_by_exhaustion(
    costs: dict[tuple[int, ...], int],
) -> list[tuple[int, tuple[int, ...]]]:
    """Of one child: (cost, set) of the sets that no proper subset beats or equals, in the order of the graph."""
    listed = [(sum(1 << v for v in s), cost, s) for s, cost in costs.items()]
    kept = [
        (cost, bits, s)
        for bits, cost, s in listed
        if not any(other <= cost and inside & ~bits == 0 and inside != bits for inside, other, _ in listed)
    ]
    return [(cost, s) for cost, _, s in sorted(kept)]
