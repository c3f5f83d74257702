"""Kinds of data and options together, where they are not refused: the network is the best of all, found by hand.

Rows are dropped, steps are made and cells are left out here by pandas, families are scored by `tests.slow_mixed` and by
least squares, and every network that the options allow is tried.
"""

from __future__ import annotations

import itertools
import math
import random
import warnings
from typing import Any

import numpy as np
import pandas
import pytest

import sabna
from sabna.base.errors import DataWarning, SabnaError
from sabna.parents.families import allowed_by_model, family_costs
from sabna.scores.reading import read_for_score
from sabna.table.mixed import NO_CODE, MixedTable
from tests.all_networks import all_networks
from tests.slow_mixed import cells, slow_cost
from tests.test_mixed_scores import mixed_table

NAMES = ("K1", "K2", "K3")
ROWS, STEPS = 60, 15
# Scores, and the columns they are for: (c)ategories or (n)umbers.
KINDS = {
    "bic": "ccc",
    "bdeu": "ccc",
    "pnal": "ccc",
    "bic-g": "nnn",
    "bge": "nnn",
    "pnal-g": "nnn",
    "bcg": "cnn",
    "bic-cg": "cnn",
    "pnal-cg": "cnn",
}
KNOWN = {"required": [["K1", "K2"]], "forbidden": [["K3", "K2"]]}
ALL = list(itertools.product(KINDS, ("error", "drop", "category", "available"), *([False, True],) * 3))


def frame_of(kinds: str, holes: bool) -> pandas.DataFrame:
    """Three columns of which each depends on those before; every third row misses a cell."""
    rng = np.random.default_rng(5)
    drive = rng.normal(size=(3, ROWS))
    for k in range(3):
        drive[k] += 0.8 * drive[:k].sum(axis=0) + 0.5 * np.roll(drive[k - 1], 1)
    columns: dict[str, Any] = {}
    for name, kind, values in zip(NAMES, kinds, drive, strict=True):
        columns[name] = np.where(values > 0.3, "hi", np.where(values > -0.8, "mid", "lo")) if kind == "c" else values
    frame = pandas.DataFrame(columns).astype(object)
    if holes:
        for row in range(0, ROWS, 3):
            frame.iloc[row, int(rng.integers(0, 3))] = None
    frame["INT"] = np.resize(["none", "K1", "", "K3;K2"], ROWS)
    frame["t"] = np.resize(range(STEPS), ROWS)
    frame["who"] = np.arange(ROWS) // STEPS
    return frame.drop(index=[7, 22]).sample(frac=1, random_state=1).reset_index(drop=True)


def prepared(frame: pandas.DataFrame, missing: str, steps: bool) -> pandas.DataFrame:
    """What the options make of the rows: columns of the past first, whether a cell was set under (name, "set")."""
    frame = frame.copy()
    if missing == "drop":
        frame = frame.dropna(subset=list(NAMES))
    for name in NAMES:
        if missing == "category":
            frame[name] = frame[name].map(lambda cell: "gone" if cell is None else cell)
        frame[name, "set"] = [name in cell.split(";") for cell in frame["INT"]]
    if not steps:
        return frame
    before = frame.assign(t=frame["t"] + 1)[["who", "t", *NAMES, *((name, "set") for name in NAMES)]]
    before.columns = ["who", "t", *(f"{v}[t-1]" for v in NAMES), *((f"{v}[t-1]", "set") for v in NAMES)]
    return frame.merge(before, on=["who", "t"])


def table_of(frame: pandas.DataFrame, kinds: dict[str, str]) -> MixedTable:
    """The columns of the frame as a table, coded by hand; a column of the past has the states of its variable."""
    columns, states = [], list[tuple[str, ...] | None]()
    for name, kind in kinds.items():
        if kind == "n":
            states.append(None)
            columns.append(frame[name].astype(float).to_numpy())
            continue
        seen = tuple(sorted({cell for cell in ("hi", "lo", "mid", "gone") if cell in set(frame[name.split("[")[0]])}))
        states.append(seen)
        codes = [NO_CODE if cell is None else seen.index(cell) for cell in frame[name]]
        columns.append(np.array(codes, dtype=np.uint16))
    return MixedTable(tuple(kinds), tuple(columns), tuple(states))


def cost_of(table: MixedTable, child: int, parents: tuple[int, ...], score: str, was_set: Any) -> float | None:
    """What a family costs, in nats; None if the score has no value or the model no such family."""
    if table.states[child] is not None and any(table.states[p] is None for p in parents):
        return None
    if score not in ("bic", "bic-g"):
        same = {"bdeu": "bcg", "bge": "bcg"}.get(score, score)
        return slow_cost(table, child, parents, same, left_out=was_set)
    counted = int((~was_set).sum())
    states = [len(s) for s in (table.states[v] for v in parents) if s is not None]
    total = 0.0
    for rows in cells(table, child, parents, was_set):
        y = np.asarray(table.columns[child][rows], dtype=np.float64)
        if score == "bic":
            total -= sum(n * math.log(n / len(y)) for n in np.unique(y, return_counts=True)[1])
            continue
        x = np.column_stack([np.ones(len(y)), *(table.columns[p][rows] for p in parents)])
        rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        total += len(y) / 2 * (math.log(2 * math.pi * float(rest @ rest) / len(y)) + 1)
    free = (len(table.states[child] or ()) - 1) * math.prod(states) if score == "bic" else len(parents) + 2
    return total + math.log(counted) / 2 * free


