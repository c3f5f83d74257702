"""Data sampled from known networks: how often their edges are found, by sabna's own treatment and by what it replaces.

Every case draws networks at random, samples from them, and learns from the same rows in several ways. Of the true edges
it is counted how many are found as a link, either way round (`joined`), and how many with their direction (`directed`:
the result has it, and all members of its class agree); and how many links a learned network has that are not true
(`false`). Networks have up to two parents a variable. The cases:

- mixed: 15 columns, 7 of them categories, 1,000 rows; bcg, against bdeu on numbers cut at their terciles;
- missing: 10 columns of categories, 1,000 rows, 10 or 30 per cent of the cells gone at random;
- interventions: 9 columns, 1,000 rows, each of 3 variables set at random in a quarter of them;
- time: 8 variables over 200 steps, each with its own past and up to two other parents, now or one step before.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna.base.errors import DataWarning

if TYPE_CHECKING:
    from sabna.network.network import Network
    from sabna.result.result import Result

ROWS = 1000
STEPS = 200
Way = tuple[str, "Result", "Network"]


def run_recovery(networks: int, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """One row for each way of each case: mean shares over `networks` random networks."""
    cases: dict[str, Callable[[int], Iterator[Way]]] = {
        "mixed": _mixed,
        "10 % missing": lambda seed: _missing(seed, 0.1),
        "30 % missing": lambda seed: _missing(seed, 0.3),
        "interventions": _interventions,
        "time": _time,
    }
    rows = []
    for case, ways in cases.items():
        found: dict[str, list[tuple[float, float, float]]] = {}
        for seed in range(networks):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # of a column that is constant where few rows are left
                for name, result, truth in ways(seed):
                    found.setdefault(name, []).append(compared(result, truth))
        for name, shares in found.items():
            joined, directed, false = np.mean(shares, axis=0).tolist()
            rows.append({"case": case, "way": name, "joined": joined, "directed": directed, "false": false})
            note(f"| {case} | {name} | {joined:.0%} | {directed:.0%} | {false:.1f} |")
    return rows


def compared(result: Result, truth: Network) -> tuple[float, float, float]:
    """Shares of the true edges that are joined, and directed; and how many links are false."""
    true, links = set(truth.edges), {frozenset(edge) for edge in truth.edges}
    mine = set(result.network.edges)
    compelled = result.cpdag().compelled
    joined = sum(frozenset(edge) in links for edge in mine)
    false = len(mine) - joined
    return joined / max(len(true), 1), len(true & compelled) / max(len(true), 1), false


def _random_parents(rng: Any, names: list[str], may: Callable[[str, str], bool]) -> dict[str, list[str]]:
    parents: dict[str, list[str]] = {}
    for k, name in enumerate(names):
        before = [p for p in names[:k] if may(p, name)]
        parents[name] = [str(p) for p in rng.permutation(before)[: rng.integers(1, 3)]] if before else []
    return parents


def _categories(rng: Any, n: int) -> Network:
    """A random network of categories with two or three states."""
    from sabna.network.network import Network

    names = [f"V{k + 1}" for k in range(n)]
    network = Network(names, _random_parents(rng, names, lambda p, c: True))
    states = {v: tuple("abc"[: 2 + k % 2]) for k, v in enumerate(names)}
    tables = {
        v: rng.dirichlet(np.full(len(states[v]), 0.5), size=tuple(len(states[p]) for p in network.parents[v]))
        for v in names
    }
    return network.with_parameters(states=states, tables=tables)


def _mixed(seed: int) -> Iterator[Way]:
    from sabna.learning import learn
    from sabna.network.conditional import ConditionalGaussian, MixedParameters
    from sabna.network.network import Network

    rng = np.random.default_rng([1, seed])
    names = [f"V{k + 1}" for k in range(15)]
    discrete = {v for k, v in enumerate(names) if k % 2 and k < 14}
    network = Network(names, _random_parents(rng, names, lambda p, c: c not in discrete or p in discrete))
    states = {v: ("a", "b") if k % 4 == 1 else ("a", "b", "c") for k, v in enumerate(names) if v in discrete}
    tables, regressions = {}, {}
    for v, above in network.parents.items():
        shape = tuple(len(states[p]) for p in above if p in states)
        if v in states:
            tables[v] = rng.dirichlet(np.full(len(states[v]), 0.5), size=shape)
            continue
        numbers = tuple(p for p in above if p not in states)
        slopes = rng.uniform(0.3, 1, (*shape, len(numbers))) * rng.choice([-1, 1], (*shape, len(numbers)))
        regressions[v] = ConditionalGaussian(
            tuple(p for p in above if p in states), numbers, rng.normal(size=shape), slopes, np.ones(shape)
        )
    network = network.with_parameters(mixed=MixedParameters(states, tables, regressions))
    rows = network.sample(ROWS, seed)
    cut = {v: "quantile:3" for v in names if v not in states}
    yield "bcg, columns as they are", learn(rows, "bcg", max_parents=3), network
    yield "bdeu, numbers cut at terciles", learn(rows, "bdeu", max_parents=3, discretize=cut), network


def _missing(seed: int, share: float) -> Iterator[Way]:
    from sabna.learning import learn

    rng = np.random.default_rng([2, seed])
    network = _categories(rng, 10)
    rows = network.sample(ROWS, seed).to_pydict()
    holes = {v: [None if rng.random() < share else x for x in column] for v, column in rows.items()}
    yield "nothing missing, bic", learn(rows, "bic"), network
    if any(all(column[k] is not None for column in holes.values()) for k in range(ROWS)):
        yield "drop, bic", learn(holes, "bic", missing="drop"), network
    yield "available, pnal with the price of bic", learn(holes, "pnal", pnal_k=math.log(ROWS) / 2), network
    yield "available, pnal with sqrt(rows)", learn(holes, "pnal", pnal_k=ROWS**0.5), network
    yield "em, bic", learn(holes, "bic", missing="em", max_parents=3, em_starts=2), network


def _interventions(seed: int) -> Iterator[Way]:
    from sabna.learning import learn

    rng = np.random.default_rng([3, seed])
    network = _categories(rng, 9)
    chosen = [str(v) for v in rng.permutation(network.variables)[:3]]
    assert network.tables is not None
    assert network.states is not None
    told = rng.choice(["none", *chosen], ROWS)
    codes: dict[str, Any] = {}
    for v in network.order:
        chances = network.tables[v][tuple(codes[p] for p in network.parents[v])]
        limits = np.cumsum(np.broadcast_to(chances, (ROWS, len(network.states[v]))), axis=1)
        codes[v] = np.minimum((rng.random(ROWS)[:, None] >= limits).sum(axis=1), limits.shape[1] - 1)
        codes[v] = np.where(told == v, rng.integers(0, len(network.states[v]), ROWS), codes[v])
    rows = {v: [f"s{code}" for code in codes[v]] for v in network.variables}
    yield "told, bdeu", learn({**rows, "INT": told.tolist()}, "bdeu", interventions="INT"), network
    yield "ignored, bdeu", learn(rows, "bdeu"), network


def _time(seed: int) -> Iterator[Way]:
    from sabna.learning import learn
    from sabna.network.network import Network

    rng = np.random.default_rng([4, seed])
    now = [f"V{k + 1}" for k in range(8)]
    parents = {v: [f"{v}[t-1]"] for v in now}
    for k, v in enumerate(now):
        others = [*now[:k], *(f"{p}[t-1]" for p in now if p != v)]
        parents[v] += [str(p) for p in rng.permutation(others)[: rng.integers(1, 3)]]
    truth = Network([*(f"{v}[t-1]" for v in now), *now], parents)
    slopes = {v: {p: rng.uniform(0.2, 0.4) * rng.choice([-1, 1]) for p in ps} for v, ps in parents.items()}
    values = {v: np.zeros(STEPS) for v in now}
    for t in range(1, STEPS):
        for v in now:
            drive = sum(
                slope * (values[p[:-5]][t - 1] if p.endswith("[t-1]") else values[p][t])
                for p, slope in slopes[v].items()
            )
            values[v][t] = drive + rng.normal()
    rows = {v: column.tolist() for v, column in values.items()}
    yield "steps of time, bge", learn({**rows, "t": list(range(STEPS))}, "bge", time="t"), truth
    yield "rows as if independent, bge", learn(rows, "bge"), truth
