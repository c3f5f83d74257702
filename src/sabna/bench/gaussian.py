"""Continuous data: building and searching under bic-g without an in-degree limit, beside causal-learn's exact search.

The data is drawn from random linear Gaussian networks: each pair of variables is joined with the chance that makes as
many edges as variables on average, weights are uniform in +-[0.3, 0.8], noise has variance 1. causal-learn is used if
it is installed (`pip install causal-learn`), on growing numbers of variables until one run takes longer than the cap.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sabna.table import NumericTable

ROWS = 1000
SEEDS = (1, 2, 3)


def random_linear_data(n: int, rows: int, seed: int) -> NumericTable:
    """A sample of a random linear Gaussian network; columns in random order."""
    rng = np.random.default_rng([seed, n])
    values = np.empty((n, rows))
    for i in range(n):
        weights = rng.uniform(0.3, 0.8, i) * rng.choice([-1, 1], i) * (rng.random(i) < 2 / (n - 1))
        values[i] = weights @ values[:i] + rng.normal(size=rows)
    values = values[rng.permutation(n)]
    return NumericTable(tuple(f"X{k + 1}" for k in range(n)), np.ascontiguousarray(values))


def run_gaussian(sizes: list[int], cap: float, time_limit: float, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """One row per run of sabna, then those of causal-learn."""
    rows = []
    for n in sizes:
        for seed in SEEDS:
            rows.append(_ours(random_linear_data(n, ROWS, seed), seed, time_limit))
            note(_line(rows[-1]))
    for n in range(8, 33):
        row = _causal_learn(random_linear_data(n, ROWS, SEEDS[0]))
        if row is None:
            note("causal-learn is not installed: left out")
            break
        rows.append(row)
        note(_line(row))
        if row["seconds"] > cap:
            break
    return rows


def _ours(table: NumericTable, seed: int, time_limit: float) -> dict[str, Any]:
    from sabna.learning import learn

    began = time.perf_counter()
    result = learn(table, "bic-g", time_limit=time_limit)
    built, searched = result.statistics["parent_graph"], result.statistics["search"]
    return {
        "program": "sabna",
        "n": table.n,
        "seed": seed,
        "seconds": time.perf_counter() - began,
        "status": result.status,
        "score": result.score,
        "sets": built["sets"],
        "evaluated": built["evaluated"],
        "build": built["seconds"],
        "search": searched["seconds"],
    }


def _causal_learn(table: NumericTable) -> dict[str, Any] | None:
    try:
        from causallearn.search.ScoreBased.ExactSearch import bic_exact_search
    except ImportError:
        return None
    from sabna.parents.builders.gaussian import gaussian_cost

    began = time.perf_counter()
    adjacency, _ = bic_exact_search(table.values.T.copy(), search_method="astar")
    seconds = time.perf_counter() - began
    parents = {v: [table.names[p] for p in np.flatnonzero(adjacency[:, i])] for i, v in enumerate(table.names)}
    score = -sum(gaussian_cost(table, v, ps) for v, ps in parents.items())
    return {"program": "causal-learn", "n": table.n, "seed": SEEDS[0], "seconds": seconds, "score": score}


def _line(row: dict[str, Any]) -> str:
    text = (
        f"{row['program']:12} n = {row['n']:2}, seed {row['seed']}: {row['seconds']:8.2f} s, score {row['score']:.4f}"
    )
    if "build" in row:
        text += f" ({row['status']}; {row['sets']:,} sets, building {row['build']:.2f} s, search {row['search']:.2f} s)"
    return text