def best_by_hand(frame: pandas.DataFrame, score: str, interventions: bool, steps: bool, known: bool) -> float:
    """The cost of the best network that the options allow."""
    now = dict(zip(NAMES, KINDS[score], strict=True))
    before = {f"{name}[t-1]": kind for name, kind in now.items()} if steps else {}
    table = table_of(frame, {**before, **now})
    was_set = [
        frame[name, "set"].to_numpy() if interventions else np.zeros(len(frame), dtype=bool) for name in table.names
    ]

    def cost(child: int, parents: tuple[int, ...]) -> float:
        found = cost_of(table, child, parents, score, was_set[child])
        return math.inf if found is None else found

    first = len(before)
    pasts = [c for size in range(first + 1) for c in itertools.combinations(range(first), size)]
    least: dict[tuple[int, tuple[int, ...]], float] = {}
    best = math.inf
    for parents in all_networks(3):
        if known and (0 not in parents[1] or 2 in parents[1]):
            continue
        total = 0.0
        for i, ps in enumerate(parents):
            if (i, ps) not in least:
                own = tuple(p + first for p in ps)
                least[i, ps] = min(cost(i + first, past + own) for past in pasts)
            total += least[i, ps]
        best = min(best, total)
    return best + sum(cost(k, ()) for k in range(first))


@pytest.mark.parametrize(
    "chosen", [pytest.param(40, id="some"), pytest.param(len(ALL), id="all", marks=pytest.mark.slow)]
)
def test_the_network_is_the_best_of_all_or_refused(chosen: int) -> None:
    compared = 0
    for score, missing, interventions, steps, known in random.Random(2).sample(ALL, chosen):
        frame = frame_of(KINDS[score], holes=missing != "error")
        options: dict[str, Any] = {"missing": missing} if missing != "error" else {}
        options |= {"interventions": "INT"} if interventions else {"drop": ["INT"]}
        options |= {"time": "t", "id": "who"} if steps else {}
        options |= {"knowledge": KNOWN} if known else {}
        if not steps:
            options["drop"] = [*options.get("drop", ()), "t", "who"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            try:
                result = sabna.learn(frame, score, gap_tolerance=0, **options)
            except SabnaError:
                continue  # that refusals have words is what test_combinations.py is for
        compared += 1
        used = "pnal" if (score, missing) == ("bic", "available") else score
        expected = best_by_hand(prepared(frame, missing, steps), used, interventions, steps, known)
        told = f"{score}, {options}"
        assert result.status == "optimal", told
        assert result.cost == pytest.approx(expected, rel=1e-7), told
        options.pop("knowledge", None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            assert result.network.score(frame, score, **options).cost_quanta == result.cost_quanta, told
    assert compared > chosen / 3


@pytest.mark.parametrize("score", ["bdeu", "bge", "bcg"])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_directions_are_settled_where_all_equally_good_networks_agree(score: str, known: bool, seed: int) -> None:
    """Cells that were set, knowledge and the model of mixed columns: the class is what the scores say it is."""
    rng = np.random.default_rng([seed, known])
    table = mixed_table(seed, n=4, rows=150, discrete={"bdeu": 4, "bge": 0}.get(score))
    targets = rng.choice(table.names, 2, replace=False).tolist()
    data: dict[str, Any] = {"INT": rng.choice(["none", *targets, ";".join(targets)], 150).tolist()}
    for name, column, states in zip(table.names, table.columns, table.states, strict=True):
        data[name] = column.tolist() if states is None else [f"s{code}" for code in column]
    a, b = (int(k) for k in rng.choice(4, 2, replace=False))
    forbidden = {"forbidden": [[table.names[a], table.names[b]]]} if known else {}
    result = sabna.learn(data, score, interventions="INT", knowledge=forbidden or None, gap_tolerance=0)
    read = read_for_score(data, score, interventions="INT")
    names = list(read.names)
    cost: dict[Any, int] = {}
    for i, parents in {(i, ps) for network in all_networks(4) for i, ps in enumerate(network)}:
        if not isinstance(read, MixedTable) or allowed_by_model(read, i, parents):
            cost[i, parents] = int(family_costs(read, [(i, parents)], score)[0])
    links = {frozenset(edge) for edge in result.network.edges}
    equal = list[set[tuple[str, str]]]()
    for network in all_networks(4):
        edges = {(names[p], names[i]) for i, ps in enumerate(network) for p in ps}
        if (known and (table.names[a], table.names[b]) in edges) or {frozenset(edge) for edge in edges} != links:
            continue
        if all(family in cost for family in enumerate(network)):
            total = sum(cost[family] for family in enumerate(network))
            assert total >= result.cost_quanta
            equal += [edges] if total == result.cost_quanta else []
    assert result.cpdag().compelled == set.intersection(*equal)
