"""Mixed and incomplete data: how long parent graphs under bcg and pnal take to build, in CPU seconds.

The data is drawn here: every column depends on two earlier ones, linearly through a normal noise; every other column of
a mixed table is cut into two or three states, and all columns of a table of categories are. Holes are drawn at random.
Two penalties of pnal are shown: the default, which prunes next to nothing, and the square root of the rows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sabna.base.limits import Limits
from sabna.table.mixed import NO_CODE, MixedTable

ROWS = 1000
HOLES = 0.1
# Mixed columns of which bcg is shown without a limit of parents: two more take seven times as long.
WITHOUT_LIMIT = 15
# Of the two slices.
SERIES, STEPS = 15, 500


def random_mixed_data(n: int, rows: int, seed: int, all_discrete: bool = False, holes: float = 0.0) -> MixedTable:
    """A sample of a random conditional Gaussian network, some of its columns cut into states."""
    rng = np.random.default_rng([seed, n, rows])
    columns: list[Any] = []
    arities = []
    for k in range(n):
        drive = rng.normal(size=rows)
        for p in rng.permutation(k)[:2]:
            drive = drive + rng.normal() * (columns[p] - columns[p].mean()) / columns[p].std()
        states = 0 if k % 2 and not all_discrete else 3 if k % 4 == 0 else 2
        shares = [j / states for j in range(1, states)]
        columns.append(np.digitize(drive, np.quantile(drive, shares)).astype(np.float64) if states else drive)
        arities.append(states)
    filled: list[Any] = []
    for column, states in zip(columns, arities, strict=True):
        hole = rng.random(rows) < holes
        filled.append(np.where(hole, NO_CODE, column).astype(np.uint16) if states else np.where(hole, np.nan, column))
    names = tuple(f"X{k + 1}" for k in range(n))
    return MixedTable(names, tuple(filled), tuple(tuple(map(str, range(r))) if r else None for r in arities))


def run_mixed(
    mixed: int, incomplete: int, time_limit: float, note: Callable[[str], None], series: int = SERIES
) -> list[dict[str, Any]]:
    """One row per run: parent graphs of bcg on `mixed` columns and of pnal on `incomplete` ones, and two slices."""
    table = random_mixed_data(mixed, ROWS, 0)
    holes = random_mixed_data(incomplete, ROWS, 0, all_discrete=True, holes=HOLES)
    runs: list[tuple[MixedTable, str, dict[str, Any]]] = [
        (table, "bcg", {"max_parents": 3}),
        (table, "bcg", {"max_parents": 4}),
        (random_mixed_data(min(mixed, WITHOUT_LIMIT), ROWS, 0), "bcg", {}),
        (holes, "pnal", {"pnal_k": math.sqrt(ROWS)}),
        (holes, "pnal", {}),
    ]
    rows = []
    for data, score, options in runs:
        rows.append(_measured(data, score, options, time_limit))
        note(_line(rows[-1]))
    rows.append(_two_slices(series, time_limit))
    note(_line(rows[-1]))
    return rows


def _two_slices(series: int, time_limit: float) -> dict[str, Any]:
    """Series that depend on each other's past, learned as two slices: from the rows to the proven network."""
    from sabna.learning import learn

    rng = np.random.default_rng(0)
    slopes = np.where(rng.random((series, series)) < 2 / series, rng.uniform(-0.5, 0.5, (series, series)), 0)
    values = np.zeros((STEPS, series))
    for t in range(1, STEPS):
        values[t] = 0.3 * values[t - 1] + slopes @ values[t - 1] + rng.normal(size=series)
        values[t, 1:] += 0.4 * values[t, :-1]
    data = {"t": list(range(STEPS)), **{f"X{k + 1}": values[:, k].tolist() for k in range(series)}}
    began = time.process_time()
    result = learn(data, "bge", time="t", time_limit=time_limit)
    return {
        "score": "bge",
        "n": 2 * series,
        "options": {"series": series, "steps": STEPS},
        "status": result.status,
        "seconds": time.process_time() - began,
        "evaluated": result.statistics["parent_graph"]["evaluated"],
        "sets": result.statistics["parent_graph"]["sets"],
    }


def _measured(table: MixedTable, score: str, options: dict[str, Any], time_limit: float) -> dict[str, Any]:
    from sabna.parents.build import build_partial_graph

    began = time.process_time()
    built = build_partial_graph(table, score, limits=Limits(time_limit), **options)
    return {
        "score": score,
        "n": table.n,
        "options": options,
        "status": built.status,
        "seconds": time.process_time() - began,
        "evaluated": built.graph.statistics["evaluated"],
        "sets": built.graph.statistics["sets"],
    }


def _line(row: dict[str, Any]) -> str:
    options = (
        ", ".join(f"{name} {value:g}" for name, value in row["options"].items()) or "defaults, no limit of parents"
    )
    return (
        f"{row['score']:5} n = {row['n']:2} ({options}): {row['seconds']:7.2f} CPU s, {row['status']}; "
        f"{row['evaluated']:,} families scored, {row['sets']:,} sets kept"
    )
